package ledger

import (
	"bytes"
	"crypto/sha256"
)

// Passing is the name of money that is set aside for a call, n, of a task, and that
// stands for usage which is reported apart from it. The next usage of the task takes
// its place, whosever call it was: so it tells the task.
func (n Name) Passing(task string) Name {
	p := passing(task)
	for i := range len(n) / 2 {
		p[len(n)/2+i] = n[i] ^ n[len(n)/2+i]
	}
	return p
}

// passing is what the names of such money of a task begin with: the first half.
func passing(task string) (n Name) {
	sum := sha256.Sum256([]byte("passing\x00" + task))
	copy(n[:len(n)/2], sum[:])
	return n
}

// Passing are the calls of a task for which money is set aside that stands for usage.
func (s State) Passing(task string) (names []Name) {
	if len(s.live) == 0 {
		return nil
	}
	of := passing(task)
	for i := range s.live {
		if n := &s.live[i].name; bytes.HasPrefix(n[:], of[:len(of)/2]) {
			names = append(names, *n)
		}
	}
	return names
}
