package ui

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/ui/action"
	"electop/ui/candidates"
	"electop/ui/leadership"
	"electop/ui/term"
)

func showAfter(sm sample, after time.Duration) Model {
	sm.world.wait(after)
	return show(sm, 120, 36, term.Mono)
}

var edge = regexp.MustCompile(`deleted [─●]`)

func dots(m Model) [][2]int {
	var out [][2]int
	for y, line := range lines(m)[2:20] {
		x := 0
		for _, r := range line {
			if x < 76 && r == '●' {
				out = append(out, [2]int{y, x})
			}
			x++
		}
	}
	return out
}

func TestNotificationsTravel(t *testing.T) {
	for _, c := range []struct {
		name     string
		recipe   dialect.Recipe
		notified []uint64
	}{{"chain", dialect.Election(), []uint64{0xa2}}, {"herd", dialect.Herd(), []uint64{0xa2, 0xa3, 0xa4, 0xa5}}} {
		lastDistance := map[int]int{} // key: number of dots
		for ms := 0; ms < 1000; ms += 50 {
			sm := sample{world: notifying(c.recipe, 0, c.notified...), o: Options{Mode: ModeDemo}}
			m := showAfter(sm, time.Duration(ms)*time.Millisecond)
			text := screen(m)
			untilTick, _ := tick(t, m)
			if age := time.Duration(ms+1) * time.Millisecond; age >= candidates.TravelShown {
				if edge.MatchString(text) || len(dots(m)) > 0 {
					t.Errorf("%s: after %d ms a notification is still shown:\n%s", c.name, ms, text)
				}
				if next := sm.world.now.Truncate(term.TickBusy).Add(term.TickBusy); untilTick <= candidates.TickTravel && sm.world.now.Add(untilTick).Before(next) {
					t.Errorf("%s: after %d ms nothing moves, but the next tick is in %v", c.name, ms, untilTick)
				}
				continue
			}
			if !strings.Contains(text, "✗    12  amber") || !edge.MatchString(text) || strings.Count(text, "↑ 12 ◂") != len(c.notified) {
				t.Fatalf("%s: after %d ms amber's crossed-out row, an edge or a watch is missing:\n%s", c.name, ms, text)
			}
			if untilTick > candidates.TickTravel {
				t.Errorf("%s: after %d ms a notification moves, but the next tick is in %v", c.name, ms, untilTick)
			}
			have := dots(m)
			distance := 0 // each dot moves right, then down, then left
			for _, dot := range have {
				if distance += dot[1]; dot[0] > 1 {
					distance += 1000 + 100*dot[0] - 2*dot[1]
				}
			}
			if distance <= lastDistance[len(have)] {
				t.Errorf("%s: after %d ms the notifications have not moved on from %v:\n%s", c.name, ms, have, text)
			}
			lastDistance[len(have)] = distance
			if ms >= 400 && len(have) != len(c.notified) {
				t.Errorf("%s: after %d ms: got %d notifications, want %d:\n%s", c.name, ms, len(have), len(c.notified), text)
			}
		}
	}
}

func TestDeletedBeforeTheListIsRead(t *testing.T) {
	w := five(dialect.Election()).wait(time.Minute)
	w.reportDeletion("guid-n_0000000014", 0, 60, false, 0xa4).wait(100 * time.Millisecond)
	text := screen(showAfter(sample{world: w, o: Options{Mode: ModeDemo}, keys: []string{"j", "j"}}, 0))
	if !edge.MatchString(text) || !strings.Contains(text, " ✗    14  cedar") || strings.Count(text, "14  cedar") != 1 || !strings.Contains(text, "▴◂┤  15  delta") || !strings.Contains(text, "↑ 14 ◂") {
		t.Errorf("want cedar's row once and crossed out, and an edge to delta's row:\n%s", text)
	}
	text = screen(showAfter(sample{world: w, o: Options{Mode: ModeDemo}, keys: []string{"/", "e"}}, 0))
	if edge.MatchString(text) {
		t.Errorf("the filtered list has an edge:\n%s", text)
	}
}

