package redis

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/cbpolicy/cbpolicy/state"
)

// Permissions are the commands that a user of Redis must be allowed, as they
// stand after ACL SETUSER, beside the keys ~cbpolicy:{DOMAIN}:*.
func Permissions() []any {
	var p []any
	for _, name := range []string{
		"eval", "evalsha", "time", "info", "get", "set", "del", "exists",
		"lindex", "linsert", "llen", "lpop", "lrange", "lrem", "lset", "ltrim", "rpush",
		"hget", "hmget", "hset", "hdel", "hlen", "hgetall", "hincrby", "pexpire", "pttl", "cluster|slots",
	} {
		p = append(p, "+"+name)
	}
	return p
}

// ErrEvicts is what Check says of a server that may drop keys, and so counts and
// breakers, with nobody told: what it has dropped begins anew.
var ErrEvicts = errors.New("redis may evict counts when its memory is full")

// Check tells what is wrong with the server for this use: that it does not
// answer, is too old, takes no writes, or may evict keys, and so counts, when
// its memory is full. Of a cluster it asks any one node.
func (s *Store) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	text, err := s.client.Info(ctx).Result()
	if err != nil {
		return fmt.Errorf("%w: redis: %w", state.ErrUnavailable, err)
	}
	return checkInfo(text)
}

func checkInfo(text string) error {
	info := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			info[name] = value
		}
	}
	var errs []error
	if v := info["redis_version"]; !atLeast(v, 6, 2) {
		errs = append(errs, fmt.Errorf("redis has version %q, want 6.2 or later", v))
	}
	if info["role"] != "master" && info["cluster_enabled"] != "1" {
		errs = append(errs, fmt.Errorf("redis is a %s, want a master", info["role"]))
	}
	if policy := info["maxmemory_policy"]; info["maxmemory"] != "0" && policy != "" && policy != "noeviction" {
		errs = append(errs, fmt.Errorf("%w: maxmemory-policy is %q, want noeviction", ErrEvicts, policy))
	}
	return errors.Join(errs...)
}

// atLeast reports whether a version such as 7.0.15 is at least another.
func atLeast(version string, major, minor int) bool {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return false
	}
	a, err1 := strconv.Atoi(parts[0])
	b, err2 := strconv.Atoi(parts[1])
	return err1 == nil && err2 == nil && (a > major || a == major && b >= minor)
}
