//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestRun_InterruptTellsWhatWasDone interrupts a run in the middle of a step:
// the receipts of the calls that were made are there all the same.
func TestRun_InterruptTellsWhatWasDone(t *testing.T) {
	dir := t.TempDir()
	chain, begun, receipts := filepath.Join(dir, "chain.yaml"), filepath.Join(dir, "begun"), filepath.Join(dir, "receipts.json")
	text := "id: pay\nsteps:\n  - {id: look, ability: price.get}\n  - {id: send, ability: money.send}\n  - {id: tell, ability: user.tell}\n"
	if err := os.WriteFile(chain, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(begun, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	go func() {
		f, err := os.Open(begun) // waits for the second step to open it
		if err != nil {
			t.Error(err)
		} else {
			f.Close()
		}
		interrupt()
	}()
	var out, errOut bytes.Buffer
	code := program(ctx, []string{
		"run", chain, "-f", "json", "--receipts", receipts, "--shell", "--ability", "price.get=echo 5",
		"--ability", "money.send=: >" + begun + "; sleep 60", "--ability", "user.tell=echo told",
	}, strings.NewReader(""), &out, &errOut)
	if code != exitInternal || errOut.Len() > 0 {
		t.Errorf("exit code %d, stderr %q", code, errOut.String())
	}
	var result struct {
		Status   string
		Steps    []struct{ Step, Outcome string }
		Receipts []struct {
			Step   string
			Output *string
			Error  *struct{ Class string }
		}
	}
	if err := json.Unmarshal(out.Bytes(), &result); err != nil {
		t.Fatalf("%v: %s", err, out.String())
	}
	if result.Status != "failed" || len(result.Steps) != 2 || len(result.Receipts) != 2 {
		t.Fatalf("got %s", out.String())
	}
	if r := result.Receipts[0]; r.Step != "look" || r.Output == nil || *r.Output != "5" {
		t.Errorf("the first receipt: %+v", r)
	}
	if r := result.Receipts[1]; r.Step != "send" || r.Error == nil || r.Error.Class != "Cancelled" {
		t.Errorf("the second receipt: %+v", r)
	}
	data, err := os.ReadFile(receipts)
	if err != nil || !bytes.Contains(data, []byte(`"step": "look"`)) {
		t.Errorf("the file of receipts: %s, %v", data, err)
	}
}
