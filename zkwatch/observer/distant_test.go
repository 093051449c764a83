package observer_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/model"
	"electop/model/doctor"
	"electop/zkwatch/internal/electiontest"
)

type distantConn struct {
	net.Conn
	delay    *atomic.Int64 // nanoseconds in each direction
	rate     int           // bytes per second from the server; 0: no limit
	received *io.PipeReader
	out      chan packet
	close    func()
}

type packet struct {
	at    time.Time
	bytes []byte
}

func newDistantConn(c net.Conn, delay *atomic.Int64, rate int) *distantConn {
	r, w := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	d := &distantConn{Conn: c, delay: delay, rate: rate, received: r, out: make(chan packet, 1<<12)}
	d.close = sync.OnceFunc(func() { cancel(); c.Close(); r.Close(); w.Close() })
	in := make(chan packet, 1<<12)
	go func() {
		defer close(in)
		var free time.Time
		for {
			b := make([]byte, 16<<10)
			n, err := c.Read(b)
			if err != nil {
				return
			}
			now := time.Now()
			if rate > 0 {
				if free.Before(now) {
					free = now
				}
				free = free.Add(time.Duration(n) * time.Second / time.Duration(rate))
				now = free
			}
			select {
			case in <- packet{now.Add(time.Duration(delay.Load())), b[:n]}:
			case <-ctx.Done():
				return
			}
		}
	}()
	deliver := func(from <-chan packet, to io.Writer) {
		for {
			select {
			case p, ok := <-from:
				if !ok {
					d.close()
					return
				}
				select {
				case <-time.After(time.Until(p.at)):
				case <-ctx.Done():
					return
				}
				if _, err := to.Write(p.bytes); err != nil {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
	go deliver(in, w)
	go deliver(d.out, c)
	return d
}

func (d *distantConn) Read(p []byte) (int, error)       { return d.received.Read(p) }
func (d *distantConn) Close() error                     { d.close(); return nil }
func (d *distantConn) SetDeadline(time.Time) error      { return nil }
func (d *distantConn) SetReadDeadline(time.Time) error  { return nil }
func (d *distantConn) SetWriteDeadline(time.Time) error { return nil }
func (d *distantConn) Write(p []byte) (int, error) {
	d.out <- packet{time.Now().Add(time.Duration(d.delay.Load())), append([]byte(nil), p...)}
	return len(p), nil
}

func observeOverALongLink(t *testing.T, delay time.Duration, rate int, f func(*zkserver.Server, *zk.Conn, *electiontest.Watched, *atomic.Int64)) {
	synctest.Test(t, func(t *testing.T) {
		server, near := electiontest.Embedded(t)
		electiontest.Creator(t, near)("/e", 0)
		var linkDelay atomic.Int64
		linkDelay.Store(int64(delay))
		cfg := electiontest.Conn(server, nil)
		cfg.SessionTimeout = 30 * time.Second
		electiontest.WrapConns(&cfg, func(c net.Conn) net.Conn { return newDistantConn(c, &linkDelay, rate) })
		w := electiontest.Observe(t, cfg, model.Config{Path: "/e", AckPath: "/ack"}, byReads)
		w.Await(t, "empty", electiontest.QueueOf(0))
		f(server, near, w, &linkDelay)
		near.Close()
	})
}

func TestDeletionSeenOverALongLink(t *testing.T) {
	for _, delay := range []time.Duration{50 * time.Millisecond, 100 * time.Millisecond, 500 * time.Millisecond} {
		t.Run(delay.String(), func(t *testing.T) {
			observeOverALongLink(t, delay, 0, func(_ *zkserver.Server, near *zk.Conn, w *electiontest.Watched, linkDelay *atomic.Int64) {
				create := electiontest.Creator(t, near)
				leader, next := create("/e/n_", electiontest.Contender), create("/e/n_", electiontest.Contender)
				// A read is in progress when the leader is deleted.
				time.Sleep(delay + delay/2)
				deleted := time.Now()
				electiontest.Remove(t, near, leader)
				w.Await(t, "the next leader", func(s *doctor.State) bool {
					return s.Queue.Len() == 1 && "/e/"+s.Queue.At(0).Name == next
				})
				// The limit is two round trips, and half a round trip for the notification.
				if most := 2*2*delay + delay + 50*time.Millisecond; time.Since(deleted) > most {
					t.Errorf("got the deletion after %v over a link of %v each way, want at most %v", time.Since(deleted), delay, most)
				}
			})
		})
	}
}

func TestObserverSeesLeadersOfMoreThanThreeRoundTrips(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	const delay = 100 * time.Millisecond
	observeOverALongLink(t, delay/100, 0, func(_ *zkserver.Server, near *zk.Conn, w *electiontest.Watched, linkDelay *atomic.Int64) {
		linkDelay.Store(int64(delay))
		create := electiontest.Creator(t, near)
		var queue, longLeaders []string
		for range 8 { // meanwhile, the client measures the new round trip
			queue = append(queue, create("/e/n_", electiontest.Contender))
			time.Sleep(time.Second)
		}
		since := time.Now()
		for range 400 {
			time.Sleep(time.Duration(random.Int64N(int64(2 * 3 * delay))))
			if len(queue) > 1 && random.IntN(2) == 0 {
				i := random.IntN(2) * random.IntN(len(queue)) // mostly the leader
				electiontest.Remove(t, near, queue[i])
				if i == 0 {
					if time.Since(since) > 3*2*delay {
						longLeaders = append(longLeaders, queue[0])
					}
					since = time.Now()
				}
				queue = append(queue[:i:i], queue[i+1:]...)
			} else {
				queue = append(queue, create("/e/n_", electiontest.Contender))
			}
		}
		w.Await(t, "the last candidate", func(s *doctor.State) bool {
			return s.Queue.Len() == len(queue) && "/e/"+s.Queue.At(len(queue)-1).Name == queue[len(queue)-1]
		})
		time.Sleep(2 * model.AckWait)
		seen := make(map[string]bool)
		for _, e := range w.Events.All() {
			if h, ok := e.Body.(model.Handoff); ok && h.From != nil {
				seen["/e/"+h.From.Name] = true
			}
		}
		missed := 0
		for _, name := range longLeaders {
			if !seen[name] {
				missed++
			}
		}
		if missed > 0 || len(longLeaders) < 20 {
			t.Errorf("seed %d: got %d unseen leaders of %d that led for more than three round trips, want 0 of at least 20", seed, missed, len(longLeaders))
		}
	})
}

func TestReadsLeaveMostOfALinkFree(t *testing.T) {
	const many, rate = 2000, 1 << 20
	for _, delay := range []time.Duration{time.Millisecond, 100 * time.Millisecond} {
		t.Run(delay.String(), func(t *testing.T) {
			observeOverALongLink(t, delay, rate, func(server *zkserver.Server, near *zk.Conn, w *electiontest.Watched, linkDelay *atomic.Int64) {
				for made := 0; made < many; made += 500 {
					ops := make([]any, 0, 500)
					for i := range 500 {
						ops = append(ops, &zk.CreateRequest{Path: "/e/" + fmt.Sprintf("%032x-n_", made+i), Acl: electiontest.Open, Flags: electiontest.Contender})
					}
					if _, err := near.Multi(ops...); err != nil {
						t.Fatal(err)
					}
				}
				w.Await(t, "all of them", electiontest.QueueOf(many))
				time.Sleep(10 * time.Second)
				names, _, err := near.Children("/e")
				if err != nil {
					t.Fatal(err)
				}
				before := server.Counters()
				begin := time.Now()
				for _, name := range names[:many/2] { // a deletion adds no child to read
					electiontest.Remove(t, near, "/e/"+name)
					time.Sleep(20 * time.Millisecond)
				}
				took := time.Since(begin)
				after := server.Counters()
				busy := time.Duration(after.BytesOut-before.BytesOut) * time.Second / rate
				if share := float64(busy) / float64(took); share > 0.22 || share < 0.02 {
					t.Errorf("got the link busy with replies for %v of %v, %.0f %%, want 2 to 22 %%", busy, took, 100*share)
				}
			})
		})
	}
}

func TestAcknowledgementOverALongLink(t *testing.T) {
	const delay = 200 * time.Millisecond
	observeOverALongLink(t, delay, 0, func(_ *zkserver.Server, near *zk.Conn, w *electiontest.Watched, linkDelay *atomic.Int64) {
		time.Sleep(10 * delay)
		create := electiontest.Creator(t, near)
		for range 3 {
			begin := time.Now()
			create("/ack", zk.FlagEphemeral)
			if took := ackSeen(t, w, model.Present).Sub(begin); took > 3*delay+10*time.Millisecond {
				t.Errorf("got the creation after %v, want at most 3 times %v", took, delay)
			}
			time.Sleep(10 * delay)
			begin = time.Now()
			electiontest.Remove(t, near, "/ack")
			if took := ackSeen(t, w, model.Absent).Sub(begin); took > 3*delay+10*time.Millisecond {
				t.Errorf("got the deletion after %v, want at most 3 times %v", took, delay)
			}
			time.Sleep(10 * delay)
		}
	})
}

func ackSeen(t *testing.T, w *electiontest.Watched, p model.Presence) time.Time {
	return w.Await(t, "the acknowledgement "+string(p), func(s *doctor.State) bool { return s.Ack.Presence == p && s.Ack.Path == "/ack" }).Ack.At
}
