package registry_test

import (
	"crypto/sha256"
	"encoding/binary"
	"testing"

	"github.com/cbpolicy/cbpolicy/registry"
)

// What a digest is made of stands in stores and in recordings: texts with their
// lengths before them, in the order of the names, and the arguments by their own.
func TestDigests(t *testing.T) {
	sum := func(parts ...string) registry.Digest {
		var all []byte
		for _, p := range parts {
			all = append(binary.LittleEndian.AppendUint64(all, uint64(len(p))), p...)
		}
		return sha256.Sum256(all)
	}
	st := &registry.Step{Session: "s", Ability: "a", Args: values(t, `{"b":"é\"1\"","a":[1,{"x":"y"}],"c":1.50,"d":true,"e":"17"}`)}
	named := []string{"a", `[1,{"x":"y"}]`, "b", `"é\"1\""`, "c", "1.50", "d", "true", "e", `"17"`, ""}
	args := sum(named...)
	for range 2 { // in memory that is used again
		if got := st.ArgsDigest(); got != args {
			t.Errorf("the arguments: %s, want %s", got, args)
		}
		if got, want := (&registry.Step{Args: registry.Texts(map[string]string{"e": "17", "b": "é"})}).ArgsDigest(), sum("b", `"é"`, "e", `"17"`, ""); got != want {
			t.Errorf("texts: %s, want %s", got, want)
		}
		var all []byte
		for _, p := range []string{"call", "s"} {
			all = append(binary.LittleEndian.AppendUint64(all, uint64(len(p))), p...)
		}
		if got, want := st.DigestOf("call", "s"), registry.Digest(sha256.Sum256(append(all, args[:]...))); got != want {
			t.Errorf("a list with the arguments: %s, want %s", got, want)
		}
		if got, want := st.Digest(), sum(append(append([]string{"", "", "s", "", "", "a", "", "", ""}, named...), "", "")...); got != want {
			t.Errorf("the step: %s, want %s", got, want)
		}
	}
}
