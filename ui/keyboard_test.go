package ui

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"
	"pgregory.net/rapid"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/ui/action"
	"electop/ui/input"
	"electop/ui/mainscreen"
	"electop/ui/overlay"
	"electop/ui/term"
)

func dashboardWith(actions Actions, mode string) (Model, *source, *time.Time) {
	return dashboardOn(five(dialect.Election()).wait(time.Minute), actions, Options{Mode: mode})
}

func TestActionsHaveTargets(t *testing.T) {
	acts := &fakeActions{done: make(chan action.Action, 1)}
	m, src, _ := dashboardWith(acts, ModeDemo)
	src.world.join("guid-n_", "stranger", 0xbeef)
	m.Update(refreshMsg{states: []*doctor.State{src.State()}})
	for _, c := range []struct {
		keys string
		want action.Action
	}{
		{"s", action.Action{Election: "/election", Kind: action.Spawn}},
		{"x", action.Action{Election: "/election", Kind: action.Kill, Target: "amber"}},
		{"jf", action.Action{Election: "/election", Kind: action.Freeze, Target: "birch", Arg: action.ArgOn}},
		{"d", action.Action{Election: "/election", Kind: action.Resign, Target: "birch"}},
		{"c", action.Action{Election: "/election", Kind: action.Campaign, Arg: action.ArgOff}},
		{"h", action.Action{Election: "/election", Kind: action.Herd, Arg: action.ArgOn}},
		{"Gx", action.Action{Election: "/election", Kind: action.Kill, Target: "/election/guid-n_0000000017"}},
	} {
		keys(m, strings.Split(c.keys, "")...)
		if got := acts.did(); got != c.want {
			t.Errorf("keys %q: got action %+v, want %+v", c.keys, got, c.want)
		}
	}
	if got := selected(m); got != "17 stranger" {
		t.Errorf("got %s selected, want 17 stranger", got)
	}
	w := src.world
	w.cast("amber", amberZ, model.Leading, func(m *model.Member) { m.Fault, m.FaultAt = model.Frozen, w.now }).wait(5 * time.Second).leave(amberZ)
	m.Update(refreshMsg{states: []*doctor.State{src.State()}})
	keys(m, "G", "f")
	thaw := action.Action{Election: "/election", Kind: action.Freeze, Target: "amber", Arg: action.ArgOff}
	if got := acts.did(); got != thaw || selected(m) != "- amber" {
		t.Errorf("f: got action %+v with %s selected, want %+v with - amber", got, selected(m), thaw)
	}
}

func TestInspectReadsAgain(t *testing.T) {
	acts := &fakeActions{done: make(chan action.Action, 1)}
	m, src, now := dashboardWith(acts, ModeDemo)
	cmd := pressed(m, "enter")
	*now = now.Add(3 * time.Second)
	m.Update(cmd())
	if want, got := (action.Action{Election: "/election", Kind: action.Refresh, Target: "amber", Arg: "/election/" + amberZ}), <-acts.done; got != want {
		t.Errorf("enter: got action %+v, want %+v", got, want)
	}
	shows(t, m, "as of "+now.Format(term.ClockFormat))
	src.world = newWorld("/election", nil, true).connect().read(nil, nil)
	m.Update(present(src, false))
	shows(t, m, "No candidate is selected.")
}

