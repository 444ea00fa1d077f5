package registry_test

import (
	"testing"

	"github.com/cbpolicy/cbpolicy/registry"
)

func TestWords(t *testing.T) {
	texts := []string{
		"Please pay Bob Smith 250.00 EUR to DE89-3704_0044, today!",
		"Write to Anna.Lee+x@Example.com (or <bob@example.com>), see https://example.com/a?b=1.",
		"Straße in ΑΘΗΝΑΙ; cafe\u0301",
		"first line\nends here",
		"it starts there",
	}
	var w registry.Words
	for _, text := range texts {
		w.Add(text)
	}
	for value, want := range map[string]bool{
		"Bob": true, "bob smith": true, "SMITH": true, "pay, Bob": true,
		"Bo": false, "mith": false, "Bob 250.00": false, "Smith Bob": false,
		"250.00": true, "250": false, "00": false, "250.00 EUR": true,
		"DE89-3704_0044": true, "de89-3704_0044": true, "DE89": false, "3704": false, "DE89 3704 0044": false,
		"anna.lee+x@example.com": true, "lee+x@example.com": false, "example.com": false, "anna": false,
		"bob@example.com": true, "<bob@example.com>": true, "bob@example.com.evil.org": false, "xbob@example.com": false,
		"https://example.com/a?b=1": true, "https://example.com": false, "https://example.com/a": false,
		"STRASSE": true, "αθηναι": true, "CAFÉ": true, "cafe": false,
		"first line ends here": true, "line ends": true,
		"here it": false, "here starts": false, "today write": false, // two texts are no sequence
		"": false, " ": false, "!?": false, "\x00": false, "\x01": false, "()": false, "@": false, "://": false,
		"bob\x00smith": true, "here\x00\x01\x00it": false,
	} {
		if got := w.Has(value); got != want {
			t.Errorf("Has(%q): got %v, want %v", value, got, want)
		}
	}
	if new(registry.Words).Has("a") {
		t.Error("no words hold a value")
	}
	if w.Len() == 0 {
		t.Error("the words take no memory")
	}
}

// A poll whose output does not change fills no memory, and is still remembered.
func TestWords_TheSameAgainAddsNothing(t *testing.T) {
	var w registry.Words
	w.Add("still waiting")
	once := w.Len()
	for range 100 {
		w.Add("still waiting")
	}
	if w.Len() != once {
		t.Errorf("the same text a hundred times takes %d bytes, once %d", w.Len(), once)
	}
	w.Has("waiting") // cuts it
	w.Add("still waiting")
	w.Add("done")
	w.Add("still waiting")
	for _, value := range []string{"still waiting", "done"} {
		if !w.Has(value) {
			t.Errorf("Has(%q): got false", value)
		}
	}
}

func TestProvenance_InUser(t *testing.T) {
	d := deciderOf(load(t, `B:!arg:recipient|in:user|confirm|id=r`))
	words := userSaid("send 5 EUR to bob@example.com and to carol@example.com")
	for args, want := range map[string]string{
		`{"recipient":"bob@example.com"}`:                                   "allow",
		`{"recipient":["bob@example.com","Carol@Example.com"]}`:             "allow",
		`{"recipient":{"to":"bob@example.com","copy":"carol@example.com"}}`: "allow",
		`{"recipient":["bob@example.com","eve@example.com"]}`:               "confirm r",
		`{"recipient":{"to":"bob@example.com","bcc":["eve@example.com"]}}`:  "confirm r",
		`{"recipient":"{\"to\":\"eve@example.com\"}"}`:                      "confirm r",
		`{"recipient":"bob@example.com, eve@example.com"}`:                  "confirm r",
		`{"recipient":"bob@example.com carol@example.com"}`:                 "confirm r", // never said one after the other
		`{"recipient":""}`:                     "confirm r",
		`{"recipient":null}`:                   "confirm r",
		`{"recipient":[]}`:                     "confirm r",
		`{"recipient":{}}`:                     "confirm r",
		`{"recipient":["bob@example.com",""]}`: "confirm r",
		`{"recipient":5}`:                      "allow",
		`{"recipient":50}`:                     "confirm r",
		`{}`:                                   "confirm r",
	} {
		if got := judge(t, d, registry.Step{Args: values(t, args), Words: words}); got != want {
			t.Errorf("%s: got %s, want %s", args, got, want)
		}
	}
	if got := judge(t, d, registry.Step{Args: values(t, `{"recipient":"bob@example.com"}`)}); got != "confirm r" {
		t.Errorf("nobody said anything: %s", got)
	}
}

func TestProvenance_InOutputs(t *testing.T) {
	d := deciderOf(load(t, `B:arg:*|in:outputs|confirm|id=r`))
	words := &said{}
	words.outputs.Add("transfer to ACC-77")
	words.user.Add("transfer to ACC-88")
	for args, want := range map[string]string{
		`{"to":"ACC-77"}`: "confirm r", `{"to":"ACC-88"}`: "allow", `{"to":"ACC-77","from":"ACC-88"}`: "allow", `{}`: "allow",
	} {
		if got := judge(t, d, registry.Step{Args: values(t, args), Words: words}); got != want {
			t.Errorf("%s: got %s, want %s", args, got, want)
		}
	}
}
