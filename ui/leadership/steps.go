package leadership

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/znode"
	"electop/ui/term"
	"electop/ui/wording"
)

// StepShown is how long a step stays marked if the server neither delays nor holds messages.
const StepShown = 1500 * time.Millisecond

type activity struct {
	names  []string // of the candidates, newest first
	detail string   // the line with the newest reported values, "" for none
}

func (v *Recipe) steps(f *term.Frame) (lines [model.StepAcknowledge + 1]activity) {
	s := v.State
	shown := StepShown
	if s.Pace != nil {
		shown += s.Pace.Delay
	}
	stepping := s.Pace != nil && s.Pace.Steps && len(v.Held) > 0
	last := map[string]bool{} // members whose newest step was handled
	for i := len(s.Steps) - 1; i >= 0; i-- {
		t := &s.Steps[i]
		ago := f.Picture.Sub(t.At)
		// The clock of the screen may be a little behind the step's clock.
		fresh := ago < shown && ago > -StepShown
		if fresh {
			f.At(t.At.Add(shown))
		}
		waits := false
		name := znode.Safe(t.Name, znode.NameMax)
		if stepping && !last[t.Member] {
			last[t.Member] = true
			if m := s.MemberByID(t.Member); m != nil && v.Held[m.Session] != nil {
				now := v.runs(m, t.Step)
				waits = now == t.Step
				if !waits && now != model.StepNone {
					lines[now].mark(name, "")
				}
				fresh = fresh && now != model.StepNone
			}
		}
		switch {
		case !fresh && !stepping && ago >= shown:
			return lines // the remaining steps are older
		case !fresh && !waits, t.Step <= model.StepNone, int(t.Step) >= len(lines):
			continue
		}
		if t.Step != model.StepLowest || s.Roleless() {
			lines[t.Step].mark(name, StepLine(s, t.Step, t.On))
			continue
		}
		// This report means two steps: the member listed the children, and its znode is the smallest.
		lines[t.Step].mark(name, "")
		lines[listedIn(s.Steps[:i], t.Member)].mark(name, listText(t.On))
	}
	return lines
}

// runs returns the step of m while v holds a message to m, [model.StepNone] for none. m reported the step last.
func (v *Recipe) runs(m *model.Member, last model.Step) model.Step {
	s, held := v.State, v.Held[m.Session]
	child := znode.Base(held.Path)
	switch {
	case wording.Notifies(held):
		if last == model.StepWatch || last == model.StepWatchAgain {
			return last
		}
		return model.StepNone
	case held.Op == "closeSession":
		return model.StepNone
	case strings.HasPrefix(held.Op, "getChildren") && last <= model.StepList:
		return model.StepList
	case strings.HasPrefix(held.Op, "getChildren"):
		return model.StepListAgain
	case strings.HasPrefix(held.Op, "create") && slices.Contains(s.AckPaths, held.Path):
		return model.StepAcknowledge
	case (held.Op == "getData" || held.Op == "exists") && held.Path == znode.Join(s.Path, child) && child != m.Znode:
		switch last {
		case model.StepList:
			return model.StepWatch
		case model.StepListAgain:
			return model.StepWatchAgain
		}
	}
	return last
}

func (l *activity) mark(name, detail string) {
	if slices.Contains(l.names, name) {
		return
	}
	l.names = append(l.names, name)
	if l.detail == "" {
		l.detail = detail
	}
}

func listedIn(before []model.StepTaken, member string) model.Step {
	for _, t := range slices.Backward(before) {
		if t.Member == member && t.Step <= model.StepList {
			return model.StepList
		} else if t.Member == member {
			break
		}
	}
	return model.StepListAgain
}

const detailMax = 120 // most characters of [StepLine]

// StepLine returns a step with its values, "" if none are known. For a kind without roles, it returns the step's line.
func StepLine(s *doctor.State, step model.Step, on model.StepOn) string {
	text := ""
	switch {
	case s.Roleless(): // these kinds have other steps, without values
		text = lineOf(code(s.Kind(), false, ""), step)
	case on.Found:
		text = "found by its name"
	case len(on.Children) > 0 && step == model.StepLowest:
		text = "mine is the smallest of " + setText(on)
	case len(on.Children) > 0:
		text = listText(on)
	case on.Name == "":
	case step == model.StepCreate:
		text = "create " + znode.Safe(on.Name, detailMax) + "  SEQUENCE|EPHEMERAL"
	case step == model.StepWatch, step == model.StepWatchAgain:
		text = "watch " + cmp.Or(phrase.Stems[dialect.Stem(on.Name)], "n_") + wording.Number(on.Name, 16)
	case step == model.StepAcknowledge:
		text = "acknowledge: create " + znode.Safe(on.Name, detailMax)
	}
	return znode.Safe(text, detailMax)
}

func listText(on model.StepOn) string { return "C := " + setText(on) }

func setText(on model.StepOn) string {
	var words []string
	for _, name := range on.Children {
		words = append(words, wording.Number(name, 16))
	}
	if on.More > 0 {
		words = append(words, "… "+strconv.Itoa(on.More)+" more")
	}
	return "{" + strings.Join(words, ", ") + "}"
}

// StepWords returns a step with its member: "birch: 2 C := {12, 13, 14}".
func StepWords(s *doctor.State, x model.StepTaken) string {
	line := cmp.Or(StepLine(s, x.Step, x.On), lineOf(code(s.Kind(), false, ""), x.Step))
	return strings.TrimRight(fmt.Sprintf("%s: %d %s", znode.Safe(x.Name, znode.NameMax), x.Step, line), " ")
}
