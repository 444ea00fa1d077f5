package memory

// aging is a map that forgets: what was put is found until the second turn
// after it. It keeps two generations and drops the older as a whole, so that
// forgetting costs no work and needs no order.
type aging[K comparable, V any] struct {
	young, old map[K]V
}

// advance makes the turn, or two at once.
func (a *aging[K, V]) advance(twice bool) {
	if twice {
		a.young = nil
	}
	a.young, a.old = nil, a.young
}

func (a *aging[K, V]) get(k K) (V, bool) {
	v, ok := a.young[k]
	if !ok && len(a.old) > 0 {
		v, ok = a.old[k]
	}
	return v, ok
}

// aging reports whether a value that is there would be forgotten at the next turn.
func (a *aging[K, V]) aging(k K) bool {
	if len(a.old) == 0 {
		return false
	}
	_, young := a.young[k]
	return !young
}

// put enters a value, or renews it. With more than limit values the older
// generation goes before its time.
func (a *aging[K, V]) put(k K, v V, limit int) {
	if len(a.old) > 0 {
		delete(a.old, k)
	}
	if len(a.young) > limit/2 {
		a.young, a.old = nil, a.young
	}
	if a.young == nil {
		a.young = make(map[K]V)
	}
	a.young[k] = v
}

func (a *aging[K, V]) delete(k K) {
	delete(a.young, k)
	delete(a.old, k)
}

func (a *aging[K, V]) len() int { return len(a.young) + len(a.old) }
