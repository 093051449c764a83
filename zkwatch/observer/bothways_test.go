package observer_test

import (
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/google/go-cmp/cmp"

	"electop/demo/zkserver"
	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/zkwatch/feed"
	"electop/zkwatch/internal/clienttest"
	"electop/zkwatch/internal/electiontest"
)

// A report is what an observer's feed says of an election's past. Its times are those
// of an observer that learns of each change at once.
type report struct {
	Handoffs []handoff
	Totals   model.Totals
	Lanes    []lane
}

type handoff struct {
	From, To string
	Cause    model.Cause
	At       time.Time
}

type lane struct {
	Name      string
	Cause     model.Cause
	End       time.Time
	Stretches []model.Stretch
}

func reportOf(s *doctor.State) (r report) {
	named := func(c *dialect.Candidate) string {
		if c == nil {
			return "nobody"
		}
		return c.Name
	}
	for _, h := range s.Handoffs {
		r.Handoffs = append(r.Handoffs, handoff{named(h.From), named(h.To), h.Cause, h.At})
	}
	r.Totals = s.Totals
	for _, l := range s.Lanes(1000).All {
		z := l.Znodes[0]
		r.Lanes = append(r.Lanes, lane{z.Name, z.Cause, z.End, l.Stretches})
	}
	return r
}

// timeless drops the times, and so a lane's changes within one pause.
func (r report) timeless() report {
	r.Totals.Led, r.Totals.Vacant = 0, 0
	for i := range r.Handoffs {
		r.Handoffs[i].At = time.Time{}
	}
	for i := range r.Lanes {
		l := &r.Lanes[i]
		l.End, l.Stretches = time.Time{}, slices.Clone(l.Stretches)
		for k := range l.Stretches {
			l.Stretches[k].From = time.Time{}
		}
	}
	return r
}

// A history is a random election by several sessions, some of which own several
// candidates.
type history struct {
	*rand.Rand
	path     string
	connect  func() *zk.Conn
	create   func(c *zk.Conn) string
	sessions []*zk.Conn
	owned    map[*zk.Conn][]string
}

// step makes one change: a create, a delete, or the end of a session with all that it
// owns. It returns how many znodes there are.
func (h *history) step(t *testing.T) (n int) {
	i := h.IntN(4)
	if len(h.sessions) <= i {
		h.sessions = append(h.sessions, h.connect())
		i = len(h.sessions) - 1
	}
	c := h.sessions[i]
	switch mine := h.owned[c]; {
	case len(mine) == 0 || h.IntN(2) == 0:
		h.owned[c] = append(mine, h.create(c))
	case h.IntN(3) == 0:
		c.Close()
		delete(h.owned, c)
		h.sessions = slices.Delete(h.sessions, i, i+1)
	default:
		k := h.IntN(len(mine))
		if err := c.Delete(mine[k], -1); err != nil {
			t.Fatal(err)
		}
		h.owned[c] = slices.Delete(mine, k, k+1)
	}
	for _, names := range h.owned {
		n += len(names)
	}
	return n
}

func (h *history) end() {
	for _, c := range h.sessions {
		c.Close()
	}
}

func newHistory(t *testing.T, seed uint64, path string, connect func() *zk.Conn) *history {
	return &history{
		Rand: rand.New(rand.NewPCG(seed, 0)), path: path, connect: connect, owned: make(map[*zk.Conn][]string),
		create: func(c *zk.Conn) string { return clienttest.Creator(t, c)(path+"/n_", clienttest.Contender) },
	}
}

func compare(t *testing.T, reads, watch report) {
	t.Helper()
	if diff := cmp.Diff(reads, watch); diff != "" {
		t.Fatalf("what is said by reads (-) and by a watch (+):\n%s", diff)
	}
}

// virtually runs f with two observers of /e, by a watch and by reads, over a link with
// that delay each way, in virtual time.
func virtually(t *testing.T, delay time.Duration, f func(t *testing.T, server *zkserver.Server, connect func() *zk.Conn, watch, reads *electiontest.Watched)) {
	synctest.Test(t, func(t *testing.T) {
		server, c := clienttest.Embedded(t)
		clienttest.Creator(t, c)("/e", 0)
		var link atomic.Int64
		link.Store(int64(delay))
		cfg := electiontest.Conn(server, nil)
		cfg.SessionTimeout = time.Minute
		if delay > 0 {
			clienttest.Over(&cfg, func(c net.Conn) net.Conn { return newDistantConn(c, &link, 0) })
		}
		watch := electiontest.Observe(t, cfg, model.Config{Path: "/e"})
		reads := electiontest.Observe(t, cfg, model.Config{Path: "/e"}, byReads)
		watch.Await(t, "by a watch", byWatch)
		reads.Await(t, "empty", electiontest.QueueOf(0))
		f(t, server, func() *zk.Conn { return clienttest.EmbeddedClient(t, server) }, watch, reads)
		c.Close()
	})
}

