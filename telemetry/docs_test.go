package telemetry_test

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/session"
)

// TestDocs: docs/telemetry.md shows a line as it is written, and says of each
// of its fields what it is.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile("../docs/telemetry.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile("(?s)```json\n(.*?)```").FindSubmatch(page)
	if shown == nil {
		t.Fatal("no line is shown")
	}
	var m session.Metadata
	d := json.NewDecoder(bytes.NewReader(shown[1]))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		t.Fatal(err)
	}
	for _, name := range append(fields(reflect.TypeFor[session.Metadata](), ""), fields(reflect.TypeFor[session.Totals](), "totals.")...) {
		switch name {
		case "session", "task", "at", "totals": // what they are is told by the text
			continue
		}
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("the page does not say what %s is", name)
		}
		if !strings.Contains(string(shown[1]), `"`+name[strings.LastIndexByte(name, '.')+1:]+`"`) && name != "failureReason" {
			t.Errorf("the line that is shown has no %s", name)
		}
	}
}

// fields are the names of a type's fields as JSON.
func fields(of reflect.Type, prefix string) (names []string) {
	for f := range of.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, prefix+name)
	}
	return names
}
