package document

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// Comments returns every comment line of a YAML text, without outer blanks;
// nil if there is none or the text cannot be read. What looks like a comment
// inside a text is not one of them.
func Comments(data []byte) map[string]bool {
	if len(data) > MaxYAML || !strings.Contains(string(data), "#") {
		return nil
	}
	var root yaml.Node
	if yaml.Unmarshal(data, &root) != nil {
		return nil
	}
	lines := map[string]bool{}
	collectComments(&root, lines)
	return lines
}

func collectComments(n *yaml.Node, lines map[string]bool) {
	for _, comment := range []string{n.HeadComment, n.LineComment, n.FootComment} {
		for line := range strings.Lines(comment) {
			lines[strings.TrimSpace(line)] = true
		}
	}
	for _, child := range n.Content { // an alias has none, so that nothing is visited twice
		collectComments(child, lines)
	}
}
