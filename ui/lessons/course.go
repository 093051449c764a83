// Package lessons draws lessons: the menu, and in a panel the text of the lesson that
// is on, with what there is to answer and to do.
//
// A [Tutor] says all of that; a [Course] shows it and passes on answers. It
// judges nothing.
package lessons

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"time"

	"electop/model/lesson"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/input"
	"electop/ui/overlay"
	"electop/ui/term"
)

// Tutor gives lessons. Its methods may be called by any goroutine.
type Tutor interface {
	// Lessons is the menu, in the order of the course.
	Lessons() []lesson.Entry
	// View returns the current lesson; ok is false for none.
	View() (v lesson.View, ok bool)
	// Start begins a lesson: it builds the setup, which may take a while, and is
	// called outside the event loop. "" is the first that was not done yet.
	Start(ctx context.Context, id string) error
	// Input passes on what the student does besides acting on the election, and
	// returns why it cannot be done, "" if it was.
	Input(in lesson.Input, choice int) (why string)
	// Leave ends the lesson; the setup stays.
	Leave()
}

// Course is the lesson that is on, as the tutor last described it, and the menu.
type Course struct {
	Tutor Tutor // nil: there are no lessons
	On    bool
	View  lesson.View

	text   overlay.Pager // of the lesson
	place  term.Rect
	added  string // what was added must come into view, from its beginning; "" for nothing
	begins int    // the line at which that begins

	Menu overlay.List
	menu []lesson.Entry // of the menu, in the order of the course
}

// None is the row of the menu that ends the lesson.
const None = "\x00"

// Pages reports whether do turns the pages of a lesson that does not fit,
// whatever has the focus.
func (c *Course) Pages(do input.Command) bool {
	return (do == input.CmdPageDown || do == input.CmdPageUp) && c.text.Long()
}

// unread reports whether there is more of the lesson below what is in view.
func (c *Course) unread() bool { return c.text.Long() && !c.text.AtBottom() }

// Move moves the lesson's text.
func (c *Course) Move(do input.Command) {
	c.text.Move(do)
	c.added = ""
}

// Update takes the lesson as the tutor describes it now, and the menu if it is open, and
// reports whether anything is new.
func (c *Course) Update(menu bool) (changed bool) {
	if c.Tutor == nil {
		return false
	}
	v, on := c.Tutor.View()
	if menu {
		all := c.Tutor.Lessons()
		changed, c.menu = !slices.Equal(all, c.menu), all
	}
	if on == c.On && reflect.DeepEqual(v, c.View) {
		return changed
	}
	c.added = ""
	if on && c.On && v.ID == c.View.ID && v.Part == c.View.Part {
		before := news(&c.View)
		for i, text := range news(&v) {
			if text != before[i] && c.added == "" {
				c.added = text
			}
		}
	} else {
		c.text.Top()
	}
	c.On, c.View = on, v
	return true
}

// OpenMenu takes the menu as it is now, and selects the lesson that is on, otherwise the
// first that was not done.
func (c *Course) OpenMenu() {
	c.Update(true)
	c.Menu.Open()
	i := slices.IndexFunc(c.menu, func(e lesson.Entry) bool { return c.On && e.ID == c.View.ID || !c.On && !e.Done })
	if i >= 0 {
		c.Menu.Select(overlay.Entry{Do: input.CmdLearn, Arg: c.menu[i].ID})
	}
}

// MenuShown returns the content of the menu.
func (c *Course) MenuShown(g *term.Glyphs) overlay.Shown {
	x := overlay.Shown{Title: "Lessons", Width: 100, Keys: 5, Names: 92,
		Foot: "Each lesson starts a new election. This discards the current candidates and their history."}
	done := 0
	for i, e := range c.menu {
		yes, on := " ", c.On && e.ID == c.View.ID
		if e.Done {
			yes, done = g.Yes, done+1
		}
		name := yes + " " + znode.Safe(e.Title, 80)
		if on {
			name += "  on now"
		}
		x.All = append(x.All, overlay.Entry{Do: input.CmdLearn, Arg: e.ID, Key: fmt.Sprintf("%3d", i+1), Name: name, On: on, More: prose(e.About)})
	}
	x.Tail = fmt.Sprintf("%d of %d done", done, len(c.menu))
	if c.On {
		x.All = append(x.All, overlay.Entry{Do: input.CmdLearn, Arg: None, Name: "  no lesson: leave the current one", More: "The candidates and their history stay."})
	}
	return x
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

// Since is when the setup stood of the lesson that is on, zero for none.
func (c *Course) Since() time.Time {
	if c == nil || !c.On {
		return time.Time{}
	}
	return c.View.Began
}

// FootKey is a key of a lesson as the footer shows it: only what it takes now.
func (c *Course) FootKey(k input.FootKey) (input.FootKey, bool) {
	v := &c.View
	switch k.Do {
	case input.CmdContinue:
		if c.unread() {
			k.Label = "read on"
			return k, true
		}
		if v.Done {
			k.Label = "next lesson"
		}
		return k, v.CanNext || v.Done
	case input.CmdAnswer:
		k.Shown = "1-" + strconv.Itoa(len(v.Options))
		return k, v.Question != "" && v.Chosen < 0 && len(v.Options) > 0
	case input.CmdHint:
		return k, v.Hints > 0
	case input.CmdSkip:
		return k, !v.Done && !v.CanNext && !v.Setting
	case input.CmdReread:
		if v.Stuck != "" && !v.Done {
			k.Label = "restart"
		}
		return k, v.CanBack
	}
	return k, true
}

// inputs are what the keys of a lesson tell the tutor. It is never written.
var inputs = map[input.Command]lesson.Input{
	input.CmdContinue: lesson.Next, input.CmdHint: lesson.Hint, input.CmdSkip: lesson.Skip, input.CmdReread: lesson.Back, input.CmdAnswer: lesson.Answer,
}

// Do does what a key of a lesson means; key is the one that was pressed, and shown says
// that the lesson is on the screen. It returns what is to be said and the lesson that is
// to be started, if any.
func (c *Course) Do(do input.Command, key string, shown bool) (said term.Span, start string) {
	v := &c.View
	switch {
	case !c.On:
		return term.Span{Style: term.Muted, Text: "no lesson is running: L opens the menu"}, ""
	case do == input.CmdContinue && shown && c.unread():
		c.Move(input.CmdPageDown)
		return term.Span{}, ""
	case do == input.CmdContinue && v.Done:
		all := c.Tutor.Lessons()
		if v.Number < len(all) {
			return term.Span{}, all[v.Number].ID
		}
		return term.Span{Style: term.Good, Text: "this was the last lesson: L opens the menu"}, ""
	}
	n, _ := strconv.Atoi(key)
	if most := len(v.Options); do == input.CmdAnswer && v.Question != "" && n > most {
		return term.Span{Style: term.Trouble, Text: "there are " + units.Count(most, "answer", "answers") + " to choose from"}, ""
	}
	if why := c.Tutor.Input(inputs[do], max(0, n-1)); why != "" {
		said = term.Span{Style: term.Trouble, Text: znode.Safe(why, 0)}
	}
	return said, ""
}

// Learn does what is selected in the menu: it leaves the lesson that is on, or returns
// the one that is to be started.
func (c *Course) Learn() (said term.Span, start string) {
	if e, _ := c.Menu.Selected(); e.Arg != None {
		return term.Span{}, e.Arg
	}
	c.Tutor.Leave()
	return term.Span{Style: term.Muted, Text: "the lesson was left; the candidates stay"}, ""
}
