package ui

import (
	"electop/model/phrase"
	"electop/model/znode"
	"electop/ui/input"
	"electop/ui/lessons"
	"electop/ui/mainscreen"
	"electop/ui/overlay"
	"electop/ui/term"
	"electop/ui/travel"
	"electop/ui/wording"
)

// statusText is what the line above the keys says where nothing is typed: what was just
// done or is asked, or else who leads.
func (d *dashboard) statusText(f *term.Frame) (term.Style, string) {
	if d.question != nil {
		return term.Alarm, d.question.text + " y n"
	}
	if st, text, ok := d.status.Says(f); ok {
		return st, text
	}
	front := d.modes.Front()
	switch {
	case front == input.ModeElections && d.elections.Row() != nil:
		r := d.elections.Row()
		text := znode.Safe(r.Path, 0)
		for _, more := range []string{wording.System(r.State()), phrase.NoLeader(r.State()).Sentence} {
			if more != "" {
				text += "   " + more
			}
		}
		return term.Muted, text
	case d.past.journey.On && front == input.ModePast && !d.past.journey.Known:
		return term.Muted, "searching for the last moment"
	case d.past.journey.On && front == input.ModePast:
		return travel.Words(f, d.past.journey.Found)
	}
	st, text := wording.Headline(f, d.shown(), d.screen.Stale(), d.ended)
	if d.lesson() != nil && front == input.ModeNormal && st != term.Alarm {
		if todo := d.course.Status(); todo != "" {
			return term.Lead, todo
		}
	}
	return st, text
}

// footer is what the labels of the keys depend on now.
func (d *dashboard) footer() mainscreen.Footer {
	list, ok := d.part().(*overlay.List)
	return mainscreen.Footer{
		Screen: &d.screen, Mode: d.modes.Now(), Action: d.action,
		Elections: len(d.elections.Rows), Leaving: d.course.Menu.Selected == lessons.None,
		Refused: ok && list.Refused(), Lessons: d.o.Tutor != nil, Invited: len(d.o.Invitations) > 0, Past: d.o.Past != nil,
	}
}
