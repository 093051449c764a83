package client_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/zkwatch/client"
	"electop/zkwatch/fault"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/wire"
)

func TestConnectRefusesUnusableConfig(t *testing.T) {
	ok := client.ConnectString{Servers: []string{"a:1"}}
	for name, cfg := range map[string]client.Config{
		"no servers":            {},
		"bad chroot":            {Servers: client.ConnectString{Servers: ok.Servers, Chroot: "app"}},
		"negative timeout":      {Servers: ok, SessionTimeout: -1},
		"long timeout":          {Servers: ok, SessionTimeout: 1 << 60},
		"negative dial timeout": {Servers: ok, DialTimeout: -1},
		"small buffer":          {Servers: ok, BufferSize: 10},
		"negative reply limit":  {Servers: ok, MaxReply: -1},
		"empty scheme":          {Servers: ok, Auth: []client.Auth{{}}},
	} {
		if c, err := client.Connect(cfg); err == nil {
			c.Close()
			t.Errorf("%s: Connect returned no error", name)
		}
	}
}

func TestReconnectToTheOnlyServerIsQuick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &electiontest.Peer{}
		c := p.Connect(t)
		first := electiontest.WaitState(t, c, client.Connected)
		time.Sleep(time.Minute)
		lost := time.Now()
		p.Drop(1)
		second := p.Connected(t, c, 2)
		if d := time.Since(lost); d > 50*time.Millisecond {
			t.Errorf("connected again after %v, want 50ms at most", d)
		}
		if first.SessionID != 0x51 || second.SessionID != first.SessionID {
			t.Errorf("sessions %#x and %#x, want 0x51 twice", first.SessionID, second.SessionID)
		}
	})
}

func TestPausesBetweenAttemptsAtADeadServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := errors.New("refused")
		p := &electiontest.Peer{Dialled: func(n int, c net.Conn) (net.Conn, error) { c.Close(); return nil, refused }}
		c := p.Connect(t, func(cfg *client.Config) { cfg.SessionTimeout = 30 * time.Second })
		electiontest.WaitErr(t, c, refused)
		time.Sleep(20 * time.Second)
		// Attempts at 0, 50, 150, 350, 750 ms, 1.55 s, then one per second.
		if n := p.Dials(); n < 20 || n > 25 {
			t.Errorf("%d attempts in 20 s, want 20 to 25", n)
		}
		if s := c.Status(); s.State != client.Connecting || s.Server != "peer:2181" {
			t.Errorf("status %+v, want Connecting to peer:2181", s)
		}
		<-c.Done()
		if s := c.Status(); s.State != client.Closed || !errors.Is(s.Err, client.ErrNoSession) || !errors.Is(s.Err, refused) {
			t.Errorf("status %+v, want Closed with ErrNoSession and the error of the dial", s)
		}
	})
}

func TestEveryServerIsTriedBeforeAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &electiontest.Peer{Dialled: func(n int, c net.Conn) (net.Conn, error) {
			if n < 3 {
				c.Close()
				return nil, errors.New("down")
			}
			return c, nil
		}}
		c := p.Connect(t, func(cfg *client.Config) {
			cfg.Servers.Servers = []string{"a:1", "b:2", "c:3"}
			cfg.Shuffle = func(n int, swap func(i, j int)) { swap(0, 2) }
		})
		began := time.Now()
		s := electiontest.WaitState(t, c, client.Connected)
		if s.Server != "a:1" || !s.Since.Equal(began) {
			t.Errorf("connected to %s after %v, want a:1 after 0s", s.Server, s.Since.Sub(began))
		}
	})
}

