package main

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/lint"
)

// shells are the shells for which there is a completion script.
var shells = []struct {
	name  string
	write func(root *cobra.Command, w io.Writer) error
}{
	{"bash", func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) }},
	{"zsh", func(root *cobra.Command, w io.Writer) error { return root.GenZshCompletion(w) }},
	{"fish", func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) }},
	{"powershell", func(root *cobra.Command, w io.Writer) error { return root.GenPowerShellCompletionWithDesc(w) }},
}

func newCompletion() *cobra.Command {
	var names []string
	for _, s := range shells {
		names = append(names, s.name)
	}
	return &cobra.Command{
		Use:   "completion " + strings.Join(names, "|"),
		Short: "Print a completion script for a shell",
		Long: `completion prints a script that lets a shell complete verbs, flags, their
values, and files of the kinds that a verb reads.`,
		Example: `  source <(cbpolicy completion bash)
  cbpolicy completion zsh > "${fpath[1]}/_cbpolicy"
  cbpolicy completion fish > ~/.config/fish/completions/cbpolicy.fish
  cbpolicy completion powershell | Out-String | Invoke-Expression`,
		Args:      exactlyOne(strings.Join(names, ", ")),
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, s := range shells {
				if s.name == args[0] {
					return s.write(cmd.Root(), cmd.OutOrStdout())
				}
			}
			return unknownWord("completion", "shell", args[0], names)
		},
	}
}

// unknownWord refuses an argument that is none of the known words.
func unknownWord(verb, what, word string, known []string) error {
	hint := "want " + strings.Join(known, ", ")
	if like := diag.Suggest(word, known); like != "" {
		hint = "did you mean " + like + "?"
	}
	return usage("%s: unknown %s %q (%s)", verb, what, word, hint)
}

// Kinds of files, by their extensions.
var (
	policyFiles = []string{"cbp"}
	chainFiles  = []string{"yaml", "yml", "json"}
	stepFiles   = []string{"json", "jsonl"}
)

// argumentFiles are the files that verbs take as arguments.
func argumentFiles() map[string][]string {
	var checked []string
	for _, e := range lint.Extensions() {
		checked = append(checked, strings.TrimPrefix(e, "."))
	}
	return map[string][]string{
		"check": checked, "fmt": policyFiles, "eval": stepFiles, "dryrun": chainFiles, "run": chainFiles,
		"explain": slices.Concat(policyFiles, chainFiles), "test": {"yaml"},
	}
}

// flagFiles are the files that flags take, by the names of the flags.
var flagFiles = map[string][]string{
	"policy": {"cbp", "cbb"}, "policy-key": {"pem"}, "compare": policyFiles, "chain": chainFiles, "recording": chainFiles, "abilities": {"yaml", "yml", "json", "txt"}, "config": {"yaml", "yml"}, "patterns": {"jsonl"},
}

// offerCompletions tells the verbs below a command what a shell can complete:
// files by their kind, and the values of flags that take one of a few words.
func offerCompletions(root *cobra.Command) {
	files := argumentFiles()
	for _, cmd := range root.Commands() {
		if extensions := files[cmd.Name()]; extensions != nil && cmd.ValidArgsFunction == nil {
			cmd.ValidArgsFunction = fixed(extensions, cobra.ShellCompDirectiveFilterFileExt)
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			complete := fixed(nil, cobra.ShellCompDirectiveDefault)
			if c, ok := f.Value.(choice); ok {
				complete = fixed(c.known, cobra.ShellCompDirectiveNoFileComp)
			} else if extensions := flagFiles[f.Name]; extensions != nil {
				complete = fixed(extensions, cobra.ShellCompDirectiveFilterFileExt)
			} else if f.Name == "plugins" {
				complete = fixed(nil, cobra.ShellCompDirectiveFilterDirs)
			}
			// The only error is that the verb has said itself how to complete the flag.
			_ = cmd.RegisterFlagCompletionFunc(f.Name, complete)
		})
	}
}

// fixed completes to the same words whatever was typed.
func fixed(words []string, directive cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return words, directive
	}
}
