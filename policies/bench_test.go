package policies_test

import (
	"fmt"
	"testing"
)

// BenchmarkLook is a look at a thousand files of which none has changed.
func BenchmarkLook(b *testing.B) {
	files := map[string]string{}
	for i := range 1000 {
		files[fmt.Sprintf("p/%d.cbp", i)] = rule(fmt.Sprint("r", i))
	}
	f := newFleet(b, files).open([]string{"p"})
	for b.Loop() {
		f.loader.Look()
	}
}