func TestExpiryIsTerminal(t *testing.T) {
	for name, granted := range map[string]uint64{"unknown to the server": 0, "another session": 0x52} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &electiontest.Peer{
					Grant: func(n int, requested time.Duration, session uint64) (time.Duration, uint64) {
						if n == 1 {
							return requested, 0x51
						}
						return requested, granted
					},
					Answer: func(f electiontest.Request, _ func(int32, int32, []byte), _ int32) bool {
						return f.Opcode == wire.OpCreate
					},
				}
				c := p.Connect(t)
				states := c.Subscribe(t.Context())
				electiontest.WaitState(t, c, client.Connected)
				_, _, events, err := c.GetW(t.Context(), "/e")
				if err != nil {
					t.Fatal(err)
				}
				created := make(chan error)
				for i := range 40 { // more than the library's queue holds
					go func() {
						_, err := c.Create(t.Context(), fmt.Sprintf("/e/%d", i), nil, zk.FlagEphemeral, nil)
						created <- err
					}()
				}
				synctest.Wait()
				p.Drop(1)
				for range 40 {
					if err := <-created; !errors.Is(err, client.ErrUnknownOutcome) || !errors.Is(err, zk.ErrConnectionClosed) {
						t.Errorf("create: %v, want ErrUnknownOutcome and ErrConnectionClosed", err)
					}
				}
				<-c.Done()
				s := c.Status()
				if s.State != client.Expired || !errors.Is(s.Err, zk.ErrSessionExpired) || s.SessionID != 0x51 {
					t.Errorf("status %+v, want session 0x51 expired", s)
				}
				if e := <-events; e.Type != zk.EventNotWatching {
					t.Errorf("event %v, want EventNotWatching", e)
				}
				_, err = c.Create(t.Context(), "/late", nil, 0, nil)
				if !errors.Is(err, client.ErrNotConnected) || !errors.Is(err, zk.ErrSessionExpired) || errors.Is(err, client.ErrUnknownOutcome) {
					t.Errorf("create on an expired Conn: got %v, want ErrNotConnected and ErrSessionExpired", err)
				}
				c.Close()
				if ops := p.Opcodes(2); len(ops) > 0 {
					t.Errorf("requests %d over connection 2, want none", ops)
				}
				time.Sleep(time.Hour)
				if n := p.Dials(); n != 2 {
					t.Errorf("%d connections, want 2", n)
				}
				var seen []client.State
				for s := range states {
					seen = append(seen, s.State)
				}
				if i := slices.Index(seen, client.Connected); i < 0 || seen[len(seen)-1] != client.Expired || electiontest.Count(seen, client.Connected) != 1 {
					t.Errorf("states %v, want Connected once and Expired last", seen)
				}
			})
		})
	}
}

func TestQueuedRequestsDoNotRunAfterAReconnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &electiontest.Peer{Answer: func(f electiontest.Request, _ func(int32, int32, []byte), _ int32) bool {
			return f.Opcode == wire.OpCreate
		}}
		c := p.Session(t)
		c.Config().Gate.Freeze()
		created := make(chan error)
		for i := range 5 {
			go func() {
				_, err := c.Create(t.Context(), fmt.Sprintf("/e/%d", i), nil, 0, nil)
				created <- err
			}()
		}
		synctest.Wait()
		p.Drop(1)
		c.Config().Gate.Thaw()
		unknown := 0
		for range 5 {
			switch err := <-created; {
			case errors.Is(err, client.ErrUnknownOutcome):
				unknown++
			case !errors.Is(err, client.ErrNotConnected):
				t.Errorf("create: %v, want ErrNotConnected or ErrUnknownOutcome", err)
			}
		}
		if unknown == 0 { // one of the requests was in the library's queue
			t.Error("no outcome is unknown, want one or more")
		}
		p.Connected(t, c, 2)
		if _, _, err := c.Get(t.Context(), "/e"); err != nil {
			t.Errorf("request after the reconnect: %v", err)
		}
		if n := electiontest.Count(p.Opcodes(2), wire.OpCreate); n > 0 {
			t.Errorf("%d requests from before the loss ran after it", n)
		}
	})
}

