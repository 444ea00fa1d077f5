package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/chain/run/host"
	"github.com/cbpolicy/cbpolicy/diag"
)

// The test binary is a command that repeats its input, and an MCP server that is none.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "cat" {
		_, _ = io.Copy(os.Stdout, os.Stdin)
		return
	}
	os.Exit(m.Run())
}

// cat is the command line of the command that repeats its input.
var cat = "'" + os.Args[0] + "' cat"

const threeSteps = `id: pay
steps:
  - {id: look, ability: price.get, args: {n: 12345678901234567890.10}}
  - {id: send, ability: bank.pay}
  - {id: tell, ability: user.tell}
`

func parse(t *testing.T, text string) *chain.Chain {
	t.Helper()
	c, faults := chain.Parse("chain.yaml", []byte(text))
	if faults.Err() != nil {
		t.Fatal(faults)
	}
	return c
}

func TestParseOffer(t *testing.T) {
	for s, want := range map[string]host.Offer{
		"a.b=cat":       {Name: "a.b", Command: "cat"},
		"a.b=x --k=v":   {Name: "a.b", Command: "x --k=v"},
		"*=":            {Name: "*"},
		"web/x:y.z= a ": {Name: "web/x:y.z", Command: " a "},
	} {
		if got, err := host.ParseOffer(s); err != nil || got != want {
			t.Errorf("%q: got %+v, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "cat", "=cat", " a=cat", "a =cat"} {
		if got, err := host.ParseOffer(s); err == nil {
			t.Errorf("%q: got %+v", s, got)
		}
	}
}

func TestOpen_Abilities(t *testing.T) {
	h, err := host.Open(t.Context(), parse(t, threeSteps), host.Options{Abilities: []host.Offer{{"price.get", cat}, {host.Any, cat}}})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	for _, name := range []string{"price.get", "anything.else"} {
		out, err := h.Call(t.Context(), name, json.RawMessage(`{"n":1.10}`))
		if err != nil || out.String() != `{"n":1.10}` {
			t.Errorf("%s: got %q, %v", name, out.String(), err)
		}
	}
}

func TestOpen_ListsEveryAbilityThatNothingDoes(t *testing.T) {
	_, err := host.Open(t.Context(), parse(t, threeSteps), host.Options{Abilities: []host.Offer{{"user.tel", cat}}})
	var missing diag.List
	if !errors.As(err, &missing) || len(missing) != 3 {
		t.Fatalf("got %v", err)
	}
	for i, want := range []string{"price.get", "bank.pay", "user.tell"} {
		if f := missing[i]; f.ID != host.UnknownAbilityID || f.Pos.Line != 3+i || !strings.Contains(f.Message, `"`+want+`"`) {
			t.Errorf("finding %d: %v", i, f)
		}
	}
	if missing[2].Hint != "did you mean user.tel?" {
		t.Errorf("the hint is %q", missing[2].Hint)
	}
}

// Many steps of one ability are one finding, at the first of them.
func TestOpen_ListsAnAbilityThatNothingDoesOnce(t *testing.T) {
	_, err := host.Open(t.Context(), parse(t, "id: c\nsteps:\n  - {id: a, ability: web.get}\n  - {id: b, ability: web.put}\n  - {id: c, ability: web.get}\n  - {id: d, ability: web.get}\n"), host.Options{})
	var missing diag.List
	if !errors.As(err, &missing) || len(missing) != 2 {
		t.Fatalf("got %v", err)
	}
	if got, want := missing[0].Message, `nothing does the ability "web.get" of step "a" and 2 more`; got != want || missing[0].Pos.Line != 3 {
		t.Errorf("%s at line %d, want %s", got, missing[0].Pos.Line, want)
	}
	if got, want := missing[1].Message, `nothing does the ability "web.put" of step "b"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestOpen_Refuses(t *testing.T) {
	for _, c := range []struct {
		name string
		o    host.Options
		want string
	}{
		{"a pattern", host.Options{Abilities: []host.Offer{{"web.*", cat}}}, "ability web.*: a pattern is no name"},
		{"a pattern as a server", host.Options{Servers: []host.Offer{{"*", cat}}}, "MCP server *: a pattern is no name"},
		{"no command", host.Options{Abilities: []host.Offer{{"a.b", " "}}}, "ability a.b: the command is empty"},
		{"no command for the shell", host.Options{Abilities: []host.Offer{{"a.b", " "}}, Shell: true}, "ability a.b: the command is empty"},
		{"a name twice", host.Options{Abilities: []host.Offer{{"a.b", cat}, {"a.b", cat}}}, "ability a.b: the ability a.b is given twice"},
		{"an open quote", host.Options{Servers: []host.Offer{{"s", "x 'y"}}}, "MCP server s: column 3 of the command"},
		{"no program", host.Options{Abilities: []host.Offer{{"a\x1b.b", "no-such-program-here"}}}, `ability a\u{1b}.b: there is no program "no-such-program-here"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := host.Open(t.Context(), parse(t, threeSteps), c.o)
			if !errors.As(err, new(*host.OfferError)) || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// TestOpen_OneServerThatFailsFailsAll: and is named. The other is ended.
func TestOpen_OneServerThatFailsFailsAll(t *testing.T) {
	o := host.Options{Abilities: []host.Offer{{host.Any, cat}}, Servers: []host.Offer{{"good.not", cat}, {"bank", cat}}}
	if _, err := host.Open(t.Context(), parse(t, threeSteps), o); err == nil || !strings.HasPrefix(err.Error(), "MCP server good.not: ") {
		t.Errorf("got %v", err)
	}
}

func TestTable_AnUnknownAbilityIsAFailure(t *testing.T) {
	var table host.Table
	_, err := table.Call(t.Context(), "a.b", nil)
	if !errors.As(err, new(*run.AbilityError)) {
		t.Errorf("got %v", err)
	}
	if err := table.Add("a.b", run.AbilityFunc(func(context.Context, string, json.RawMessage) (run.Output, error) { return run.Text("x"), nil })); err != nil {
		t.Fatal(err)
	}
	if out, err := table.Call(t.Context(), "a.b", nil); err != nil || out.String() != "x" {
		t.Errorf("got %v, %v", out, err)
	}
	if table.Find("A.B") != nil {
		t.Error("names are compared exactly, as a permission is narrow")
	}
}

func TestOpen_PathsWithBlanks(t *testing.T) {
	link := filepath.Join(t.TempDir(), "a program")
	if err := os.Symlink(os.Args[0], link); err != nil {
		t.Skip(err)
	}
	h, err := host.Open(t.Context(), parse(t, threeSteps), host.Options{Abilities: []host.Offer{{host.Any, `"` + link + `" cat`}}})
	if err != nil {
		t.Fatal(err)
	}
	if out, err := h.Call(t.Context(), "a.b", json.RawMessage(`{}`)); err != nil || out.String() != "{}" {
		t.Errorf("got %q, %v", out.String(), err)
	}
}
