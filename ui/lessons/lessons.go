// Package lessons has the menu of lessons and the panel of the current lesson.
//
// A [Runner] runs the lessons. A [Panel] shows the [lesson.View] of the Runner, and passes the user's input to the
// Runner. The caller of the Panel starts the lessons, because [Runner.Start] blocks.
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

// Runner runs lessons. Its methods may be called by any goroutine.
type Runner interface {
	// Lessons returns all lessons in their order.
	Lessons() []lesson.Entry
	// View returns the current lesson; ok is false for none.
	View() (v lesson.View, ok bool)
	// Start begins a lesson; if id is "", the first one that is not done, or the first if all are done.
	// Start blocks, so call it outside the event loop.
	Start(ctx context.Context, id string) error
	// Input applies an input, or returns why the input cannot be applied now.
	Input(in lesson.Input, choice int) (why string)
	// Leave ends the lesson; its election stays.
	Leave()
}

// Panel holds the current lesson, as the Runner last reported it, and the menu.
type Panel struct {
	Runner Runner // nil: there are no lessons
	On     bool   // a lesson is running
	View   lesson.View

	text   overlay.Pager
	place  term.Rect
	added  string // a new paragraph that must come into view; "" for none
	begins int    // the first line of the new paragraph

	Menu overlay.List
	menu []lesson.Entry
}

// None is the Arg of the menu row that ends the lesson.
const None = "\x00"

// Pages reports whether do is a page key and the lesson is longer than its panel.
func (p *Panel) Pages(do input.Command) bool {
	return (do == input.CmdPageDown || do == input.CmdPageUp) && p.text.Long()
}

func (p *Panel) unread() bool { return p.text.Long() && !p.text.AtBottom() }

// Move scrolls the lesson's text.
func (p *Panel) Move(do input.Command) {
	p.text.Move(do)
	p.added = ""
}

// Update reads the current lesson and, if menu is set, the list of lessons. It reports whether one of them changed.
func (p *Panel) Update(menu bool) (changed bool) {
	if p.Runner == nil {
		return false
	}
	v, on := p.Runner.View()
	if menu {
		all := p.Runner.Lessons()
		changed, p.menu = !slices.Equal(all, p.menu), all
	}
	if on == p.On && reflect.DeepEqual(v, p.View) {
		return changed
	}
	p.added = ""
	if on && p.On && v.ID == p.View.ID && v.Part == p.View.Part {
		before := additions(&p.View)
		for i, text := range additions(&v) {
			if text != before[i] && p.added == "" {
				p.added = text
			}
		}
	} else {
		p.text.From(0)
	}
	p.On, p.View = on, v
	return true
}

// OpenMenu opens the menu and selects the current lesson; if there is none, the first that is not done.
func (p *Panel) OpenMenu() {
	p.Update(true)
	p.Menu.Open()
	i := slices.IndexFunc(p.menu, func(e lesson.Entry) bool { return p.On && e.ID == p.View.ID || !p.On && !e.Done })
	if i >= 0 {
		p.Menu.Select(overlay.Entry{Do: input.CmdLearn, Arg: p.menu[i].ID})
	}
}

// MenuShown returns the content of the menu.
func (p *Panel) MenuShown(g *term.Glyphs) overlay.Shown {
	x := overlay.Shown{Title: "Lessons", Width: 100, Keys: 5, Names: 92,
		Foot: "Each lesson starts a new election. This discards the current candidates and their history."}
	done := 0
	for i, e := range p.menu {
		yes, on := " ", p.On && e.ID == p.View.ID
		if e.Done {
			yes, done = g.Yes, done+1
		}
		name := yes + " " + znode.Safe(e.Title, 80)
		if on {
			name += "  on now"
		}
		x.All = append(x.All, overlay.Entry{Do: input.CmdLearn, Arg: e.ID, Key: fmt.Sprintf("%3d", i+1), Name: name, On: on, More: prose(e.About)})
	}
	x.Tail = fmt.Sprintf("%d of %d done", done, len(p.menu))
	if p.On {
		x.All = append(x.All, overlay.Entry{Do: input.CmdLearn, Arg: None, Name: "  no lesson: leave the current one", More: "The candidates and their history stay."})
	}
	return x
}

