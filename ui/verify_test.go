package ui

import (
	"strings"
	"testing"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/session"
	"electop/model/znode"
	"electop/ui/action"
	"electop/ui/elections"
	"electop/ui/plain"
	"electop/ui/term"
)

func TestVerifyReportsTheResult(t *testing.T) {
	acts := &fakeActions{done: make(chan action.Action, 1)}
	w := latch("/services/billing/leader", 5)
	m, src, now := dashboardOn(w, acts, Options{})
	shows(t, m, "↑ 12 ~")
	keys(m, "v")
	if got, want := <-acts.done, (action.Action{Kind: action.Verify, Election: w.path}); got != want {
		t.Errorf("v: got action %+v, want %+v", got, want)
	}
	statusShows(t, m, "querying the servers")
	step := func(change func(*session.Table)) string {
		w.answers(1, change)
		*now = w.now
		m.Update(present(src, false))
		return statusLine(m)
	}
	if got := step(func(t *session.Table) {
		for i := range t.Servers {
			t.Servers[i].Watches, t.Servers[i].Watched = session.Answer{}, nil
		}
	}); !strings.Contains(got, "querying the servers") {
		t.Errorf("answers without watches: got status line %q, want \"querying the servers\" in it", got)
	}
	if got := step(nil); !strings.Contains(got, "3 servers answered: 4 verified") {
		t.Errorf("answers with watches: got status line %q, want the result", got)
	}
	shows(t, m, "↑ 12 ✓")
	acts.err = errRefused
	keys(m, "v")
	<-acts.done
	statusShows(t, m, "verify: refused by")
	if got := step(nil); !strings.Contains(got, "refused by") {
		t.Errorf("answers after a refused request: got status line %q, want the refusal", got)
	}
}

func TestServersBeforeTheFirstAnswers(t *testing.T) {
	w := newWorld("/services/billing/leader", nil, false)
	m, src, now := dashboardOn(w, &fakeActions{}, Options{})
	keys(m, "S")
	shows(t, m, "Waiting for the servers' first answers.")
	w.connectTo(ensemble[2]).read(nil, nil)
	*now = w.now
	m.Update(present(src, false))
	shows(t, m, "Waiting for the servers' first answers.")
	w.answers(1, nil)
	*now = w.now
	m.Update(present(src, false))
	if got := screen(m); !strings.Contains(got, ensemble[0]) || strings.Contains(got, "Waiting") {
		t.Errorf("after the first answers the panel lacks %s or shows Waiting:\n%s", ensemble[0], got)
	}

	m, _, _ = dashboardOn(newWorld("/services/billing/leader", nil, false), &fakeActions{why: map[action.Kind]string{action.Verify: "--admin off: the servers are not queried"}}, Options{})
	keys(m, "S")
	shows(t, m, "The servers were not queried.", "--admin off")
}

func TestObserveOnlyChangesNothing(t *testing.T) {
	acts := &fakeActions{done: make(chan action.Action, 100)}
	w := five(dialect.Election()).wait(time.Minute)
	m, src, _ := dashboardOn(w, acts, Options{ObserveOnly: true, Mode: ModeDemo})
	for _, mode := range []string{"", "enter", "!", "S", "e", "?"} {
		if mode != "" {
			keys(m, mode)
		}
		for _, k := range []string{"s", "x", "f", "d", "c", "h", "y", "n"} {
			keys(m, k)
		}
		text := screen(m)
		for _, word := range []string{"spawn", "kill ", "freeze", "resign", "campaign", "h herd", "predecessor)"} {
			if strings.Contains(text, word) {
				t.Errorf("after key %q the screen mentions %q:\n%s", mode, word, text)
			}
		}
		keys(m, "esc", "esc")
		if front(m) != onMain {
			t.Fatalf("esc after key %q: got %s in front, want %s", mode, front(m), onMain)
		}
	}
	for len(acts.done) > 0 {
		if a := <-acts.done; a.Kind.Changes() {
			t.Errorf("got action %+v, want none that changes something", a)
		}
	}
	for _, name := range []string{"amber", "birch", "cedar", "delta", "ember"} {
		w.leave(w.members[name].Znode)
	}
	m.Update(present(src, false))
	if strings.Contains(screen(m), "spawns") || strings.Contains(screen(m), "makes electop join") {
		t.Errorf("the empty queue mentions keys that change something:\n%s", screen(m))
	}
}

func TestRiskWithoutAQueue(t *testing.T) {
	w := controller().answers(2, nil)
	w.answers(2, func(t *session.Table) { unplug(t, w.state().Queue.At(0).Session) }).wait(300 * time.Millisecond)
	if r := w.state().Risk(w.state().Leader()); r == nil || !r.Queueless {
		t.Fatalf("got risk %+v, want one without a queue", r)
	}
	m, _, _ := dashboardOn(w, nil, Options{})
	if text := screen(m); !strings.Contains(text, "at risk") || !strings.Contains(text, "Could take over: broker 1") || strings.Contains(text, "Nobody is next") {
		t.Errorf("want a leader at risk, broker 1 named as a possible next leader, and no \"Nobody is next\":\n%s", text)
	}
}

