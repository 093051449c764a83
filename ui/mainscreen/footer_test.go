package mainscreen

import (
	"slices"
	"testing"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/ui/action"
	"electop/ui/candidates"
	"electop/ui/input"
	"electop/ui/term"
	"electop/ui/travel"
)

func footer(mode input.Mode, change func(*Footer)) Footer {
	j := doctor.NewJournal(model.Config{Path: "/e"})
	j.Apply(&model.Read{Presence: model.Present, New: []znode.Znode{{Name: "n_0000000001", Session: 1, Czxid: 2}}})
	l := Footer{
		Screen: &Screen{Shown: Shown{Bar: Bar{State: j.State(), W: 120, H: 36}, Candidates: new(candidates.Panel), Journey: new(travel.Journey)}},
		Mode:   mode,
		Action: func(kind action.Kind, arg string) (action.Action, string) {
			if kind == action.Kill {
				return action.Action{Kind: kind, Arg: arg}, "refused"
			}
			return action.Action{Kind: kind, Arg: arg}, ""
		},
	}
	l.Candidates.Reselect(l.State)
	if change != nil {
		change(&l)
	}
	return l
}

func label(l Footer, key string) string {
	keys := l.keys(new(term.Glyphs), input.Bindings(false))
	i := slices.IndexFunc(keys, func(k input.FootKey) bool { return slices.Contains(k.Keys(), key) })
	switch {
	case i < 0:
		return ""
	case keys[i].Off:
		return "-" + keys[i].Label
	}
	return keys[i].Label
}

func TestLabels(t *testing.T) {
	for _, c := range []struct {
		name   string
		mode   input.Mode
		change func(*Footer)
		key    string
		want   string
	}{
		{"an action", input.ModeNormal, nil, "s", "spawn"},
		{"a refused action", input.ModeNormal, nil, "x", "-kill"},
		{"an action of another mode", input.ModeHelp, nil, "s", ""},
		{"a selection", input.ModeNormal, nil, "enter", "inspect"},
		{"no selection", input.ModeNormal, func(l *Footer) { *l.Candidates = candidates.Panel{} }, "enter", "-inspect"},
		{"the selection is inspected", input.ModeNormal, func(l *Footer) { l.Focus = Selected }, "enter", "close"},
		{"all panels are in view", input.ModeNormal, nil, "tab", ""},
		{"not all panels are in view", input.ModeNormal, func(l *Footer) { l.W = 80 }, "tab", "recipe"},
		{"one panel fills the screen", input.ModeNormal, func(l *Footer) { l.W, l.Zoomed = 80, true }, "tab", ""},
		{"zoomed", input.ModeNormal, func(l *Footer) { l.Zoomed = true }, "z", "zoom out"},
		{"not zoomed", input.ModeNormal, nil, "z", ""},
		{"live", input.ModeNormal, nil, "p", "pause"},
		{"with a past", input.ModeNormal, func(l *Footer) { l.Past = true }, "p", "past"},
		{"paused", input.ModeNormal, func(l *Footer) { l.Past, l.TimeShown = true, Paused }, "p", "live"},
		{"in the past", input.ModePast, nil, "p", "live"},
		{"in the past of a recording", input.ModePast, func(l *Footer) { l.Playing, l.TimeShown = new(travel.Playing), Past }, " ", "play"},
		{"in a recording that is played", input.ModePast, func(l *Footer) { l.Playing = new(travel.Playing) }, " ", "pause"},
		{"in a recording, where space does the same", input.ModePast, func(l *Footer) { l.Playing = new(travel.Playing) }, "p", ""},
		{"a key for both directions", input.ModePast, nil, "right", "event"},
		{"the key for the opposite direction", input.ModePast, nil, "left", ""},
		{"no invitation", input.ModeNormal, nil, "J", ""},
		{"an invitation", input.ModeNormal, func(l *Footer) { l.Invited = true }, "J", "join"},
		{"no lessons", input.ModeNormal, nil, "L", "-lessons"},
		{"lessons", input.ModeNormal, func(l *Footer) { l.Lessons = true }, "L", "lessons"},
		{"the menu", input.ModeLessonMenu, nil, "enter", "begin"},
		{"the last row of the menu", input.ModeLessonMenu, func(l *Footer) { l.Leaving = true }, "enter", "leave the lesson"},
		{"an election to open", input.ModeElections, func(l *Footer) { l.Elections = 1 }, "enter", "open"},
		{"no election to open", input.ModeElections, nil, "enter", "-open"},
		{"a fault", input.ModeFaults, nil, "enter", "do it"},
		{"a refused fault", input.ModeFaults, func(l *Footer) { l.Refused = true }, "enter", "-do it"},
		{"not the demo", input.ModeNormal, nil, "w", ""},
		{"the demo", input.ModeNormal, func(l *Footer) { l.Badge = Demo }, "w", "workers"},
		{"nothing to step", input.ModeNormal, func(l *Footer) { l.Badge = Demo }, ".", ""},
	} {
		if got := label(footer(c.mode, c.change), c.key); got != c.want {
			t.Errorf("%s: got label %q for %q, want %q", c.name, got, c.key, c.want)
		}
	}
}

func TestFindingsAreInTheFooter(t *testing.T) {
	for width, want := range map[int]string{80: "1 finding", 120: "1 finding (1 critical)"} {
		l := footer(input.ModeNormal, nil)
		s := *l.State
		s.Findings = []*doctor.Finding{{ID: "x", Severity: doctor.Critical}}
		l.State, l.W = &s, width
		if got := label(l, "!"); got != want {
			t.Errorf("width %d: got label %q, want %q", width, got, want)
		}
	}
}

func TestRefusedKeysComeLastExceptInTheDemo(t *testing.T) {
	refused := func(k input.FootKey) bool { return k.Off }
	byUse := func(a, b input.FootKey) int { return map[bool]int{true: 1}[a.Off] - map[bool]int{true: 1}[b.Off] }
	for badge, want := range map[string]bool{"": true, Demo: false} {
		l := footer(input.ModeNormal, func(l *Footer) { l.Badge = badge })
		keys := l.keys(new(term.Glyphs), input.Bindings(false))
		if got := slices.IsSortedFunc(keys, byUse); keys[0].Label != "spawn" || !slices.ContainsFunc(keys, refused) || got != want {
			t.Errorf("badge %q: got first key %s, refused keys last: %v; want first key spawn, %v", badge, keys[0].Label, got, want)
		}
	}
}

func TestPausedStateShowsTheTimeOfTheLostConnection(t *testing.T) {
	down := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	s := *footer(input.ModeNormal, nil).State
	s.DownSince, s.Link.Link = down, model.Disconnected
	x := Shown{Bar: Bar{State: &s, TimeShown: Paused}}
	f := &term.Frame{Canvas: new(term.Canvas), Theme: new(term.Theme), Now: down.Add(9 * time.Second), Picture: down.Add(4 * time.Second)}
	if got, want := x.AsOf(f), "as of 12:00:00, 9 s ago"; got != want {
		t.Errorf("paused 4 s after the connection was lost: got %q, want %q", got, want)
	}
}
