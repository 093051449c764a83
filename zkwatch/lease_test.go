package zkwatch_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/model"
	"electop/zkwatch"
	"electop/zkwatch/fault"
	"electop/zkwatch/wire"
)

// wires are the connections of one candidate in virtual time: they can be cut
// and muted, and the line below can go down.
type wires struct {
	server *zkserver.Server
	line   fault.Line
	mu     sync.Mutex
	down   bool
	mute   chan struct{} // non-nil: nothing arrives until it is closed
	keep   bool          // transactions are kept back, and what is kept goes when it ends
	kept   []func()
	conns  []net.Conn
}

func (w *wires) dial(context.Context, string, string) (net.Conn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.down {
		return nil, errors.New("the wire is cut")
	}
	c, err := w.server.Dial()
	if err != nil {
		return nil, err
	}
	w.conns = append(w.conns, c)
	return &mutable{Conn: c, wires: w, closed: make(chan struct{})}, nil
}

// cut drops the connections and allows no new ones until mend.
func (w *wires) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = true
	for _, c := range w.conns {
		c.Close()
	}
	w.conns = nil
}

func (w *wires) mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = false
}

// withhold keeps transactions back, and lets go of them when it ends: a server
// without a quorum does so, and answers pings and reads.
func (w *wires) withhold(on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.keep = on
	if !on {
		for _, write := range w.kept {
			write()
		}
		w.kept = nil
	}
}

func (w *wires) silence() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mute = make(chan struct{})
}

func (w *wires) speak() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.mute != nil {
		close(w.mute)
		w.mute = nil
	}
}

// mutable is a connection whose replies can be held back.
type mutable struct {
	net.Conn
	wires  *wires
	once   sync.Once
	closed chan struct{}
}

func (m *mutable) Close() error {
	m.once.Do(func() { close(m.closed) })
	return m.Conn.Close()
}

func (m *mutable) Write(b []byte) (int, error) {
	m.wires.mu.Lock()
	if m.wires.keep && len(b) >= 12 && wire.Op(binary.BigEndian.Uint32(b[8:])) == wire.OpMulti {
		b = bytes.Clone(b)
		m.wires.kept = append(m.wires.kept, func() { m.Conn.Write(b) })
		m.wires.mu.Unlock()
		return len(b), nil
	}
	m.wires.mu.Unlock()
	return m.Conn.Write(b)
}

func (m *mutable) Read(b []byte) (int, error) {
	n, err := m.Conn.Read(b)
	m.wires.mu.Lock()
	mute := m.wires.mute
	m.wires.mu.Unlock()
	if mute != nil {
		select {
		case <-mute:
		case <-m.closed:
			return 0, net.ErrClosed
		}
	}
	return n, err
}

const leaseTimeout = 6 * time.Second

// virtual runs an election of n candidates in virtual time.
func virtual(t *testing.T, n int, f func(t *testing.T, server *zkserver.Server, s []*stander, w []*wires)) {
	synctest.Test(t, func(t *testing.T) {
		server := zkserver.New(zkserver.Options{})
		t.Cleanup(func() { server.Close() })
		var standers []*stander
		var ws []*wires
		for i := range n {
			w := &wires{server: server}
			servers, err := zkwatch.ParseConnectString("127.0.0.1:1")
			if err != nil {
				t.Fatal(err)
			}
			s := stand(t, zkwatch.CandidateConfig{
				Conn: zkwatch.Config{Servers: servers, SessionTimeout: leaseTimeout, Dial: w.dial, Line: &w.line, BufferSize: 16 << 10, MaxReply: 64 << 10},
				Path: "/election", Create: true, Ack: "/election-leader",
			})
			t.Cleanup(w.speak)
			if i == 0 {
				s.believes(t, model.Leading)
			} else {
				s.believes(t, model.Waiting)
			}
			standers, ws = append(standers, s), append(ws, w)
		}
		f(t, server, standers, ws)
	})
}

