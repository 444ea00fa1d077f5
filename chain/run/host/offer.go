package host

import (
	"fmt"
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/internal/process"
)

// Offer is a command line under a name: of an ability, or of an MCP server.
type Offer struct {
	Name    string
	Command string
}

// ParseOffer reads NAME=COMMAND.
func ParseOffer(s string) (Offer, error) {
	name, command, ok := strings.Cut(s, "=")
	if !ok || strings.TrimSpace(name) != name || name == "" {
		return Offer{}, fmt.Errorf("%q: want NAME='COMMAND …'", s)
	}
	return Offer{name, command}, nil
}

// OfferError says what is wrong with an offer.
type OfferError struct {
	Kind string // "ability" or "MCP server"
	Name string
	Err  error
}

// Error names the offer and what is wrong with it.
func (e *OfferError) Error() string {
	return fmt.Sprintf("%s %s: %v", e.Kind, diag.Escape(e.Name), e.Err)
}

// Unwrap returns what is wrong.
func (e *OfferError) Unwrap() error { return e.Err }

// words returns the program of an offer and its arguments.
func (o Offer) words(shell bool) ([]string, error) {
	if strings.TrimSpace(o.Command) == "" {
		return nil, fmt.Errorf("the command is empty")
	}
	words := process.Shell(o.Command)
	if !shell {
		var err error
		if words, err = process.Split(o.Command); err != nil {
			return nil, err
		}
	}
	_, err := process.Find(words)
	return words, err
}

// checkName refuses what no chain could call.
func (o Offer) checkName() error {
	if strings.Contains(o.Name, "*") {
		return fmt.Errorf("a pattern is no name: write the whole name (%s alone stands for every ability that has no command of its own)", Any)
	}
	return nil
}
