// Package redis is the home of the state on a Redis or Valkey server, 6.2 or
// later, alone, watched by Sentinel or as a Cluster: one state for any number
// of machines.
//
// It owns the scripts that count and take on the server, and what goes over the
// wire. It judges no rule and keeps nothing in the process.
//
// # One round trip
//
// Every operation is one call of one script, whatever the number of rules. The
// scripts are called by their hash and sent once to a server that does not know
// them. All keys of a domain have the domain as their hash tag, so that they
// are on one node of a cluster and one script may use them all; several domains
// spread over nodes, and know nothing of each other.
//
// A counter is a list of entries behind a head that says what must be known of it.
// A claim that knows what the head should be adds its entry behind it by one
// command, which does nothing if the head is another, and learns how many there
// are; only if they are as many as a limit does it look at one, by its rank. So a
// decision is two commands to the server, the time and this, however many entries
// there are.
//
// # Time
//
// Time is the claim's own or else the server's, in microseconds. A claim's own
// never goes back: it is the latest that any request of the domain has brought,
// or had when more than counters were asked for. A claim of counters by the
// server's time is not before an entry that another brought its time for. Should
// the server's clock be set back, entries are in the order in which they came, and
// those of before stay in their windows for longer, never shorter. Programs that
// bring times and programs that do not are not meant to share a domain.
//
// Spans of parts of a microsecond are rounded up. Numbers in scripts are doubles,
// which are exact below 2^53: microseconds since 1970 are until the year 2255,
// and longer spans than 142 years are taken for 142 years. Amounts of money are
// exact to 2^63 - 1.
//
// # What survives
//
// A call whose answer was lost is tried again by the client, and counts once:
// every entry of a counter bears the name of its claim, and of all else the
// server remembers for a while, by that name, what it answered. Only a try that
// is not the first looks for it, and for as long makes others look that come to
// the same counters: the first may yet arrive.
//
// Counters, runs, calls, approvals, leases and the cells that are to expire do so
// by the server's clock, some time after nothing can depend on them any more;
// accounts, and all other cells, stay until they are forgotten. What a failover or
// a crash loses is the server's affair: with "appendfsync everysec" and a replica,
// about a second. A server that may evict keys (any maxmemory-policy but
// noeviction) can lose counts, which lets more through: see Store.Check.
//
// A claim without identity whose answer did not come in time is refused for its
// caller, though the server may have counted it, or do so yet. It is undone by the
// name of its request: not at once, but by a call after it, which is tried for as
// long as the server remembers the name, ten seconds at least. Its entries are
// given back; or, if it has none, they are kept from coming, for which all claims
// to its counters are looked for by their names for as long, and so take longer.
// Its leases end by themselves, and what it did to approvals, reservations and
// cells stays. This is done as well as can be: for a thousand claims at once, and a
// process that ends tries once more. What is not undone counts too much, never too
// little.
//
// # Errors
//
// Whatever the server or the network do, an operation ends within
// Options.Timeout, and with an error that wraps state.ErrUnavailable.
package redis
