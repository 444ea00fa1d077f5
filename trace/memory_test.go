package trace_test

import (
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/trace"
)

// repeated reads a text, then another many times, then a third.
type repeated struct {
	before, each, after string
	times               int
	now                 string
}

func (r *repeated) Read(p []byte) (int, error) {
	for r.now == "" {
		switch {
		case r.before != "":
			r.now, r.before = r.before, ""
		case r.times > 0:
			r.now, r.times = r.each, r.times-1
		case r.after != "":
			r.now, r.after = r.after, ""
		default:
			return 0, io.EOF
		}
	}
	n := copy(p, r.now)
	r.now = r.now[n:]
	return n, nil
}

// What a file of many runs needs at a time is what its largest run needs.
func TestMemoryIsThatOfOneRun(t *testing.T) {
	times := 4000
	if testing.Short() {
		times = 1100
	}
	simulation := `{"id":"s","messages":[{"role":"user","content":"` + strings.Repeat("word ", 400) + `"}]}`
	for name, c := range map[string]*repeated{
		"list":       {before: "[" + oneLine(agentDojoRun), each: "," + agentDojoRun, after: "]", times: times},
		"lines":      {each: oneLine(agentDojoRun) + "\n", times: times},
		"simulation": {before: `{"info":{"agent_info":{}},"simulations":[` + simulation, each: "," + simulation, after: "]}", times: times},
		"tasks":      {before: `{"info":{"agent_info":{}},"tasks":[0`, each: `,{"a":"` + strings.Repeat("b", 2000) + `"}`, after: `],"simulations":[` + simulation + `]}`, times: times},
	} {
		t.Run(name, func(t *testing.T) {
			n, start := 0, liveHeap()
			for _, err := range trace.Read("f.json", c, trace.Options{}) {
				if err != nil {
					t.Fatal(err)
				}
				if n++; n%500 != 1 {
					continue
				}
				const most = 1 << 20
				if grown := int64(liveHeap()) - int64(start); grown > most {
					t.Fatalf("%d bytes are live at run %d", grown, n)
				}
			}
			if n == 0 {
				t.Error("no run was read")
			}
		})
	}
}

func liveHeap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