func TestHostileServers(t *testing.T) {
	const evil = "\x1b[2J\u202eevil\x07"
	w := latch("/services/billing/leader", 3).answers(2, func(t *session.Table) {
		for i := range t.Servers {
			v := &t.Servers[i]
			v.Version, v.Addr = evil, evil+v.Addr
			v.Mode = session.Mode(evil)
			for k := range v.Clients {
				v.Clients[k].Addr, v.Clients[k].LastOp = evil, evil
			}
			v.Sessions = session.Answer{State: session.Refused, Why: evil, Hint: evil}
		}
		t.Whole, t.Unwhole = false, evil
	})
	found := doctor.NewJournal(model.Config{Path: "/" + evil}).State()
	search := &elections.Search{Discovery: plain.Discovery{Root: evil, Stopped: evil, Elections: []plain.Found{{State: found}}}, Err: evil}
	m, _, _ := dashboardOfSeveral(&fakeActions{}, search, w)
	for _, k := range []string{"enter", "esc", "!", "esc", "S", "esc", "e", "G", "enter"} {
		keys(m, k)
		text := strings.ReplaceAll(screen(m), "\n", "")
		if hasControl(text) || strings.ContainsRune(text, '\u202e') {
			t.Fatalf("after key %q the screen has an unsafe character: %q", k, text)
		}
	}
}

func TestRefusedChecksBeforeFindings(t *testing.T) {
	w := latch("/services/billing/leader", 5)
	q := w.state().Queue.Slice()
	w.answers(3, func(t *session.Table) {
		unwatch(t, q[2].Session, znode.Join(w.state().Path, q[0].Name))
		for i := range t.Servers {
			t.Servers[i].Clients = nil
			t.Servers[i].Connections = session.Answer{State: session.Refused, Via: "4lw", Why: "cons is not in the whitelist", Hint: "4lw.commands.whitelist=cons"}
		}
	}).wait(4 * time.Second)
	m := showAfter(sample{world: w, o: Options{Mode: ModeLive}, keys: []string{"!"}}, 0)
	text := screen(m)
	refused, found := strings.Index(text, "4lw.commands.whitelist=cons"), strings.Index(text, "herd")
	if refused < 0 || found < 0 || refused > found {
		t.Errorf("the refused check is not before the findings:\n%s", text)
	}
}

// TestBeliefsOfThirdPartyCandidates checks that safety covers only electop's candidates, because no others report beliefs.
func TestBeliefsOfThirdPartyCandidates(t *testing.T) {
	w := latch("/services/billing/leader", 3)
	shows(t, showAfter(sample{world: w}, 0), "beliefs not visible", "liveness (queue) 100 %")
	showsNot(t, showAfter(sample{world: w}, 0), "safety", "doubles")
	w.join("_c_"+uuid(7)+"-latch-", "ember", 0xa9)
	w.cast("ember", w.znodeOf("ember"), model.Waiting, func(m *model.Member) { m.Session = 0xa9 })
	shows(t, showAfter(sample{world: w}, 0), "safety ✓ 0 doubles (electop's)")
	showsNot(t, showAfter(sample{world: five(dialect.Election()).wait(time.Minute), o: Options{Mode: ModeDemo}}, 0), "(electop's)", "not visible")
}

func TestLeaderWatchesItsOwnZnode(t *testing.T) {
	own := func(tb *session.Table) {
		tb.Servers[0].Watched = append(tb.Servers[0].Watched, session.Watch{Path: "/election/" + amberZ, Sessions: []uint64{0xa1}})
	}
	for _, c := range []struct {
		what  string
		world *world
		shows []string
	}{
		{"verified", five(dialect.Election()).answers(2, own), []string{"its own znode n_12, to learn of its deletion   verified", "birch   verified; itself   verified"}},
		{"inferred", five(dialect.Election()), []string{"its own znode n_12, to learn of its deletion   inferred: electop's candidates do so"}},
		{"a third-party candidate", latch("/services/billing/leader", 2), []string{"watches      no predecessor"}},
	} {
		m := showAfter(sample{world: c.world, o: Options{Mode: ModeDemo}}, 0)
		keys(m, "enter")
		t.Run(c.what, func(t *testing.T) {
			shows(t, m, c.shows...)
			showsNot(t, m, "nobody: there is nobody")
		})
	}
}

func TestRecipeOfThirdPartyElectionIsBehindTab(t *testing.T) {
	w := latch("/services/billing/leader", 3)
	m := showAfter(sample{world: w}, 0)
	shows(t, m, "Candidate billing-1:8080", "watched by")
	showsNot(t, m, "Recipe")
	keys(m, "j")
	shows(t, m, "Candidate billing-2:8080")
	keys(m, "tab")
	shows(t, m, "Recipe")
	keys(m, "tab", "tab")
	shows(t, m, "Candidate billing-2:8080")
	shows(t, showAfter(sample{world: w, o: Options{Mode: ModeDemo}}, 0), "Recipe")
	z := w.join("_c_"+uuid(7)+"-latch-", "amber", 0xf1)
	w.cast("amber", z, model.Waiting, nil)
	shows(t, showAfter(sample{world: w}, 0), "Recipe")
	m = show(samples()["mixed"](), 120, 36, term.Dark)
	shows(t, m, "Doctor  1 finding")
	showsNot(t, m, "Recipe", "watched by")
}

func TestDoctorPanelShowsThatNobodyLeads(t *testing.T) {
	w := newWorld("/services/billing/queue", nil, false).connectTo(ensemble[2])
	w.read(nil, nil)
	m := showAfter(sample{world: w}, time.Second)
	keys(m, "!")
	shows(t, m, "Doctor", "nobody leads", "first seen at")
	showsNot(t, m, "Nothing found")
}
