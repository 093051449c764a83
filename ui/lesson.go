package ui

import (
	"context"
	"slices"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"electop/model/lesson"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/input"
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
	if d.o.Tutor != nil && d.course.Hear(d.o.Tutor, d.front() == input.ModeLessons) {
		d.dirty = true
	}
}

// learning reports whether the screen shows a lesson: not while it shows
// another moment.
func (d *dashboard) learning() bool { return d.course.On && !d.past.on }

// todo reports whether the student has something to do that did not happen yet.
func (d *dashboard) todo() bool {
	v := &d.course.View
	return d.learning() && v.Do != "" && !v.Done
}

// pointedAt is the [model.Member.ID] of the candidate that the student is to
// act on, "" for none.
func (d *dashboard) pointedAt() string {
	if !d.todo() {
		return ""
	}
	return d.course.View.Target
}

// teach handles the keys of lessons; key is the one that was pressed.
func (d *dashboard) teach(do input.Command, key string) tea.Cmd {
	c := &d.course
	switch {
	case d.o.Tutor == nil:
		d.say(term.Trouble, "lessons need the demo: electop lesson")
		return nil
	case do == input.CmdLessons:
		d.enter(input.ModeLessons)
		d.hearTutor()
		c.OpenMenu()
		return nil
	case do == input.CmdLearn:
		return d.learn()
	case !c.On:
		d.say(term.Muted, "no lesson is running: L opens the menu")
		return nil
	case do == input.CmdContinue && c.View.Done:
		if next := d.nextLesson(); next != "" {
			return d.begin(next)
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
	if why := d.o.Tutor.Input(in, choice); why != "" {
		d.say(term.Trouble, znode.Safe(why, 0))
	}
	d.hearTutor()
	return nil
}

// learn does what is selected in the menu.
func (d *dashboard) learn() tea.Cmd {
	if d.course.Selected == lessons.None {
		d.o.Tutor.Leave()
		d.home()
		d.hearTutor()
		d.say(term.Muted, "the lesson was left; the candidates stay")
		return nil
	}
	if d.course.Row() < 0 {
		d.say(term.Trouble, "no lesson is selected")
		return nil
	}
	return d.begin(d.course.Selected)
}

// begin has the scene of a lesson built.
func (d *dashboard) begin(id string) tea.Cmd {
	c := &d.course
	if c.Starting != "" {
		d.say(term.Trouble, "a lesson is starting: its election is not ready yet")
		return nil
	}
	c.Starting = id
	if d.paused != nil {
		d.hold(false)
	}
	d.home()
	d.focus, d.zoomed = panelCandidates, false
	d.say(term.Muted, "starting a new election for the lesson")
	tutor := d.o.Tutor
	return d.doer.within(func(ctx context.Context) tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, lessonTimeout)
		defer cancel()
		return lessonMsg{id, tutor.Start(ctx, id)}
	})
}

// began tells how the beginning of a lesson went.
func (d *dashboard) began(msg lessonMsg) {
	d.course.Starting = ""
	d.hearTutor()
	if msg.err != nil {
		d.say(term.Trouble, "lesson: "+znode.Safe(msg.err.Error(), 0))
		return
	}
	d.say(term.Good, "new election started for this lesson")
}

// nextLesson is the one after that which is on, "" for none.
func (d *dashboard) nextLesson() string {
	all := d.o.Tutor.Lessons()
	i := slices.IndexFunc(all, func(e lesson.Entry) bool { return e.ID == d.course.View.ID })
	if i < 0 || i+1 >= len(all) {
		return ""
	}
	return all[i+1].ID
}
