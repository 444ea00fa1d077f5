package session

// FinishTask closes a task, says how it went, and returns it in figures. A
// task that a rule ended is halted, whatever is said.
func (s *Session) FinishTask(id string, status Status, reason string) Metadata {
	s.mu.Lock()
	defer s.unlock()
	at := s.at(0)
	m := s.metadata(s.tasks.tree.Task(id), status, reason, at)
	s.closeTask(id, status, reason, at)
	return m
}

// tell tells the host of a task that is about to be closed.
func (s *Session) tell(id string, status Status, reason string, at int64) {
	k := s.tasks.tree.Task(id)
	if s.onTask == nil || id == "" || k.ID() != id || !k.Open() {
		return
	}
	m := s.metadata(k, status, reason, at)
	s.note(func() { s.onTask(m) })
}
