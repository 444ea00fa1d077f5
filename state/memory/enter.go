package memory

// enterCounters adds the entries of an admitted claim; to a counter that it
// names twice, one.
func (s *Store) enterCounters(sights []sight, call *call) {
	for i := range sights {
		s.enterCounter(&sights[i], call)
	}
	for i := range sights {
		if cn := sights[i].counter; cn != nil {
			cn.taken = false
		}
	}
}

func (s *Store) enterCounter(si *sight, call *call) {
	n, sh := si.need, &s.shards[si.shard]
	if si.add == 0 {
		s.join(sh, si, call)
		return
	}
	if si.counter == nil {
		// Another need of the claim may have made it.
		if si.counter = sh.counters.get(si.hash, &n.Counter); si.counter == nil {
			si.counter = sh.newCounter(si.hash, n.Counter, si.now)
		}
		si.counter.ask(n)
	}
	if si.counter.taken {
		return
	}
	si.counter.taken = true
	si.counter.add(si.now)
	if si.run != (runKey{}) {
		sh.runs.put(si.run, runMark{}, s.maxRuns)
	}
	if call != nil {
		call.entries = append(call.entries, entry{counter: si.counter.id, at: si.now, run: si.run})
	}
}

// join marks a run that is already counted as one of which this call is a part.
func (s *Store) join(sh *shard, si *sight, call *call) {
	if si.run == (runKey{}) {
		return
	}
	m, _ := sh.runs.get(si.run)
	if m.joined && !sh.runs.aging(si.run) {
		return
	}
	m.joined = m.joined || !call.enteredRun(si.run)
	sh.runs.put(si.run, m, s.maxRuns)
}
