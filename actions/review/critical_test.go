package review_test

import (
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/actions/review"
)

// ability is a line of testdata/abilities.txt.
type ability struct{ class, name string }

func abilities(t *testing.T) (all []ability) {
	t.Helper()
	data, err := os.ReadFile("testdata/abilities.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		class, name, found := strings.Cut(line, "\t")
		if !found || !strings.Contains(" money destroy live run rights - ", " "+class+" ") {
			t.Fatalf("%q is no class and ability", line)
		}
		all = append(all, ability{class, name})
	}
	return all
}

// Of the labelled abilities nearly all that are critical are found, in each
// class too, and nearly all that are found are critical.
func TestCritical_Labelled(t *testing.T) {
	const least = 0.95
	found, missed, wrong, harmless := map[string]int{}, map[string]int{}, 0, 0
	for _, a := range abilities(t) {
		got := review.Critical(a.name)
		switch {
		case a.class == "-" && got:
			wrong++
			t.Logf("%s is taken for critical", a.name)
		case a.class == "-":
			harmless++
		case got:
			found[a.class]++
		default:
			missed[a.class]++
			t.Logf("%s (%s) is not found", a.name, a.class)
		}
	}
	share := func(n, of int) float64 { return float64(n) / float64(max(of, 1)) }
	all, lost := 0, 0
	for class := range found {
		all, lost = all+found[class], lost+missed[class]
	}
	for class := range missed {
		if r := share(found[class], found[class]+missed[class]); r < 0.9 {
			t.Errorf("%s: recall %.3f", class, r)
		}
	}
	precision, recall := share(all, all+wrong), share(all, all+lost)
	t.Logf("%d critical, %d harmless: precision %.3f, recall %.3f", all+lost, harmless+wrong, precision, recall)
	if precision < least || recall < least || all+lost < 60 || harmless+wrong < 60 {
		t.Errorf("want at least %v of each, over 60 abilities of each kind", least)
	}
}

func TestCritical(t *testing.T) {
	for name, want := range map[string]bool{
		"pay": true, "order.pay": true, "pay_invoice": true, "eu.order.pay-invoice": true, "mcp__shop__pay_invoice": true, "payInvoice": true, "PAY": true,
		"trading.execute": true, "bash": true, "fs.delete_file": true, "deletePullRequest": true, "mcp__github__merge_pull_request": true, "mcp__stripe__create_refund": true, "kubectl.rollback": true,
		"get_order": false, "orders.list": false, "read_file": false, "payload.read": false, "release_notes.get": false, "edit_file": false, "run_tests": false, "deleted_items": false,
		"merge": true, "rotate": true, "remove": true, "run": true, "create": false, "sort.merge": false, "mcp__git__push": true,
		"delete.file": true, "list_and_delete": true, "delete_and_list": true,
		"": false, "...": false, "_": false, "and": false, "and_then": false, "é": false,
	} {
		if got := review.Critical(name); got != want {
			t.Errorf("%q: critical %v, want %v", name, got, want)
		}
	}
}

// Where an ability stands, and in which spelling, changes nothing.
func TestCritical_Spelling(t *testing.T) {
	all := abilities(t)
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SampledFrom(all).Draw(t, "ability").name
		want := review.Critical(a)
		for _, other := range []string{"mcp__server__" + a, strings.ReplaceAll(a, "_", "-"), strings.ReplaceAll(a, "-", "_")} {
			if strings.Contains(a, "__") && !strings.HasPrefix(other, "mcp__server__") {
				continue // its underscores are between segments
			}
			if got := review.Critical(other); got != want {
				t.Fatalf("%s: %v, and %s: %v", a, want, other, got)
			}
		}
	})
}

func FuzzCritical(f *testing.F) {
	for _, name := range []string{"k8s.apply", "drag_and_drop", "mcp__a__pay", "\xff.\xfe", "and_and", "délete", "access_key"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if review.Critical(name) != review.Critical(name+".") {
			t.Errorf("%q is judged otherwise with a dot behind it", name)
		}
	})
}
