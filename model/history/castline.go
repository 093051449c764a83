package history

import (
	"fmt"
	"strings"
	"time"

	"electop/model"
)

// castLine is a [model.Cast] in a recording. Older recordings say what a step
// works on as text; it is read into values here, and nowhere else.
type castLine struct {
	At     time.Time  `json:"at"`
	Member memberLine `json:"member"`
	Gone   bool       `json:"gone,omitempty"`
}

type memberLine struct {
	model.Member
	Detail string `json:"detail,omitempty"`
}

func newCastLine(c *model.Cast) *castLine {
	return &castLine{At: c.At, Member: memberLine{Member: c.Member}, Gone: c.Gone}
}

func (l *castLine) observation() *model.Cast {
	m := l.Member.Member
	if text := l.Member.Detail; text != "" && m.StepOn.IsZero() && m.Reason == "" {
		if m.Step == model.StepNone {
			m.Reason = text
		} else {
			m.StepOn = stepOnOf(m.Step, text)
		}
	}
	return &model.Cast{At: l.At, Member: m, Gone: l.Gone}
}

// stepOnOf reads what an older recording says of a step: "C := {12, 13, … 3 more}",
// a number, a name, or "found by its name".
func stepOnOf(step model.Step, text string) model.StepOn {
	if step == model.StepCreate && text == "found by its name" {
		return model.StepOn{Found: true}
	}
	list, ok := strings.CutPrefix(text, "C := {")
	if !ok {
		return model.StepOn{Name: text}
	}
	var on model.StepOn
	for name := range strings.SplitSeq(strings.TrimSuffix(list, "}"), ", ") {
		if n, err := fmt.Sscanf(name, "… %d more", &on.More); n == 1 && err == nil {
			continue
		}
		if len(on.Children) < model.ListedMax {
			on.Children = append(on.Children, name)
		}
	}
	return on
}
