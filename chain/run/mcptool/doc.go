// Package mcptool makes the tools of MCP servers abilities of chains. It starts
// a server as a process of its own, speaks with it over standard input and
// output, and ends it.
//
// It owns the connection and what an answer means. It trusts no server: one
// that dies, hangs, puts out garbage or answers without end is a failure within
// bounded time and memory. Whether a tool may be called is decided elsewhere.
package mcptool
