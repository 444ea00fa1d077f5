package meter

// Hold stops the clocks of a task until Release, whatever is observed of it
// meanwhile; those of the whole session too, if it is the root. The tasks above
// wait for it until anything else goes on. What is opened below is held as well.
func (k *Task) Hold(at int64) {
	if k.clock.held {
		return
	}
	if k.open && k.waiting == waitNobody {
		k.rest(waitAnswer, at)
	}
	k.clock.hold(at)
	if k.parent == nil {
		k.tree.total.clock.hold(at)
	}
}

// Release lets the clocks of a task that was held run on from where they
// stood: the time between counts nowhere. They still stand if the agent waits
// for its user. A task that is not held is left alone.
func (k *Task) Release(at int64) {
	if !k.clock.held {
		return
	}
	k.clock.release(at)
	if k.last = at; k.waiting == waitAnswer {
		k.waiting = waitNobody
	}
	if k.waiting != waitNobody || !k.open {
		k.clock.pause(at)
	} else {
		k.alive(true, at)
	}
	if k.parent == nil {
		k.tree.total.clock.release(at)
	}
}