func TestSetWatchesHasTheLastZxidBeforeTheLoss(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &electiontest.Peer{}
		c := p.Session(t)
		_, _, events, err := c.GetW(t.Context(), "/e")
		if err != nil {
			t.Fatal(err)
		}
		for n := 1; n <= 20; n++ {
			seen := p.Zxid.Load()
			p.Drop(n)
			p.Connected(t, c, n+1)
			for range 3 {
				if _, _, err := c.Get(t.Context(), "/e"); err != nil {
					t.Fatal(err)
				}
			}
			synctest.Wait()
			set := 0
			for _, f := range p.Received(n + 1) {
				if f.Opcode != wire.OpSetWatches {
					continue
				}
				set++
				if zxid := int64(binary.BigEndian.Uint64(f.Body)); zxid != seen {
					t.Errorf("setWatches with zxid %d, want %d", zxid, seen)
				}
			}
			if set != 1 {
				t.Fatalf("%d setWatches over connection %d, want 1", set, n+1)
			}
			if zxid := p.LastSeen(n + 1); zxid != seen {
				t.Errorf("ConnectRequest of connection %d with zxid %d, want %d", n+1, zxid, seen)
			}
		}
		select {
		case e := <-events:
			t.Errorf("event %v, want none", e)
		default:
		}
	})
}

func TestTimeoutRTTAndExpiresFrom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var delay atomic.Int64
		delay.Store(int64(3 * time.Millisecond))
		p := &electiontest.Peer{
			Grant: func(n int, requested time.Duration, session uint64) (time.Duration, uint64) {
				return requested / 3, 0x51
			},
			Answer: func(f electiontest.Request, reply func(int32, int32, []byte), xid int32) bool {
				d := time.Duration(delay.Load())
				time.Sleep(d)
				return d > time.Second // true: the peer sends no reply
			},
		}
		c := p.Connect(t) // requests a session timeout of 9 s
		s := electiontest.WaitState(t, c, client.Connected)
		if s.Timeout != 3*time.Second || !s.ExpiresFrom.Equal(time.Now().Add(3*time.Second)) {
			t.Errorf("timeout %v, ExpiresFrom in %v, want 3 s", s.Timeout, time.Until(s.ExpiresFrom))
		}
		sent := time.Now()
		if _, _, err := c.Get(t.Context(), "/e"); err != nil {
			t.Fatal(err)
		}
		if s := c.Status(); s.RTT != time.Duration(delay.Load()) || !s.ExpiresFrom.Equal(sent.Add(3*time.Second)) {
			t.Errorf("round trip %v, ExpiresFrom %v after the request; want 3ms and 3s", s.RTT, s.ExpiresFrom.Sub(sent))
		}
		delay.Store(int64(5 * time.Millisecond))
		time.Sleep(time.Minute) // pings also change RTT and ExpiresFrom
		s = c.Status()
		if left := time.Until(s.ExpiresFrom); s.State != client.Connected || s.RTT != 5*time.Millisecond || left <= time.Second || left > 3*time.Second {
			t.Errorf("status %+v, want Connected with RTT 5ms and ExpiresFrom in 1 to 3 s", s)
		}
		delay.Store(int64(time.Hour))
		time.Sleep(1900 * time.Millisecond)
		// The library has not noticed the missing answers yet.
		if s := c.Status(); s.State != client.Connected || time.Until(s.ExpiresFrom) > 1500*time.Millisecond {
			t.Errorf("status %+v, ExpiresFrom in %v; want Connected and 1.5s at most", s, time.Until(s.ExpiresFrom))
		}
		electiontest.Wait(t, c, "disconnected", func(s client.Status) bool { return s.State != client.Connected })
		c.Cut()
		p.Served.Wait()
	})
}

