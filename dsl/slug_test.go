package dsl_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/dsl/dslgen"
)

func TestDerivedID(t *testing.T) {
	for text, want := range map[string]string{
		`amount>1000|abort`:                                 "amount-gt-1000",
		`amount>=1|abort`:                                   "amount-ge-1",
		`amount<1.5|abort`:                                  "amount-lt-1.5",
		`amount<=1|abort`:                                   "amount-le-1",
		`a==1|abort`:                                        "a-eq-1",
		`a!=-1|abort`:                                       "a-ne--1",
		`task.duration>30m|abort`:                           "task.duration-gt-30m",
		`amount>{{max_spend}}|abort`:                        "amount-gt-max_spend",
		`frequency>5/1h|throttle`:                           "frequency-gt-5-1h",
		`frequency:email.*@session>5/1h|throttle`:           "frequency-email.any-at-session-gt-5-1h",
		`ability:trading.execute|confirm`:                   "ability-trading.execute",
		`!ability:*|abort`:                                  "not-ability-any",
		`arg:recipient|in:user|abort`:                       "arg-recipient-in-user",
		`output:error_msg|contains:fail|abort`:              "output-error_msg-contains-fail",
		`amount>5 & after:read|abort`:                       "amount-gt-5-and-after-read",
		`amount>5|abort|"r"|id=mine`:                        "mine",
		`output:x|matches:\d+|abort`:                        "output-x-matches-d-0689771d",
		`ability:"send mail"|abort`:                         "ability-sendmail-6b64abe5",
		`ability:日本|abort`:                                  "ability-",
		`when: a > 1|abort`:                                 "when-a1-",
		`!arg:` + strings.Repeat("k", 90) + `|in:user|warn`: "not-arg-" + strings.Repeat("k", 52) + "-",
	} {
		got := mustParse(t, text).ID()
		hashed := strings.HasSuffix(want, "-") && strings.HasPrefix(got, want) && len(got) == len(want)+8
		if got != want && !hashed {
			t.Errorf("%s has the id %s, want %s", text, got, want)
		}
	}
}

// Conditions whose words are the same must still get different ids.
func TestDerivedIDsDiffer(t *testing.T) {
	texts := []string{
		`ability:any|warn`, `ability:*|warn`, `ability:a.any|warn`, `ability:a.*|warn`,
		`a>1 & x>5|warn`, `a-gt-1-and-x>5|warn`, `ability:not|warn`, `!ability:x|warn`,
		`frequency@all>5/1h|warn`, `frequency:all>5/1h|warn`, `frequency:at@all>5/1h|warn`,
		`output:x|contains:a|warn`, `output:x|contains:A|warn`, `output:x|contains:a&|warn`, `output:x|contains:"a|"|warn`,
		`output:x|contains:*|warn`, `output:x|contains:any|warn`, `output:x|contains:""|warn`, `ability:.a|warn`, `ability:a|warn`, `ability:a/b|warn`, `ability:ab|warn`,
		`a>{{b}} & c>1|warn`, `a>{{b-and-c-gt-1}}|warn`, `when: a|warn`, `when: (a)|warn`, `when: A|warn`,
	}
	seen := map[string]string{}
	for _, text := range texts {
		r, f := dsl.ParseRule("", start, text)
		if f != nil {
			continue // an ill-formed name
		}
		if first := seen[r.ID()]; first != "" {
			t.Errorf("%s and %s share the id %s", first, text, r.ID())
		}
		seen[r.ID()] = text
	}
}

func TestDerivedIDIsAnIDAndUnique(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := dslgen.Condition(t), dslgen.Condition(t)
		ida, idb := (&dsl.Rule{Condition: a}).ID(), (&dsl.Rule{Condition: b}).ID()
		if (ida == idb) != a.Equal(b) {
			t.Fatalf("%s: %s\n%s: %s", ida, a, idb, b)
		}
		r, f := dsl.ParseRule("", start, "x>1|warn|id="+ida)
		if f != nil || r.ID() != ida {
			t.Fatalf("id=%s: %v", ida, f)
		}
		if len(ida) > 69 {
			t.Fatalf("%s is %d characters long", ida, len(ida))
		}
	})
}