func leads(m model.Member) bool { return m.Belief == model.Leading || m.Belief == model.Elected }

func TestFrozenLeaderBelievesUntilItThaws(t *testing.T) {
	virtual(t, 3, func(t *testing.T, _ *zkserver.Server, s []*stander, _ []*wires) {
		before := s[0].now()
		s[0].Freeze()
		next := s[1].believes(t, model.Leading)
		if next.Fence <= before.Fence {
			t.Errorf("the next leader's fence %x is not above %x", next.Fence, before.Fence)
		}
		time.Sleep(time.Hour) // virtual
		if m := s[0].now(); m.Belief != model.Leading {
			t.Errorf("frozen for an hour it believes %q", m.Belief)
		}
		_, i := s[0].await(t, 0, "leading", leads)
		s[0].Thaw()
		_, i = s[0].await(t, i, "lost", func(m model.Member) bool { return m.Belief == model.Lost })
		m, _ := s[0].await(t, i, "waiting again", func(m model.Member) bool { return m.Belief == model.Waiting })
		if m.Session == before.Session || m.Watches != s[2].now().Znode {
			t.Errorf("volunteered anew as %+v, want another session and the last place", m)
		}
	})
}

func TestShortFreezeChangesNothing(t *testing.T) {
	virtual(t, 2, func(t *testing.T, _ *zkserver.Server, s []*stander, _ []*wires) {
		before := s[0].now()
		s[0].Freeze()
		time.Sleep(leaseTimeout / 3)
		s[0].Thaw()
		time.Sleep(10 * leaseTimeout)
		if m := s[0].now(); m.Belief != model.Leading || m.Fence != before.Fence {
			t.Errorf("after a short freeze: %+v", m)
		}
	})
}

func TestKilledWhileFrozen(t *testing.T) {
	virtual(t, 2, func(t *testing.T, _ *zkserver.Server, s []*stander, _ []*wires) {
		s[0].Freeze()
		s[0].Kill()
		if err := <-s[0].done; err != nil {
			t.Errorf("Run after Kill: %v", err)
		}
		s[1].believes(t, model.Leading)
	})
}

func TestLeaderLosesItsConnectionForAMoment(t *testing.T) {
	virtual(t, 2, func(t *testing.T, _ *zkserver.Server, s []*stander, w []*wires) {
		before, i := s[0].await(t, 0, "leading", func(m model.Member) bool { return m.Belief == model.Leading })
		w[0].cut()
		_, i = s[0].await(t, i, "suspended", func(m model.Member) bool { return m.Belief == model.Suspended })
		w[0].mend()
		after, _ := s[0].await(t, i, "leading again", func(m model.Member) bool { return m.Belief == model.Leading })
		if after.Fence != before.Fence || after.Session != before.Session || after.Znode != before.Znode {
			t.Errorf("leads again as %+v, was %+v", after, before)
		}
		time.Sleep(3 * leaseTimeout)
		if m := s[1].now(); m.Belief != model.Waiting {
			t.Errorf("the other came to believe %q", m.Belief)
		}
	})
}

func TestLeaderStopsBeforeItsSessionCanExpire(t *testing.T) {
	for _, how := range []string{"cut", "silence"} {
		t.Run(how, func(t *testing.T) {
			virtual(t, 2, func(t *testing.T, _ *zkserver.Server, s []*stander, w []*wires) {
				var stopped, led atomic.Int64 // virtual ns
				start := time.Now()
				go func() {
					s[0].await(t, 0, "no longer leading", func(m model.Member) bool {
						return m.Belief == model.Suspended || m.Belief == model.Lost
					})
					stopped.Store(int64(time.Since(start)))
				}()
				go func() {
					s[1].await(t, 0, "leading", leads)
					led.Store(int64(time.Since(start)))
				}()
				time.Sleep(leaseTimeout / 2)
				if how == "cut" {
					w[0].cut()
				} else {
					w[0].silence()
				}
				time.Sleep(3 * leaseTimeout)
				if stopped.Load() == 0 || led.Load() == 0 || stopped.Load() >= led.Load() {
					t.Errorf("the old leader stopped at %v, the new one led at %v", time.Duration(stopped.Load()), time.Duration(led.Load()))
				}
				w[0].mend()
				w[0].speak()
				_, i := s[0].await(t, 0, "lost", func(m model.Member) bool { return m.Belief == model.Lost })
				s[0].await(t, i, "waiting anew", func(m model.Member) bool { return m.Belief == model.Waiting })
			})
		})
	}
}

