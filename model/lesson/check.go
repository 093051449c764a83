package lesson

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"electop/model"
	"electop/model/dialect"
)

// Check returns what is wrong with a lesson, nil for a valid one.
func (l *Lesson) Check() error {
	var errs []error
	wrong := func(where, format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s: %s", where, fmt.Sprintf(format, args...)))
	}
	for _, x := range [...]struct{ name, text string }{{"id", l.ID}, {"title", l.Title}, {"about", l.About}} {
		if x.text == "" {
			wrong(x.name, "missing")
		}
	}
	if l.Scene.Cast < 1 {
		wrong("scene", "it has no candidates")
	}
	if len(l.Parts) == 0 {
		wrong("part", "missing")
	}
	for i := range l.Parts {
		for _, err := range l.Parts[i].check() {
			errs = append(errs, fmt.Errorf("part %d: %w", i+1, err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("lesson %s: %w", l.ID, err)
	}
	return nil
}

func (p *Part) check() (errs []error) {
	wrong := func(where, format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s: %s", where, fmt.Sprintf(format, args...)))
	}
	text := func(where, text string, after bool) {
		found, err := placeholders(text)
		if err != nil {
			wrong(where, "%v", err)
		}
		for _, name := range found {
			role, _, isRole := roleOf(name)
			switch {
			case isRole && (role != Newcomer || after):
			case slices.Contains(plain, name), after && slices.Contains(happened, name):
			case isRole || slices.Contains(happened, name):
				wrong(where, "{%s} is not known yet", name)
			default:
				wrong(where, "unknown placeholder {%s}", name)
			}
		}
	}
	if len(p.Text) == 0 {
		wrong("text", "missing")
	}
	for _, t := range p.Text {
		text("text", t, false)
	}
	for _, t := range p.Hints {
		text("hints", t, false)
	}
	text("after", p.After, true)
	if a := p.Act; a != nil {
		text("act", a.Do, false)
		switch {
		case a.Do == "" || p.After == "":
			wrong("act", "it needs do, and its part needs after")
		case len(a.Keys) == 0:
			wrong("act", "no keys")
		case len(a.Until) == 0:
			wrong("act", "it needs until: what to wait for")
		case len(p.Hints) == 0:
			wrong("act", "no hints")
		case a.Target != "" && (lacking[a.Target] == "" || a.Target == Newcomer):
			wrong("act", "unknown target %q", a.Target)
		case (a.Fault != "") != slices.Contains(a.Keys, "X"):
			wrong("act", "fault and the key X need each other")
		}
		for i := range a.Until {
			if err := a.Until[i].check(); err != nil {
				wrong("until", "%v", err)
			}
		}
	} else if p.After != "" {
		wrong("after", "the part has no act")
	}
	q := p.Question
	if q == nil {
		return errs
	}
	text("question", q.Ask, false)
	text("question", q.Right, true)
	text("question", q.Wrong, true)
	otherwise := 0
	for i := range q.Options {
		o := &q.Options[i]
		text("option", o.Text, false)
		text("option", o.Wrong, true)
		switch {
		case o.Text == "":
			wrong("option", "no text")
		case o.Else == (o.If != nil):
			wrong("option", "%q needs either if or else", o.Text)
		case o.Else:
			otherwise++
		default:
			if err := o.If.check(); err != nil {
				wrong("option", "%v", err)
			}
			if o.If.Then || o.If.Already || o.If.Times != 0 {
				wrong("option", "%q: then, already and times are for acts", o.Text)
			}
		}
	}
	switch {
	case p.Act == nil:
		wrong("question", "its part has no act to answer it")
	case q.Ask == "" || q.Right == "" || q.Wrong == "":
		wrong("question", "it needs ask, right and wrong")
	case len(q.Options) < 2 || len(q.Options) > 9:
		wrong("question", "it needs 2 to 9 options")
	case otherwise > 1:
		wrong("question", "more than one else")
	}
	return errs
}

// field is what a condition can say besides its event.
type field string

const (
	fWho      field = "who"
	fTo       field = "to"
	fCause    field = "cause"
	fBelief   field = "belief"
	fRecipe   field = "recipe"
	fCount    field = "count"
	fNotified field = "notified"
	fSeq      field = "seq"
)

func (c *Condition) check() error {
	words, ok := vocabulary[c.Event]
	if !ok {
		return fmt.Errorf("unknown event %q", c.Event)
	}
	set := map[field]string{
		fWho: string(c.Who), fTo: string(c.To), fCause: string(c.Cause), fBelief: string(c.Belief), fRecipe: c.Recipe,
		fCount: string(c.Count), fNotified: string(c.Notified), fSeq: c.Seq,
	}
	var bad []string
	for f, value := range set {
		need := slices.Contains(words.need, f)
		switch {
		case value == "" && need:
			bad = append(bad, "needs "+string(f))
		case value != "" && !need && !slices.Contains(words.may, f):
			bad = append(bad, "has no "+string(f))
		case value != "" && !f.knows(value, c.Event):
			bad = append(bad, fmt.Sprintf("unknown %s %q", f, value))
		}
	}
	if c.Already && !c.lasting() {
		bad = append(bad, "is a moment, not a state: already cannot be used")
	}
	if c.Times < 0 || c.Times > 1 && c.lasting() {
		bad = append(bad, "happens only once: times cannot be used")
	}
	if len(bad) > 0 {
		slices.Sort(bad)
		return fmt.Errorf("%s: %s", c.Event, strings.Join(bad, "; "))
	}
	return nil
}

// knows reports whether a field can have a value.
func (f field) knows(value string, e Event) bool {
	switch f {
	case fWho, fTo, fNotified:
		role := Role(value)
		return lacking[role] != "" && role != Newcomer || role == Nobody && e == Handoff || role == You && e == Joined
	case fCause:
		return slices.Contains([]model.Cause{model.CauseResigned, model.CauseClosed, model.CauseExpired, model.CauseUnknown, model.CauseLeft}, model.Cause(value))
	case fBelief:
		return slices.Contains([]model.Belief{model.Volunteering, model.Waiting, model.Elected, model.Leading, model.Suspended, model.Resigned, model.Lost}, model.Belief(value))
	case fRecipe:
		_, ok := dialect.RecipeNamed(value)
		return ok
	case fCount:
		var c cast
		_, ok := c.number(Number(value))
		return ok
	case fSeq:
		return value == seqNew || value == seqUsed
	}
	return false
}
