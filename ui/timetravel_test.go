package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/history"
	"electop/model/phrase"
	"electop/ui/action"
	"electop/ui/input"
	"electop/ui/leadership"
	"electop/ui/mainscreen"
	"electop/ui/term"
	"electop/ui/travel"
)

func dashboardWithPast(acts Actions) (Model, *source, *fakePast, *time.Time) {
	w, p := withPast()
	m, src, now := dashboardOn(w, acts, Options{Mode: ModeDemo, Past: p})
	return m, src, p, now
}

func TestTravel(t *testing.T) {
	m, src, p, now := dashboardWithPast(&fakeActions{})
	keys(m, "p")
	if front(m) != inPast || p.path != "/election" {
		t.Fatalf("got %s in front and a search in %q, want the past of /election", front(m), p.path)
	}
	shows(t, m, "LIVE -00:42", "the last moment: handoff amber (12) -> birch (13)", "takeover 3 ms")
	keys(m, "left", ".", ".")
	shows(t, m, "birch: 5 mine is the smallest of {13, 14, 15, 16, 17}", "elected, not acknowledged")
	keys(m, "left")
	shows(t, m, "left amber (12); handoff amber (12) -> birch (13)  session expired  silent 4.02 s")
	keys(m, "left", ".")
	shows(t, m, "amber is killed", "6 candidates", "12:01:31  LIVE -00:46")
	keys(m, "left")
	shows(t, m, "joined fjord (17)")
	keys(m, "home")
	shows(t, m, "the earliest moment kept: amber (12) leads, for", "LIVE -03:16")
	keys(m, "left")
	shows(t, m, "the earliest moment kept")
	keys(m, "pgdown")
	shows(t, m, "left amber (12); handoff")
	keys(m, "pgup", "end")
	shows(t, m, "the last moment")

	src.world.now = now.Add(20 * time.Second)
	*now = src.world.now
	src.world.join("guid-n_", "grove", 0xa7)
	m.Update(present(src, false))
	shows(t, m, "5 candidates", "LIVE -01:02")
	keys(m, "p")
	if strings.Contains(headerLine(m), "LIVE") || front(m) != onMain {
		t.Errorf("got %s in front, want the live screen:\n%s", front(m), screen(m))
	}
	shows(t, m, "6 candidates", "grove")
}

func TestTimeSinceTheMomentGrows(t *testing.T) {
	m, _, _, now := dashboardWithPast(nil)
	keys(m, "p")
	after, msg := tick(t, m)
	*now = now.Add(after)
	shows(t, m, "LIVE -00:42")
	m.Update(msg)
	shows(t, m, "LIVE -00:43")
}

func TestPastRefusesToAct(t *testing.T) {
	acts := &fakeActions{done: make(chan action.Action, 9)}
	m, _, _, _ := dashboardWithPast(acts)
	keys(m, "p", "left")
	for _, k := range []string{"s", "x", "f", "d", "c", "h", "X", "w", "v", "L", "J", "H", "1"} {
		keys(m, "esc", "p", "left") // leaves the past, and returns without the message
		showsNot(t, m, "goes back to live")
		keys(m, k)
		statusShows(t, m, "this is 12:01:35. p goes back to live")
	}
	keys(m, "enter", "x")
	if got := statusLine(m); !strings.Contains(got, "this is 12:01:35. p goes back to live") || front(m) != "Candidate birch" {
		t.Errorf("x in the panel of a candidate: got status line %q, in front %s; want a refusal in the panel of birch", got, front(m))
	}
	if len(acts.done) != 0 {
		t.Errorf("got action %+v during time travel, want none", <-acts.done)
	}
}

