package eval_test

import "testing"

// A question about a value that the user did not say names that value, the
// least of several, and not one that he said or another atom of the rule.
func TestProvenanceNamesTheValue(t *testing.T) {
	const policy = `B:ability:mail.* & arg:@destinations|matches:\S & !arg:@destinations|in:user|confirm|"?"|id=p` + "\n"
	const step = `{"chain":"c","ability":"mail.send","args":{"to":["ann@x.org","zed@evil.org","eve@evil.org"],"cc":"ann@x.org"},"user":["mail ann@x.org"]}`
	for range 50 { // whatever the order of a map is
		v := engine(t, policy)([]byte(step))
		want := `"eve@evil.org" of argument @destinations does not occur in what the user wrote`
		if len(v.Fired) != 1 || v.Fired[0].Explain != want {
			t.Fatalf("got %+v, want %s", v, want)
		}
	}
}
