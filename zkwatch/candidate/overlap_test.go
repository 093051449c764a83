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

// An overlap is a time in which several were leading, or working, at once.
type overlap struct {
	what     deed
	from, to time.Time
	names    []string
}

func (o overlap) length() time.Duration { return o.to.Sub(o.from) }

// overlaps returns all since a moment, in the order of their beginning. One that
// is frozen is left out meanwhile: it believes until it thaws, as a paused
// process does.
func (w *witness) overlaps(what deed, since time.Time) (found []overlap) {
	w.mu.Lock()
	moments := slices.Clone(w.moments)
	w.mu.Unlock()
	slices.SortStableFunc(moments, func(a, b moment) int { return a.at.Compare(b.at) })
	type count struct{ does, frozen int }
	counts := make(map[string]*count)
	var present overlap
	step := func(at time.Time) {
		var names []string
		for name, c := range counts {
			if c.does > 0 && c.frozen == 0 {
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
	for _, m := range moments {
		c := counts[m.name]
		if c == nil {
			c = new(count)
			counts[m.name] = c
		}
		switch m.what {
		case what:
			c.does += m.by
		case frozen:
			c.frozen += m.by
		}
		step(m.at)
	}
	if present.names != nil { // and it goes on
		present.to = time.Now()
		found = append(found, present)
	}
	return found
}

// judge fails the test for each time since a moment that two were leading, or
// working, for longer than scheduling explains. It returns the longest, if any.
func (w *witness) judge(t *testing.T, since time.Time) (longest time.Duration) {
	t.Helper()
	told := false
	for _, o := range append(w.overlaps(leading, since), w.overlaps(working, since)...) {
		longest = max(longest, o.length())
		if o.length() <= scheduling {
			continue
		}
		story := ""
		if !told { // of the others nobody reads at first
			told, story = true, "\n"+w.around(o)
		}
		t.Errorf("%v at once for %v, from %v on: %v%s", o.what, o.length().Round(time.Millisecond), o.from.Sub(w.start).Round(time.Millisecond), o.names, story)
	}
	return longest
}

// around lists what happened shortly before and in an overlap, line by line.
func (w *witness) around(o overlap) string {
	const before = 10 * time.Second
	w.mu.Lock()
	defer w.mu.Unlock()
	notes := slices.Clone(w.notes)
	for _, m := range w.moments {
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

func TestWitness(t *testing.T) {
	at := time.Now()
	after := func(ms int) time.Time { return at.Add(time.Duration(ms) * time.Millisecond) }
	w := newWitness()
	w.moments = []moment{
		{after(0), "a", leading, +1}, {after(100), "a", leading, -1},
		{after(90), "b", leading, +1}, {after(200), "b", leading, -1}, // 10 ms with a
		{after(210), "c", working, +1}, {after(300), "d", working, +1}, {after(450), "c", working, -1}, {after(500), "d", working, -1}, // 150 ms
		{after(600), "e", leading, +1}, {after(700), "e", frozen, +1}, {after(800), "f", leading, +1}, {after(900), "e", frozen, -1}, {after(930), "e", leading, -1}, // 30 ms
		{after(940), "f", leading, -1},
	}
	var got []string
	for _, what := range []deed{leading, working} {
		for _, o := range w.overlaps(what, at) {
			got = append(got, fmt.Sprint(what, o.names, o.length()))
		}
	}
	want := []string{"leading [a b] 10ms", "leading [e f] 30ms", "working [c d] 150ms"}
	if !slices.Equal(got, want) {
		t.Errorf("overlaps %q, want %q", got, want)
	}
	if got := w.overlaps(leading, after(500)); len(got) != 1 {
		t.Errorf("since 500 ms: %v", got)
	}
}

// scheduling is for how long two candidates may seem to lead at once: what one
// of them does comes to the witness a little late on a busy machine.
const scheduling = 20 * time.Millisecond

// A witness sees when each of several candidates leads, by this process's
// monotonic clock. A candidate leads while it says so, and its leader procedure
// works until that one's context is done.
type witness struct {
	start time.Time

	mu      sync.Mutex
	moments []moment
	last    map[string]model.Member
	said    map[string]time.Time // the last report
	notes   []note
	changed chan struct{} // closed and replaced with each report
}

// A moment is a change of whether somebody leads or works, or is frozen.
type moment struct {
	at   time.Time
	name string
	what deed
	by   int // +1 begins, -1 ends
}

type deed int

const (
	leading deed = iota
	working
	frozen
)

func (d deed) String() string { return [...]string{"leading", "working", "frozen"}[d] }

// A note says what happened otherwise, for who reads of a failure.
type note struct {
	at   time.Time
	text string
}

func (w *witness) tell(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notes = append(w.notes, note{time.Now(), text})
}

func newWitness() *witness {
	return &witness{start: time.Now(), last: make(map[string]model.Member), said: make(map[string]time.Time), changed: make(chan struct{})}
}

// attend has the witness see a candidate, which needs a name of its own.
func (w *witness) attend(name string, cfg *candidate.Config) {
	cfg.Data = []byte(name)
	cfg.Report = func(_ time.Time, m model.Member) { w.report(name, m) }
	cfg.Lead = func(ctx context.Context, _ int64) error {
		w.note(name, working, +1)
		context.AfterFunc(ctx, func() { w.note(name, working, -1) })
		return nil
	}
}

func (w *witness) report(name string, m model.Member) {
	w.mu.Lock()
	defer w.mu.Unlock()
	was, is := w.last[name].Belief == model.Leading, m.Belief == model.Leading
	w.last[name], w.said[name] = m, time.Now()
	switch {
	case is && !was:
		w.moments = append(w.moments, moment{time.Now(), name, leading, +1})
	case was && !is:
		w.moments = append(w.moments, moment{time.Now(), name, leading, -1})
	}
	close(w.changed)
	w.changed = make(chan struct{})
}

func (w *witness) note(name string, what deed, by int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.moments = append(w.moments, moment{time.Now(), name, what, by})
}

func (w *witness) now(name string) model.Member {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last[name]
}

// reported returns the time of a candidate's last report.
func (w *witness) reported(name string) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.said[name]
}

// reigns counts how often somebody began to lead.
func (w *witness) reigns() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range w.moments {
		if m.what == leading && m.by > 0 {
			n++
		}
	}
	return n
}

// leaders are those who say that they lead.
func (w *witness) leaders() (names []string) {
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

// await waits for something, which a report may have made true.
func (w *witness) await(t *testing.T, limit time.Duration, what string, holds func() bool) {
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
			t.Fatalf("%s: not within %v\n%s", what, limit, w)
		}
	}
}

// believes waits until a candidate believes something.
func (w *witness) believes(t *testing.T, name string, b model.Belief) {
	t.Helper()
	w.await(t, electiontest.WaitFor, fmt.Sprint(name, " is ", b), func() bool { return w.now(name).Belief == b })
}

func (w *witness) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var b strings.Builder
	for name, m := range w.last {
		fmt.Fprintf(&b, "%s is %s (step %v) in session %#x with %s, watches %s: %s\n", name, m.Belief, m.Step, m.Session, m.Znode, m.Watches, m.Reason)
	}
	return b.String()
}

// limits decide how long a server answers that its ensemble has given
// up: the session's timeout against syncLimit ticks.
type limits struct {
	session, tick time.Duration
	syncLimit     int
}

func (l limits) String() string {
	return fmt.Sprintf("session %v, tick %v, syncLimit %d", l.session, l.tick, l.syncLimit)
}

// An isolation holds back messages between the servers. Candidate a leads on the
// first of them, b is next on the second, c waits on the third.
type isolation struct {
	name     string
	order    func(leader *zktest.Server, followers []*zktest.Server) []*zktest.Server // of a, b, c
	cut      func(t *testing.T, e *zktest.Ensemble, s []*zktest.Server)
	of       int  // which of the servers stops serving
	deposed  bool // another candidate leads in the end, as the session of a ends
	onlyHere bool // candidate a has one server; otherwise all, that one first
}

func onFollower(leader *zktest.Server, f []*zktest.Server) []*zktest.Server {
	return []*zktest.Server{f[0], f[1], leader}
}

func onLeader(leader *zktest.Server, f []*zktest.Server) []*zktest.Server {
	return []*zktest.Server{leader, f[0], f[1]}
}

var isolations = []isolation{
	{
		name: "server of the leading candidate", order: onFollower, of: 0, deposed: true, onlyHere: true,
		cut: func(t *testing.T, e *zktest.Ensemble, s []*zktest.Server) { e.Isolate(s[0]) },
	},
	{
		name: "server of the leading candidate that knows others", order: onFollower, of: 0, deposed: true,
		cut: func(t *testing.T, e *zktest.Ensemble, s []*zktest.Server) { e.Isolate(s[0]) },
	},
	{
		name: "server of the next candidate", order: onFollower, of: 1, onlyHere: true,
		cut: func(t *testing.T, e *zktest.Ensemble, s []*zktest.Server) { e.Isolate(s[1]) },
	},
	{
		name: "ensemble leader", order: onLeader, of: 0, deposed: true, onlyHere: true,
		cut: func(t *testing.T, e *zktest.Ensemble, s []*zktest.Server) { e.Isolate(s[0]) },
	},
	{
		name: "follower to ensemble leader", order: onFollower, of: 0, deposed: true, onlyHere: true,
		cut: func(t *testing.T, e *zktest.Ensemble, s []*zktest.Server) { e.Hold(s[0], s[2]) },
	},
	{
		name: "ensemble leader to follower", order: onFollower, of: 0, deposed: true, onlyHere: true,
		cut: func(t *testing.T, e *zktest.Ensemble, s []*zktest.Server) { e.Hold(s[2], s[0]) },
	},
	{
		name: "all that the ensemble leader sends", order: onLeader, of: 0, deposed: true, onlyHere: true,
		cut: func(t *testing.T, e *zktest.Ensemble, s []*zktest.Server) {
			e.Hold(s[0], s[1])
			e.Hold(s[0], s[2])
		},
	},
	{
		name: "all that the ensemble leader receives", order: onLeader, of: 0, deposed: true, onlyHere: true,
		cut: func(t *testing.T, e *zktest.Ensemble, s []*zktest.Server) {
			e.Hold(s[1], s[0])
			e.Hold(s[2], s[0])
		},
	},
}

// TestNeverTwoLeadersUnderIsolation holds links between the servers of an
// ensemble, while the candidates reach the servers as before. A server that is
// cut off goes on answering its clients, pings among them, for syncLimit ticks,
// which may be longer than the sessions live.
//
// ELECTOP_TEST_LONG=30m runs the cuts at four pairs of session timeout and
// syncLimit, again and again for about that time and once at least, which takes
// ten minutes; less than a minute runs them once at one pair.
func TestNeverTwoLeadersUnderIsolation(t *testing.T) {
	zktest.Second(t)
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
			for round := 1; ; round++ {
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

func (i isolation) run(t *testing.T, e *zktest.Ensemble, l limits) {
	// For the servers to find each other and the sessions to expire or not, at
	// leisure on a busy machine.
	limit := 3*l.session + 3*time.Duration(l.syncLimit)*l.tick + electiontest.WaitFor
	leader := e.Leader(t)
	var followers []*zktest.Server
	for _, s := range e.Members {
		if s != leader {
			followers = append(followers, s)
		}
	}
	servers := i.order(leader, followers)
	// A leader that knows other servers finds that its own is silent behind a write
	// that it cannot commit, and goes elsewhere, in time for its session or not.
	moves := i.deposed && !i.onlyHere
	deposed := i.deposed && !moves
	w, path := newWitness(), electiontest.ElectionPath(t)
	names := []string{"a", "b", "c"}
	var candidates []*candidate.Candidate
	for k, name := range names {
		addrs := []string{servers[k].Addr}
		if k > 0 || !i.onlyHere {
			for _, s := range e.Members {
				if s != servers[k] {
					addrs = append(addrs, s.Addr)
				}
			}
		}
		cfg := electiontest.Config(t, strings.Join(addrs, ","))
		cfg.SessionTimeout = l.session
		cfg.Shuffle = func(int, func(i, j int)) {}
		c := candidate.Config{Conn: cfg, Path: path, Create: true, Ack: path + "-leader"}
		w.attend(name, &c)
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
	t.Cleanup(func() { e.Heal() }) // first, or the candidates could not close their sessions
	fence, belief := w.now("a").Fence, w.now(names[i.of]).Belief

	w.tell(i.name)
	cut := time.Now()
	i.cut(t, e, servers)
	var silent, next time.Duration // from the cut on, until the server stops serving and another leads
	w.await(t, limit, "the server stops serving, and another leads and a does not where it shall be so", func() bool {
		if silent == 0 && !servers[i.of].Serving() {
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
		w.await(t, limit, names[i.of]+" is at another server, and what it was", func() bool {
			st := candidates[i.of].Status()
			return st.State == client.Connected && st.Server != servers[i.of].Addr && w.now(names[i.of]).Belief == belief
		})
	}
	w.tell("healed")
	e.Heal()
	healed := time.Now()
	w.await(t, limit, "one leads and two wait", func() bool {
		count := make(map[model.Belief]int)
		for _, name := range names {
			count[w.now(name).Belief]++
		}
		return count[model.Leading] == 1 && count[model.Waiting] == len(names)-1
	})
	t.Logf("%v, %s: longest overlap %v; the next leads after %v; the server does not serve after %v; one leads and two wait %v after the healing",
		l, i.name, w.judge(t, w.start).Round(time.Millisecond), next.Round(time.Millisecond), silent.Round(time.Millisecond), time.Since(healed).Round(time.Millisecond))
	if now := w.now("a"); !deposed && !moves && (now.Belief != model.Leading || now.Fence != fence) {
		t.Errorf("a, whose session lives, led with fence %#x and is %s with fence %#x", fence, now.Belief, now.Fence)
	}
}