// TestTravelArrives checks that the screen shows the moment that the keys select, even if searches end late.
func TestTravelArrives(t *testing.T) {
	table := input.Bindings(false)
	rapid.Check(t, func(t *rapid.T) {
		m, _, p, _ := dashboardWithPast(nil)
		cmd := pressed(m, "p")
		n := uint64(len(p.moments))
		direct := &fakePast{moments: p.moments}
		ks := rapid.SliceOfN(rapid.SampledFrom([]string{"left", "right", ".", "pgup", "pgdown", "home", "end"}), 0, 20).Draw(t, "keys")
		for _, k := range ks {
			b, _ := input.Lookup(table, input.ModePast, k)
			move, _ := travel.MoveOf(b.Do)
			if at, ok := direct.Seek("", n, move); ok {
				n = at.N
			}
			if c := pressed(m, k); c != nil {
				cmd = c
			}
			if cmd != nil && rapid.Bool().Draw(t, "answered") {
				cmd = sent(m, cmd())
			}
		}
		for cmd != nil {
			cmd = sent(m, cmd())
		}
		// The status line begins with the moment's time, which is unique.
		shown := slices.IndexFunc(p.moments, func(at history.Moment) bool {
			return strings.HasPrefix(statusLine(m), " "+at.At.Format(term.StampFormat)+"  ")
		})
		if shown < 0 || front(m) != inPast || !strings.Contains(headerLine(m), "LIVE -") {
			t.Fatalf("the screen shows no moment:\n%s", screen(m))
		}
		if shown+1 != int(n) {
			t.Fatalf("got moment %d, want %d", shown+1, n)
		}
	})
}

func TestTravelKeepsTheSelection(t *testing.T) {
	m, _, _, _ := dashboardWithPast(nil)
	keys(m, "G")
	const want = "17 fjord"
	if got := selected(m); got != want {
		t.Fatalf("got %s selected, want %s", got, want)
	}
	keys(m, "p", "home")
	if got := selected(m); got != "16 ember" {
		t.Fatalf("before fjord joined: got %s selected, want 16 ember", got)
	}
	keys(m, "right")
	if got := selected(m); got != want {
		t.Errorf("when fjord joined: got %s selected, want %s", got, want)
	}
	keys(m, "home", "p")
	if got := selected(m); got != want {
		t.Errorf("live: got %s selected, want %s", got, want)
	}
	keys(m, "p", "home", "k", "k", "k", "k", "k")
	if got := selected(m); got != "12 amber" {
		t.Fatalf("in the past: got %s selected, want 12 amber", got)
	}
	keys(m, "end")
	if got := selected(m); got != "13 birch" {
		t.Errorf("after amber left: got %s selected, want 13 birch", got)
	}
	keys(m, "home")
	if got := selected(m); got != "12 amber" {
		t.Errorf("at the first moment again: got %s selected, want 12 amber", got)
	}
}

func TestAnotherElectionEndsTimeTravel(t *testing.T) {
	worlds := []*world{verified(), readers()}
	p := &fakePast{}
	p.record(worlds[0])
	src := &multiSource{source{world: worlds[0], dirty: make(chan struct{}, 1)}, worlds[1:], nil}
	m, _, _ := dashboardOn(worlds[0], nil, Options{Source: src, Past: p})
	keys(m, "p")
	shows(t, m, "LIVE -")
	keys(m, "e", "j", "enter")
	live := func() bool {
		return shownPath(m) == "/locks/inventory" && front(m) == onMain && !strings.Contains(headerLine(m), "LIVE -") && !strings.Contains(headerLine(m), "PAUSED")
	}
	if !live() {
		t.Errorf("got %s in front, want /locks/inventory live:\n%s", front(m), screen(m))
	}
	shows(t, m, "live again: each election has its own past")
	for i, w := range worlds {
		w.leave(w.state().Queue.At(4).Name)
		m.Update(present(src, false))
		keys(m, "e", []string{"k", "j"}[i], "enter")
		if n := len(queue(m)); n != 4 {
			t.Errorf("%s: got %d candidates in the live view, want 4", shownPath(m), n)
		}
	}
	keys(m, "e", "k", "enter", "p")
	src.world, src.others = worlds[1], nil
	m.Update(present(src, false))
	if !live() {
		t.Errorf("got %s in front, want /locks/inventory live:\n%s", front(m), screen(m))
	}
}

func TestNoPastIsKept(t *testing.T) {
	m, src, p, _ := dashboardWithPast(nil)
	p.moments = nil
	keys(m, "p")
	shows(t, m, "PAUSED", "no history is kept of this election")
	src.world.leave(birchZ)
	m.Update(present(src, false))
	shows(t, m, "5 candidates")
	keys(m, "p")
	shows(t, m, "4 candidates")
	showsNot(t, m, "PAUSED")
}

