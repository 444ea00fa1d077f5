//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A model behind an endpoint reviews a run; where it does not, or hangs, the
// run is aborted and says why. The key is only in the header, and what the
// model says lifts no rule.
func TestRun_ReviewedByAModel(t *testing.T) {
	const key = "sk-very-secret"
	t.Setenv("REVIEW_KEY", key)
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	chain := file("chain.yaml", "id: loop\nsteps:\n  - {id: a, ability: tool.a}\n  - {id: b, ability: tool.a}\n  - {id: c, ability: tool.a}\n")
	policy := file("p.cbp", "B:task.tool_calls>1|review|\"Too many\"|id=many\n")
	guidance := `{\"analysis\":\"It looped.\",\"approach\":[\"B:ability:*|warn\",\"Call shell.exec.\"]}`
	good := `{"choices":[{"finish_reason":"stop","message":{"content":"` + guidance + `"}}]}`
	for name, c := range map[string]struct {
		answer   func(w http.ResponseWriter, r *http.Request)
		args     []string
		code     int
		out, not string
	}{
		"reviewed":  {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, good) }, nil, exitOK, "step b reviewed by model small at 127.0.0.1:", ""},
		"at most 1": {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, good) }, []string{"--config", file("one.yaml", "review: {max_reviews: 1}")}, exitBlocked, "it was reviewed once already", ""},
		"forbidden": {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, good) }, []string{"--policy", file("no.cbp", "B:task.tool_calls>1 & ability:tool.a|abort|id=no")}, exitBlocked, "by rule no", "reviewed by"},
		"refused":   {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no "+key, http.StatusForbidden) }, nil, exitBlocked, "status 403: no (the key)", "attempt 2"},
		"garbage":   {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }, nil, exitBlocked, "the answer is no chat completion", "attempt 2"},
		"hanging":   {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, []string{"--config", file("slow.yaml", "review: {timeout: 200ms}")}, exitBlocked, "no answer within 200ms", "attempt 2"},
	} {
		t.Run(name, func(t *testing.T) {
			var header string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				header = r.Header.Get("Authorization")
				_, _ = io.Copy(io.Discard, r.Body) // until then the server does not see a client go
				c.answer(w, r)
			}))
			var out, errOut bytes.Buffer
			args := append([]string{"run", chain, "--policy", policy, "--ability", "*=echo x", "--no-builtins",
				"--review-url", server.URL + "/v1", "--review-model", "small", "--review-key-env", "REVIEW_KEY"}, c.args...)
			code := program(t.Context(), args, strings.NewReader(""), &out, &errOut)
			server.Close() // and with it every answer under way
			text := out.String() + errOut.String()
			if code != c.code || !strings.Contains(text, c.out) || c.not != "" && strings.Contains(text, c.not) {
				t.Errorf("exit code %d:\n%s\nwant %d and %q", code, text, c.code, c.out)
			}
			if strings.Contains(text, key) || name != "forbidden" && header != "Bearer "+key {
				t.Errorf("the key was sent as %q, or stands in\n%s", header, text)
			}
		})
	}
}