// TestAtMostOneLeader runs days of random trouble in virtual time. At no
// moment do two candidates that are not frozen believe that they lead.
func TestAtMostOneLeader(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 1))
	defer func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	}()
	virtual(t, 5, func(t *testing.T, _ *zkserver.Server, s []*stander, w []*wires) {
		frozen := make([]bool, len(s))
		check := func() {
			t.Helper()
			n := 0
			for i := range s {
				if !frozen[i] && leads(s[i].now()) {
					n++
				}
			}
			if n > 1 {
				t.Fatalf("%d believe that they lead", n)
			}
		}
		rounds := 2000
		if testing.Short() {
			rounds = 200
		}
		for range rounds {
			i := random.IntN(len(s))
			switch random.IntN(9) {
			case 0:
				w[i].cut()
			case 1, 2:
				w[i].mend()
			case 3:
				frozen[i] = true
				s[i].Freeze()
			case 4:
				// It may believe for as long as it takes to look at its clock.
				s[i].Thaw()
				synctest.Wait()
				frozen[i] = false
			case 5, 6:
				w[i].line.Partition()
			case 7, 8:
				w[i].line.Heal()
			}
			for range 4 {
				time.Sleep(time.Duration(random.Int64N(int64(leaseTimeout))))
				check()
			}
		}
		for i := range s {
			w[i].mend()
			w[i].line.Heal()
			s[i].Thaw()
			frozen[i] = false
		}
		time.Sleep(10 * leaseTimeout)
		n := 0
		for i := range s {
			if s[i].now().Belief == model.Leading {
				n++
			}
		}
		if n != 1 {
			t.Errorf("after the trouble %d lead, want 1", n)
		}
	})
}

// lossy loses the reply to the first create of a candidate's znode: the
// request goes out, then the connection is gone.
type lossy struct {
	net.Conn
	lost *atomic.Bool
	drop atomic.Bool
}

func (l *lossy) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte("-n_")) && l.lost.CompareAndSwap(false, true) {
		l.drop.Store(true)
	}
	return l.Conn.Write(b)
}

func (l *lossy) Read(b []byte) (int, error) {
	n, err := l.Conn.Read(b)
	if l.drop.Load() {
		l.Conn.Close()
		return 0, io.ErrUnexpectedEOF
	}
	return n, err
}

func TestLostReplyLeavesNoGhost(t *testing.T) {
	zktest.Each(t, func(t *testing.T, addr string) {
		path := electionPath(t)
		c := raw(t, addr)
		creator(t, c)(path, 0)
		var lost atomic.Bool
		cfg := config(t, addr)
		cfg.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := new(net.Dialer).DialContext(ctx, network, addr)
			return &lossy{Conn: conn, lost: &lost}, err
		}
		s := stand(t, zkwatch.CandidateConfig{Conn: cfg, Path: path})
		m := s.believes(t, model.Leading)
		if !lost.Load() {
			t.Fatal("no reply was lost: the test shows nothing")
		}
		children, _, err := c.Children(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(children) != 1 || children[0] != m.Znode || !strings.HasSuffix(m.Znode, "-n_0000000000") {
			t.Errorf("children %q, the candidate's znode is %q", children, m.Znode)
		}
	})
}
