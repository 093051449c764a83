package lessons

import (
	"context"
	"reflect"
	"slices"
	"strconv"
	"time"

	"electop/model/lesson"
	"electop/ui/input"
	"electop/ui/pager"
	"electop/ui/term"
)

// Tutor gives lessons. Its methods may be called by any goroutine.
type Tutor interface {
	// Lessons is the menu, in the order of the course.
	Lessons() []lesson.Entry
	// View is what to show of the lesson that is on; ok is false for none.
	View() (v lesson.View, ok bool)
	// Start begins a lesson: it builds the scene, which may take a while, and is
	// called outside the event loop. "" is the first that was not done yet.
	Start(ctx context.Context, id string) error
	// Input passes on what the student does besides acting on the election, and
	// returns why it cannot be done, "" if it was.
	Input(in lesson.Input, choice int) (why string)
	// Leave ends the lesson; the scene stays.
	Leave()
}

// Course is the lesson that is on, as the tutor last described it, and the menu.
type Course struct {
	Tutor Tutor // nil: there are no lessons
	On    bool
	View  lesson.View
	// Starting is the lesson whose scene is being built, "" for none.
	Starting string

	text   pager.Pager // of the lesson
	place  term.Rect
	follow bool // what was added must come into view, from its beginning
	added  block
	begins int // the line at which that begins

	Menu Menu
}

// Pages reports whether do turns the pages of a lesson that does not fit,
// whatever has the focus.
func (c *Course) Pages(do input.Command) bool {
	return (do == input.CmdPageDown || do == input.CmdPageUp) && c.text.Long()
}

// Unread reports whether there is more of the lesson below what is in view.
func (c *Course) Unread() bool { return c.text.Long() && !c.text.AtBottom() }

// Scroll moves the lesson's text.
func (c *Course) Scroll(do input.Command) {
	c.text.Move(do)
	c.follow = false
}

// Update takes what the tutor has to say now, with the menu where it is open, and
// reports whether that is anything new.
func (c *Course) Update(menu bool) (changed bool) {
	if c.Tutor == nil {
		return false
	}
	if menu {
		if all := c.Tutor.Lessons(); !slices.Equal(all, c.Menu.all) {
			c.Menu.all, changed = all, true
		}
	}
	v, on := c.Tutor.View()
	if on == c.On && reflect.DeepEqual(v, c.View) {
		return changed
	}
	same := on && c.On && v.ID == c.View.ID && v.Part == c.View.Part
	if !same {
		c.text.Top()
	}
	c.added = 0
	if same {
		c.added = added(&c.View, &v)
	}
	c.follow = c.added != 0
	c.On, c.View = on, v
	c.Menu.on, c.Menu.current = on, v.ID
	return true
}

// Todo reports whether the student has something to do that did not happen yet.
// A nil Course asks for nothing.
func (c *Course) Todo() bool { return c != nil && c.On && c.View.Do != "" && !c.View.Done }

// Target is the [model.Member.ID] of the candidate that the student must act on,
// "" for none.
func (c *Course) Target() string {
	if !c.Todo() {
		return ""
	}
	return c.View.Target
}

// Since is when the lesson began that is on, zero for none and before its scene stands.
func (c *Course) Since() time.Time {
	if c == nil || !c.On {
		return time.Time{}
	}
	return c.View.Began
}

// next is the lesson after the one that is on, "" for none.
func (c *Course) next() string {
	all := c.Tutor.Lessons()
	i := slices.IndexFunc(all, func(e lesson.Entry) bool { return e.ID == c.View.ID })
	if i < 0 || i+1 >= len(all) {
		return ""
	}
	return all[i+1].ID
}

// FootKey is a key of a lesson as the footer shows it: only what it takes now.
func (c *Course) FootKey(k input.FootKey) (input.FootKey, bool) {
	v := &c.View
	switch k.Do {
	case input.CmdContinue:
		switch {
		case c.Unread():
			k.Label = "read on"
			return k, true
		case v.Done:
			k.Label = "next lesson"
		}
		return k, v.CanNext || v.Done
	case input.CmdAnswer:
		k.Shown = "1-" + strconv.Itoa(len(v.Options))
		return k, v.Question != "" && v.Chosen < 0 && len(v.Options) > 0
	case input.CmdHint:
		return k, v.Hints > 0
	case input.CmdSkip:
		return k, !v.Done && !v.CanNext
	case input.CmdReread:
		return k, v.Part > 1 || v.Chosen >= 0 || v.Happened != "" || v.Stuck != ""
	}
	return k, true
}
