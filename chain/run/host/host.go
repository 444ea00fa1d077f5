package host

import (
	"context"
	"sync"
	"time"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/chain/run/command"
	"github.com/cbpolicy/cbpolicy/chain/run/mcptool"
	"github.com/cbpolicy/cbpolicy/diag"
)

// Options say what a host offers.
type Options struct {
	Abilities []Offer // commands, by the names of abilities; [Any] stands for the rest
	Servers   []Offer // MCP servers: the tool T of the server S is the ability S.T
	// Shell runs every command in the system's shell instead of splitting it
	// into words.
	Shell bool
	// Timeout is how long a call and the start of a server may take; 0: that
	// of the packages command and mcptool.
	Timeout time.Duration
	// Version is the program's own, which servers are told.
	Version string
}

// Host is what is offered to a chain. Close it to end its servers.
type Host struct {
	Table
	servers []*mcptool.Server
}

// Open makes ready what a chain needs. Nothing is started before every offer
// is known to be sound, and nothing is left running on an error: an
// [*OfferError], a [diag.List] with the abilities that nothing does, or a
// server's own.
func Open(ctx context.Context, c *chain.Chain, o Options) (*Host, error) {
	h := &Host{}
	for _, a := range o.Abilities {
		if err := h.addCommand(a, o); err != nil {
			return nil, &OfferError{"ability", a.Name, err}
		}
	}
	servers, err := serverOptions(o)
	if err != nil {
		return nil, err
	}
	var prefixes []string
	for _, s := range servers {
		prefixes = append(prefixes, s.Name+".")
	}
	if missing := h.Missing(c, prefixes...); missing.Err() != nil {
		return nil, missing
	}
	if err := h.start(ctx, servers); err != nil {
		h.Close()
		return nil, err
	}
	if missing := h.Missing(c); missing.Err() != nil {
		h.Close()
		return nil, missing
	}
	return h, nil
}

func (h *Host) addCommand(a Offer, o Options) error {
	if a.Name != Any {
		if err := a.checkName(); err != nil {
			return err
		}
	}
	words, err := a.words(o.Shell)
	if err != nil {
		return err
	}
	return h.Add(a.Name, &command.Ability{Words: words, Timeout: o.Timeout})
}

func serverOptions(o Options) ([]mcptool.Options, error) {
	var servers []mcptool.Options
	for _, s := range o.Servers {
		err := s.checkName()
		var words []string
		if err == nil {
			words, err = s.words(o.Shell)
		}
		if err != nil {
			return nil, &OfferError{"MCP server", s.Name, err}
		}
		servers = append(servers, mcptool.Options{Name: diag.Escape(s.Name), Words: words, Version: o.Version, Timeout: o.Timeout})
	}
	return servers, nil
}

// start starts the servers side by side and adds their tools in order.
func (h *Host) start(ctx context.Context, options []mcptool.Options) error {
	servers, errs := make([]*mcptool.Server, len(options)), make([]error, len(options))
	var all sync.WaitGroup
	for i, o := range options {
		all.Go(func() { servers[i], errs[i] = mcptool.Start(ctx, o) })
	}
	all.Wait()
	for _, s := range servers {
		if s != nil {
			h.servers = append(h.servers, s)
		}
	}
	for i, s := range servers {
		if errs[i] != nil {
			return errs[i]
		}
		for _, tool := range s.Tools() {
			if err := h.Add(options[i].Name+"."+tool, s.Tool(tool)); err != nil {
				return &OfferError{"MCP server", options[i].Name, err}
			}
		}
	}
	return nil
}

// Close ends the servers and returns once they are gone.
func (h *Host) Close() {
	var all sync.WaitGroup
	for _, s := range h.servers {
		all.Go(s.Close)
	}
	all.Wait()
}
