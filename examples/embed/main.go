// Command embed shows cbpolicy around a plain Go function: an agent that
// would send mail for ever is stopped by a rule of one line.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

const policy = `
B:frequency:email.send>3/1h|abort|"Three mails an hour are enough"
B:arg:to|matches:"@example\\.net$"|abort|"We do not write there"
`

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(w io.Writer) error {
	p, faults := dsl.ParsePolicy("policy", []byte(policy))
	if err := faults.Err(); err != nil {
		return err
	}
	var rules registry.Registry
	if err := rules.Load(p); err != nil {
		return err
	}
	s, err := session.New(session.Options{ID: "demo", Registry: &rules, Store: memory.New(memory.Options{})})
	if err != nil {
		return err
	}
	send := Guard(s, "email.send", func(args map[string]string) (string, error) { return "sent to " + args["to"], nil })
	for _, to := range []string{"ann@example.org", "eve@example.net", "bob@example.org", "cy@example.org", "dan@example.org"} {
		out, err := send(map[string]string{"to": to})
		if err != nil {
			out = err.Error()
		}
		fmt.Fprintln(w, out)
	}
	return nil
}
