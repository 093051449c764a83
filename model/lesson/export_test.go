package lesson

import (
	"fmt"
	"slices"

	"electop/model/dialect"
)

func Events() (all []Event) {
	for e := range vocabulary {
		all = append(all, e)
	}
	return all
}

func (l *Lesson) Mistakes() (bad []string) {
	wrong := func(part int, format string, args ...any) {
		bad = append(bad, fmt.Sprintf("lesson %s, part %d: %s", l.ID, part+1, fmt.Sprintf(format, args...)))
	}
	for i, p := range l.Parts {
		texts, after := slices.Clone(p.Text), []string{p.After}
		conditions := []Condition{{Event: AllSettled, Recipe: p.Setup.Recipe}}
		if p.Act != nil && (len(p.Act.Hints) == 0 || len(p.Act.Keys) == 0) || p.Question != nil && (len(p.Question.Hints) == 0 || len(p.Question.Options) > 9) {
			wrong(i, "got no hints, no keys or more than 9 options; want hints, keys, and at most 9 options")
		}
		if p.Act != nil {
			texts = append(append(texts, p.Act.Do), p.Act.Hints...)
			conditions = append(append(conditions, p.Act.Until...), Condition{Event: Done, Who: p.Act.Target})
		}
		if q := p.Question; q != nil {
			texts, after = append(append(texts, q.Ask), q.Hints...), append(after, q.Right, q.Wrong)
			for _, o := range q.Options {
				texts, after = append(texts, o.Text), append(after, o.Wrong)
				if o.Else == (o.If != nil) || o.If != nil && o.If.Then {
					wrong(i, "the option %q needs either an if without then, or an else", o.Text)
				} else if o.If != nil {
					conditions = append(conditions, *o.If)
				}
			}
		}
		for k, text := range append(texts, after...) {
			replace(text, func(name string) string {
				role, _ := roleOf(name)
				if role == "" && values[name] == nil {
					wrong(i, "unknown placeholder {%s}", name)
				} else if k < len(texts) && (role == Newcomer || role == "" && !slices.Contains([]string{"count", "waiting", "next seq", "timeout"}, name)) {
					wrong(i, "{%s} is not known before the wait ends", name)
				}
				return ""
			})
		}
		for _, c := range conditions {
			if vocabulary[c.Event] == nil {
				wrong(i, "unknown event %q", c.Event)
			}
			for _, role := range []Role{c.Who, c.To, c.Notified} {
				if !slices.Contains(append(roles, "", You, Nobody, Newcomer), role) {
					wrong(i, "unknown role %q", role)
				}
			}
			if _, ok := dialect.RecipeNamed(c.Recipe); !ok && c.Recipe != "" {
				wrong(i, "unknown recipe %q", c.Recipe)
			}
		}
	}
	return bad
}
