package lessons

import (
	"context"
	"reflect"
	"slices"
	"strconv"

	"github.com/charmbracelet/bubbles/viewport"

	"electop/model/lesson"
	"electop/ui/input"
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

// Course is the lesson that is on, as last told by the tutor, and the menu.
type Course struct {
	On   bool
	View lesson.View
	// Starting is the lesson whose scene is being built, "" for none.
	Starting string

	text   viewport.Model // of the lesson
	follow bool           // its end is to be in view: something was added

	menu     []lesson.Entry
	Selected string // in the menu; noLesson for its last row
	menuTop  int
	menuPage int
}

// None is the row of the menu that ends the lesson.
const None = "\x00"

// rows is how many rows the menu has.
func (c *Course) rows() int {
	if c.On {
		return len(c.menu) + 1
	}
	return len(c.menu)
}

// Row is the selected row of the menu, -1 if it is gone.
func (c *Course) Row() int {
	if c.Selected == None && c.On {
		return len(c.menu)
	}
	return slices.IndexFunc(c.menu, func(e lesson.Entry) bool { return e.ID == c.Selected })
}

// MoveMenu moves the selection of the menu.
func (c *Course) MoveMenu(do input.Command) {
	i := input.Moved(do, max(0, c.Row()), c.rows()-1, c.menuPage)
	if i < len(c.menu) {
		c.Selected = c.menu[i].ID
	} else if c.On {
		c.Selected = None
	}
}

// long reports whether the lesson's text does not fit.
func (c *Course) long() bool { return c.text.TotalLineCount() > c.text.Height }

// Pages reports whether do turns the pages of a lesson that does not fit,
// whatever has the focus.
func (c *Course) Pages(do input.Command) bool {
	return (do == input.CmdPageDown || do == input.CmdPageUp) && c.long()
}

// Scroll moves the lesson's text.
func (c *Course) Scroll(do input.Command) {
	input.Scroll(&c.text, do)
	c.follow = false
}

// Hear takes what the tutor has to say now, with the menu where it is open, and
// reports whether that is anything new.
func (c *Course) Hear(t Tutor, menu bool) (changed bool) {
	if menu {
		if menu := t.Lessons(); !slices.Equal(menu, c.menu) {
			c.menu, changed = menu, true
		}
	}
	v, on := t.View()
	if on == c.On && reflect.DeepEqual(v, c.View) {
		return changed
	}
	c.follow = on && c.On && v.ID == c.View.ID && v.Part == c.View.Part
	if !c.follow {
		c.text.GotoTop()
	}
	c.On, c.View = on, v
	return true
}

// OpenMenu selects in the menu the lesson that is on, else the first that was
// not done.
func (c *Course) OpenMenu() {
	c.Selected = c.View.ID
	if !c.On {
		i := slices.IndexFunc(c.menu, func(e lesson.Entry) bool { return !e.Done })
		if i = max(0, i); i < len(c.menu) {
			c.Selected = c.menu[i].ID
		}
	}
}

// FootKey is a key of a lesson as the footer shows it: only what it takes now.
func (c *Course) FootKey(k input.FootKey) (input.FootKey, bool) {
	v := &c.View
	switch k.Do {
	case input.CmdContinue:
		if v.Done {
			k.Label = "next lesson"
		}
		return k, v.CanNext || v.Done
	case input.CmdAnswer:
		k.Key = "1-" + strconv.Itoa(len(v.Options))
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
