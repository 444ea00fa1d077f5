//go:build unix

package redis_test

import (
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// tellsWhy checks that decisions by a state at an address say why it cannot be
// used, and not that their time was over, which is as short as need be.
func tellsWhy(t *testing.T, address, want string) {
	t.Helper()
	g := guard(t, address)
	v, took := g.decide("deny")
	if f := v.Blocking(); f == nil || !strings.Contains(f.ReasonText(), want) || strings.Contains(f.ReasonText(), "no answer in") {
		t.Errorf("%s: %+v, want a refusal that says %s", address, f, want)
	}
	if took > patience {
		t.Errorf("%s: it took %v, want at most %v", address, took, limit)
	}
}

// Addresses that are right but for what is there tell what is.
func TestWrongServer(t *testing.T) {
	srv := start(t)
	tellsWhy(t, "rediss://"+srv.addr, "wants redis://")
	silent := listen(t, func(net.Conn) {}) // it takes connections, and says nothing
	tellsWhy(t, "rediss://"+silent, "has not answered to TLS in time")
	rude := listen(t, func(in net.Conn) { in.Close() })
	tellsWhy(t, "redis://"+rude, "wants rediss://")
	other := listen(t, func(in net.Conn) { io.WriteString(in, "220 mail\r\n"); io.Copy(io.Discard, in) })
	tellsWhy(t, "rediss://"+other, "does not look like a TLS handshake; a port without TLS wants redis://")
	conf := filepath.Join(t.TempDir(), "sentinel.conf")
	if err := os.WriteFile(conf, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	watcher := &server{addr: freeAddr(t), dir: t.TempDir()}
	watcher.cmd = exec.Command(program(t), conf, "--sentinel", "--bind", "127.0.0.1", "--port", port(t, watcher.addr), "--logfile", filepath.Join(watcher.dir, "log"))
	if err := watcher.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(watcher.kill)
	watcher.answers(t)
	tellsWhy(t, "redis://"+watcher.addr, "wants the name of its master, master=NAME")
	tellsWhy(t, "redis://"+watcher.addr+"?master=main", "no Sentinel knows a master of this name")
}