func TestFreezeAndThaw(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &electiontest.Peer{}
		c := p.Session(t)
		c.Config().Gate.Freeze()
		released := make(chan error)
		go func() { released <- c.Config().Gate.Wait(t.Context()) }()
		got := make(chan error)
		go func() {
			_, _, err := c.Get(t.Context(), "/e")
			got <- err
		}()
		time.Sleep(time.Second)
		select {
		case <-got:
			t.Error("Get returned while the gate is shut")
		case <-released:
			t.Error("Wait returned while the gate is shut")
		default:
		}
		if n := len(p.Opcodes(1)); n > 0 || !c.Config().Gate.Frozen() {
			t.Errorf("frozen %t, want true; %d requests, want none", c.Config().Gate.Frozen(), n)
		}
		c.Config().Gate.Thaw()
		if err := <-released; err != nil {
			t.Error(err)
		}
		if err := <-got; err != nil {
			t.Errorf("read after the thaw: %v", err)
		}

		c.Config().Gate.Freeze()
		time.Sleep(time.Minute)
		p.Drop(1)
		time.Sleep(time.Hour)
		if s := c.Status(); s.State != client.Connected || p.Dials() != 1 {
			t.Errorf("frozen: status %+v, %d connections; want Connected and 1", s, p.Dials())
		}
		c.Config().Gate.Thaw()
		p.Connected(t, c, 2)

		c.Config().Gate.Freeze()
		began := time.Now()
		c.Close()
		if d := time.Since(began); d > 0 {
			t.Errorf("Close of a frozen Conn took %v, want no time", d)
		}
	})
}

func TestCloseEndsTheSessionAndCutDoesNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &electiontest.Peer{}
		closed, cut := p.Session(t), p.Session(t)
		began := time.Now()
		closed.Close()
		if n := electiontest.Count(p.Opcodes(0), wire.OpCloseSession); n != 1 {
			t.Errorf("Close sent closeSession %d times, want once", n)
		}
		if s := closed.Status(); s.State != client.Closed || !errors.Is(s.Err, client.ErrClosed) {
			t.Errorf("status %+v, want Closed with ErrClosed", s)
		}
		cut.Cut()
		cut.Close()
		p.Served.Wait()
		if n := electiontest.Count(p.Opcodes(0), wire.OpCloseSession); n != 1 {
			t.Errorf("Cut sent closeSession")
		}
		if s := cut.Status(); s.State != client.Closed || !errors.Is(s.Err, client.ErrCut) || p.Dials() != 2 {
			t.Errorf("status %+v, %d connections; want Closed with ErrCut, and 2", s, p.Dials())
		}
		if d := time.Since(began); d > 0 {
			t.Errorf("Close and Cut took %v, want no time", d)
		}
	})
}

func TestCloseIsBounded(t *testing.T) {
	for name, p := range map[string]*electiontest.Peer{
		"silent server":  {Answer: func(electiontest.Request, func(int32, int32, []byte), int32) bool { return true }},
		"no session yet": {Intercept: func(n int, c net.Conn) bool { io.Copy(io.Discard, c); return true }},
		"dial refused":   {Dialled: func(n int, c net.Conn) (net.Conn, error) { c.Close(); return nil, io.EOF }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := p.Connect(t)
				time.Sleep(1100 * time.Millisecond)
				returned := make(chan struct{})
				for range 40 {
					go func() {
						c.Create(t.Context(), "/e", nil, 0, nil)
						returned <- struct{}{}
					}()
				}
				synctest.Wait()
				began := time.Now()
				c.Close()
				if d := time.Since(began); d > time.Second {
					t.Errorf("Close took %v, want 1s at most", d)
				}
				for range 40 {
					<-returned
				}
			})
		})
	}
}

func TestSubscribersMissNoState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &electiontest.Peer{}
		c := p.Connect(t)
		slow := c.Subscribe(t.Context())
		electiontest.WaitState(t, c, client.Connected)
		const losses = 50
		for n := 1; n <= losses; n++ {
			time.Sleep(2 * time.Second)
			p.Drop(n)
			p.Connected(t, c, n+1)
		}
		c.Close()
		got := map[client.State]int{}
		for s := range slow {
			got[s.State]++
		}
		if got[client.Connected] != losses+1 || got[client.Disconnected] != losses || got[client.Closed] != 1 {
			t.Errorf("number of each state %v, want %d Connected, %d Disconnected and 1 Closed", got, losses+1, losses)
		}
	})
}

