package dsl_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/dsl/dslgen"
)

func TestWrites(t *testing.T) {
	for _, c := range []struct {
		why    string
		writes bool
		names  []string
	}{
		{"a verb of reading begins it", false, []string{"get_balance", "list_files", "read_file", "Read", "check_hours", "view", "LS", "is_open"}},
		{"with a plugin, a server or a group before it", false, []string{"gmail.read", "mcp__github__list_issues", "drive/get-file", "a.b:fetch", "files.v1.get"}},
		{"capitals begin words", false, []string{"getFile", "HTTPGet", "WebFetch", "GetURL", "listFiles2"}},
		{"a verb that is no noun may stand anywhere", false, []string{"slack_get_messages", "web_search", "page_fetch"}},
		{"the name has no verb of reading", true, []string{"send_money", "transfer", "Bash", "weather", "x", "email.send", "db.query", "時", "_", "7"}},
		{"a noun is no verb", true, []string{"prune_list", "subscribe_list", "deposit_check", "mark_read"}},
		{"one of its verbs writes", true, []string{"get_or_create_user", "search_and_replace", "read_write", "view_edit", "getAndDelete", "run_query"}},
		{"behind a joint stands what is not known to read", true, []string{"search_and_book", "find_then_frob"}},
		{"two reading verbs", false, []string{"search_and_read", "list_or_get"}},
		{"checking in and out is no look", true, []string{"check_in", "check_out_book", "checkOut"}},
		{"only the last part counts", true, []string{"get.delete", "read/write", "search__book"}},
		{"a longer word is another one", true, []string{"getaway", "listen", "reader", "checkout"}},
		{"without capitals, words cannot be told", true, []string{"getfile", "webfetch"}},
		{"what happened is not done", false, []string{"get_scheduled_transactions", "list_updates"}},
	} {
		for _, name := range c.names {
			if got := dsl.Writes.Covers(name); got != c.writes {
				t.Errorf("%s: @writes covers %s: %t", c.why, name, got)
			}
		}
	}
}

func TestClassIsNoName(t *testing.T) {
	if dsl.Writes.Literal() || !dsl.Writes.IsClass() || dsl.NamePattern("*").IsClass() {
		t.Error("@writes is the only class")
	}
	if dsl.Writes.Match("send_money") || !dsl.Writes.Match("@writes") {
		t.Error("where no class may stand, @writes is a name")
	}
}

// An ability with a verb of writing in it writes, whatever stands around it.
func TestVerbsOfWritingDecide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`([a-z]{1,8}_){0,3}`)
		verb := rapid.SampledFrom([]string{"delete", "send", "update", "execute", "pay", "write"}).Draw(t, "verb")
		name := word.Draw(t, "before") + verb + "_" + word.Draw(t, "behind")
		if name = name[:len(name)-1]; !dsl.Writes.Covers(name) {
			t.Errorf("%s does not write", name)
		}
	})
}

// Whatever a pattern that is no class covers, it covers by the folded name.
func TestCovers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, name := dsl.NamePattern(dslgen.Name(t)).Fold(), dslgen.Name(t)
		if p.IsClass() {
			return
		}
		if got, want := p.Covers(name), p.Match(dsl.Fold(name)); got != want {
			t.Errorf("%s covers %s: %t", p, name, got)
		}
	})
}
