package trace_test

import (
	"os"
	"testing"

	"github.com/cbpolicy/cbpolicy/trace"
)

// BenchmarkOpen reads every recorded run beside the clone.
func BenchmarkOpen(b *testing.B) {
	path := devPath(b)
	size := int64(0)
	for file, err := range trace.Files(path) {
		if err != nil {
			b.Fatal(err)
		}
		info, err := os.Stat(file)
		if err != nil {
			b.Fatal(err)
		}
		size += info.Size()
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for range trace.Open(path, trace.Options{}) {
		}
	}
}