func TestSessionLastsAnHourAndExpiresWhenFrozen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := zkserver.New(zkserver.Options{})
		defer server.Close()
		cfg := client.Config{
			Servers:        client.ConnectString{Servers: []string{"embedded:2181"}},
			SessionTimeout: 4 * time.Second,
			Dial:           func(context.Context, string, string) (net.Conn, error) { return server.Dial() },
		}
		a, b := electiontest.Connected(t, cfg), electiontest.Connected(t, cfg)
		if _, err := a.Create(t.Context(), "/e", nil, zk.FlagEphemeral, electiontest.Open); err != nil {
			t.Fatal(err)
		}
		_, _, events, err := b.GetW(t.Context(), "/e")
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if s := a.Status(); s.State != client.Connected || time.Until(s.ExpiresFrom) < 2*time.Second {
			t.Errorf("after an hour: status %+v, want Connected and ExpiresFrom in 2s or more", s)
		}
		a.Config().Gate.Freeze()
		frozen := time.Now()
		if e := <-events; e.Type != zk.EventNodeDeleted {
			t.Errorf("event %+v, want EventNodeDeleted", e)
		}
		if d := time.Since(frozen); d < 2*time.Second || d > 5*time.Second {
			t.Errorf("the znode of a frozen Conn was deleted after %v, want 2 to 5 s", d)
		}
		a.Config().Gate.Thaw()
		<-a.Done()
		if s := a.Status(); s.State != client.Expired {
			t.Errorf("after the thaw: status %+v, want Expired", s)
		}
		b.Close()
	})
}

func TestRequestLeftInTheQueueIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dropped := make(chan struct{})
		p := &electiontest.Peer{Answer: func(f electiontest.Request, _ func(int32, int32, []byte), _ int32) bool {
			if f.Opcode == wire.OpCreate && f.Conn == 1 {
				<-dropped
			}
			return false
		}}
		c := p.Session(t)
		created := make(chan error)
		for i := range 3 {
			// Request 0 is read, request 1 is being written, request 2 waits.
			go func() {
				_, err := c.Create(t.Context(), fmt.Sprintf("/e/%d", i), nil, 0, nil)
				created <- err
			}()
			synctest.Wait()
		}
		p.Drop(1)
		close(dropped)
		for range 3 {
			if err := <-created; !errors.Is(err, client.ErrUnknownOutcome) {
				t.Errorf("create: %v, want an unknown outcome", err)
			}
		}
		p.Connected(t, c, 2)
		if _, _, err := c.Get(t.Context(), "/e"); err != nil {
			t.Errorf("request after the reconnect: %v", err)
		}
		if n := electiontest.Count(p.Opcodes(2), wire.OpCreate); n > 0 {
			t.Errorf("%d requests from before the loss ran after it", n)
		}
	})
}

func TestFrozenConnDoesNotGiveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var down atomic.Bool
		p := &electiontest.Peer{Dialled: func(n int, c net.Conn) (net.Conn, error) {
			if down.Load() {
				c.Close()
				return nil, errors.New("down")
			}
			return c, nil
		}}
		c := p.Session(t)
		down.Store(true)
		p.Drop(1)
		electiontest.WaitState(t, c, client.Disconnected)
		c.Config().Gate.Freeze()
		time.Sleep(time.Hour)
		if s := c.Status(); s.State != client.Disconnected {
			t.Errorf("frozen: status %+v, want Disconnected", s)
		}
		down.Store(false)
		c.Config().Gate.Thaw()
		electiontest.WaitState(t, c, client.Connected)
	})
}

func TestEnsembleConfigIgnoresTheChroot(t *testing.T) {
	zktest.SecondTier(t)
	t.Parallel()
	e := zktest.NewEnsemble(t, 3)
	for _, chroot := range []string{"", "/app"} {
		c := electiontest.Connected(t, electiontest.Config(t, e.ConnectString()+chroot))
		text, err := c.EnsembleConfig(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"server.1=", "server.2=", "server.3="} {
			if !strings.Contains(text, want) {
				t.Errorf("chroot %q: no %s in %q", chroot, want, text)
			}
		}
	}
}

