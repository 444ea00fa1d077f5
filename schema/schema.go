// Package schema holds the JSON Schemas (2020-12) of the documents that people
// write, and of what a reviewer finds and answers, for editors and for other
// programs.
//
// It owns their texts and nothing else: what a document means, and whether it
// is right, is for the packages that read it. A schema refuses nothing that
// those accept, and knows exactly the fields that they know. That of a case,
// which this program writes, leaves room for members that are added.
package schema

import (
	"bytes"
	"embed"
	"fmt"
)

//go:embed *.schema.json
var files embed.FS

// Names lists the documents that have a schema.
func Names() []string { return []string{"chain", "recording", "config", "test", "guidance", "case"} }

// JSON returns the schema of a document, complete in itself. The error says
// that there is none.
func JSON(name string) ([]byte, error) {
	data, err := files.ReadFile(name + ".schema.json")
	if err != nil {
		return nil, fmt.Errorf("schema: there is none of %q", name)
	}
	if !bytes.Contains(data, []byte(recordingRef)) {
		return data, nil
	}
	recording, err := files.ReadFile("recording.schema.json")
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	// A schema may carry another one whole, which keeps its $id, by which it is referred to.
	inner := bytes.ReplaceAll(bytes.TrimSpace(recording), []byte("\n"), []byte("\n    "))
	return bytes.Replace(data, []byte(definitions), []byte(definitions+"\n    \"recording\": "+string(inner)+","), 1), nil
}

// recordingRef is how a schema refers to that of a recording, and definitions
// where those begin that it carries.
const (
	recordingRef = `{"$ref": "recording.schema.json"}`
	definitions  = `"$defs": {`
)
