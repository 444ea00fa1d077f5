// Package bundle owns policy files as one signed file, for a fleet: what is in
// it, how it is built, signed and checked. It does not know what the files
// mean, fetches nothing, and puts nothing in force.
//
// A bundle is a tar archive: manifest.json, then signature if it is signed, then
// the policy files in the order of their paths. The manifest has the SHA-256 of
// every file, so that a signature of the manifest is one of everything; there
// are no times and no owners in it, so that the same files make the same bytes.
// Its revision is a number that grows: who has put one in force takes no older one.
package bundle