func TestStepsInAThirdPartyElection(t *testing.T) {
	w := latch("/services/billing/leader", 3)
	z := w.join("_c_"+uuid(7)+"-latch-", "amber", 0xf1)
	w.cast("amber", z, model.Volunteering, func(m *model.Member) {
		m.Step, m.StepAt, m.StepOn = model.StepList, w.now, model.StepOn{Children: []string{"12", "13", "14", "15"}}
	})
	shows(t, showAfter(sample{world: w}, 0), "Curator LeaderLatch", "▸ 2 C := {12, 13, 14, 15}  amber")
}

func TestNothingHeld(t *testing.T) {
	w := five(dialect.Election()).pace(model.Pace{Steps: true})
	m := showAfter(sample{world: w, o: Options{Mode: ModeDemo}}, 0)
	shows(t, m, "No message is held ")
	w.cast("amber", amberZ, model.Leading, func(m *model.Member) { m.Fault, m.FaultAt = model.Killed, w.now })
	m = showAfter(sample{world: w, o: Options{Mode: ModeDemo}}, 0)
	shows(t, m, "No message is held: press . to skip")
}

func TestHeldNotificationsStop(t *testing.T) {
	sm := sample{world: stepping(), o: Options{Mode: ModeDemo}}
	m := showAfter(sm, 0)
	before := dots(m)
	if len(before) != 3 {
		t.Fatalf("got %d held notifications, want 3:\n%s", len(before), screen(m))
	}
	if untilTick, msg := tick(t, m); msg != nil && untilTick <= candidates.TickTravel {
		t.Errorf("nothing moves, but the next tick is in %v", untilTick)
	}
	if after := dots(showAfter(sm, 10*time.Second)); !slices.Equal(before, after) {
		t.Errorf("held notifications moved from %v to %v", before, after)
	}
	sm.world.pace(model.Pace{Steps: true})
	if m := showAfter(sm, 0); len(dots(m)) > 0 || edge.MatchString(screen(m)) {
		t.Errorf("notifications are shown after their release:\n%s", screen(m))
	}

	const delay = 1500 * time.Millisecond
	w := five(dialect.Election()).wait(time.Minute)
	w.reportDeletion(amberZ, 0, 60, false, 0xa2).pace(model.Pace{Delay: delay, Held: held(w.now, 0xa2)}).leave(amberZ)
	for _, after := range []time.Duration{0, candidates.TravelShown + 100*time.Millisecond, delay + time.Second} {
		text := screen(showAfter(sample{world: w, o: Options{Mode: ModeDemo}}, after))
		if !edge.MatchString(text) {
			t.Errorf("with a delay of %v, no edge is shown after another %v:\n%s", delay, after, text)
		}
	}
}

func TestStepsStayMarked(t *testing.T) {
	marked := func(w *world, after time.Duration) bool {
		return strings.Contains(screen(showAfter(sample{world: w.wait(after), o: Options{Mode: ModeDemo}}, 0)), "▸ 2 C := {12, 13}  birch")
	}
	made := func(p model.Pace) *world {
		w := five(dialect.Election()).pace(p).wait(time.Minute)
		return w.took("birch", model.StepList, "12", "13")
	}
	msg := []model.Message{{Session: 0xa2, Op: "getData"}}
	for _, c := range []struct {
		name  string
		pace  model.Pace
		after time.Duration
		want  bool
	}{
		{"when taken", model.Pace{}, 0, true},
		{"before the end", model.Pace{}, leadership.StepShown - time.Millisecond, true},
		{"at the end", model.Pace{}, leadership.StepShown, false},
		{"delay, before the end", model.Pace{Delay: time.Second}, leadership.StepShown + time.Second - time.Millisecond, true},
		{"delay, at the end", model.Pace{Delay: time.Second}, leadership.StepShown + time.Second, false},
		{"a message is held", model.Pace{Steps: true, Held: msg}, time.Hour, true},
		{"the message was released", model.Pace{Steps: true}, time.Hour, false},
	} {
		if got := marked(made(c.pace), c.after); got != c.want {
			t.Errorf("%s: got marked %v, want %v", c.name, got, c.want)
		}
	}
}

