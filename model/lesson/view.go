package lesson

import (
	"slices"
	"strconv"
	"strings"
)

// View returns what to show.
func (r *Run) View() View {
	if r.dirty {
		r.view, r.dirty = r.draw(), false
	}
	return r.view
}

// draw makes a view that shares nothing with what changes later.
func (r *Run) draw() View {
	v := View{
		ID: r.lesson.ID, Title: r.lesson.Title, Number: r.number, Of: r.of, Began: r.began,
		Parts: len(r.lesson.Parts), Chosen: -1, Right: -1, Done: r.done,
	}
	v.Skipped = slices.Contains(r.skipped, true)
	p := r.now()
	v.Part = r.part + 1
	for _, t := range p.Text {
		v.Text = append(v.Text, r.fill(t))
	}
	if q := p.Question; q != nil {
		v.Question, v.Chosen = r.fill(q.Ask), r.chosen
		for i := range q.Options {
			v.Options = append(v.Options, r.fill(q.Options[i].Text))
		}
		if r.phase == finished {
			v.Right = r.right
			v.Verdict = r.fill(r.verdict(q))
		}
	}
	if clues := r.clues(); !r.done {
		if r.hints > 0 {
			v.Hint = r.fill(clues[r.hints-1])
		}
		v.Hints = len(clues) - r.hints
	}
	if r.phase == finished {
		v.Happened = r.fill(p.After)
	}
	if r.done {
		if v.Skipped {
			v.Stuck = "This lesson is not complete: " + r.omitted() + " skipped. < goes back."
		}
		return v
	}
	v.Stuck = r.stuck
	switch r.phase {
	case waiting:
		v.Waiting = true
		v.Do, v.Fault = r.fill(p.Act.Do), p.Act.Fault
		v.Keys = append(v.Keys, p.Act.Keys...)
		v.Target = r.cast.found[p.Act.Target].member
	case finished, reading:
		v.CanNext = true
	}
	return v
}

// verdict is what is said of the answer, once it is known; "" where there was
// none.
func (r *Run) verdict(q *Question) string {
	switch {
	case r.chosen < 0:
		return ""
	case r.right < 0:
		return "None of these happened."
	case r.chosen == r.right:
		return q.Right
	case q.Options[r.chosen].Wrong != "":
		return q.Options[r.chosen].Wrong
	}
	return q.Wrong
}

// omitted names the parts that were skipped, with a verb.
func (r *Run) omitted() string {
	var parts []string
	for i, skipped := range r.skipped {
		if skipped {
			parts = append(parts, strconv.Itoa(i+1))
		}
	}
	if len(parts) == 1 {
		return "part " + parts[0] + " was"
	}
	last := len(parts) - 1
	return "parts " + strings.Join(parts[:last], ", ") + " and " + parts[last] + " were"
}
