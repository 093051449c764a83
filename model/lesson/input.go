package lesson

import "fmt"

// Input applies an input; choice is that of an Answer, from 0. It returns why it
// cannot be applied now, "" if it was.
func (r *Run) Input(in Input, choice int) (why string) {
	if r.done && in != Back {
		return "the lesson is complete: L lists all lessons"
	}
	switch in {
	case Next:
		return r.next()
	case Hint:
		switch n := len(r.clues()); {
		case n == 0:
			return "there is no hint here"
		case r.hints == n:
			return "there are no more hints"
		}
		r.hints++
	case Skip:
		r.skip()
	case Back:
		return r.back()
	case Answer:
		q := r.now().Question
		switch {
		case q == nil || r.phase != asking && r.chosen < 0:
			return "this part has no open question"
		case r.phase != asking:
			return "already answered: < goes back"
		case choice < 0 || choice >= len(q.Options):
			return fmt.Sprintf("answer with 1 to %d", len(q.Options))
		}
		r.chosen = choice
		r.await()
	default:
		return "unknown input"
	}
	r.dirty = true
	return ""
}

// await waits for the act.
func (r *Run) await() {
	r.phase, r.hints = waiting, 0
	r.say("")
	r.recast()
}

// clues are the hints about what is to be done now.
func (r *Run) clues() []string {
	switch p := r.now(); r.phase {
	case asking:
		return p.Question.Hints
	case waiting:
		return p.Act.Hints
	}
	return nil
}

func (r *Run) next() string {
	switch r.phase {
	case asking:
		return fmt.Sprintf("answer first, with 1 to %d; > skips the question", len(r.now().Question.Options))
	case waiting:
		return "waiting for this to happen; > skips it"
	}
	r.advance()
	return ""
}

// advance goes to the next part, if there is one.
func (r *Run) advance() {
	r.dirty = true
	if r.part+1 < len(r.lesson.Parts) {
		r.enter(r.part + 1)
		return
	}
	r.done = true
}

// skip goes past what is asked, or what is waited for. What is only to be read
// is no loss.
func (r *Run) skip() {
	switch r.phase {
	case asking:
		r.skipped[r.part] = true
		r.await()
	case waiting:
		r.skipped[r.part] = true
		r.advance()
	default:
		r.advance()
	}
}

func (r *Run) back() string {
	r.dirty = true
	switch {
	case r.done:
		if r.done = false; r.phase == waiting {
			r.restart()
		}
	case r.lost:
		r.restart()
	case r.part > 0:
		r.enter(r.part - 1)
	case r.chosen >= 0 || r.phase == finished:
		r.restart()
	default:
		return "this is the first part"
	}
	return ""
}