func TestHeldMessageMarksItsStep(t *testing.T) {
	marked := func(text string, n int) bool { return strings.Contains(text, fmt.Sprintf("▸ %d ", n)) }
	for _, c := range []struct {
		name  string
		last  model.Step
		held  model.Message
		marks int // line of the recipe; 0: none
	}{
		{"a notification is on its way", model.StepWatch, model.Message{Op: "notification", Event: "deleted", Path: "/election/" + amberZ}, 3},
		{"the notification has arrived", model.StepWatch, model.Message{Op: "getChildren2", Path: "/election"}, 4},
		{"the first list", model.StepCreate, model.Message{Op: "getChildren", Path: "/election"}, 2},
		{"the first watch", model.StepList, model.Message{Op: "getData", Path: "/election/" + amberZ}, 3},
		{"the next watch", model.StepListAgain, model.Message{Op: "getData", Path: "/election/" + amberZ}, 6},
		{"the acknowledgement", model.StepLead, model.Message{Op: "create", Path: "/election-leader"}, 8},
		{"the old leader's close", model.StepAcknowledge, model.Message{Op: "closeSession"}, 0},
		{"the deletion of its own znode", model.StepAcknowledge, model.Message{Op: "notification", Event: "deleted", Path: "/election/" + birchZ}, 0},
	} {
		w := five(dialect.Herd()).pace(model.Pace{Steps: true}).wait(time.Minute).took("birch", c.last)
		c.held.Session = 0xa2
		w.wait(time.Second).pace(model.Pace{Steps: true, Held: []model.Message{c.held}})
		for _, after := range []time.Duration{leadership.StepShown, time.Hour} {
			text := screen(showAfter(sample{world: w, o: Options{Mode: ModeDemo}}, after))
			for n := 1; n <= 8; n++ {
				if got := marked(text, n); got != (n == c.marks) {
					t.Errorf("%s, after %v: got line %d marked %v, want %v", c.name, after, n, got, n == c.marks)
				}
			}
		}
	}
}

func TestElectedDoesNotLookLikeLeading(t *testing.T) {
	w := five(dialect.Election()).wait(time.Minute)
	w.leave(amberZ)
	w.j.Apply(&model.Cast{At: w.now, Member: model.Member{ID: "amber"}, Gone: true})
	w.cast("birch", birchZ, model.Elected, nil)
	m := showAfter(sample{world: w, o: Options{Mode: ModeDemo}}, 20*time.Second)
	shows(t, m, "gap now 19.", "▓▓▓▓▓▓▓▓", "elected, not acknowledged")
	showsNot(t, m, "▓█")
	w.wait(30*time.Second).acked(birchZ).cast("birch", birchZ, model.Leading, nil)
	m = showAfter(sample{world: w, o: Options{Mode: ModeDemo}}, 20*time.Second)
	shows(t, m, "▓█")
	showsNot(t, m, "gap now")
}

