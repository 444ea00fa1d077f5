package policies_test

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// missed are the kinds of instructions of which the header of injection.cbp
// says that they are missed.
var missed = []string{"obfuscated", "languages", "bare"}

// TestWordings reads texts that were written for it, half of them held out by
// their hash: which of those were missed, or halted, is not told.
func TestWordings(t *testing.T) {
	halts := halting(t, "injection.cbp")
	known, further := tally{says: "instructions to the agent halted"}, tally{says: "those obfuscated, in another language, or without a mark"}
	instructions := wordings(t, "testdata/instructions.yaml")
	for _, kind := range slices.Sorted(maps.Keys(instructions)) {
		into := &known
		if slices.Contains(missed, kind) {
			into = &further
		}
		for _, text := range instructions[kind] {
			halted := halts(text)
			if seen := into.add(text, halted); seen && !halted {
				t.Logf("%s: not halted: %q", kind, text)
			}
		}
	}
	harmless := tally{says: "harmless outputs that look like them halted"}
	alike := wordings(t, "testdata/harmless.yaml")
	for _, kind := range slices.Sorted(maps.Keys(alike)) {
		for _, text := range alike[kind] {
			halted := halts(text)
			if seen := harmless.add(text, halted); seen && halted {
				t.Logf("%s: halted: %q", kind, text)
			}
		}
	}
	for half := range known.of {
		if known.has[half]*100 < 90*known.of[half] {
			t.Errorf("half %d: fewer than 90 of a hundred: %s", half, known.row())
		}
		if harmless.has[half]*100 > 3*harmless.of[half] {
			t.Errorf("half %d: more than 3 of a hundred: %s", half, harmless.row())
		}
	}
	heading := fmt.Sprintf("#   %-62s %9s %9s %9s\n", "texts written for it", "tuned on", "held out", "all")
	compare(t, "injection.cbp", heading+known.row()+further.row()+harmless.row())
}

// tally counts texts in two halves: those that were looked at, and those held out.
type tally struct {
	says    string
	has, of [2]int
}

// add counts a text, and reports whether it may be looked at.
func (c *tally) add(text string, has bool) (seen bool) {
	half := int(sha256.Sum256([]byte(text))[0] % 2)
	c.of[half]++
	if has {
		c.has[half]++
	}
	return half == 0
}

func (c *tally) row() string {
	return fmt.Sprintf("#   %-62s %9s %9s %9s\n", c.says, ratio(c.has[0], c.of[0]), ratio(c.has[1], c.of[1]),
		ratio(c.has[0]+c.has[1], c.of[0]+c.of[1]))
}

// wordings are texts by their kind; no text stands twice.
func wordings(t *testing.T, file string) map[string][]string {
	t.Helper()
	var byKind map[string][]string
	if err := yaml.Unmarshal([]byte(text(t, file)), &byKind); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for kind, texts := range byKind {
		for _, s := range texts {
			if strings.TrimSpace(s) == "" || seen[s] {
				t.Errorf("%s: %s: %q says nothing, or stands twice", file, kind, s)
			}
			seen[s] = true
		}
	}
	if len(seen) < 150 {
		t.Fatalf("%s: only %d texts", file, len(seen))
	}
	return byKind
}

// halting tells of an output whether a call that may change something is
// refused behind it.
func halting(t *testing.T, file string) func(output string) bool {
	t.Helper()
	d := session.Decider{Registry: policy(t, file), Store: memory.New(memory.Options{})}
	return func(output string) bool {
		st := registry.Step{Chain: "any", Ability: "files.delete", Outputs: registry.Texts(map[string]string{"page": output})}
		var v registry.Verdict
		d.Decide(t.Context(), &st, &v)
		return v.Decision == registry.Abort
	}
}