func TestRefusedKeysShowWhy(t *testing.T) {
	refusing := &fakeActions{why: map[action.Kind]string{action.Kill: "amber is \x1bdead already", action.Step: "no server"}, done: make(chan action.Action, 1)}
	nobody := vacant()
	for _, c := range []struct {
		acts  Actions
		world *world
		mode  string
		key   string
		want  string
	}{
		{refusing, nil, ModeDemo, "x", `Can't kill: amber is \x1bdead already`},
		{refusing, nil, ModeDemo, ".", "Can't go one step: no server"},
		{nil, nil, ModeLive, "s", "Can't spawn: read-only"},
		{&fakeActions{err: errRefused}, nil, ModeDemo, "x", `kill amber: refused by \x1b[31mtest`},
		{&fakeActions{}, nobody, ModeDemo, "x", "Can't kill: no candidate is selected"},
		{&fakeActions{}, nobody, ModeDemo, "X", "Can't list faults: no candidate is selected"},
		{&fakeActions{}, nobody, ModeDemo, "enter", "Can't inspect: no candidate is selected"},
		{&fakeActions{}, nobody, ModeDemo, "y", "copy the path: no candidate is selected"},
		{&fakeActions{}, nil, ModeDemo, "y", "copy the path: there is no terminal to send it to"},
	} {
		m, _, now := dashboardOn(cmp.Or(c.world, five(dialect.Election()).wait(time.Minute)), c.acts, Options{Mode: c.mode})
		keys(m, c.key)
		if got := statusLine(m); !strings.Contains(got, c.want) || front(m) != onMain {
			t.Errorf("%s: got status line %q, in front %s; want %q on the main screen", c.key, got, front(m), c.want)
		}
		*now = now.Add(mainscreen.TroubleShown)
		if drawNow(m); strings.Contains(statusLine(m), c.want) {
			t.Errorf("%s: later the status line is still %q", c.key, statusLine(m))
		}
	}
	if len(refusing.done) > 0 {
		t.Error("a refused action was done")
	}
}

type slow struct{ ended chan struct{} }

func (slow) Why(action.Action) string { return "" }
func (s slow) Do(ctx context.Context, a action.Action) error {
	<-ctx.Done()
	if s.ended != nil {
		close(s.ended)
	}
	return ctx.Err()
}

func TestPausedRefusesToAct(t *testing.T) {
	acts := &fakeActions{done: make(chan action.Action, 1)}
	m, src, _ := dashboardWith(acts, ModeDemo)
	keys(m, "p")
	src.world.leave(amberZ)
	m.Update(present(src, false))
	shows(t, m, "5 candidates", "+2 events waiting")
	keys(m, "x")
	if got := statusLine(m); !strings.Contains(got, "paused") || len(acts.done) > 0 {
		t.Errorf("got status line %q and %d actions, want a refusal", got, len(acts.done))
	}
	keys(m, "p")
	shows(t, m, "amber  → birch")
	showsNot(t, m, "PAUSED")
}

func TestLiveConfirmsHarmToOwnCandidate(t *testing.T) {
	acts := &fakeActions{done: make(chan action.Action, 1)}
	m, _, _ := dashboardWith(acts, ModeLive)
	keys(m, "j", "j") // cedar is electop's own candidate
	for _, c := range []struct {
		answer string
		done   int
	}{{"n", 0}, {"esc", 0}, {"y", 1}} {
		keys(m, "x")
		statusShows(t, m, "live cluster?")
		keys(m, "q")
		keys(m, c.answer)
		if len(acts.done) != c.done || front(m) != onMain {
			t.Errorf("after %q: got %d actions and %s in front, want %d and the main screen", c.answer, len(acts.done), front(m), c.done)
		}
	}
}

func TestFilterByKeyboard(t *testing.T) {
	m, _, _ := dashboardWith(nil, ModeDemo)
	for _, c := range []struct {
		keys, front, line string
		queue             []string
	}{
		{"/ c d left e", inFilter, "/ce█d  name", []string{"14 cedar"}},
		{"ctrl+u q backspace c e", inFilter, "/ce█  name", []string{"14 cedar"}},
		{"enter", onMain, "/ce  1 of 5", []string{"14 cedar"}},
		{"/ m backspace backspace", inFilter, "/c█  name", []string{"13 birch", "14 cedar"}},
		{"esc", onMain, "5 candidates", []string{"12 amber", "13 birch", "14 cedar", "15 delta", "16 ember"}},
		{"/ 0 x a 5", inFilter, "/0xa5█", []string{"16 ember"}},
		{"esc", onMain, "5 candidates", []string{"12 amber", "13 birch", "14 cedar", "15 delta", "16 ember"}},
	} {
		keys(m, strings.Fields(c.keys)...)
		shows(t, m, c.line)
		if got := queue(m); front(m) != c.front || !slices.Equal(got, c.queue) {
			t.Errorf("%s: got %s in front and candidates %q, want %s and %q", c.keys, front(m), got, c.front, c.queue)
		}
	}
	if got := selected(m); got != "16 ember" {
		t.Errorf("got %s selected, want 16 ember", got)
	}
}