func TestDemoActions(t *testing.T) {
	acts := &fakeActions{done: make(chan action.Action, 1)}
	m, src, _ := dashboardWith(acts, ModeDemo)
	w := src.world
	refresh := func() { m.Update(refreshMsg{states: []*doctor.State{src.State()}}) }
	expect := func(typed string, want action.Action) {
		t.Helper()
		keys(m, strings.Fields(typed)...)
		want.Election = "/election"
		select {
		case got := <-acts.done:
			if got != want {
				t.Errorf("keys %q: got action %+v, want %+v", typed, got, want)
			}
		default:
			t.Errorf("keys %q: got no action, want %+v", typed, want)
		}
		if front(m) != onMain {
			t.Errorf("after %q: got %s in front, want the main screen", typed, front(m))
		}
	}
	expect("[", action.Action{Kind: action.Slow, Arg: action.ArgSlower})
	expect("]", action.Action{Kind: action.Slow, Arg: action.ArgFaster})
	keys(m, ".")
	if got := statusLine(m); len(acts.done) > 0 || !strings.Contains(got, "no message is held at full speed. [ slows the server down") {
		t.Errorf("at full speed: got %d actions and status line %q, want a refusal of .", len(acts.done), got)
	}
	w.pace(model.Pace{Delay: time.Second})
	refresh()
	expect(".", action.Action{Kind: action.Step})
	expect("w", action.Action{Kind: action.Workers, Arg: action.ArgOn})
	w.rule(model.Rules{Workers: true})
	refresh()
	expect("w", action.Action{Kind: action.Workers, Arg: action.ArgGuard})
	w.rule(model.Rules{Workers: true, Fenced: true})
	refresh()
	expect("w", action.Action{Kind: action.Workers, Arg: action.ArgOff})

	expect("j X x", action.Action{Kind: action.Kill, Target: "birch"})
	expect("X enter", action.Action{Kind: action.Resign, Target: "birch"})
	for i, want := range []action.Action{
		{Kind: action.Kill}, {Kind: action.Freeze, Arg: action.ArgOn}, {Kind: action.Partition, Arg: action.ArgOn}, {Kind: action.Expire},
		{Kind: action.LoseReply}, {Kind: action.NoGuid, Arg: action.ArgOn}, {Kind: action.SlowLead, Arg: action.ArgOn},
	} {
		want.Target = "birch"
		expect("X g"+strings.Repeat(" j", i+1)+" enter", want)
	}
	w.cast("birch", birchZ, model.Waiting, func(m *model.Member) {
		m.Fault, m.NoGuid, m.SlowLead = model.Partitioned, true, true
	})
	refresh()
	expect("X G enter", action.Action{Kind: action.SlowLead, Target: "birch", Arg: action.ArgOff})

	keys(m, "X")
	w.leave(birchZ)
	w.j.Apply(&model.Cast{At: w.now, Member: model.Member{ID: "birch"}, Gone: true})
	refresh()
	keys(m, "enter")
	if len(acts.done) > 0 {
		t.Errorf("got action %+v for a candidate that is gone", <-acts.done)
	}
	shows(t, m, "This candidate is gone")
}

func TestSuccessHasAMessage(t *testing.T) {
	sm := samples()["main"]()
	sm.world.pace(model.Pace{Steps: true})
	sm.o.Actions = &fakeActions{err: fmt.Errorf("wrapped: %w", action.Success("birch's reply went\x1b[2J"))}
	sm.o.Renderer = profileRenderer(termenv.TrueColor)
	m := show(sm, 120, 36, term.Dark)
	good := regexp.MustCompile(`\x1b\[[0-9;]*m●`).FindString(m.View())
	good = strings.TrimSuffix(good, "●")
	statusIsGood := func(text string) bool {
		all := strings.Split(m.View(), "\n")
		return good != "" && strings.Contains(all[len(all)-2], good+text)
	}
	keys(m, ".")
	if got := statusLine(m); !statusIsGood(`birch's reply went\x1b[2J`) || strings.Contains(got, "protocol step") {
		t.Errorf("got status line %q, want the message of the Success", got)
	}
	for _, d := range action.Table {
		for _, w := range []action.Words{d.Words, d.Undo} {
			if d.Changes && w != (action.Words{}) && w.Done == "" {
				t.Errorf("%s, %q has no message after success", d.Kind, w.Verb)
			}
			if slices.Contains(action.Faults(), d.Kind) && w != (action.Words{}) && (w.Is == "" || w.Shows == "") {
				t.Errorf("%s, %q has no explanation", d.Kind, w.Verb)
			}
		}
	}
}

