package ui

import (
	tea "github.com/charmbracelet/bubbletea"

	"electop/model/znode"
	"electop/ui/input"
	"electop/ui/lessons"
	"electop/ui/mainscreen"
	"electop/ui/term"
)

// hearTutor takes what the tutor has to say now.
func (d *dashboard) hearTutor() {
	if d.course.Update(d.modes.Front() == input.ModeLessons) {
		d.dirty = true
	}
}

// lesson is the lesson on the screen, nil for none: not while the screen shows
// another moment.
func (d *dashboard) lesson() *lessons.Course {
	if !d.course.On || d.past.journey.On {
		return nil
	}
	return &d.course
}

// withLesson adds the keys of a lesson to mode m if m is the main screen of a lesson.
func (d *dashboard) withLesson(m input.Mode) input.Mode {
	if m == input.ModeNormal && d.lesson() != nil {
		m |= input.ModeTeach
	}
	return m
}

// teach handles the keys of lessons; key is the one that was pressed.
func (d *dashboard) teach(do input.Command, key string) tea.Cmd {
	c := &d.course
	said, start := term.Span{}, ""
	switch {
	case c.Tutor == nil:
		said = term.Span{Style: term.Trouble, Text: "lessons need the demo: electop lesson"}
	case do == input.CmdLessons:
		d.modes.Open(input.ModeLessons)
		c.OpenMenu()
	case do == input.CmdLearn:
		said, start = c.Learn()
		d.modes.CloseAll()
	default:
		said, start = c.Do(do, key, d.lesson() != nil)
	}
	d.hearTutor()
	d.say(said.Style, said.Text)
	if start == "" {
		return nil
	}
	d.say(term.Muted, "starting a new election for the lesson")
	if d.paused != nil {
		d.hold(false, d.o.Now())
	}
	d.modes.CloseAll()
	d.screen.Focus, d.screen.Zoomed = mainscreen.Candidates, false
	return d.doer.lesson(c.Tutor, start)
}

// taught says how the beginning of a lesson went.
func (d *dashboard) taught(err error) {
	d.hearTutor()
	if err != nil {
		d.say(term.Trouble, "lesson: "+znode.Safe(err.Error(), 0))
	} else {
		d.say(term.Good, "new election started for this lesson")
	}
}