func replayDashboard() (Model, *fakeRecording) {
	sm := lessonSamples()["replay"]()
	r := sm.o.Past.(*fakeRecording)
	o := sm.o
	o.Source = &source{world: sm.world, dirty: make(chan struct{}, 1)}
	o.Theme, o.Renderer = term.Mono, plainRenderer()
	o.Now = func() time.Time { return r.moments[r.at-1].At }
	m := New(o)
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
	return m, r
}

func TestReplayTravels(t *testing.T) {
	m, r := replayDashboard()
	shows(t, m, "REPLAY 12:01:35 / 13:02:17 x4")
	keys(m, "p")
	if !r.stopped || r.at != 4 || front(m) != inPast {
		t.Fatalf("got stopped %v at moment %d and %s in front, want true at 4 in the past", r.stopped, r.at, front(m))
	}
	shows(t, m, "left amber (12); handoff")
	keys(m, "left")
	if r.at != 2 {
		t.Errorf("got playback at moment %d, want 2", r.at)
	}
	shows(t, m, "REPLAY 12:00:31 / 13:02:17 x4", "joined fjord (17)")
	keys(m, ".")
	if r.at != 3 {
		t.Errorf("after a step without an event: got playback at moment %d, want 3", r.at)
	}
	shows(t, m, "amber is killed")
	keys(m, "left", "x")
	statusShows(t, m, "this is 12:00:31. p continues playback")
	keys(m, "p")
	if r.stopped || r.at != 2 || front(m) != inPast {
		t.Errorf("got stopped %v at moment %d and %s in front, want false at 2 in the past", r.stopped, r.at, front(m))
	}
	shows(t, m, "6 candidates")
	showsNot(t, m, "PAUSED")
}

func TestMomentWordsAreSafe(t *testing.T) {
	w := hostile()
	p := &fakePast{}
	q := w.state().Queue.Slice()
	p.record(w, model.Left{Candidate: q[0]}, model.Handoff{From: q[0], To: q[1]}, model.Joined{Candidate: q[2]},
		model.Joined{Candidate: q[3], Ignored: true}, model.LinkChanged{Link: model.Connected, Server: "\x1b[31m"},
		model.Missed{Creates: 1, Deletes: 2, Known: true}, model.Missed{}, doctor.FindingChanged{Finding: &doctor.Finding{Title: "\x07"}, Raised: true},
		doctor.RiskChanged{Risk: doctor.Risk{Candidate: q[1]}, Raised: true}, doctor.Snapshot{State: w.state()})
	_, words := travel.Words(&term.Frame{Canvas: new(term.Canvas), Now: w.now}, travel.Found{At: p.moments[0]})
	if hasControl(words) {
		t.Errorf("the words have a control character: %q", words)
	}
	for _, want := range []string{"left", "handoff", "not a candidate", "missed 1 create, 2 deletes", "an unknown number", "finding raised", "at risk"} {
		if !strings.Contains(ansi.Strip(words), want) {
			t.Errorf("got words %q, want %q in them", words, want)
		}
	}
	was := copied(w.state())
	was.Steps = []model.StepTaken{{N: 1, At: w.now, Name: "birch", Step: model.StepCreate}}
	was.Members = []*model.Member{{ID: "a", Name: "a\x1b", Belief: model.Waiting, Fault: model.Frozen, Znode: "n_1"}}
	member := func(change func(m *model.Member)) func(s *doctor.State) {
		return func(s *doctor.State) {
			m := *was.Members[0]
			change(&m)
			s.Members = []*model.Member{&m}
		}
	}
	for _, c := range []struct {
		change func(s *doctor.State)
		want   string
	}{
		{func(s *doctor.State) {
			s.Steps = append(s.Steps[:1:1], model.StepTaken{N: 2, At: w.now, Name: "\x1bbirch", Step: model.StepList, On: model.StepOn{Children: []string{"12", "13\x07"}}})
		}, `\x1bbirch: 2 C := {12, 13\x07}`},
		{func(s *doctor.State) {
			s.Steps = []model.StepTaken{{N: 2, At: w.now, Name: "birch", Step: model.StepLowest}}
		}, "birch: 5 mine is the smallest: I lead"},
		{func(s *doctor.State) {
			s.Deletions = []*model.ReportedDeletion{{DeletionReport: model.DeletionReport{At: w.now, Znode: "n_\x1b", Notified: []uint64{1}, Requests: 2}}}
		}, `n_\x1b was deleted: 1 watcher notified`},
		{func(s *doctor.State) {
			s.Work.Last = []model.Tried{{Write: &model.Write{At: w.now, Member: "a", Resource: model.Counter, Refused: true, Reason: "gone\x07"}}}
		}, `the worker of a\x1b wrote to the counter: refused, gone\x07`},
		{func(s *doctor.State) {
			s.Work.Last = []model.Tried{{Write: &model.Write{Member: "x\x1b", Resource: model.Tokens}, Stale: true}}
		}, `the worker of x\x1b wrote to the tokens: accepted, and stale`},
		{func(s *doctor.State) { s.Work.Rules = model.Rules{At: w.now, Workers: true} }, "the demo's rules: workers on, guard off"},
		{func(s *doctor.State) { s.Recipe = dialect.Herd() }, "from now on the candidates follow the recipe herd"},
		{func(s *doctor.State) { s.Members = nil }, `a\x1b no longer runs in electop`},
		{func(s *doctor.State) { s.Members = append(s.Members[:1:1], &model.Member{ID: "b", Name: "b"}) }, "b now runs in electop"},
		{member(func(m *model.Member) { m.Fault = model.NoFault }), `a\x1b is not frozen any more`},
		{member(func(m *model.Member) { m.Fault = model.Killed }), `a\x1b is killed`},
		{member(func(m *model.Member) { m.Belief = model.Leading }), `a\x1b believes: leading, before: waiting`},
		{member(func(m *model.Member) { m.Znode = "" }), `a\x1b knows that its znode is gone`},
		{member(func(m *model.Member) { m.NoGuid = true }), `a\x1b creates its next znodes without a guid`},
		{func(s *doctor.State) {}, ""},
	} {
		s := copied(&was)
		c.change(&s)
		_, got := travel.Words(&term.Frame{Canvas: new(term.Canvas), Now: noon}, travel.Found{At: history.Moment{State: &s}, Before: &was})
		if got = got[len(term.StampFormat)+2:]; got != c.want {
			t.Errorf("got words %q, want %q", got, c.want)
		}
	}
}

