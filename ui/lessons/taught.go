package lessons

import (
	"strconv"

	"electop/model/lesson"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/input"
	"electop/ui/term"
)

// inputs are what the keys of a lesson tell the tutor. It is never written.
var inputs = map[input.Command]lesson.Input{
	input.CmdContinue: lesson.Next, input.CmdHint: lesson.Hint, input.CmdSkip: lesson.Skip, input.CmdReread: lesson.Back, input.CmdAnswer: lesson.Answer,
}

// Do does what a key of a lesson means; key is the one that was pressed, and shown says
// that the lesson is on the screen. It returns what is to be said and the lesson that is
// to be started, if any.
func (c *Course) Do(do input.Command, key string, shown bool) (said term.Span, start string) {
	switch {
	case !c.On:
		return term.Span{Style: term.Muted, Text: "no lesson is running: L opens the menu"}, ""
	case do == input.CmdContinue && shown && c.Unread():
		c.Scroll(input.CmdPageDown)
		return term.Span{}, ""
	case do == input.CmdContinue && c.View.Done:
		if next := c.next(); next != "" {
			return term.Span{}, next
		}
		return term.Span{Style: term.Good, Text: "this was the last lesson: L opens the menu"}, ""
	}
	choice := 0
	if do == input.CmdAnswer {
		n, err := strconv.Atoi(key)
		if most := len(c.View.Options); err != nil || c.View.Question != "" && n > most {
			return term.Span{Style: term.Trouble, Text: "there are " + units.Count(most, "answer", "answers") + " to choose from"}, ""
		}
		choice = n - 1
	}
	if why := c.Tutor.Input(inputs[do], choice); why != "" {
		said = term.Span{Style: term.Trouble, Text: znode.Safe(why, 0)}
	}
	return said, ""
}

// OpenMenu takes the menu as it is now, and selects the lesson that is on, else the first
// that was not done.
func (c *Course) OpenMenu() {
	c.Update(true)
	c.Menu.open()
}

// Learn does what is selected in the menu: it leaves the lesson that is on, or returns
// the one that is to be started.
func (c *Course) Learn() (said term.Span, start string) {
	switch {
	case c.Menu.Selected == None:
		c.Tutor.Leave()
		return term.Span{Style: term.Muted, Text: "the lesson was left; the candidates stay"}, ""
	case c.Menu.Row() < 0:
		return term.Span{Style: term.Trouble, Text: "no lesson is selected"}, ""
	}
	return term.Span{}, c.Menu.Selected
}

// Begin notes that a lesson is to be started, and reports whether it can be.
func (c *Course) Begin(id string) (said term.Span, ok bool) {
	if c.Starting != "" {
		return term.Span{Style: term.Trouble, Text: "a lesson is starting: its election is not ready yet"}, false
	}
	c.Starting = id
	return term.Span{Style: term.Muted, Text: "starting a new election for the lesson"}, true
}

// Began notes how the start of a lesson went.
func (c *Course) Began(err error) term.Span {
	c.Starting = ""
	if err != nil {
		return term.Span{Style: term.Trouble, Text: "lesson: " + znode.Safe(err.Error(), 0)}
	}
	return term.Span{Style: term.Good, Text: "new election started for this lesson"}
}
