package meter

// Attachment is what the host of a call keeps with it until its result is told
// of. The meters look at none of it.
type Attachment interface {
	// Dropped says that the meters have forgotten the call, as there were too many
	// without a result: no result finds it any more.
	Dropped()
}

// Attach keeps something with a call under way, in the place of what was kept. A
// call that is not under way is left alone.
func (k *Task) Attach(f Flight, a Attachment) {
	for i := range k.flights {
		if k.flights[i].number == f {
			k.flights[i].attached = a
		}
	}
}

// Attached returns what is kept with a call that is under way or lost; nil: nothing.
func (k *Task) Attached(f Flight) Attachment {
	if f == 0 {
		return nil
	}
	for i := len(k.flights) - 1; i >= 0; i-- {
		if k.flights[i].number == f {
			return k.flights[i].attached
		}
	}
	for i := range k.lost {
		if k.lost[i].number == f {
			return k.lost[i].attached
		}
	}
	return nil
}

// FindLost returns the call that a result with an id belongs to which comes after
// its task was closed or begun anew, or when the call was long taken for lost: the
// latest of that id. 0: there is none, or no id.
func (k *Task) FindLost(id string) Flight {
	if id == "" {
		return 0
	}
	for i := len(k.lost) - 1; i >= 0; i-- {
		if k.lost[i].id == id {
			return k.lost[i].number
		}
	}
	return 0
}