func TestQuitAndSuspend(t *testing.T) {
	m, _, _ := dashboardWith(nil, ModeDemo)
	for key, want := range map[string]tea.Msg{"q": tea.Quit(), "ctrl+c": tea.Quit(), "ctrl+z": tea.Suspend()} {
		if cmd := pressed(m, key); cmd == nil || cmd() != want {
			t.Errorf("key %s does not send %T", key, want)
		}
	}
}

func TestNoticesAreShown(t *testing.T) {
	m, _, _ := dashboardWith(nil, ModeDemo)
	m.Update(noticeMsg{"recording: disk full\x07", 2})
	statusShows(t, m, `recording: disk full\x07 (and 2 more)`)
}

func TestThemeKey(t *testing.T) {
	w := five(dialect.Election())
	m := New(Options{Source: &source{world: w}, Theme: term.Mono, Renderer: profileRenderer(termenv.TrueColor), Now: func() time.Time { return w.now }})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
	colour := regexp.MustCompile(`38;2;\d+;\d+;\d+`)
	seen := map[string]bool{}
	for _, want := range []string{term.Dark, term.Light, term.Mono} {
		keys(m, "T")
		if got := statusLine(m); !strings.Contains(got, "theme: "+want) {
			t.Errorf("got status line %q, want theme %s", got, want)
		}
		first := colour.FindString(m.View())
		if seen[first] || (first == "") != (want == term.Mono) {
			t.Errorf("theme %s: got %q as its first colour, want another in each theme, none in mono", want, first)
		}
		seen[first] = true
	}
}

func TestKeysAreInTheFooter(t *testing.T) {
	m := show(samples()["main"](), 300, 100, term.Mono)
	for _, b := range input.Bindings(false) {
		sometimesShown := slices.Contains([]input.Command{input.CmdPanel, input.CmdZoom, input.CmdJoin}, b.Do)
		if b.Foot > 0 && b.Modes&input.ModeNormal != 0 && b.Kind == "" && !sometimesShown {
			shows(t, m, b.Help().Key+" "+b.Help().Desc)
		}
	}
	for _, w := range []int{60, 80, 100, 120} {
		shows(t, show(samples()["crowd"](), w, 30, term.Mono), "enter inspect", "? help", "q quit")
	}
}

func TestFooterNamesTheNextPanel(t *testing.T) {
	for name, want := range map[string]string{"main": "tab recipe", "two-leaders": "tab belief", "two-leaders-recipe": "tab handoffs", "lesson": "tab recipe", "lesson-recipe": "tab lesson"} {
		for _, w := range []int{80, 120} {
			last := footerLine(show(samples()[name](), w, 24, term.Mono))
			if strings.Contains(last, want) != (w < mainscreen.WideFrom) {
				t.Errorf("%s at width %d: got footer %q, want %q only if the screen is narrow", name, w, last, want)
			}
		}
	}
}

