package policies_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// Whatever is published in whatever order, in force is the last that was good.
func TestInForceIsTheLastGoodOne(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		f := newFleet(t, map[string]string{"a.cbp": rule("a0"), "b.cbb": bundled(t, 5, "b5-0", 1)})
		f.open([]string{"a.cbp", "b.cbb"}, public(1))
		plain, plainIsGood := "a0", true // what was published
		revision, variant, seed := uint64(5), 0, byte(1)
		rules, inForce, inForceVariant := "a0 b5-0", uint64(5), 0
		for i := range rapid.IntRange(1, 12).Draw(r, "updates") {
			if rapid.Bool().Draw(r, "a file") {
				plain, plainIsGood = fmt.Sprint("a", i+1), rapid.Bool().Draw(r, "it is good")
				text := rule(plain)
				if !plainIsGood {
					text += "B:\n"
				}
				f.write("a.cbp", text)
			} else {
				revision = rapid.Uint64Range(3, 9).Draw(r, "revision")
				variant, seed = rapid.IntRange(0, 1).Draw(r, "variant"), rapid.SampledFrom([]byte{0, 1, 1, 1, 2}).Draw(r, "key")
				f.write("b.cbb", bundled(t, revision, fmt.Sprintf("b%d-%d", revision, variant), seed))
			}
			f.later()
			good := plainIsGood && seed == 1 && (revision > inForce || revision == inForce && variant == inForceVariant)
			refused := "is refused"
			if good {
				rules, inForce, inForceVariant, refused = fmt.Sprintf("%s b%d-%d", plain, revision, variant), revision, variant, ""
			}
			f.want(fmt.Sprint("update ", i+1), rules, refused)
		}
	})
}