func TestAnchor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, _ := electiontest.Embedded(t)
		line := new(fault.Line)
		c := electiontest.Connected(t, electiontest.Conn(server, line))
		defer c.Close()
		a, ok := c.Anchor()
		if !ok || a.Session != c.Status().SessionID || a.Timeout != c.Status().Timeout {
			t.Fatalf("anchor %+v, %v; want session and timeout of status %+v", a, ok, c.Status())
		}
		time.Sleep(time.Minute)
		b, _ := c.Anchor() // updated by a ping
		if !b.Sent.After(a.Sent) || time.Since(b.Sent) > electiontest.LeaseTimeout {
			t.Errorf("anchor %+v a minute after anchor %+v, want a recent one", b, a)
		}
		if end := b.Sent.Add(b.Timeout); !end.Equal(c.Status().ExpiresFrom) {
			t.Errorf("end of the anchor's session %v, want ExpiresFrom %v", end, c.Status().ExpiresFrom)
		}
		line.Partition()
		time.Sleep(electiontest.LeaseTimeout / 2)
		if got, _ := c.Anchor(); time.Since(got.Sent) < electiontest.LeaseTimeout/2 {
			t.Errorf("anchor %+v, want the anchor from before the partition", got)
		}
		line.Heal()
	})
}

type readerConn struct {
	net.Conn
	io.Reader
}

func (r readerConn) Read(p []byte) (int, error) { return r.Reader.Read(p) }

func TestLostReply(t *testing.T) {
	for how, read := range map[string]func(io.Reader) io.Reader{
		"unchanged":    func(r io.Reader) io.Reader { return r },
		"byte by byte": iotest.OneByteReader,
		"in halves":    iotest.HalfReader,
	} {
		t.Run(how, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &electiontest.Peer{
					Answer: func(f electiontest.Request, reply func(xid, code int32, body []byte), xid int32) bool {
						refused := f.Opcode == wire.OpCreate && string(f.Body[4:6]) == "/x"
						if refused {
							reply(xid, int32(wire.NoNode), nil)
						}
						return refused
					},
					Dialled: func(_ int, c net.Conn) (net.Conn, error) { return readerConn{c, read(c)}, nil },
				}
				var replies fault.Replies
				c := p.Connect(t, func(cfg *client.Config) { cfg.Replies = &replies })
				p.Connected(t, c, 1)
				create := func(path string, flags int32) error {
					_, err := c.Create(context.Background(), path, nil, flags, electiontest.Open)
					return err
				}
				if err := create("/e/n_", zk.FlagEphemeralSequential); err != nil {
					t.Errorf("create before LoseCreate: %v", err)
				}
				replies.LoseCreate()
				if err := create("/e/n_", zk.FlagEphemeral); err != nil {
					t.Errorf("create of a znode that is not sequential: %v", err)
				}
				if err := create("/x/n_", zk.FlagEphemeralSequential); !errors.Is(err, zk.ErrNoNode) {
					t.Errorf("create below a missing parent: got %v, want ErrNoNode", err)
				}
				if _, _, err := c.Get(context.Background(), "/e"); err != nil || !replies.Losing() || p.Dials() != 1 {
					t.Errorf("read: %v; Losing %t, want true; %d connections, want 1", err, replies.Losing(), p.Dials())
				}
				err := create("/e/n_", zk.FlagEphemeralSequential)
				if !errors.Is(err, client.ErrUnknownOutcome) || !errors.Is(err, fault.ErrReplyLost) || replies.Losing() {
					t.Errorf("create with a lost reply: got %v, want ErrUnknownOutcome and ErrReplyLost; Losing %t, want false", err, replies.Losing())
				}
				p.Connected(t, c, 2)
				if err := create("/e/n_", zk.FlagEphemeralSequential); err != nil {
					t.Errorf("create after the lost reply: %v", err)
				}
			})
		})
	}
}

