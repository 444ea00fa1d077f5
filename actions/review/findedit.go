package review

import "fmt"

// minEdits is the least number of edits of a file that is called repeated.
const minEdits = 4

// repeatedEdit finds a file that was changed again and again.
func repeatedEdit(s *signs) *finding {
	type history struct{ edits, growing, last, streak int }
	files := map[string]*history{}
	best, most := "", (*history)(nil)
	for i := range s.calls {
		if s.kinds[i] != edits {
			continue
		}
		e := editOf(&s.calls[i])
		if e.file == "" {
			continue
		}
		h := files[e.file]
		if h == nil {
			h = &history{}
			files[e.file] = h
		}
		h.edits++
		if h.edits > 1 && e.size > h.last {
			h.streak++
		} else {
			h.streak = 0
		}
		h.growing, h.last = max(h.growing, h.streak), e.size
		if most == nil || h.edits > most.edits {
			best, most = e.file, h
		}
	}
	if most == nil || most.edits < minEdits {
		return nil
	}
	f := &finding{
		specialist: Approach,
		weight:     most.edits,
		analysis:   fmt.Sprintf("%s was changed %d times.", cite(best), most.edits),
		mistake:    fmt.Sprintf("Changing %s by trial, without knowing what is wrong in it.", cite(best)),
		approach: []string{
			fmt.Sprintf("Read %s as it is now, whole, and say what is wrong before the next change.", cite(best)),
			"Make one small change, test it, and undo it if it does not help.",
		},
	}
	if most.growing >= minEdits-1 {
		f.weight += most.growing
		f.analysis = fmt.Sprintf("%s was changed %d times, %d of them each with more text than the one before.", cite(best), most.edits, most.growing+1)
		f.mistake = fmt.Sprintf("Adding ever more to %s instead of replacing what does not work.", cite(best))
		f.approach = append(f.approach, "Go back to the last version that worked and write less: the growing changes pile up on a wrong start.")
	}
	return f
}
