package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// TestHooksAndAction holds what other programs call against the verbs and
// flags that there are.
func TestHooksAndAction(t *testing.T) {
	var hooks []struct {
		ID, Entry, Language string
		Args                []string
		PassFilenames       *bool `yaml:"pass_filenames"`
	}
	readYAML(t, "../../.pre-commit-hooks.yaml", &hooks)
	var ids []string
	for _, h := range hooks {
		ids = append(ids, h.ID)
		known(t, h.ID, h.Entry)
		if h.Language != "golang" {
			t.Errorf("%s is of the language %s", h.ID, h.Language)
		}
		// Named by itself, any document is taken for a chain; in a directory, others' are passed over.
		if h.ID == "cbpolicy-check" && (h.PassFilenames == nil || *h.PassFilenames || !slices.Equal(h.Args, []string{"."})) {
			t.Errorf("%s is given files", h.ID)
		}
	}
	if want := []string{"cbpolicy-check", "cbpolicy-fmt", "cbpolicy-test"}; !slices.Equal(ids, want) {
		t.Errorf("hooks %v, want %v", ids, want)
	}
	var action struct {
		Inputs map[string]struct{ Default string }
		Runs   struct {
			Using string
			Steps []struct{ Name, Run string }
		}
	}
	readYAML(t, "../../action.yml", &action)
	last := action.Runs.Steps[len(action.Runs.Steps)-1]
	_, call, ok := strings.Cut(last.Run, "/bin/cbpolicy\" ")
	if !ok || action.Runs.Using != "composite" || action.Inputs["fail-on"].Default != "warning" {
		t.Fatalf("the action calls %q", last.Run)
	}
	known(t, "action.yml", "cbpolicy "+strings.TrimSpace(call))
}

func readYAML(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

// known fails if a command line names a verb or a flag that is not there.
func known(t *testing.T, who, line string) {
	t.Helper()
	words := strings.Fields(line)
	verb, _, err := newRoot().Find(words[1:2])
	if err != nil || verb.Name() != words[1] {
		t.Errorf("%s calls the verb %q", who, words[1])
		return
	}
	for _, word := range words[2:] {
		name, isFlag := strings.CutPrefix(word, "--")
		if !isFlag || name == "" {
			continue
		}
		if verb.Flags().Lookup(name) == nil {
			t.Errorf("%s gives %s the flag --%s", who, words[1], name)
		}
	}
}
