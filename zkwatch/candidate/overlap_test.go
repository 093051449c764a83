package candidate_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"electop/demo/zktest"
	"electop/model"
	"electop/zkwatch/candidate"
	"electop/zkwatch/client"
	"electop/zkwatch/internal/electiontest"
)

type overlap struct {
	what     activity
	from, to time.Time
	names    []string
}

func (o overlap) length() time.Duration { return o.to.Sub(o.from) }

// overlaps ignores a frozen candidate, which may believe that it leads until it thaws.
func (w *activityLog) overlaps(what activity, since time.Time) (found []overlap) {
	w.mu.Lock()
	transitions := slices.Clone(w.transitions)
	w.mu.Unlock()
	slices.SortStableFunc(transitions, func(a, b transition) int { return a.at.Compare(b.at) })
	type count struct{ active, frozen int }
	counts := make(map[string]*count)
	var present overlap
	step := func(at time.Time) {
		var names []string
		for name, c := range counts {
			if c.active > 0 && c.frozen == 0 {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		switch {
		case len(names) >= 2 && present.names == nil:
			present = overlap{what: what, from: at, names: names}
		case len(names) < 2 && present.names != nil:
			if present.to = at; at.After(since) {
				found = append(found, present)
			}
			present = overlap{}
		}
	}
	for _, m := range transitions {
		c := counts[m.name]
		if c == nil {
			c = new(count)
			counts[m.name] = c
		}
		switch m.what {
		case what:
			c.active += m.by
		case frozen:
			c.frozen += m.by
		}
		step(m.at)
	}
	if present.names != nil {
		present.to = time.Now()
		found = append(found, present)
	}
	return found
}

func (w *activityLog) check(t *testing.T, since time.Time) (longest time.Duration) {
	t.Helper()
	first := true
	for _, o := range append(w.overlaps(leading, since), w.overlaps(working, since)...) {
		longest = max(longest, o.length())
		if o.length() <= reportDelay {
			continue
		}
		details := ""
		if first {
			first, details = false, "\n"+w.eventsBefore(o)
		}
		t.Errorf("got %v %v at the same time for %v, from %v on%s", o.names, o.what, o.length().Round(time.Millisecond), o.from.Sub(w.start).Round(time.Millisecond), details)
	}
	return longest
}

func (w *activityLog) eventsBefore(o overlap) string {
	const before = 10 * time.Second
	w.mu.Lock()
	defer w.mu.Unlock()
	notes := slices.Clone(w.notes)
	for _, m := range w.transitions {
		verb := "begins"
		if m.by < 0 {
			verb = "ends"
		}
		notes = append(notes, note{m.at, fmt.Sprintf("%s %s: %v", m.name, verb, m.what)})
	}
	slices.SortStableFunc(notes, func(a, b note) int { return a.at.Compare(b.at) })
	var b strings.Builder
	for _, n := range notes {
		if n.at.After(o.from.Add(-before)) && !n.at.After(o.to) {
			fmt.Fprintf(&b, "%8v  %s\n", n.at.Sub(w.start).Round(time.Millisecond), n.text)
		}
	}
	return b.String()
}

func TestOverlaps(t *testing.T) {
	at := time.Now()
	after := func(ms int) time.Time { return at.Add(time.Duration(ms) * time.Millisecond) }
	w := newActivityLog()
	w.transitions = []transition{
		{after(0), "a", leading, +1}, {after(100), "a", leading, -1},
		{after(90), "b", leading, +1}, {after(200), "b", leading, -1},
		{after(210), "c", working, +1}, {after(300), "d", working, +1}, {after(450), "c", working, -1}, {after(500), "d", working, -1},
		{after(600), "e", leading, +1}, {after(700), "e", frozen, +1}, {after(800), "f", leading, +1},
		{after(900), "e", frozen, -1}, {after(930), "e", leading, -1},
		{after(940), "f", leading, -1},
	}
	var got []string
	for _, what := range []activity{leading, working} {
		for _, o := range w.overlaps(what, at) {
			got = append(got, fmt.Sprint(what, o.names, o.length()))
		}
	}
	want := []string{"leading [a b] 10ms", "leading [e f] 30ms", "working [c d] 150ms"}
	if !slices.Equal(got, want) {
		t.Errorf("got overlaps %q, want %q", got, want)
	}
	if got := w.overlaps(leading, after(500)); len(got) != 1 {
		t.Errorf("after 500 ms: got overlaps %v, want one", got)
	}
}

// reportDelay is the longest permitted overlap, because reports are late on a busy machine.
const reportDelay = 20 * time.Millisecond

// An activityLog records activities. A candidate works until the context of its leader procedure ends.
type activityLog struct {
	start time.Time

	mu          sync.Mutex
	transitions []transition
	last        map[string]model.Member
	reportedAt  map[string]time.Time
	notes       []note
	changed     chan struct{} // closed and replaced with each report
}

type transition struct {
	at   time.Time
	name string
	what activity
	by   int // +1 begins, -1 ends
}

type activity int

const (
	leading activity = iota
	working
	frozen
)

func (d activity) String() string { return [...]string{"leading", "working", "frozen"}[d] }

type note struct {
	at   time.Time
	text string
}

func (w *activityLog) log(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notes = append(w.notes, note{time.Now(), text})
}

func newActivityLog() *activityLog {
	return &activityLog{start: time.Now(), last: make(map[string]model.Member), reportedAt: make(map[string]time.Time), changed: make(chan struct{})}
}

func (w *activityLog) follow(name string, cfg *candidate.Config) {
	cfg.Data = []byte(name)
	cfg.Report = func(_ time.Time, m model.Member) { w.report(name, m) }
	cfg.Lead = func(ctx context.Context, _ int64) error {
		w.change(name, working, +1)
		context.AfterFunc(ctx, func() { w.change(name, working, -1) })
		return nil
	}
}

func (w *activityLog) report(name string, m model.Member) {
	w.mu.Lock()
	defer w.mu.Unlock()
	was, is := w.last[name].Belief == model.Leading, m.Belief == model.Leading
	w.last[name], w.reportedAt[name] = m, time.Now()
	switch {
	case is && !was:
		w.transitions = append(w.transitions, transition{time.Now(), name, leading, +1})
	case was && !is:
		w.transitions = append(w.transitions, transition{time.Now(), name, leading, -1})
	}
	close(w.changed)
	w.changed = make(chan struct{})
}

func (w *activityLog) change(name string, what activity, by int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.transitions = append(w.transitions, transition{time.Now(), name, what, by})
}

func (w *activityLog) now(name string) model.Member {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last[name]
}

func (w *activityLog) lastReport(name string) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.reportedAt[name]
}

func (w *activityLog) reigns() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range w.transitions {
		if m.what == leading && m.by > 0 {
			n++
		}
	}
	return n
}

