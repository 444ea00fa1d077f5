package meter

// Stuck notes whether the agent goes round in circles in a task, which those
// above it read as task.stuck_below. A task that is closed, or begun anew, does
// not.
func (k *Task) Stuck(is bool) {
	is = is && k.open
	if k.stuck == is {
		return
	}
	k.stuck = is
	change := int64(1)
	if !is {
		change = -1
	}
	for t := k.parent; t != nil; t = t.parent {
		t.below += change
	}
}

// Busy reports whether a call of the task is under way.
func (k *Task) Busy() bool { return len(k.flights) > 0 }
