package trace_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cbpolicy/cbpolicy/trace"
)

// recorded are the files of recorded runs beside the clone, and how long they are.
func recorded(b *testing.B) (path string, files []string, size int64) {
	path = devPath(b)
	for file, err := range trace.Files(path, trace.Options{}) {
		if err != nil {
			b.Fatal(err)
		}
		info, err := os.Stat(file)
		if err != nil {
			b.Fatal(err)
		}
		files, size = append(files, file), size+info.Size()
	}
	return path, files, size
}

// BenchmarkOpen reads every recorded run beside the clone.
func BenchmarkOpen(b *testing.B) {
	path, _, size := recorded(b)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for range trace.Open(path, trace.Options{}) {
		}
	}
}

// BenchmarkJQ reads the same files with jq and understands nothing of them.
func BenchmarkJQ(b *testing.B) {
	_, files, size := recorded(b)
	files = slices.DeleteFunc(files, func(f string) bool { return !slices.Contains([]string{".json", ".jsonl", ".traj"}, filepath.Ext(f)) })
	program, err := exec.LookPath("jq")
	if err != nil {
		b.Skip("there is no jq on this machine")
	}
	b.SetBytes(size)
	for b.Loop() {
		if err := exec.Command(program, append([]string{"-c", "."}, files...)...).Run(); err != nil {
			b.Fatal(err)
		}
	}
}
