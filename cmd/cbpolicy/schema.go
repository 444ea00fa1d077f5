package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/schema"
)

func newSchema() *cobra.Command {
	names := schema.Names()
	return &cobra.Command{
		Use:   "schema " + strings.Join(names, "|"),
		Short: "Print the JSON Schema of a document",
		Long: `schema prints the JSON Schema (2020-12) of a document, by which editors
complete and check it as it is written. It covers the form: check says more.
Of the last two, a reviewer that is a command finds a case and puts out guidance;
their schemas hold examples.`,
		Example:   `  cbpolicy schema chain > chain.schema.json`,
		Args:      exactlyOne("one of " + strings.Join(names, ", ")),
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			data, err := schema.JSON(args[0])
			if err != nil {
				return unknownWord("schema", "document", args[0], names)
			}
			_, err = cmd.OutOrStdout().Write(data)
			return err
		},
	}
}