type timelinePast struct{ *history.Timeline }

func (k timelinePast) Seek(_ string, n uint64, m history.Move) (history.Moment, bool) {
	return k.Timeline.Seek(n, m)
}

type timelineSource struct{ *history.Timeline }

func (timelineSource) Dirty() <-chan struct{} { return nil }

func lanes(m Model) (all []string) {
	for _, line := range inside(m, "Handoffs") {
		if strings.Contains(line, "┴") {
			return all
		}
		all = append(all, line)
	}
	return all
}

func times(m Model) string {
	for _, line := range inside(m, "Handoffs") {
		if strings.Contains(line, "┴") {
			return line
		}
	}
	return ""
}

func column(m Model, clock string) int { return strings.Index(times(m), "┴"+clock) }

func TestTimeTravelMovesOnlyThePlayhead(t *testing.T) {
	replay, r := replayDashboard()
	r.end = r.moments[len(r.moments)-1].At
	drawNow(replay)
	m, _, _, _ := dashboardWithPast(&fakeActions{})
	showsNot(t, m, "▲")
	for _, c := range []struct {
		Model
		clock string
		keys  []string
	}{{replay, "12:00:00", []string{" ", "left", "left", "home", "end", " "}}, {m, "12:01:00", []string{"p", "left", ".", "end"}}} {
		whole, at := lanes(c.Model), column(c.Model, c.clock)
		if len(whole) != 6 || at < 0 {
			t.Fatalf("got %d lanes and column %d, want 6 lanes and the time on the axis:\n%s", len(whole), at, screen(c.Model))
		}
		for _, k := range c.keys {
			keys(c.Model, k)
			if got := lanes(c.Model); !slices.Equal(got, whole) || column(c.Model, c.clock) != at {
				t.Errorf("after %q: got\n%s\nwant lanes\n%s\nand %s in column %d", k, screen(c.Model), strings.Join(whole, "\n"), c.clock, at)
			}
			shows(t, c.Model, "▲")
		}
	}
	between := func() int { return column(m, "12:01:10") - column(m, "12:01:00") }
	wide := between()
	keys(m, "home")
	shows(t, m, "▲11:59")
	keys(m, "end")
	if got := between(); got != wide {
		t.Errorf("10 s: got %d columns, want %d as before", got, wide)
	}
}

