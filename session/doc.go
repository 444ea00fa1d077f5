// Package session owns a live agent: what it was admitted to do, what was
// said and put out, and the two calls around every step, [Session.Before] and
// [Session.After].
//
// It joins the pure functions of package registry with a store of package
// state, and makes a record of every decision. It neither waits nor asks nor
// runs anything: who can, uses a gate of package actions.
package session