// Todo reports whether the lesson waits for an act of the user or for its effect. p may be nil.
func (p *Panel) Todo() bool { return p != nil && p.On && p.View.Do != "" && !p.View.Done }

// Target returns the [model.Member.ID] of the candidate to act on, "" for none. p may be nil.
func (p *Panel) Target() string {
	if !p.Todo() {
		return ""
	}
	return p.View.Target
}

// Since returns when the lesson's last setup was complete, zero without a lesson. p may be nil.
func (p *Panel) Since() time.Time {
	if p == nil || !p.On {
		return time.Time{}
	}
	return p.View.Began
}

// FootKey returns a lesson key for the footer, and whether the key works now.
func (p *Panel) FootKey(k input.FootKey) (input.FootKey, bool) {
	v := &p.View
	switch k.Do {
	case input.CmdContinue:
		if p.unread() {
			k.Label = "read on"
			return k, true
		}
		if v.Done {
			k.Label = "next lesson"
		}
		return k, v.CanNext || v.Done
	case input.CmdAnswer:
		k.Shown = "1-" + strconv.Itoa(len(v.Options))
		return k, unanswered(v)
	case input.CmdHint:
		return k, v.Hints > 0
	case input.CmdSkip:
		return k, !v.Done && !v.CanNext && !v.Preparing
	case input.CmdReread:
		if v.Stuck != "" && !v.Done {
			k.Label = "restart"
		}
		return k, v.CanBack
	}
	return k, true
}

func unanswered(v *lesson.View) bool {
	return v.Question != "" && v.Chosen < 0 && !v.Waiting && !v.CanNext && !v.Done && v.Stuck == ""
}

var inputs = map[input.Command]lesson.Input{
	input.CmdContinue: lesson.Next, input.CmdHint: lesson.Hint, input.CmdSkip: lesson.Skip, input.CmdReread: lesson.Back, input.CmdAnswer: lesson.Answer,
}

// Do executes a lesson command; start is the lesson to start, "" for none.
// shown is false if time travel hides the lesson.
func (p *Panel) Do(do input.Command, key string, shown bool) (message term.Span, start string) {
	v := &p.View
	switch {
	case !p.On:
		return term.Span{Style: term.Muted, Text: "no lesson is running: L opens the menu"}, ""
	case do == input.CmdContinue && shown && p.unread():
		p.Move(input.CmdPageDown)
		return term.Span{}, ""
	case do == input.CmdContinue && v.Done:
		all := p.Runner.Lessons()
		if v.Number < len(all) {
			return term.Span{}, all[v.Number].ID
		}
		return term.Span{Style: term.Good, Text: "this was the last lesson: L opens the menu"}, ""
	}
	n, _ := strconv.Atoi(key)
	if most := len(v.Options); do == input.CmdAnswer && v.Question != "" && n > most {
		return term.Span{Style: term.Trouble, Text: "there are " + units.Count(most, "answer", "answers") + " to choose from"}, ""
	}
	if why := p.Runner.Input(inputs[do], max(0, n-1)); why != "" {
		message = term.Span{Style: term.Trouble, Text: znode.Safe(why, 0)}
	}
	return message, ""
}

// Learn executes the selected row of the menu; start is the lesson to start, "" for none.
func (p *Panel) Learn() (message term.Span, start string) {
	if e, _ := p.Menu.Selected(); e.Arg != None {
		return term.Span{}, e.Arg
	}
	p.Runner.Leave()
	return term.Span{Style: term.Muted, Text: "the lesson was left; the candidates stay"}, ""
}
