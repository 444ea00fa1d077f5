package redis

import (
	"context"

	client "github.com/redis/go-redis/v9"
)

// Quiet turns off what the client library prints by itself, for the whole
// process. What goes wrong is in the errors; a program whose standard error
// belongs to its user calls this once.
func Quiet() { client.SetLogger(silence{}) }

type silence struct{}

func (silence) Printf(context.Context, string, ...any) {}