func TestHelpIsAboutTheMode(t *testing.T) {
	for _, c := range []struct {
		sample, keys string
		shows, not   []string
	}{
		{"main", "?", []string{"On the main screen", "Signs", "add a candidate", "all keys, signs and words"}, []string{"Choosing a fault", "during a lesson", "Back in time"}},
		{"main", "? ?", []string{"On the main screen", "Choosing a fault", "Back in time", "Words"}, nil},
		{"main", "? ? ?", []string{"On the main screen"}, []string{"Choosing a fault"}},
		{"main", "? ? esc ?", []string{"On the main screen"}, []string{"Choosing a fault"}},
		{"main", "X ?", []string{"Choosing a fault"}, []string{"On the main screen"}},
		{"lesson", "?", []string{"On the main screen, during a lesson", "begin the next lesson"}, []string{"Back in time"}},
		{"past", "?", []string{"Back in time", "to the previous, to the next event", "Signs"}, []string{"On the main screen"}},
	} {
		m := show(samples()[c.sample](), 120, 250, term.Mono)
		keys(m, strings.Fields(c.keys)...)
		t.Run(c.sample+" "+c.keys, func(t *testing.T) {
			shows(t, m, c.shows...)
			showsNot(t, m, c.not...)
		})
	}
}

func TestUnknownKeyIsReportedOnce(t *testing.T) {
	for _, before := range []string{"", "enter", "!", "?", "X"} {
		m, _, _ := dashboardWith(nil, ModeDemo)
		keys(m, strings.Fields(before)...)
		keys(m, "%")
		shows(t, m, "% does nothing here: ? lists the keys")
		keys(m, "%")
		showsNot(t, m, "does nothing")
	}
	m, _, _ := dashboardWith(nil, ModeDemo)
	keys(m, "/", "%")
	showsNot(t, m, "does nothing")
}

func TestFilterStaysSafe(t *testing.T) {
	special := []tea.KeyType{
		tea.KeyLeft, tea.KeyRight, tea.KeyHome, tea.KeyEnd, tea.KeyBackspace, tea.KeyDelete, tea.KeyTab, tea.KeyUp, tea.KeyDown, tea.KeySpace,
		tea.KeyCtrlA, tea.KeyCtrlE, tea.KeyCtrlK, tea.KeyCtrlU, tea.KeyCtrlV, tea.KeyCtrlW, tea.KeyCtrlLeft, tea.KeyCtrlRight, tea.KeyF1,
	}
	rapid.Check(t, func(rt *rapid.T) {
		m, _, _ := dashboardWith(nil, ModeDemo)
		keys(m, "/")
		// The screen escapes unsafe text, so the test checks a copy of the filter.
		line := overlay.NewTyped()
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			msg := tea.KeyMsg{Type: rapid.SampledFrom(special).Draw(rt, "key"), Alt: rapid.Bool().Draw(rt, "alt")}
			if rapid.Bool().Draw(rt, "text") {
				msg.Type, msg.Paste = tea.KeyRunes, rapid.Bool().Draw(rt, "paste")
				msg.Runes = []rune(rapid.OneOf(rapid.StringN(1, 5, -1), rapid.SampledFrom([]string{"d", "\x1b[2J", "e\u0301", "\u202e", "a\nb", strings.Repeat("é", 100)})).Draw(rt, "runes"))
			}
			m.Update(msg)
			line.Edit(msg)
			if text := line.Text(); utf8.RuneCountInString(text) > znode.NameMax || strings.ContainsFunc(text, znode.Unsafe) {
				rt.Fatalf("the filter is too long or unsafe: %q", text)
			}
			if got := statusLine(m); front(m) != inFilter || hasControl(got) {
				rt.Fatalf("got %s in front and status line %q, want the filter and no control characters", front(m), got)
			}
		}
	})
}

func typing(m Model, text string) { keys(m, strings.Split(text, "")...) }

