package registry

import (
	"fmt"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// checkNames refuses names that cannot be seen. Those of bound values were
// looked at when they were bound. It reports whether every name is lower-case
// ASCII, so that no two can be variants of each other.
func (vs *Values) checkNames() (lower bool, err error) {
	if vs == nil {
		return true, nil
	}
	lower = !vs.mixed
	for name := range vs.texts {
		if err := checkName("key", name); err != nil {
			return false, err
		}
		lower = lower && lowerASCII(name)
	}
	return lower, vs.fault
}

// checkBinding looks at a name and at every key inside its value.
func checkBinding(name string, v *Value) error {
	if err := checkName("key", name); err != nil {
		return err
	}
	if v.kind == kindOther {
		return checkKeys(v.tree)
	}
	return nil
}

func checkKeys(j jsonv.Value) error {
	for i := range j.Len() {
		if j.Kind() == jsonv.Object {
			if err := checkName("key", j.Key(i)); err != nil {
				return err
			}
		}
		if err := checkKeys(j.Elem(i)); err != nil {
			return err
		}
	}
	return nil
}

// checkVariants refuses two names that differ only in case or in Unicode
// form: an ability might read the one while the rules judged the other.
func (vs *Values) checkVariants() error {
	seen := map[string]string{}
	for _, name := range vs.sortedNames() {
		folded := dsl.Fold(name)
		if first, ok := seen[folded]; ok {
			return fmt.Errorf("arguments %s and %s differ only in case", quoteASCII(first), quoteASCII(name))
		}
		seen[folded] = name
	}
	return nil
}

func lowerASCII(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x80 || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return true
}
