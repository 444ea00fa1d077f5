package meter

import "github.com/cbpolicy/cbpolicy/dsl"

// EditPatterns are the abilities that count as edits by default: the names
// under which file-editing tools are known to agents.
func EditPatterns() []dsl.NamePattern {
	return []dsl.NamePattern{
		"edit", "write", "multiedit", "multi_edit", "edit_file", "write_file", "create_file", "apply_patch", "replace",
		"str_replace_editor", "str_replace_based_edit_tool", "edit.*", "*.edit", "*.write", "*.edit_file", "*.write_file",
		"*.apply_patch", "file.write", "file.edit",
	}
}

// DefaultEdits returns a matcher of EditPatterns.
func DefaultEdits() func(folded string) bool { return Matcher(EditPatterns()) }

// Matcher returns a function that tells whether a folded ability is covered
// by one of the patterns.
func Matcher(patterns []dsl.NamePattern) func(folded string) bool {
	exact := map[string]bool{}
	var globs []dsl.NamePattern
	for _, p := range patterns {
		if folded := dsl.NamePattern(dsl.Fold(string(p))); folded.Literal() {
			exact[string(folded)] = true
		} else {
			globs = append(globs, folded)
		}
	}
	return func(folded string) bool {
		if exact[folded] {
			return true
		}
		for _, p := range globs {
			if p.Match(folded) {
				return true
			}
		}
		return false
	}
}