func TestReplayKeys(t *testing.T) {
	m, r := replayDashboard()
	keys(m, "left")
	if !r.stopped || r.at != 2 || front(m) != inPast {
		t.Fatalf("left: got moment %d, stopped %v; want 2, true:\n%s", r.at, r.stopped, screen(m))
	}
	shows(t, m, "joined fjord (17)", "space play")
	keys(m, " ")
	if r.stopped || m.d.past.journey.On {
		t.Errorf("first space: got stopped %v, time travel %v; want false, false", r.stopped, m.d.past.journey.On)
	}
	shows(t, m, "space pause")
	keys(m, " ")
	if !r.stopped || !m.d.past.journey.On {
		t.Errorf("second space: got stopped %v, time travel %v; want true, true", r.stopped, m.d.past.journey.On)
	}
	keys(m, "]", "]", "[")
	if want := []string{action.ArgFaster, action.ArgFaster, action.ArgSlower}; !slices.Equal(r.speeds, want) {
		t.Errorf("got changes of the speed %q, want %q", r.speeds, want)
	}
	for _, k := range []string{" ", "]", "[", "H", "1", ">", "<", "L"} {
		keys(m, k)
		for _, word := range []string{"no lesson is running", "menu", "go on"} {
			if strings.Contains(statusLine(m), word) {
				t.Errorf("after %q: got status line %q, want it without %q", k, statusLine(m), word)
			}
		}
	}
	keys(m, "x")
	statusShows(t, m, "this is")
}

func TestPastIsPlayed(t *testing.T) {
	m, _, p, now := dashboardWithPast(&fakeActions{})
	began := p.moments[0].At
	keys(m, "p", "home", " ")
	shows(t, m, "space pause", "▶")
	pass := func(d time.Duration) {
		*now = now.Add(d)
		for cmd := sent(m, tickMsg{m.d.gen}); cmd != nil; {
			cmd = sent(m, cmd())
		}
	}
	pass(30 * time.Second)
	shows(t, m, "▲"+began.Add(30*time.Second).Format("15:04:05"), "the earliest moment kept")
	pass(61 * time.Second)
	shows(t, m, "joined fjord (17)")
	keys(m, "]", "]")
	shows(t, m, "x4")
	keys(m, " ")
	pass(time.Minute)
	shows(t, m, "joined fjord (17)")
	showsNot(t, m, "▶")
	keys(m, " ")
	pass(time.Minute)
	keys(m, " ")
	shows(t, m, "this is the last moment")
}

func TestDragThePlayhead(t *testing.T) {
	m, _, p, _ := dashboardWithPast(&fakeActions{})
	y := m.d.screen.At.Panel[mainscreen.Handoffs].Y + 2
	drag := func(x, y int, action tea.MouseAction) {
		for cmd := sent(m, tea.MouseMsg{X: x, Y: y, Action: action, Button: tea.MouseButtonLeft}); cmd != nil; {
			cmd = sent(m, cmd())
		}
	}
	moment := func(x int) time.Time {
		at, ok := m.d.canvas.SpotAt(x, y).(leadership.TimeSpot)
		if !ok {
			t.Fatalf("column %d has no moment", x)
		}
		return time.Time(at)
	}
	drag(80, y, tea.MouseActionPress)
	for x := 80; x > 12; x -= 4 {
		want := moment(x)
		drag(x, y, tea.MouseActionMotion)
		n := max(1, len(slices.DeleteFunc(slices.Clone(p.moments), func(at history.Moment) bool { return at.At.After(want) })))
		if j := &m.d.past.journey; !j.On || j.At.N != uint64(n) {
			t.Fatalf("column %d: got time travel %v at moment %d, want the last moment not after %v, %d", x, j.On, j.At.N, want, n)
		}
	}
	at := m.d.past.journey.At.N
	drag(12, y, tea.MouseActionRelease)
	drag(100, y, tea.MouseActionMotion)
	if got := m.d.past.journey.At.N; got != at {
		t.Errorf("after the button was released: got moment %d, want %d", got, at)
	}
}