func (w *activityLog) leaders() (names []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for name, m := range w.last {
		if m.Belief == model.Leading {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (w *activityLog) await(t *testing.T, limit time.Duration, what string, holds func() bool) {
	t.Helper()
	deadline, tick := time.After(limit), time.NewTicker(20*time.Millisecond)
	defer tick.Stop()
	for {
		w.mu.Lock()
		changed := w.changed
		w.mu.Unlock()
		if holds() {
			return
		}
		select {
		case <-changed:
		case <-tick.C:
		case <-deadline:
			t.Fatalf("got no %q within %v\n%s", what, limit, w)
		}
	}
}

func (w *activityLog) believes(t *testing.T, name string, b model.Belief) {
	t.Helper()
	w.await(t, electiontest.WaitFor, fmt.Sprint(name, " is ", b), func() bool { return w.now(name).Belief == b })
}

func (w *activityLog) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var b strings.Builder
	for name, m := range w.last {
		fmt.Fprintf(&b, "%s is %s (step %v) in session %#x with %s, watches %s: %s\n", name, m.Belief, m.Step, m.Session, m.Znode, m.Watches, m.Reason)
	}
	return b.String()
}

// limits are the timeouts of an ensemble and its sessions. An isolated server serves for syncLimit ticks,
// perhaps longer than a session timeout.
type limits struct {
	session, tick time.Duration
	syncLimit     int
}

func (l limits) String() string {
	return fmt.Sprintf("session %v, tick %v, syncLimit %d", l.session, l.tick, l.syncLimit)
}

// An isolation cuts links of one of three servers. Candidate a leads. Candidates b and c wait.
type isolation struct {
	name      string
	order     func(leader *zktest.Server, followers []*zktest.Server) []*zktest.Server // returns the servers of a, b, c
	cut       func(t *testing.T, e *zktest.Ensemble, s []*zktest.Server)
	server    int  // the index (see order) of the server that stops serving
	oneServer bool // candidate a knows only its own server; otherwise all servers, its own first
}

func onFollower(leader *zktest.Server, f []*zktest.Server) []*zktest.Server {
	return []*zktest.Server{f[0], f[1], leader}
}

func onLeader(leader *zktest.Server, f []*zktest.Server) []*zktest.Server {
	return []*zktest.Server{leader, f[0], f[1]}
}

var isolations = []isolation{
	{
		name: "server of the leading candidate", order: onFollower, server: 0, oneServer: true,
		cut: func(t *testing.T, e *zktest.Ensemble, s []*zktest.Server) { e.Isolate(s[0]) },
	},
	{
		name: "server of a leading candidate that knows other servers", order: onFollower, server: 0,
		cut: func(t *testing.T, e *zktest.Ensemble, s []*zktest.Server) { e.Isolate(s[0]) },
	},
	{
		name: "server of the next candidate", order: onFollower, server: 1, oneServer: true,
		cut: func(t *testing.T, e *zktest.Ensemble, s []*zktest.Server) { e.Isolate(s[1]) },
	},
	{
		name: "ensemble leader", order: onLeader, server: 0, oneServer: true,
		cut: func(t *testing.T, e *zktest.Ensemble, s []*zktest.Server) { e.Isolate(s[0]) },
	},
	{
		name: "follower to ensemble leader", order: onFollower, server: 0, oneServer: true,
		cut: func(t *testing.T, e *zktest.Ensemble, s []*zktest.Server) { e.Hold(s[0], s[2]) },
	},
	{
		name: "ensemble leader to follower", order: onFollower, server: 0, oneServer: true,
		cut: func(t *testing.T, e *zktest.Ensemble, s []*zktest.Server) { e.Hold(s[2], s[0]) },
	},
	{
		name: "everything that the ensemble leader sends", order: onLeader, server: 0, oneServer: true,
		cut: func(t *testing.T, e *zktest.Ensemble, s []*zktest.Server) {
			e.Hold(s[0], s[1])
			e.Hold(s[0], s[2])
		},
	},
	{
		name: "everything that the ensemble leader receives", order: onLeader, server: 0, oneServer: true,
		cut: func(t *testing.T, e *zktest.Ensemble, s []*zktest.Server) {
			e.Hold(s[1], s[0])
			e.Hold(s[2], s[0])
		},
	},
}

// TestNeverTwoLeadersUnderIsolation repeats all isolations for ELECTOP_TEST_LONG, below 1m only with short timeouts.
func TestNeverTwoLeadersUnderIsolation(t *testing.T) {
	zktest.SecondTier(t)
	t.Parallel()
	const s = time.Second
	all := []limits{{4 * s, 2 * s, 5}, {6 * s, 2 * s, 5}, {10 * s, 2 * s, 10}, {10 * s, 2 * s, 3}}
	duration, _ := zktest.Long(t)
	if duration < time.Minute {
		all = []limits{{s, 250 * time.Millisecond, 10}}
	}
	for _, l := range all {
		t.Run(l.String(), func(t *testing.T) {
			e := zktest.NewEnsemble(t, 3, zktest.WithLinks(), zktest.WithTick(l.tick), zktest.WithLimits(20, l.syncLimit))
			until := time.Now().Add(duration / time.Duration(len(all)))
			for {
				for _, i := range isolations {
					t.Run(i.name, func(t *testing.T) { i.run(t, e, l) })
				}
				if !time.Now().Before(until) {
					return
				}
			}
		})
	}
}

var candidateNames = [...]string{"a", "b", "c"}

func (i isolation) runCandidates(
	t *testing.T, e *zktest.Ensemble, servers []*zktest.Server, session time.Duration, w *activityLog, path string,
) []*candidate.Candidate {
	t.Helper()
	var candidates []*candidate.Candidate
	for k, name := range candidateNames {
		addrs := []string{servers[k].Addr}
		if k > 0 || !i.oneServer {
			for _, s := range e.Members {
				if s != servers[k] {
					addrs = append(addrs, s.Addr)
				}
			}
		}
		cfg := electiontest.Config(t, strings.Join(addrs, ","))
		cfg.SessionTimeout = session
		cfg.Shuffle = func(int, func(i, j int)) {}
		c := candidate.Config{Conn: cfg, Path: path, Create: true, Ack: path + "-leader"}
		w.follow(name, &c)
		candidate := candidate.New(c)
		candidates = append(candidates, candidate)
		var running sync.WaitGroup
		ctx, cancel := context.WithCancel(context.Background())
		running.Go(func() { candidate.Run(ctx) })
		t.Cleanup(func() {
			cancel()
			running.Wait()
		})
		want := model.Waiting
		if k == 0 {
			want = model.Leading
		}
		w.believes(t, name, want)
	}
	return candidates
}

func (i isolation) run(t *testing.T, e *zktest.Ensemble, l limits) {
	limit := 3*l.session + 3*time.Duration(l.syncLimit)*l.tick + electiontest.WaitFor
	leader := e.Leader(t)
	var followers []*zktest.Server
	for _, s := range e.Members {
		if s != leader {
			followers = append(followers, s)
		}
	}
	servers := i.order(leader, followers)
	// If candidate a knows other servers, it moves to one, unless its session expires first.
	moves := i.server == 0 && !i.oneServer
	deposed := i.server == 0 && i.oneServer
	w, path := newActivityLog(), electiontest.ElectionPath(t)
	candidates := i.runCandidates(t, e, servers, l.session, w, path)
	t.Cleanup(func() { e.Heal() }) // runs before the candidates close their sessions
	fence, belief := w.now("a").Fence, w.now(candidateNames[i.server]).Belief

	w.log(i.name)
	cut := time.Now()
	i.cut(t, e, servers)
	var silent, next time.Duration
	w.await(t, limit, "the server stops serving; candidate a, if on this server, is deposed or moves", func() bool {
		if silent == 0 && !servers[i.server].Serving() {
			silent = time.Since(cut)
		}
		leaders := w.leaders()
		if next == 0 && (len(leaders) > 1 || len(leaders) == 1 && leaders[0] != "a") {
			next = time.Since(cut)
		}
		if moves {
			return silent > 0 && len(leaders) == 1 && (leaders[0] != "a" || candidates[0].Status().Server != servers[0].Addr)
		}
		return silent > 0 && (!deposed || next > 0 && w.now("a").Belief != model.Leading)
	})
	if !deposed && !moves {
		w.await(t, limit, candidateNames[i.server]+" is at another server and has its old belief", func() bool {
			st := candidates[i.server].Status()
			return st.State == client.Connected && st.Server != servers[i.server].Addr && w.now(candidateNames[i.server]).Belief == belief
		})
	}
	w.log("healed")
	e.Heal()
	healed := time.Now()
	w.await(t, limit, "one leads and two wait", func() bool {
		count := make(map[model.Belief]int)
		for _, name := range candidateNames {
			count[w.now(name).Belief]++
		}
		return count[model.Leading] == 1 && count[model.Waiting] == len(candidateNames)-1
	})
	ms := func(d time.Duration) time.Duration { return d.Round(time.Millisecond) }
	t.Logf("%v, %s: longest overlap %v; another candidate leads after %v (0s: none); server stops after %v; one leads and two wait %v after the healing",
		l, i.name, ms(w.check(t, w.start)), ms(next), ms(silent), ms(time.Since(healed)))
	if now := w.now("a"); !deposed && !moves && (now.Belief != model.Leading || now.Fence != fence) {
		t.Errorf("got candidate a %s with fence %#x, want Leading with %#x as before", now.Belief, now.Fence, fence)
	}
}
