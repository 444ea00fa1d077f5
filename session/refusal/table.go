package refusal

import "slices"

// Defaults returns the built-in table, a new slice each time: to be given to
// [New], with phrases added or left out.
func Defaults() []Pattern {
	var all []Pattern
	for _, part := range []struct {
		role    Role
		phrases []string
	}{
		{GivesUp, givesUp},
		{GivesUp, declines},
		{Cannot, cannot},
		{Cannot, lacks},
		{Undone, undone},
		{Hints, hints},
		{Efforts, efforts},
		{Signs, signs},
		{Speaks, speaks},
		{Opines, opines},
		{Steps, steps},
		{HandsBack, handsBack},
		{ReturnsVoid, returnsVoid},
		{Unfinished, unfinished},
		{Harmless, harmless},
		{Fruitless, fruitless},
		{Delivers, delivers},
		{Asks, asks},
		{Obstacle, obstacles},
		{Neutral, neutral},
	} {
		for _, text := range part.phrases {
			all = append(all, Pattern{Text: text, Role: part.role})
		}
	}
	for _, c := range slices.Concat(cluesOfWorker, cluesOfRest) {
		all = append(all, Pattern{Text: c.phrase, Role: Clue, Points: c.points, Closing: c.closing})
	}
	return slices.Clip(all)
}
