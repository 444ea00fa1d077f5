package jsonv_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

func TestParseKeepsSource(t *testing.T) {
	const doc = `{"b":1.50,"a":[true,null,"x\n\u00e9\ud83d\ude00",{}],"n":-0.1e+7}`
	v, err := jsonv.Parse([]byte(doc), jsonv.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"b":1.50,"a":[true,null,"x\né😀",{}],"n":-0.1e+7}`
	if got := string(v.AppendJSON(nil)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if n, ok := v.Member("n"); !ok || n.Kind() != jsonv.Number || n.Text() != "-0.1e+7" {
		t.Errorf("member n: %v %v", n, ok)
	}
	if v.Key(1) != "a" || v.Elem(1).Len() != 4 {
		t.Error("members out of order")
	}
}

func TestParseRefuses(t *testing.T) {
	for name, c := range map[string]struct{ doc, want string }{
		"nothing":         {"", "1:1: unexpected end"},
		"trailing":        {"{}\n x", "2:2: unexpected text"},
		"duplicate":       {`{"a":1,"a":2}`, `1:8: duplicate key "a"`},
		"duplicate deep":  {`[0,{"x":{"a":1,"\u0061":2}}]`, `1:16: duplicate key "a" in [1].x`},
		"path":            {`{"args":{"items":[0,{"a":01}]}}`, `1:27: want a comma or } in the object in args.items[1]`},
		"leading zero":    {"01", "1:2: unexpected text"},
		"plus":            {"+1", "1:1: want a value"},
		"NaN":             {"NaN", "1:1: want a value"},
		"point":           {"1.", "1:3: want a digit"},
		"open text":       {`"abc`, "1:1: the text is not closed"},
		"control":         {"\"a\x00\"", "1:3: a control character"},
		"UTF-8":           {"\"\xff\"", "1:2: invalid UTF-8"},
		"surrogate":       {`"\ud800"`, "1:2: half a surrogate"},
		"surrogate twice": {`"\ud800\ud800"`, "1:2: half a surrogate"},
		"escape":          {`"\x"`, "1:2: unknown escape"},
		"comma":           {`[1,]`, "1:4: want a value"},
		"column counts":   {`"é" 1`, "1:5: unexpected text"},
	} {
		_, err := jsonv.Parse([]byte(c.doc), jsonv.Limits{})
		var e *jsonv.Error
		if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
}

func TestManyMembersFindDuplicates(t *testing.T) {
	var b strings.Builder
	for i := range 50 {
		b.WriteString(`"k` + strings.Repeat("x", i) + `":0,`)
	}
	if _, err := jsonv.Parse([]byte("{"+b.String()+`"k":1}`), jsonv.Limits{}); err == nil {
		t.Error("a duplicate among many members is accepted")
	}
	v, err := jsonv.Parse([]byte("{"+b.String()+`"k":1}`), jsonv.Limits{KeepDuplicates: true})
	if err != nil || v.Len() != 51 {
		t.Errorf("kept %d members, %v", v.Len(), err)
	}
}

func TestDepthIsBounded(t *testing.T) {
	for _, open := range []string{"[", `{"a":`} {
		_, err := jsonv.Parse([]byte(strings.Repeat(open, 100_000)), jsonv.Limits{})
		if !jsonv.IsTooDeep(err) {
			t.Errorf("100,000 of %s: %v", open, err)
		}
	}
}

func TestPathOfAnErrorIsBounded(t *testing.T) {
	deep := strings.Repeat(`{"`+strings.Repeat("é", 50)+`":`, 900)
	_, err := jsonv.Parse([]byte(deep), jsonv.Limits{})
	var e *jsonv.Error
	if !errors.As(err, &e) || len(e.Path) > 300 || !utf8.ValidString(e.Path) {
		t.Errorf("path of %d bytes", len(e.Path))
	}
}

func TestValuesAreBounded(t *testing.T) {
	const doc = `{"a":[1,2],"b":3}`
	if _, err := jsonv.Parse([]byte(doc), jsonv.Limits{Values: 5}); err != nil {
		t.Errorf("five values refused: %v", err)
	}
	_, err := jsonv.Parse([]byte(doc), jsonv.Limits{Values: 4})
	var e *jsonv.Error
	if !errors.As(err, &e) || !e.TooMany || e.Column != 16 {
		t.Errorf("the fifth value: %v", err)
	}
}

func TestSurrogatesAreReplaced(t *testing.T) {
	for doc, want := range map[string]string{
		`"a\ud83d"`: "a\ufffd", `"\ude00b"`: "\ufffdb", `"\ud83dA"`: "\ufffdA", `"\ud83d\u0041"`: "\ufffdA",
		`"\ud83d\ud83d\ude00"`: "\ufffd\U0001f600", `"\ud83d\ude00"`: "\U0001f600", `"\ud83d\n"`: "\ufffd\n",
	} {
		v, err := jsonv.Parse([]byte(doc), jsonv.Limits{ReplaceSurrogates: true})
		if err != nil || v.Text() != want {
			t.Errorf("%s: %q, %v, want %q", doc, v.Text(), err, want)
		}
	}
	if _, err := jsonv.Parse([]byte(`"\ud83d\u00"`), jsonv.Limits{ReplaceSurrogates: true}); err == nil {
		t.Error("an escape that is cut off is accepted")
	}
}

func TestParseOffsets(t *testing.T) {
	const doc = ` {"a": [1, "x"], "b":{}}`
	_, got, err := jsonv.ParseOffsets(doc, jsonv.Limits{})
	want := jsonv.Offsets{1, 2, 7, 8, 11, 17, 21} // {, "a", [, 1, "x", "b", {
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("offsets %v, want %v, %v", got, want, err)
	}
}

// oneKiB is an object like those that tools take and give.
var oneKiB = func() []byte {
	line := `{"id":"item-%","amount":182.50,"tags":["a","b"],"note":"ten words of text that a person wrote here","ok":true}`
	return []byte(`{"items":[` + strings.Repeat(line+",", 8) + line + `]}`)
}()

func BenchmarkParse1KiB(b *testing.B) {
	b.SetBytes(int64(len(oneKiB)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := jsonv.Parse(oneKiB, jsonv.Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzParse holds Parse against encoding/json: it accepts nothing that
// encoding/json refuses, and what it accepts prints to an equal document.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5e3,"x\u0000"]}`, `"\ud83d\ude00"`, `[[[]]]`, `{"a":1,"a":2}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := jsonv.Parse(data, jsonv.Limits{KeepDuplicates: true, Depth: 100})
		if err != nil {
			if json.Valid(data) && utf8.Valid(data) && !bytes.Contains(data, []byte(`\u`)) && !jsonv.IsTooDeep(err) {
				t.Fatalf("%q refused: %v", data, err)
			}
			return
		}
		if !json.Valid(data) {
			t.Fatalf("%q accepted", data)
		}
		out := v.AppendJSON(nil)
		again, err := jsonv.Parse(out, jsonv.Limits{KeepDuplicates: true, Depth: 100})
		if err != nil || !bytes.Equal(again.AppendJSON(nil), out) {
			t.Fatalf("%q prints %q, which reads %v", data, out, err)
		}
	})
}
