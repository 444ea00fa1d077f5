// Package policytest owns tests of policies and chains: reading *_test.yaml
// files, running what they say on a state and a clock of their own, and the
// coverage of rules and atoms.
//
// A step is decided by package session/eval and a dry run done by package
// chain/run, so that what is tested is what runs. The package opens no files:
// the caller reads them for it. It prints nothing but JUnit XML.
package policytest