func TestLiveConfirmsFaultsOfOwnCandidate(t *testing.T) {
	acts := &fakeActions{done: make(chan action.Action, 1)}
	m, _, _ := dashboardWith(acts, ModeLive)
	keys(m, "j", "j", "X", "g", "j", "j", "j", "enter")
	if got := statusLine(m); !strings.Contains(got, "partition: do this to electop's own candidate on a live cluster?") || len(acts.done) > 0 {
		t.Fatalf("got status line %q and %d actions, want a question", got, len(acts.done))
	}
	keys(m, "y")
	if got := acts.did(); got.Kind != action.Partition || got.Target != "cedar" {
		t.Errorf("after yes: got action %+v, want partition of cedar", got)
	}
}

func TestFirstIsAGhost(t *testing.T) {
	w := withGhost()
	for _, z := range []string{amberZ, birchZ} {
		w.leave(z)
	}
	m := showAfter(sample{world: w, o: Options{Mode: ModeDemo}}, 0)
	shows(t, m, "☆◂╮  14  cedar", "ghost of cedar", "First is the ghost of cedar", "first, a ghost: nobody leads")
	statusShows(t, m, "nobody leads: n_14 is first and is a ghost of cedar")
	w = latch("/services/billing/leader", 3)
	w.join("_c_"+uuid(0)+"-latch-", "billing-1:8080", sessionOn(0, 0))
	w.wait(10 * time.Second)
	w.j.Apply(&model.Advance{At: w.now})
	m = showAfter(sample{world: w}, 0)
	shows(t, m, "☆◂╮  12", "ghost of billing-1:8080 ~", "first, may be a ghost")
	showsNot(t, m, "First is the ghost")
	if got := statusLine(m); !strings.HasPrefix(got, " unknown who leads: n_12 is first and may be a ghost of billing-1:8080") {
		t.Errorf("got status line %q, want an unknown leader", got)
	}
}

func TestGapGrows(t *testing.T) {
	w := five(dialect.Election()).wait(time.Minute)
	w.cast("amber", amberZ, model.Leading, func(m *model.Member) { m.Fault, m.FaultAt = model.Frozen, w.now })
	for _, want := range []string{"2", "5"} {
		text := screen(showAfter(sample{world: w, o: Options{Mode: ModeDemo}}, 3*time.Second))
		if !regexp.MustCompile(`gap now ` + want + `\.\d s`).MatchString(text) {
			t.Errorf("want a gap of %s s and a fraction:\n%s", want, text)
		}
	}
	w.disconnect("gone")
	text := screen(showAfter(sample{world: w, o: Options{Mode: ModeDemo}}, 30*time.Second))
	if strings.Contains(text, "gap now") || !strings.Contains(text, "longest gap") {
		t.Errorf("without a connection: want the longest gap and no current gap:\n%s", text)
	}
}

func TestStepLowestMarksTheListToo(t *testing.T) {
	for _, c := range []struct {
		before model.Step
		want   string
	}{{model.StepCreate, "▸ 2 C := {13, 14}  birch"}, {model.StepWatch, "▸ 4 C := {13, 14}  birch"}} {
		w := five(dialect.Election()).wait(time.Minute)
		w.took("birch", c.before, "12").wait(time.Millisecond).took("birch", model.StepLowest, "13", "14").wait(10 * time.Millisecond)
		shows(t, show(sample{world: w, o: Options{Mode: ModeDemo}}, 120, 36, term.Mono), c.want, "▸ 5 mine is the smallest: I lead  birch")
	}
}

