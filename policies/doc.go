// Package policies owns where the operator's rules come from and keeps them
// current: policy files, directories of them, and signed bundles, which are read,
// put in force all or nothing, and watched for updates. An update that is bad,
// unsigned, older than what is in force or without rules leaves what is in force as it is, and
// every verdict says so until the next good one. It does not own what policy files
// mean (package dsl), what a bundle is (package bundle), or deciding (package
// registry), and it fetches nothing over a network. With a store that outlasts the
// process (see [Loader.Remember]) a restart takes no older bundle either.
//
// Sources are looked at again and again, and compared by what they hold. That
// works where notifications of the system do not: on network file systems, where
// a file is a symbolic link into a directory that is swapped (as Kubernetes mounts
// a ConfigMap), and where editors put a new file in the place of the old one. What
// has changed is put in force once two looks in a row have found the same, so that
// a file that is half written, and a directory of which half is new, are not.
package policies
