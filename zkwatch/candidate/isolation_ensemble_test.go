package candidate_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"electop/demo/zktest"
	"electop/model"
	"electop/zkwatch/candidate"
	"electop/zkwatch/client"
	"electop/zkwatch/internal/clienttest"
	"electop/zkwatch/internal/electiontest"
)

// limits are what decides how long a server answers that its ensemble has given
// up: the session's timeout against syncLimit ticks.
type limits struct {
	session, tick time.Duration
	syncLimit     int
}

func (l limits) String() string {
	return fmt.Sprintf("session %v, tick %v, syncLimit %d", l.session, l.tick, l.syncLimit)
}

// An isolation is what is held between the servers. Candidate a leads on the
// first of them, b is next on the second, c waits on the third.
type isolation struct {
	name     string
	order    func(leader *zktest.Server, followers []*zktest.Server) []*zktest.Server // of a, b, c
	cut      func(t *testing.T, e *zktest.Ensemble, s []*zktest.Server)
	of       int  // which of the servers stops serving
	deposed  bool // another candidate leads in the end, as the session of a ends
	inShort  bool // it is part of the short form
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
		name: "server of the leading candidate", order: onFollower, of: 0, deposed: true, inShort: true, onlyHere: true,
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
		name: "ensemble leader", order: onLeader, of: 0, deposed: true, inShort: true, onlyHere: true,
		cut: func(t *testing.T, e *zktest.Ensemble, s []*zktest.Server) { e.Isolate(s[0]) },
	},
	{
		name: "follower to ensemble leader", order: onFollower, of: 0, deposed: true, onlyHere: true,
		cut: func(t *testing.T, e *zktest.Ensemble, s []*zktest.Server) { e.Hold(s[0], s[2]) },
	},
	{
		name: "ensemble leader to follower", order: onFollower, of: 0, deposed: true, inShort: true, onlyHere: true,
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
// ELECTOP_TEST_LONG=30m runs all cuts at four pairs of session timeout and
// syncLimit, again and again for about that time and once at least, which takes
// ten minutes.
func TestNeverTwoLeadersUnderIsolation(t *testing.T) {
	t.Parallel()
	const s = time.Second
	all := []limits{{4 * s, 2 * s, 5}, {6 * s, 2 * s, 5}, {10 * s, 2 * s, 10}, {10 * s, 2 * s, 3}}
	duration, isLong := electiontest.Long(t)
	if !isLong {
		all = []limits{{s, 250 * time.Millisecond, 10}}
	}
	for _, l := range all {
		t.Run(l.String(), func(t *testing.T) {
			e := zktest.NewEnsemble(t, 3, zktest.WithLinks(), zktest.WithTick(l.tick), zktest.WithLimits(20, l.syncLimit))
			until := time.Now().Add(duration / time.Duration(len(all)))
			for round := 1; ; round++ {
				for _, i := range isolations {
					if isLong || i.inShort {
						t.Run(i.name, func(t *testing.T) { i.run(t, e, l) })
					}
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
	w, path := newWitness(), clienttest.ElectionPath(t)
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
		cfg := clienttest.Config(t, strings.Join(addrs, ","))
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