// TestSituationCountsNotifications checks that the owner of the deleted znode does not count as notified.
func TestSituationCountsNotifications(t *testing.T) {
	amberGone := func(change func(w *world)) *world {
		w := five(dialect.Election()).wait(time.Minute)
		change(w)
		w.wait(time.Millisecond).leave(amberZ)
		w.j.Apply(&model.Cast{At: w.now, Member: model.Member{ID: "amber"}, Gone: true})
		return w
	}
	switched := func(w *world) { w.j.Apply(&model.Switch{At: w.now, Recipe: "herd"}) }
	for _, c := range []struct {
		name string
		w    *world
		want string
	}{
		{"the recipe changed later", func() *world {
			w := amberGone(func(w *world) { w.reportDeletion(amberZ, 2, 300, true, 0xa1, 0xa2) })
			switched(w)
			return w
		}(), "n_12 was deleted and 1 candidate was notified."},
		{"all watched", amberGone(func(w *world) { switched(w); w.reportDeletion(amberZ, 2, 300, true, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5) }), "and 4 were notified, to find one"},
		{"no DeletionReport was observed", amberGone(switched), "and 4 were notified, to find one"},
		{"on the way", amberGone(func(w *world) {
			w.reportDeletion(amberZ, 0, 60, false, 0xa1, 0xa2).pace(model.Pace{Delay: time.Second, Held: held(w.now, 0xa1, 0xa2)})
		}), "n_12 was deleted, and 1 notification of it is still on the way"},
	} {
		if got := recipeText(c.w.state(), c.w.now); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q in it", c.name, got, c.want)
		}
	}
}

func recipeText(s *doctor.State, now time.Time) string {
	th := term.NewTheme(term.Mono, plainRenderer())
	f := &term.Frame{Canvas: new(term.Canvas), Theme: th, Now: now, Picture: now}
	f.Resize(160, 40)
	p := leadership.Recipe{State: s}
	p.Draw(f, term.Rect{W: 160, H: 40})
	return ansi.Strip(f.Render(th))
}

func TestCodeStaysInPlace(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}, {120, 40}, {200, 60}} {
		at := map[string]int{}
		for _, name := range []string{"main", "steps", "notified", "handoff", "killed", "slow", "counted"} {
			sm := samples()[name]()
			sm.keys = append(sm.keys, "tab")
			at[name] = slices.IndexFunc(lines(show(sm, size[0], size[1], term.Mono)), func(l string) bool { return strings.Contains(l, "When leading") })
		}
		for name, y := range at {
			if y < 0 || y != at["main"] {
				t.Errorf("at %v: got the code of sample %s at line %d, want line %d", size, name, y, at["main"])
			}
		}
	}
}

func TestBarsCompareRecipes(t *testing.T) {
	w := countedHandoffs()
	w.j.Apply(&model.Switch{At: w.now, Recipe: "election"})
	s, at := copied(w.state()), w.now.Add(time.Minute)
	want := recipeText(&s, at)
	if !strings.Contains(want, "chain █") || !strings.Contains(want, "herd  █") {
		t.Fatalf("the bars do not compare the recipes:\n%s", want)
	}
	last := s.Deletions[len(s.Deletions)-1]
	herd, chain := *last, *last
	herd.Recipe, herd.Notified = "herd", []uint64{0xa2}
	chain.Recipe, chain.Notified = "election", nil
	s.Deletions = append(slices.Clone(s.Deletions), &herd, &chain)
	if got := recipeText(&s, at); got != want {
		t.Errorf("with a herd that notified 1 and a chain that notified none: got\n%s\nwant\n%s", got, want)
	}
}

func TestBarsBesideALesson(t *testing.T) {
	for _, size := range [][2]int{{60, 20}, {80, 24}, {120, 36}} {
		shows(t, show(samples()["lesson-herd"](), size[0], size[1], term.Mono), "notified", "chain █", "herd  █", "When the watched znode is deleted")
	}
}

func TestLeaseEndIsShownOnlyWithAFault(t *testing.T) {
	for _, fault := range []model.Fault{model.NoFault, model.Frozen} {
		w := five(dialect.Election()).wait(time.Minute)
		w.cast("amber", amberZ, model.Leading, func(m *model.Member) {
			m.LeaseEnd, m.Fault = w.now.Add(1800*time.Millisecond), fault
			if fault != model.NoFault {
				m.FaultAt = w.now
			}
		})
		w.wait(time.Minute)
		m := showAfter(sample{world: w, o: Options{Mode: ModeDemo}, keys: []string{"enter"}}, 0)
		if fault == model.NoFault {
			shows(t, m, "lease        held")
			showsNot(t, m, "lease until")
		} else {
			shows(t, m, "lease until  12:", "as last reported")
		}
	}
}
