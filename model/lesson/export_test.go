package lesson

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"electop/model"
	"electop/model/dialect"
)

// The lessons are part of the program, so tests check them, and nothing does when it
// runs.

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
	text := func(where string, afterwards bool, texts ...string) {
		for _, t := range texts {
			var found []string
			if rest := replace(t, func(name string) string { found = append(found, name); return "" }); strings.ContainsAny(rest, "{}") {
				wrong(where, "missing } before %q", rest)
			}
			for _, name := range found {
				role, _ := roleOf(name)
				switch {
				case role == "" && values[name] == nil:
					wrong(where, "unknown placeholder {%s}", name)
				case !afterwards && (role == Newcomer || role == "" && !slices.Contains(knownBefore, name)):
					wrong(where, "{%s} is not known yet", name)
				}
			}
		}
	}
	if _, known := dialect.RecipeNamed(p.Scene.Recipe); p.Scene.Recipe != "" && !known {
		wrong("scene", "unknown recipe %q", p.Scene.Recipe)
	}
	if len(p.Text) == 0 {
		wrong("text", "missing")
	}
	text("text", false, p.Text...)
	text("after", true, p.After)
	if a := p.Act; a != nil {
		text("act", false, a.Do)
		text("hints", false, a.Hints...)
		switch {
		case a.Do == "" || p.After == "":
			wrong("act", "it needs do, and its part needs after")
		case len(a.Keys) == 0:
			wrong("act", "no keys")
		case len(a.Until) == 0:
			wrong("act", "it needs until: what to wait for")
		case len(a.Hints) == 0:
			wrong("act", "no hints")
		case a.Target != "" && !slices.Contains(roles, a.Target):
			wrong("act", "unknown target %q", a.Target)
		case (a.Fault != "") != (a.Target != ""):
			wrong("act", "fault and target need each other")
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
	text("question", false, q.Ask)
	text("hints", false, q.Hints...)
	text("question", true, q.Right, q.Wrong)
	otherwise := 0
	for i := range q.Options {
		o := &q.Options[i]
		text("option", false, o.Text)
		text("option", true, o.Wrong)
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
			if o.If.Then {
				wrong("option", "%q: then is for acts", o.Text)
			}
		}
	}
	switch {
	case p.Act == nil:
		wrong("question", "its part has no act to answer it")
	case q.Ask == "" || q.Right == "" || q.Wrong == "":
		wrong("question", "it needs ask, right and wrong")
	case len(q.Hints) == 0:
		wrong("question", "no hints")
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
	fUsed     field = "used"
)

// fields are what a condition on an event may have, and has to have.
var fields = map[Event]struct{ may, need []field }{
	Joined:       {may: []field{fWho, fUsed}},
	Left:         {need: []field{fWho}},
	Handoff:      {may: []field{fWho, fTo, fCause}},
	Elected:      {need: []field{fWho}},
	Acknowledged: {need: []field{fWho}},
	Ghosted:      {need: []field{fWho}},
	Found:        {need: []field{fWho}},
	Believes:     {need: []field{fWho, fBelief}},
	Watches:      {need: []field{fWho, fTo}},
	Recipe:       {need: []field{fRecipe}},
	Woke:         {may: []field{fCount, fNotified}, need: []field{fWho}},
	StaleWrite:   {need: []field{fWho}},
	GuardHeld:    {need: []field{fWho}},
	TokenHeld:    {need: []field{fWho}},
}

// knownBefore are the placeholders that are known before it has happened.
var knownBefore = []string{"count", "waiting", "next seq", "timeout"}

func (c *Condition) check() error {
	words := fields[c.Event]
	if vocabulary[c.Event] == nil {
		return fmt.Errorf("unknown event %q", c.Event)
	}
	set := map[field]string{
		fWho: string(c.Who), fTo: string(c.To), fCause: string(c.Cause), fBelief: string(c.Belief), fRecipe: c.Recipe,
		fCount: c.Count, fNotified: string(c.Notified), fUsed: map[bool]string{true: "yes"}[c.Used],
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
		return slices.Contains(roles, role) || role == Newcomer && e == Watches || role == Nobody && e == Handoff || role == You && e == Joined
	case fCause:
		return slices.Contains([]model.Cause{model.CauseResigned, model.CauseExpired}, model.Cause(value))
	case fBelief:
		return slices.Contains([]model.Belief{model.Waiting, model.Leading, model.Suspended}, model.Belief(value))
	case fRecipe:
		_, ok := dialect.RecipeNamed(value)
		return ok
	case fCount:
		_, err := strconv.Atoi(value)
		return err == nil || value == waitingCount
	}
	return true
}

// Events are all that a condition can wait for.
func Events() (all []Event) {
	for e := range vocabulary {
		all = append(all, e)
	}
	return all
}

// CheckCondition is what [Lesson.Check] finds of a condition.
func CheckCondition(c Condition) error { return c.check() }
