package refusal_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/session/refusal"
)

// A stem stands for every word that begins so, an ending for every word that
// ends so, however many stems fit the word.
func TestStems(t *testing.T) {
	d, err := refusal.New([]refusal.Pattern{
		{Text: "job ... fail*"},
		{Text: "failov*", Role: refusal.Harmless},
		{Text: "^ was (never|*less|unab*)"},
		{Text: "^ *kaput $"},
		{Text: "still un*ed"},
		{Text: "(was|is) now *ed"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for output, want := range map[string]bool{
		"The job failed.":         true,
		"The job has failures.":   true,
		"The job FAILED.":         true,
		"The job's failure":       true,
		"The job did a failover.": false, // the longer stem says better
		"The job is fai.":         false,
		"Was useless.":            true,
		"Was unabashed.":          true,
		"Was unless":              true,
		"Was lesser.":             false,
		"Kaput.":                  true,
		"Allkaput.":               true,
		"Allkaput again.":         false,
		"It is still unbooked.":   true,
		"It is still booked.":     false,
		"It is still until fed.":  false,
		"It is now unlinked.":     true, // a whole word with both takes no word away from its ending
	} {
		if got := d.Judge(output); got.Failed() != want {
			t.Errorf("%q: got %s by %q", output, got.Kind, got.Pattern)
		}
	}
}

// A longer stem in another phrase takes no word away from a shorter one.
func TestStemsNest(t *testing.T) {
	d, err := refusal.New([]refusal.Pattern{{Text: "^ un*"}, {Text: "undo* now"}, {Text: "^ *ed"}, {Text: "*ceded now"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, output := range []string{"Undone.", "Unmade.", "Conceded.", "Spared."} {
		if !d.Judge(output).Failed() {
			t.Errorf("%q is no failure", output)
		}
	}
}

func TestStemIsAPrefix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stem := rapid.StringMatching(`[b-hk]{2,5}`).Draw(t, "stem")
		word := rapid.StringMatching(`[b-hk]{1,8}`).Draw(t, "word")
		if rapid.Bool().Draw(t, "fits") {
			word = stem + word
		}
		// Of these letters no contraction is made, nor a word of the grammar.
		d, err := refusal.New([]refusal.Pattern{{Text: "zq " + stem + "* $"}})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := d.Judge("Zq "+word+".").Failed(), strings.HasPrefix(word, stem); got != want {
			t.Fatalf("%s* on %s: got %t, want %t", stem, word, got, want)
		}
	})
}

func TestBadStems(t *testing.T) {
	for text, want := range map[string]string{
		"a*":            `"a*" is no stem: want a * before or after 2 letters or more, alone between its bars`,
		"*":             `"*" is no stem`,
		"f*il":          `"f*il" is no stem: want 2 letters or more before and behind its *`,
		"un*e*d":        `"un*e*d" is no stem`,
		"*fail*":        `"*fail*" is no stem`,
		"(fail* to|no)": `column 1: "fail* to" is no stem`,
		"don't*":        `"don't*" is no stem`,
	} {
		_, err := refusal.New([]refusal.Pattern{{Text: text}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q:\n got %v\nwant %s", text, err, want)
		}
	}
}
