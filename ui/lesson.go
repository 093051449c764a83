package ui

import (
	"context"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"electop/model/lesson"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/input"
	"electop/ui/layout"
	"electop/ui/lessons"
	"electop/ui/term"
)

// lessonMsg says how the beginning of a lesson went.
type lessonMsg struct {
	id  string
	err error
}

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

// teach handles the keys of lessons; key is the one that was pressed.
func (d *dashboard) teach(do input.Command, key string) tea.Cmd {
	c := &d.course
	switch {
	case c.Tutor == nil:
		d.say(term.Trouble, "lessons need the demo: electop lesson")
		return nil
	case do == input.CmdLessons:
		d.modes.Open(input.ModeLessons)
		d.hearTutor()
		c.OpenMenu()
		return nil
	case do == input.CmdLearn:
		return d.learn()
	case !c.On:
		d.say(term.Muted, "no lesson is running: L opens the menu")
		return nil
	case do == input.CmdContinue && d.lesson() != nil && c.Unread():
		c.Scroll(input.CmdPageDown)
		return nil
	case do == input.CmdContinue && c.View.Done:
		if next := c.Next(); next != "" {
			return d.startLesson(next)
		}
		d.say(term.Good, "this was the last lesson: L opens the menu")
		return nil
	}
	in, choice := map[input.Command]lesson.Input{
		input.CmdContinue: lesson.Next, input.CmdHint: lesson.Hint, input.CmdSkip: lesson.Skip, input.CmdReread: lesson.Back, input.CmdAnswer: lesson.Answer,
	}[do], 0
	if do == input.CmdAnswer {
		n, err := strconv.Atoi(key)
		if most := len(c.View.Options); err != nil || c.View.Question != "" && n > most {
			d.say(term.Trouble, "there are "+units.Count(most, "answer", "answers")+" to choose from")
			return nil
		}
		choice = n - 1
	}
	if why := c.Tutor.Input(in, choice); why != "" {
		d.say(term.Trouble, znode.Safe(why, 0))
	}
	d.hearTutor()
	return nil
}

// learn does what is selected in the menu.
func (d *dashboard) learn() tea.Cmd {
	switch {
	case d.course.Selected == lessons.None:
		d.course.Tutor.Leave()
		d.modes.Home()
		d.hearTutor()
		d.say(term.Muted, "the lesson was left; the candidates stay")
		return nil
	case d.course.Row() < 0:
		d.say(term.Trouble, "no lesson is selected")
		return nil
	}
	return d.startLesson(d.course.Selected)
}

// startLesson has the scene of a lesson built.
func (d *dashboard) startLesson(id string) tea.Cmd {
	c := &d.course
	if c.Starting != "" {
		d.say(term.Trouble, "a lesson is starting: its election is not ready yet")
		return nil
	}
	c.Starting = id
	if d.paused != nil {
		d.hold(false, d.o.Now())
	}
	d.modes.Home()
	d.focus, d.zoomed = layout.Candidates, false
	d.say(term.Muted, "starting a new election for the lesson")
	tutor := c.Tutor
	return d.doer.within(func(ctx context.Context) tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, lessonTimeout)
		defer cancel()
		return lessonMsg{id, tutor.Start(ctx, id)}
	})
}

// began says how the beginning of a lesson went.
func (d *dashboard) began(msg lessonMsg) {
	d.course.Starting = ""
	d.hearTutor()
	if msg.err != nil {
		d.say(term.Trouble, "lesson: "+znode.Safe(msg.err.Error(), 0))
		return
	}
	d.say(term.Good, "new election started for this lesson")
}
