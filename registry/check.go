package registry

import (
	"fmt"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// checkNames refuses names that cannot be seen, at any depth.
func (vs *Values) checkNames(what string) error {
	if vs == nil {
		return nil
	}
	for name := range vs.texts {
		if err := checkName(what, name); err != nil {
			return err
		}
	}
	for name, v := range vs.bound {
		if err := checkName(what, name); err != nil {
			return err
		}
		if v.kind == kindOther {
			if err := checkKeys(what, v.tree); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkKeys(what string, j jsonv.Value) error {
	for i := range j.Len() {
		if j.Kind() == jsonv.Object {
			if err := checkName(what, j.Key(i)); err != nil {
				return err
			}
		}
		if err := checkKeys(what, j.Elem(i)); err != nil {
			return err
		}
	}
	return nil
}

// checkVariants refuses two names that differ only in case or in Unicode
// form: an ability might read the one while the rules judged the other.
func (vs *Values) checkVariants() error {
	if vs.Len() < 2 {
		return nil
	}
	if vs.allLower() {
		return nil
	}
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

// allLower reports whether every name is lower-case ASCII, so that no two can
// be variants of each other.
func (vs *Values) allLower() bool {
	for name := range vs.bound {
		if !lowerASCII(name) {
			return false
		}
	}
	for name := range vs.texts {
		if !lowerASCII(name) {
			return false
		}
	}
	return true
}

func lowerASCII(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x80 || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return true
}
