package redis

import (
	"context"

	goredis "github.com/redis/go-redis/v9"
)

// invocation is a call of a script.
type invocation struct {
	script *script
	keys   []string // at least one, and all of one slot
	arg    any      // in bytes, or what gives them whenever the call is tried
	tries  int      // how often it was tried, if that is counted
	args   []any    // room for the arguments of the command
}

// script is a script and what the server knows it by.
type script struct {
	source string
	hash   any // a text
}

func newScript(source string) *script {
	return &script{source: source, hash: goredis.NewScript(source).Hash()}
}

// command is the call of a script that the server knows.
func (c *invocation) command(ctx context.Context) *goredis.Cmd {
	return c.commandOf(ctx, "evalsha", c.script.hash)
}

// whole makes the call with the script itself.
func (c *invocation) whole(ctx context.Context, client goredis.UniversalClient) *goredis.Cmd {
	cmd := c.commandOf(ctx, "eval", c.script.source)
	client.Process(ctx, cmd) // the command has its error
	return cmd
}

func (c *invocation) commandOf(ctx context.Context, name string, script any) *goredis.Cmd {
	c.args = append(c.args[:0], name, script, len(c.keys))
	for _, key := range c.keys {
		c.args = appendText(c.args, key)
	}
	c.args = append(c.args, c.arg)
	cmd := goredis.NewCmd(ctx, c.args...)
	cmd.SetFirstKeyPos(3)
	return cmd
}

// appendText appends a text, and makes nothing anew if it stood there before.
func appendText(list []any, text string) []any {
	if n := len(list); n < cap(list) {
		if old, ok := list[:n+1][n].(string); ok && old == text {
			return list[:n+1]
		}
	}
	return append(list, text)
}

// unknown reports whether the server does not know the script: the last try has
// done nothing.
func (c *invocation) unknown(cmd *goredis.Cmd) bool {
	if cmd.Err() == nil || !goredis.HasErrorPrefix(cmd.Err(), "NOSCRIPT") {
		return false
	}
	c.tries--
	return true
}
