package ui

import (
	tea "github.com/charmbracelet/bubbletea"

	"electop/model/znode"
	"electop/ui/input"
	"electop/ui/lessons"
	"electop/ui/mainscreen"
	"electop/ui/term"
)

func (d *dashboard) updateLesson() {
	if d.lessons.Update(d.modes.Front() == input.ModeLessonMenu) {
		d.dirty = true
	}
}

func (d *dashboard) lesson() *lessons.Panel {
	if !d.lessons.On || d.past.journey.On {
		return nil
	}
	return &d.lessons
}

func (d *dashboard) withLesson(m input.Mode) input.Mode {
	if m == input.ModeNormal && d.lesson() != nil {
		m |= input.ModeLesson
	}
	return m
}

func (d *dashboard) lessonKey(do input.Command, key string) tea.Cmd {
	p := &d.lessons
	result, start := term.Span{}, ""
	switch {
	case p.Runner == nil:
		result = term.Span{Style: term.Trouble, Text: "lessons need the demo: start electop lesson"}
	case do == input.CmdLessons:
		d.modes.Open(input.ModeLessonMenu)
		p.OpenMenu()
	case do == input.CmdLearn:
		result, start = p.Learn()
		d.modes.CloseAll()
	default:
		result, start = p.Do(do, key, d.lesson() != nil)
	}
	d.updateLesson()
	d.report(result.Style, result.Text)
	if start == "" {
		return nil
	}
	d.report(term.Muted, "starting a new election for the lesson")
	if d.paused != nil {
		d.hold(false, d.o.Now())
	}
	d.modes.CloseAll()
	d.screen.Focus, d.screen.Zoomed = mainscreen.Candidates, false
	return d.doer.lesson(p.Runner, start)
}

func (d *dashboard) lessonBegan(err error) {
	d.updateLesson()
	if err != nil {
		d.report(term.Trouble, "lesson: "+znode.Safe(err.Error(), 0))
	} else {
		d.report(term.Good, "new election started for this lesson")
	}
}