func connectOverLine(t *testing.T, p *electiontest.Peer, change ...func(*client.Config)) (*client.Conn, *fault.Line) {
	line := new(fault.Line)
	c := p.Session(t, append(change, func(cfg *client.Config) { cfg.Line = line })...)
	return c, line
}

func TestRequestDuringAPartitionIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &electiontest.Peer{}
		c, line := connectOverLine(t, p)
		line.Partition()
		began := time.Now()
		_, err := c.Create(t.Context(), "/e/0", nil, 0, nil)
		if !errors.Is(err, client.ErrUnknownOutcome) {
			t.Errorf("create: got %v, want ErrUnknownOutcome", err)
		}
		if took := time.Since(began); took < 2*time.Second || took > 6*time.Second { // session timeout: 9 s
			t.Errorf("the loss was noticed after %v, want 2 to 6 s", took)
		}
		if s := c.Status(); s.State != client.Disconnected || !errors.Is(s.Err, os.ErrDeadlineExceeded) {
			t.Errorf("status %+v, want Disconnected with ErrDeadlineExceeded", s)
		}
		time.Sleep(5 * time.Second) // two dials fail, each after the DialTimeout of 2 s
		if p.Dials() != 1 {
			t.Errorf("%d connections during the partition, want only the first", p.Dials())
		}
		line.Heal()
		healed := time.Now()
		p.Connected(t, c, 2)
		if took := time.Since(healed); took > 10*time.Millisecond {
			t.Errorf("connected %v after the end of the partition, want 10ms at most", took)
		}
		if got := p.Opcodes(0); slices.Contains(got, wire.OpCreate) {
			t.Errorf("requests %d, want no create", got)
		}
	})
}

func TestCloseByTheServerIsHiddenDuringAPartition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &electiontest.Peer{}
		c, line := connectOverLine(t, p)
		line.Partition()
		p.Drop(1)
		time.Sleep(time.Second)
		if s := c.Status(); s.State != client.Connected {
			t.Errorf("status %+v, want Connected", s)
		}
		line.Heal()
		p.Connected(t, c, 2)
	})
}

func TestCloseDuringAPartition(t *testing.T) {
	for _, down := range []time.Duration{0, 4 * time.Second, 7 * time.Second, 15 * time.Second} {
		for name, end := range map[string]func(*client.Conn){
			"Close": func(c *client.Conn) { c.Close() },
			"Cut":   (*client.Conn).Cut,
		} {
			t.Run(fmt.Sprintf("%s after %v", name, down), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := &electiontest.Peer{}
					c, line := connectOverLine(t, p)
					line.Partition()
					go c.Create(t.Context(), "/e/0", nil, 0, nil)
					time.Sleep(down)
					began := time.Now()
					end(c)
					if took := time.Since(began); took > time.Second {
						t.Errorf("%s took %v, want at most a second", name, took)
					}
					line.Heal()
					time.Sleep(time.Minute)
					if got := p.Opcodes(0); len(got) > 0 {
						t.Errorf("requests %d arrived, want none", got)
					}
				})
			})
		}
	}
}

func TestBufferedWritesDuringAPartitionAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &electiontest.Peer{}
		c, line := connectOverLine(t, p, func(cfg *client.Config) { cfg.BufferSize = 256 << 10 })
		line.Partition()
		for range 10 {
			go c.Set(t.Context(), "/e", make([]byte, 40<<10), -1)
		}
		synctest.Wait()
		if s := c.Status(); s.State == client.Connected {
			t.Error("still connected after writes of 400 KiB, want a lost connection")
		}
		line.Heal()
		electiontest.WaitState(t, c, client.Connected)
		if _, err := c.Set(t.Context(), "/e", make([]byte, 200<<10), -1); err != nil {
			t.Errorf("set 200 KiB without a partition: %v", err)
		}
	})
}

func TestMain(m *testing.M) { zktest.Main(m) }