func TestScaleKeepsThePlayhead(t *testing.T) {
	m, _, _, _ := dashboardWithPast(&fakeActions{})
	for _, past := range []bool{false, true} {
		if past {
			keys(m, "p", "left")
		}
		var changed []bool
		for _, k := range strings.Split("+++---------", "") {
			before := times(m)
			keys(m, k)
			changed = append(changed, before != times(m))
			if past && !strings.Contains(screen(m), "▲") {
				t.Fatalf("after %s there is no playhead:\n%s", k, screen(m))
			}
		}
		if slices.Contains(changed[:6], false) || changed[len(changed)-1] {
			t.Errorf("past %v: got changes of the scale %v, want the first 6 true, the last false", past, changed)
		}
	}
}

func TestMomentAndListAgree(t *testing.T) {
	w := newWorld("/election", dialect.Election(), true)
	timeline := history.NewTimeline(model.Config{Path: "/election", Recipe: dialect.Election(), AckPath: w.ack, AckExpected: true}, 0)
	w.apply = func(o model.Observation) { timeline.Apply(o) }
	w.connect().read(nil, nil)
	var names []string
	for i, who := range []string{"amber", "birch", "cedar", "delta"} {
		w.wait(time.Second)
		names = append(names, w.join("guid-n_", who, uint64(0xa1+i)))
	}
	w.wait(time.Millisecond).acked(names[0])
	w.wait(time.Second).leave(names[0])
	w.wait(200 * time.Millisecond).leave(names[1]) // before birch has acknowledged
	w.wait(3 * time.Millisecond).acked(names[2])
	w.wait(time.Second).leave(names[2])
	w.wait(3 * time.Millisecond).acked(names[3])
	now := w.now.Add(7 * time.Second)
	m := New(Options{
		Source: timelineSource{timeline}, Past: timelinePast{timeline}, Theme: term.Mono, Renderer: plainRenderer(),
		Now: func() time.Time { return now },
	})
	m.Update(tea.WindowSizeMsg{Width: 140, Height: 40})
	keys(m, "p", "home")
	listed, seen := 0, 0
	for range 40 {
		s := m.d.shown()
		for _, h := range s.Handoffs[min(listed, len(s.Handoffs)):] {
			if want := "handoff " + phrase.Who(h.From) + " -> " + phrase.Who(h.To); !strings.Contains(statusLine(m), want) {
				t.Errorf("got status line %q, want %q, which is new in the list", statusLine(m), want)
			}
			seen++
		}
		if len(s.Handoffs) == listed && strings.Contains(statusLine(m), "handoff ") {
			t.Errorf("got status line %q, but the list has no new handoff", statusLine(m))
		}
		listed = len(s.Handoffs)
		keys(m, ".")
	}
	if seen != 4 {
		t.Errorf("got %d handoffs, want 4", seen)
	}
}

func TestScrollLanes(t *testing.T) {
	m := show(laneSamples()["lanes-crowd"](), 120, 36, term.Mono)
	first := lanes(m)
	shows(t, m, "+475 more")
	keys(m, "j", "j", "j")
	if got := lanes(m); slices.Equal(got, first) || len(got) != len(first) {
		t.Errorf("j does not scroll the lanes:\n%s", screen(m))
	}
	keys(m, "g")
	if got := lanes(m); !slices.Equal(got, first) {
		t.Errorf("g does not show the first lanes again:\n%s", screen(m))
	}
}

// TestLanesOfAMomentLongAgo checks that the lanes end at the shown moment if the latest lanes begin after it.
func TestLanesOfAMomentLongAgo(t *testing.T) {
	w, p := five(dialect.Election()), &fakePast{}
	p.record(w)
	for i := range 5000 {
		w.wait(20*time.Millisecond).cast("birch", birchZ, []model.Belief{model.Suspended, model.Waiting}[i%2], nil)
	}
	p.record(w)
	m, _, _ := dashboardOn(w, nil, Options{Past: p})
	keys(m, "p")
	showsNot(t, m, "not drawn")
	keys(m, "home")
	shows(t, m, "later changes are not drawn", "▲", "amber  ")
	if got := lanes(m); len(got) != 5 || !strings.Contains(got[0], "█") {
		t.Errorf("got lanes\n%s\nwant 5, the first of a leader", strings.Join(got, "\n"))
	}
}