func TestPaletteIsComplete(t *testing.T) {
	m, _, _ := dashboardWith(&fakeActions{why: map[action.Kind]string{action.Kill: "refused"}}, ModeDemo)
	keys(m, ":")
	all := m.d.actionsShown().All
	has := func(fits func(e overlay.Entry) bool) bool { return slices.ContainsFunc(all, fits) }
	for i := range action.Table {
		d := &action.Table[i]
		if (d.Key != "" || slices.Contains(action.Faults(), d.Kind)) && !has(func(e overlay.Entry) bool { return e.Kind == d.Kind && (e.Arg == d.Arg || d.Key == "") }) {
			t.Errorf("the list lacks %s %s", d.Kind, d.Arg)
		}
	}
	for _, b := range input.Bindings(false) {
		if b.Modes&input.ModeNormal != 0 && b.Do.Named() && !has(func(e overlay.Entry) bool {
			return e.Do == b.Do && e.Kind == b.Kind && strings.HasSuffix(e.Key, b.Help().Key)
		}) {
			t.Errorf("the list lacks %s", b.Help().Desc)
		}
	}
	for _, e := range all {
		if e.Name == "" || e.Key == "" || e.About == "" || (e.Why != "") != (e.Kind == action.Kill || e.Kind == action.Step) {
			t.Errorf("got entry %+v, want a name, a key, a description, and a refusal of kill and step only", e)
		}
	}
	m = show(sample{world: samples()["main"]().world, o: Options{ObserveOnly: true}}, 120, 36, term.Mono)
	keys(m, ":")
	for _, e := range m.d.actionsShown().All {
		if e.Kind.Changes() {
			t.Errorf("read-only: the list has %s", e.Name)
		}
	}
}

func TestPaletteRuns(t *testing.T) {
	acts := &fakeActions{done: make(chan action.Action, 1), why: map[action.Kind]string{action.Freeze: "too cold"}}
	for _, c := range []struct {
		keys, typed, then string
		did               action.Kind
		front, shows      string
	}{
		{"j :", "expire", "enter", action.Expire, onMain, "the session of birch expires now"},
		{":", "freeze", "", "", "Actions", "Not now: too cold"},
		{":", "freeze", "enter", "", "Actions", "freeze: too cold"},
		{":", "serv", "tab", "", "Actions", ":servers"},
		{": x y left ctrl+u", "serv", "enter", "", "Servers", "Servers"},
		{":", "qqq", "enter down tab", "", "Actions", "no entry contains this"},
		{":", "qqq", "backspace backspace u i t", "", "Actions", "> q"},
		{": x esc :", "", "", "", "Actions", ":█"},
		{": x esc", "", "", "", onMain, "amber leads"},
	} {
		m, _, _ := dashboardWith(acts, ModeDemo)
		keys(m, strings.Fields(c.keys)...)
		typing(m, c.typed)
		keys(m, strings.Fields(c.then)...)
		if got := acts.did(); got.Kind != c.did || c.did != "" && got.Target != "birch" || front(m) != c.front {
			t.Errorf("%s %s %s: got action %+v and %s in front, want %q and %s", c.keys, c.typed, c.then, got, front(m), c.did, c.front)
		}
		shows(t, m, c.shows)
	}
	m, _, _ := dashboardWith(acts, ModeDemo)
	keys(m, ":")
	typing(m, "quit")
	if cmd := pressed(m, "enter"); cmd == nil || cmd() != tea.Quit() {
		t.Error("the entry quit does not quit")
	}
}

func TestPaletteKeepsTheSelection(t *testing.T) {
	acts := &fakeActions{why: map[action.Kind]string{}}
	m, src, _ := dashboardWith(acts, ModeDemo)
	keys(m, ":", "down", "down", "down")
	e, _ := m.d.palette.Selected()
	acts.why[e.Kind] = "not now"
	src.world.join("guid-n_", "stranger", 0xbeef)
	m.Update(present(src, false))
	if now, _ := m.d.palette.Selected(); now.Kind != e.Kind || now.Why != "not now" {
		t.Errorf("got %s (%s) selected, want %s (not now)", now.Kind, now.Why, e.Kind)
	}
	typing(m, "zoom")
	if now, _ := m.d.palette.Selected(); now.Do != input.CmdZoom {
		t.Errorf("got %+v selected, want zoom", now)
	}
	m.Update(tea.WindowSizeMsg{Width: 60, Height: 20})
	keys(m, "ctrl+u")
	keys(m, slices.Repeat([]string{"down"}, 100)...)
	all := m.d.actionsShown().All
	shows(t, m, all[len(all)-1].Name)
}