// In virtual time the reports agree to the nanosecond where the network takes no time,
// and in all but the times where it does.
func TestBothWaysOfFollowingReportTheSamePast(t *testing.T) {
	first := electiontest.Seed(t)
	for _, delay := range []time.Duration{0, 150 * time.Millisecond} {
		for seed := first; seed < first+10; seed++ {
			t.Run(fmt.Sprint(delay, "/", seed), func(t *testing.T) {
				virtually(t, delay, func(t *testing.T, _ *zkserver.Server, connect func() *zk.Conn, watch, reads *electiontest.Watched) {
					h := newHistory(t, seed, "/e", connect)
					for range 60 {
						time.Sleep(time.Duration(2000+h.IntN(3000)) * time.Millisecond)
						h.step(t)
					}
					time.Sleep(2 * time.Second)
					for _, w := range []*electiontest.Watched{watch, reads} { // totals are up to now
						w.Feed.Put(&model.Advance{At: feed.Now()})
					}
					synctest.Wait()
					a, b := reportOf(reads.Feed.State()), reportOf(watch.Feed.State())
					if delay > 0 {
						a, b = a.timeless(), b.timeless()
					}
					h.end()
					compare(t, a, b)
				})
			})
		}
	}
}

func handoffs(s *doctor.State) string {
	var all []string
	for _, h := range reportOf(s).Handoffs {
		all = append(all, fmt.Sprintf("%s>%s %s", strings.TrimPrefix(h.From, "n_000000000"), strings.TrimPrefix(h.To, "n_000000000"), h.Cause))
	}
	return strings.Join(all, ", ")
}

// A session that owns the first candidates ends: none but the first led. If it deletes
// them one by one, each of them led.
func TestEndOfASessionWithSeveralCandidates(t *testing.T) {
	const mine = 6
	for _, delay := range []time.Duration{0, 150 * time.Millisecond} {
		for _, end := range []string{"expires", "closes", "deletes"} {
			t.Run(fmt.Sprint(end, "/", delay), func(t *testing.T) {
				virtually(t, delay, func(t *testing.T, server *zkserver.Server, connect func() *zk.Conn, watch, reads *electiontest.Watched) {
					a, b := connect(), connect()
					var names []string
					for range mine {
						names = append(names, clienttest.Creator(t, a)("/e/n_", clienttest.Contender))
					}
					clienttest.Creator(t, b)("/e/n_", clienttest.Contender)
					clienttest.Creator(t, a)("/e/n_", clienttest.Contender)
					time.Sleep(2 * time.Second)
					want := fmt.Sprintf("nobody>0 unknown, 0>%d unknown", mine)
					switch end {
					case "expires":
						if err := server.ExpireSession(a.SessionID()); err != nil {
							t.Fatal(err)
						}
					case "closes":
						a.Close()
					case "deletes":
						want = "nobody>0 unknown"
						for i, name := range names {
							if err := a.Delete(name, -1); err != nil {
								t.Fatal(err)
							}
							want += fmt.Sprintf(", %d>%d deleted", i, i+1)
						}
					}
					time.Sleep(2 * time.Second)
					if got := handoffs(watch.Feed.State()); got != want {
						t.Errorf("by a watch: %s\nwant: %s", got, want)
					}
					if got := handoffs(reads.Feed.State()); end != "deletes" && got != want {
						t.Errorf("by reads: %s\nwant: %s", got, want)
					}
					a.Close()
					b.Close()
				})
			})
		}
	}
}

// Candidates live shorter than a round trip takes, and always three exist: somebody
// leads all the time.
func TestCandidatesThatLiveShorterThanARoundTrip(t *testing.T) {
	const every = 100 * time.Millisecond
	virtually(t, 150*time.Millisecond, func(t *testing.T, _ *zkserver.Server, connect func() *zk.Conn, watch, reads *electiontest.Watched) {
		c := connect()
		create := clienttest.Creator(t, c)
		var names []string
		for range 3 {
			names = append(names, create("/e/n_", clienttest.Contender))
		}
		time.Sleep(2 * time.Second)
		all := []*electiontest.Watched{watch, reads}
		var vacant []time.Duration // before anybody could join
		for _, w := range all {
			vacant = append(vacant, w.Feed.State().Totals.Vacant)
		}
		for range 100 {
			names = append(names, create("/e/n_", clienttest.Contender))
			if err := c.Delete(names[0], -1); err != nil {
				t.Fatal(err)
			}
			names = names[1:]
			time.Sleep(every)
		}
		time.Sleep(2 * time.Second)
		for i, w := range all {
			s := w.Feed.State()
			for _, h := range s.Handoffs {
				if h.To == nil {
					t.Errorf("%s handed over to nobody", h.From.Name)
				}
			}
			if got := s.Totals.Vacant; got != vacant[i] {
				t.Errorf("%v without a leader, %v before the first", got, vacant[i])
			}
			if z := s.Leader(); z == nil || znode.Join("/e", z.Name) != names[0] {
				t.Errorf("%v leads, want %s", z, names[0])
			}
		}
		if got := watch.Feed.State().Totals.Handoffs; got != 101 {
			t.Errorf("%d handoffs by a watch, 101 happened", got)
		}
		c.Close()
	})
}
