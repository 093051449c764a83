package footer_test

import (
	"slices"
	"testing"

	"electop/model"
	"electop/model/doctor"
	"electop/ui/action"
	"electop/ui/footer"
	"electop/ui/input"
	"electop/ui/term"
)

// line is a footer in a mode, in which only killing is refused.
func line(mode input.Mode, change func(*footer.Line)) footer.Line {
	l := footer.Line{
		State: doctor.NewJournal(model.Config{Path: "/e"}).State(), Mode: mode, NextPanel: "recipe", Selected: true,
		Action: func(kind action.Kind, arg string) (action.Action, string) {
			if kind == action.Kill {
				return action.Action{Kind: kind, Arg: arg}, "refused"
			}
			return action.Action{Kind: kind, Arg: arg}, ""
		},
	}
	if change != nil {
		change(&l)
	}
	return l
}

// label is what the footer says of a key, "" if it is not there, with a - in
// front if it is off.
func label(l footer.Line, key string) string {
	keys := l.Keys(new(term.Glyphs), input.Bindings(false))
	i := slices.IndexFunc(keys, func(k input.FootKey) bool { return slices.Contains(k.Keys(), key) })
	switch {
	case i < 0:
		return ""
	case keys[i].Off:
		return "-" + keys[i].Label
	}
	return keys[i].Label
}

// What a key is called, and whether it is there, depends on what it would do.
func TestLabels(t *testing.T) {
	for _, c := range []struct {
		name   string
		mode   input.Mode
		change func(*footer.Line)
		key    string
		want   string
	}{
		{"an action", input.ModeNormal, nil, "s", "spawn"},
		{"a refused action", input.ModeNormal, nil, "x", "-kill"},
		{"of another mode", input.ModeHelp, nil, "s", ""},
		{"a selection", input.ModeNormal, nil, "enter", "inspect"},
		{"no selection", input.ModeNormal, func(l *footer.Line) { l.Selected = false }, "enter", "-inspect"},
		{"the selection is inspected", input.ModeNormal, func(l *footer.Line) { l.Inspected = true }, "enter", "close"},
		{"all panels are in view", input.ModeNormal, nil, "tab", ""},
		{"not all are", input.ModeNormal, func(l *footer.Line) { l.Narrow = true }, "tab", "recipe"},
		{"one fills the screen", input.ModeNormal, func(l *footer.Line) { l.Narrow, l.Zoomed = true, true }, "tab", ""},
		{"zoom out", input.ModeNormal, func(l *footer.Line) { l.Zoomed = true }, "z", "zoom out"},
		{"zoom", input.ModeNormal, nil, "z", ""},
		{"live", input.ModeNormal, nil, "p", "pause"},
		{"with a past", input.ModeNormal, func(l *footer.Line) { l.Past = true }, "p", "past"},
		{"paused", input.ModeNormal, func(l *footer.Line) { l.Past, l.Paused = true, true }, "p", "live"},
		{"in the past", input.ModePast, nil, "p", "live"},
		{"in a recording's", input.ModePast, func(l *footer.Line) { l.Reel = true }, " ", "play"},
		{"in one that is played", input.ModePast, func(l *footer.Line) { l.Reel, l.Playing = true, true }, " ", "pause"},
		{"where space does it", input.ModePast, func(l *footer.Line) { l.Reel = true }, "p", ""},
		{"both directions", input.ModePast, nil, "right", "event"},
		{"are one", input.ModePast, nil, "left", ""},
		{"nobody is invited", input.ModeNormal, nil, "J", ""},
		{"some are", input.ModeNormal, func(l *footer.Line) { l.Invited = true }, "J", "join"},
		{"no lessons", input.ModeNormal, nil, "L", "-lessons"},
		{"lessons", input.ModeNormal, func(l *footer.Line) { l.Lessons = true }, "L", "lessons"},
		{"the menu", input.ModeLessons, nil, "enter", "begin"},
		{"its last row", input.ModeLessons, func(l *footer.Line) { l.Leaving = true }, "enter", "leave the lesson"},
		{"an election to open", input.ModeElections, func(l *footer.Line) { l.Elections = 1 }, "enter", "open"},
		{"none", input.ModeElections, nil, "enter", "-open"},
		{"a fault", input.ModeFaults, func(l *footer.Line) { l.Fault = action.Freeze }, "enter", "do it"},
		{"a refused fault", input.ModeFaults, func(l *footer.Line) { l.Fault = action.Kill }, "enter", "-do it"},
		{"not the demo", input.ModeNormal, nil, "w", ""},
		{"the demo", input.ModeNormal, func(l *footer.Line) { l.Demo = true }, "w", "workers"},
		{"nothing to step", input.ModeNormal, func(l *footer.Line) { l.Demo = true }, ".", ""},
	} {
		if got := label(line(c.mode, c.change), c.key); got != c.want {
			t.Errorf("%s: %s is %q, want %q", c.name, c.key, got, c.want)
		}
	}
}

// Findings stand where the doctor's key is.
func TestFindingsAreInTheFooter(t *testing.T) {
	for narrow, want := range map[bool]string{true: "1 finding", false: "1 finding (1 critical)"} {
		l := line(input.ModeNormal, func(l *footer.Line) { l.Narrow = narrow })
		s := *l.State
		s.Findings = []*doctor.Finding{{ID: "x", Severity: doctor.Critical}}
		l.State = &s
		if got := label(l, "!"); got != want {
			t.Errorf("narrow %v: %q, want %q", narrow, got, want)
		}
	}
}

// A key that cannot be used comes after those that can, except in the demo.
func TestRefusedKeysComeLast(t *testing.T) {
	for _, demo := range []bool{false, true} {
		l := line(input.ModeNormal, func(l *footer.Line) { l.Demo = demo })
		keys := l.Keys(new(term.Glyphs), input.Bindings(false))
		slices.SortStableFunc(keys, func(a, b input.FootKey) int { return a.Foot - b.Foot })
		if first, last := keys[0].Label, keys[len(keys)-1]; first != "spawn" || last.Off == demo {
			t.Errorf("demo %v: the first key is %s, the last %s", demo, first, last.Label)
		}
	}
}
