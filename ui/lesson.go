package ui

import (
	"context"
	"reflect"
	"slices"
	"strconv"

	"github.com/charmbracelet/bubbles/viewport"
	tea "github.com/charmbracelet/bubbletea"

	"electop/model/lesson"
	"electop/model/units"
	"electop/model/znode"
)

// course is the lesson that is on, as last told by the tutor, and the menu.
type course struct {
	on   bool
	view lesson.View
	// starting is the lesson whose scene is being built, "" for none.
	starting string

	text   viewport.Model // of the lesson
	follow bool           // its end is to be in view: something was added

	menu     []lesson.Entry
	selected string // in the menu; noLesson for its last row
	menuTop  int
	menuPage int
}

// noLesson is the row of the menu that ends the lesson.
const noLesson = "\x00"

// lessonMsg says how the beginning of a lesson went.
type lessonMsg struct {
	id  string
	err error
}

// hearTutor takes what the tutor has to say now.
func (d *dashboard) hearTutor() {
	if d.o.Tutor == nil {
		return
	}
	c := &d.course
	if d.front() == modeLessons {
		if menu := d.o.Tutor.Lessons(); !slices.Equal(menu, c.menu) {
			c.menu, d.dirty = menu, true
		}
	}
	v, on := d.o.Tutor.View()
	if on == c.on && reflect.DeepEqual(v, c.view) {
		return
	}
	c.follow = on && c.on && v.ID == c.view.ID && v.Part == c.view.Part
	if !c.follow {
		c.text.GotoTop()
	}
	c.on, c.view, d.dirty = on, v, true
}

// learning reports whether the screen shows a lesson: not while it shows
// another moment.
func (d *dashboard) learning() bool { return d.course.on && !d.past.on }

// todo reports whether the student has something to do that did not happen yet.
func (d *dashboard) todo() bool {
	v := &d.course.view
	return d.learning() && v.Do != "" && !v.Done
}

// pointedAt is the [model.Member.ID] of the candidate that the student is to
// act on, "" for none.
func (d *dashboard) pointedAt() string {
	if !d.todo() {
		return ""
	}
	return d.course.view.Target
}

// teach handles the keys of lessons; key is the one that was pressed.
func (d *dashboard) teach(do command, key string) tea.Cmd {
	c := &d.course
	switch {
	case d.o.Tutor == nil:
		d.say(styleTrouble, "lessons need the demo: electop lesson")
		return nil
	case do == cmdLessons:
		d.enter(modeLessons)
		d.hearTutor()
		c.selected = c.view.ID
		if !c.on {
			i := slices.IndexFunc(c.menu, func(e lesson.Entry) bool { return !e.Done })
			if i = max(0, i); i < len(c.menu) {
				c.selected = c.menu[i].ID
			}
		}
		return nil
	case do == cmdLearn:
		return d.learn()
	case !c.on:
		d.say(styleMuted, "no lesson is on: L has the menu")
		return nil
	case do == cmdContinue && c.view.Done:
		if next := d.nextLesson(); next != "" {
			return d.begin(next)
		}
		d.say(styleGood, "this was the last lesson: L has the menu")
		return nil
	}
	in, choice := map[command]lesson.Input{
		cmdContinue: lesson.Next, cmdHint: lesson.Hint, cmdSkip: lesson.Skip, cmdReread: lesson.Back, cmdAnswer: lesson.Answer,
	}[do], 0
	if do == cmdAnswer {
		n, err := strconv.Atoi(key)
		if most := len(c.view.Options); err != nil || c.view.Question != "" && n > most {
			d.say(styleTrouble, "there are "+units.Count(most, "answer", "answers")+" to choose from")
			return nil
		}
		choice = n - 1
	}
	if why := d.o.Tutor.Input(in, choice); why != "" {
		d.say(styleTrouble, znode.Safe(why, 0))
	}
	d.hearTutor()
	return nil
}

// learn does what is selected in the menu.
func (d *dashboard) learn() tea.Cmd {
	if d.course.selected == noLesson {
		d.o.Tutor.Leave()
		d.home()
		d.hearTutor()
		d.say(styleMuted, "no lesson is on any more; the candidates stay")
		return nil
	}
	if d.course.row() < 0 {
		d.say(styleTrouble, "no lesson is selected")
		return nil
	}
	return d.begin(d.course.selected)
}

// begin has the scene of a lesson built.
func (d *dashboard) begin(id string) tea.Cmd {
	c := &d.course
	if c.starting != "" {
		d.say(styleTrouble, "a lesson is being begun: its scene is not ready yet")
		return nil
	}
	c.starting = id
	if d.paused != nil {
		d.hold(false)
	}
	d.home()
	d.focus, d.zoomed = panelCandidates, false
	d.say(styleMuted, "the demo starts afresh for the lesson")
	tutor := d.o.Tutor
	return d.doer.within(func(ctx context.Context) tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, lessonTimeout)
		defer cancel()
		return lessonMsg{id, tutor.Start(ctx, id)}
	})
}

// began tells how the beginning of a lesson went.
func (d *dashboard) began(msg lessonMsg) {
	d.course.starting = ""
	d.hearTutor()
	if msg.err != nil {
		d.say(styleTrouble, "lesson: "+znode.Safe(msg.err.Error(), 0))
		return
	}
	d.say(styleGood, "the demo has started afresh: the lesson begins")
}

// nextLesson is the one after that which is on, "" for none.
func (d *dashboard) nextLesson() string {
	all := d.o.Tutor.Lessons()
	i := slices.IndexFunc(all, func(e lesson.Entry) bool { return e.ID == d.course.view.ID })
	if i < 0 || i+1 >= len(all) {
		return ""
	}
	return all[i+1].ID
}

// rows is how many rows the menu has.
func (c *course) rows() int {
	if c.on {
		return len(c.menu) + 1
	}
	return len(c.menu)
}

// row is the selected row of the menu, -1 if it is gone.
func (c *course) row() int {
	if c.selected == noLesson && c.on {
		return len(c.menu)
	}
	return slices.IndexFunc(c.menu, func(e lesson.Entry) bool { return e.ID == c.selected })
}

// moveMenu moves the selection of the menu.
func (c *course) moveMenu(do command) {
	i := moved(do, max(0, c.row()), c.rows()-1, c.menuPage)
	if i < len(c.menu) {
		c.selected = c.menu[i].ID
	} else if c.on {
		c.selected = noLesson
	}
}

// long reports whether the lesson's text does not fit.
func (c *course) long() bool { return c.text.TotalLineCount() > c.text.Height }

// pages reports whether do turns the pages of a lesson that does not fit,
// whatever has the focus.
func (c *course) pages(do command) bool {
	return (do == cmdPageDown || do == cmdPageUp) && c.long()
}

// scroll moves the lesson's text.
func (c *course) scroll(do command) {
	scroll(&c.text, do)
	c.follow = false
}
