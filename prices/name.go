package prices

import (
	"slices"
	"strings"
)

// fold is the form in which names are compared: without outer blanks, in
// lower case.
func fold(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// providerNames are other names of providers.
var providerNames = map[string]string{
	"amazon-bedrock": "aws", "bedrock": "aws", "bedrock_converse": "aws",
	"gemini": "google", "google-ai-studio": "google", "models": "google",
	"mistralai": "mistral",
	"xai":       "x-ai",
}

// CanonicalProvider returns the one name of a provider that goes by several,
// such as aws for bedrock; of any other its name in lower case.
func CanonicalProvider(name string) string {
	name = fold(name)
	if p := providerNames[name]; p != "" {
		return p
	}
	return name
}

// families are the makers of models, by how the names of their models begin.
var families = []struct{ maker, begins string }{
	{"anthropic", "claude"},
	{"aws", "amazon."},
	{"cohere", "command"},
	{"deepseek", "deepseek"},
	{"google", "gemini"},
	{"minimax", "minimax"},
	{"mistral", "codestral"}, {"mistral", "devstral"}, {"mistral", "magistral"}, {"mistral", "ministral"},
	{"mistral", "mistral"}, {"mistral", "mixtral"}, {"mistral", "open-mi"}, {"mistral", "pixtral"},
	{"moonshotai", "kimi"},
	{"openai", "chatgpt"}, {"openai", "codex"}, {"openai", "computer-use"}, {"openai", "gpt-"},
	{"openai", "o1"}, {"openai", "o3"}, {"openai", "o4"},
	{"x-ai", "grok"},
}

// makerOf returns who makes the model of a name; "" if that is not known.
func makerOf(name string) string {
	for _, f := range families {
		if strings.HasPrefix(name, f.begins) {
			return f.maker
		}
	}
	return ""
}

// splitProvider splits provider/model at the first slash. The provider is
// canonical; without a slash it is "".
func splitProvider(name string) (provider, model string) {
	before, after, found := strings.Cut(name, "/")
	if !found || before == "" || after == "" {
		return "", name
	}
	return CanonicalProvider(before), after
}

// A suffix is the end of a name that tells a release of a model: 0 in a shape
// stands for a digit, # for one or more.
type suffix struct {
	shape string
	// anyModel is set where releases of a model always cost the same. The
	// others count only where the table says so, with a name that ends in *:
	// gpt-4o-2024-05-13 costs twice what gpt-4o does.
	anyModel bool
}

var suffixes = []suffix{
	{"-00000000", true},    // claude-sonnet-4-20250514
	{"@00000000", true},    // claude-sonnet-4@20250514
	{"-v#:#", true},        // anthropic.claude-sonnet-4-20250514-v1:0
	{"-0000-00-00", false}, // gpt-4o-2024-05-13
	{"-00-0000", false},    // gemini-2.5-flash-preview-09-2025
	{"-00-00", false},      // gemini-2.5-pro-preview-05-06
	{"-0000", false},       // mistral-large-2411
	{"-000", false},        // gemini-2.0-flash-001
	{"-v#", false},         // anthropic.claude-opus-4-6-v1
	{"-latest", false},     // mistral-large-latest
	{"@latest", false},
	{"@default", false}, // claude-opus-4-6@default
	{"-preview", false},
	{"-exp", false},
}

// stems returns a name without its release, and without one part after the
// other of it, the longest first. Only suffixes that any model may have are
// dropped, or all.
func stems(name string, anyModel bool) []string {
	var out []string
	for {
		stem := ""
		for _, s := range suffixes {
			if s.anyModel || !anyModel {
				if stem = s.cut(name); stem != "" {
					break
				}
			}
		}
		if stem == "" {
			return out
		}
		out = append(out, stem)
		name = stem
	}
}

// stem is a name without any suffix that any model may have.
func stem(name string) string {
	if s := stems(name, true); len(s) > 0 {
		return s[len(s)-1]
	}
	return name
}

// cut returns the name without the suffix; "" if it has another end, or
// nothing else.
func (s suffix) cut(name string) string {
	i := len(name)
	for _, c := range slices.Backward([]byte(s.shape)) {
		switch {
		case c == '0' && i > 0 && isDigit(name[i-1]):
			i--
		case c == '#' && i > 0 && isDigit(name[i-1]):
			for i > 0 && isDigit(name[i-1]) {
				i--
			}
		case c != '0' && c != '#' && i > 0 && name[i-1] == c:
			i--
		default:
			return ""
		}
	}
	return name[:i]
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