func TestPaletteDuringTimeTravel(t *testing.T) {
	sm := samples()["past"]()
	sm.keys = append(sm.keys, ":", "k", "i", "l", "l")
	m := show(sm, 120, 36, term.Mono)
	shows(t, m, "> x", "Not now: this is")
	for _, c := range [][2]string{{"enter", "Actions"}, {"esc", inPast}} {
		if keys(m, c[0]); front(m) != c[1] {
			t.Errorf("after %s: got %s in front, want %s", c[0], front(m), c[1])
		}
	}
}

func withClipboard(sample string, fails error) (_ Model, copiedBy func(keys ...string) string) {
	sm, last := samples()[sample](), ""
	sm.o.Clipboard = func(text string) error {
		last = text
		return fails
	}
	m := show(sm, 120, 36, term.Mono)
	return m, func(all ...string) string {
		last = ""
		keys(m, all...)
		return last
	}
}

func TestCopySelected(t *testing.T) {
	for _, c := range []struct {
		sample, keys, want, shows string
		fails                     error
	}{
		{"main", "y", "/election/" + amberZ, "path sent to the terminal's clipboard", nil},
		{"main", "j enter y", "/election/" + birchZ, "path sent", nil},
		{"main", "j p y", "/election/" + birchZ, "path sent", nil},
		{"main", "? y", "", "", nil},
		{"elections", "g y", "/services/billing/leader", "path sent", nil},
		{"elections", "G y", "/tasks/nightly", "path sent", nil},
		{"no-znode", "G y", "", "has no znode", nil},
		{"main", "y", "/election/" + amberZ, `Can't copy the path: \x1b[31mwrite: broken pipe`, errors.New("\x1b[31mwrite: broken pipe")},
	} {
		m, copies := withClipboard(c.sample, c.fails)
		if got := copies(strings.Fields(c.keys)...); got != c.want {
			t.Errorf("%s: %s copies %q, want %q", c.sample, c.keys, got, c.want)
		}
		shows(t, m, c.shows)
	}
}

func TestCopiesAreSafe(t *testing.T) {
	m, copies := withClipboard("hostile", nil)
	for range m.d.shown().Queue.Len() {
		if got := copies("y"); got == "" || znode.Safe(got, clipboardMax) != got || len(got) > clipboardMax {
			t.Errorf("y copies %q, want a safe path", got)
		}
		copies("j")
	}
}

func TestEveryHandoffIsListed(t *testing.T) {
	w := newWorld("/election", dialect.Election(), true).connect()
	w.read(nil, nil)
	var znodes []string
	for i, name := range []string{"amber", "birch", "cedar"} {
		znodes = append(znodes, w.wait(time.Second).join("guid-n_", name, 0xa1+uint64(i)))
	}
	for _, z := range znodes {
		w.wait(time.Second).leave(z)
	}
	m, _, _ := dashboardOn(w, nil, Options{Mode: ModeDemo})
	shows(t, m, "amber  → birch", "birch  → cedar", "cedar  → nobody")
}

func TestNoHandoffYet(t *testing.T) {
	w := newWorld("/election", dialect.Election(), true).connect()
	w.join("guid-n_", "amber", 0xa1)
	w.read(nil, nil)
	m, _, _ := dashboardOn(w, nil, Options{Mode: ModeLive})
	m.Update(tea.WindowSizeMsg{Width: 60, Height: 20})
	shows(t, m, "no handoff seen yet", "happens")
}

func TestMessageDisappearsWithItsZnode(t *testing.T) {
	m, src, _ := dashboardWith(&fakeActions{}, ModeDemo)
	keys(m, "d")
	shows(t, m, "amber resigns")
	src.world.join("guid-n_", "fjord", 0xa6)
	m.Update(present(src, false))
	shows(t, m, "amber resigns")
	src.world.leave(amberZ)
	m.Update(present(src, false))
	showsNot(t, m, "amber resigns")
	shows(t, m, "birch")
}
