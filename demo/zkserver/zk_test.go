package zkserver_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/zkwatch/wire"
)

type quiet struct{}

func (quiet) Printf(string, ...any) {}

// dialer connects go-zookeeper to s without a network.
func dialer(s *zkserver.Server) zk.Dialer {
	return func(string, string, time.Duration) (net.Conn, error) { return s.Dial() }
}

// connectZK returns a go-zookeeper connection with a session.
func connectZK(t testing.TB, addr string, d zk.Dialer, timeout time.Duration) (*zk.Conn, <-chan zk.Event) {
	t.Helper()
	if d == nil {
		d = net.DialTimeout
	}
	// The same address twice: then it reconnects without sleeping.
	c, events, err := zk.Connect([]string{addr, addr}, timeout, zk.WithDialer(d), zk.WithLogger(quiet{}),
		zk.WithMaxConnBufferSize(16<<10), zk.WithMaxBufferSize(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	waitState(t, events, zk.StateHasSession)
	return c, events
}

func waitState(t testing.TB, events <-chan zk.Event, want zk.State) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		select {
		case ev, ok := <-events:
			if !ok {
				t.Fatalf("events ended while waiting for %v", want)
			}
			if ev.Type == zk.EventSession && ev.State == want {
				return
			}
		case <-ctx.Done():
			t.Fatalf("no %v", want)
		}
	}
}

func waitEvent(t testing.TB, ch <-chan zk.Event) zk.Event {
	t.Helper()
	select {
	case ev := <-ch:
		return ev
	case <-time.After(patience):
		t.Fatal("no event")
		return zk.Event{}
	}
}

// eventually waits for a condition.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// overBoth runs f with go-zookeeper over loopback TCP and over Dial.
func overBoth(t *testing.T, f func(t *testing.T, s *zkserver.Server, addr string, d zk.Dialer)) {
	t.Run("tcp", func(t *testing.T) {
		s, addr := zkserver.Start(t, zkserver.Options{})
		f(t, s, addr, nil)
	})
	t.Run("pipe", func(t *testing.T) {
		s := zkserver.New(zkserver.Options{})
		t.Cleanup(func() { s.Close() })
		f(t, s, "127.0.0.1:1", dialer(s))
	})
}

func TestGoZookeeper(t *testing.T) {
	overBoth(t, func(t *testing.T, s *zkserver.Server, addr string, d zk.Dialer) {
		c, _ := connectZK(t, addr, d, 10*time.Second)
		acl := zk.WorldACL(zk.PermAll)
		wantErr := func(what string, err, want error) {
			t.Helper()
			if !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", what, err, want)
			}
		}
		_, err := c.Create("/election", nil, 0, acl)
		wantErr("create", err, nil)
		_, err = c.Create("/election", nil, 0, acl)
		wantErr("create again", err, zk.ErrNodeExists)
		_, err = c.Create("/no/parent", nil, 0, acl)
		wantErr("create orphan", err, zk.ErrNoNode)
		name, err := c.CreateProtectedEphemeralSequential("/election/n_", []byte("me"), acl)
		wantErr("create protected", err, nil)
		if !strings.HasPrefix(name, "/election/_c_") || !strings.HasSuffix(name, "-n_0000000000") {
			t.Errorf("protected name %q", name)
		}
		_, err = c.Create(name+"/x", nil, 0, acl)
		wantErr("child of an ephemeral", err, zk.ErrNoChildrenForEphemerals)
		wantErr("delete with children", c.Delete("/election", -1), zk.ErrNotEmpty)
		_, err = c.Set("/election", []byte("x"), 3)
		wantErr("set stale", err, zk.ErrBadVersion)
		_, err = c.Create("/bad", nil, 0, nil)
		wantErr("create without ACL", err, zk.ErrInvalidACL)
		kids, stat, err := c.Children("/election")
		wantErr("children", err, nil)
		if !slices.Equal(kids, []string{strings.TrimPrefix(name, "/election/")}) || stat.Cversion != 1 || stat.NumChildren != 1 {
			t.Errorf("children %v %+v", kids, stat)
		}
		data, st, err := c.Get(name)
		if wantErr("get", err, nil); string(data) != "me" || st.EphemeralOwner != c.SessionID() {
			t.Errorf("get %q %+v", data, st)
		}
		_, err = c.CreateContainer("/box", nil, zk.FlagContainer, acl)
		wantErr("container", err, nil)
		_, err = c.CreateTTL("/soon", nil, zk.FlagTTL, acl, time.Hour)
		if err == nil || !strings.Contains(err.Error(), "-6") { // Unimplemented, as at Apache without extendedTypesEnabled
			t.Errorf("ttl: %v", err)
		}
		if p, err := c.Sync("/election"); p != "/election" || err != nil {
			t.Errorf("sync: %q %v", p, err)
		}
		res, err := c.Multi(&zk.CheckVersionRequest{Path: "/election", Version: 0}, &zk.CreateRequest{Path: "/m", Acl: acl},
			&zk.SetDataRequest{Path: "/m", Data: []byte("1"), Version: 0}, &zk.DeleteRequest{Path: "/m", Version: 1})
		if wantErr("multi", err, nil); len(res) != 4 || res[1].String != "/m" || res[2].Stat.Version != 1 {
			t.Errorf("multi: %+v", res)
		}
		_, err = c.Multi(&zk.CreateRequest{Path: "/m", Acl: acl}, &zk.CheckVersionRequest{Path: "/election", Version: 9})
		wantErr("failing multi", err, zk.ErrBadVersion)
		if ok, _, err := c.Exists("/m"); ok || err != nil {
			t.Errorf("a failed multi left its node: %v %v", ok, err)
		}
		wantErr("auth", c.AddAuth("digest", []byte("ann:secret")), nil)
		_, err = c.Create("/secret", nil, 0, zk.AuthACL(zk.PermAll))
		wantErr("create with auth ACL", err, nil)
		other, _ := connectZK(t, addr, d, 10*time.Second)
		_, _, err = other.Get("/secret")
		wantErr("get without auth", err, zk.ErrNoAuth)
		if got := s.Counters(); got.Requests[wire.OpCreate] < 6 || got.BytesIn == 0 || got.BytesOut == 0 || got.Panics != 0 {
			t.Errorf("counters: %+v", got)
		}
	})
}

// TestHandoff walks through an election: each candidate watches the one before
// and learns of its end, by closing and by a crash.
func TestHandoff(t *testing.T) {
	overBoth(t, func(t *testing.T, s *zkserver.Server, addr string, d zk.Dialer) {
		acl := zk.WorldACL(zk.PermAll)
		// A port that was another test's may get that one's clients back: no
		// path of theirs.
		path := fmt.Sprintf("/e%x", time.Now().UnixNano())
		var conns []*zk.Conn
		var names []string
		for i := range 4 {
			c, _ := connectZK(t, addr, d, 10*time.Second)
			if i == 0 {
				if _, err := c.Create(path, nil, 0, acl); err != nil {
					t.Fatal(err)
				}
			}
			name, err := c.Create(path+"/n_", nil, zk.FlagEphemeral|zk.FlagSequence, acl)
			if want := fmt.Sprintf("%s/n_%010d", path, i); err != nil || name != want {
				t.Fatalf("create: %q %v, want %q", name, err, want)
			}
			conns, names = append(conns, c), append(names, name)
		}
		watch := func(i int) <-chan zk.Event {
			_, _, ch, err := conns[i].GetW(names[i-1])
			if err != nil {
				t.Fatal(err)
			}
			return ch
		}
		first, second, third := watch(1), watch(2), watch(3)
		before := s.Counters().Notifications
		conns[0].Close()
		if ev := waitEvent(t, first); ev.Type != zk.EventNodeDeleted || ev.Path != names[0] {
			t.Errorf("close of the first: %+v", ev)
		}
		if err := s.ExpireSession(conns[1].SessionID()); err != nil {
			t.Error(err)
		}
		if ev := waitEvent(t, second); ev.Type != zk.EventNodeDeleted || ev.Path != names[1] {
			t.Errorf("expiry of the second: %+v", ev)
		}
		if err := conns[2].Delete(names[2], -1); err != nil {
			t.Error(err)
		}
		if ev := waitEvent(t, third); ev.Type != zk.EventNodeDeleted || ev.Path != names[2] {
			t.Errorf("resignation of the third: %+v", ev)
		}
		// go-zookeeper sends setWatches even on its first connection if its loop
		// gets to look for watches only after GetW has left one: a node that is gone
		// by then is told of again.
		again := s.Counters().Requests[wire.OpSetWatches]
		if n := s.Counters().Notifications - before; n < 3 || n > 3+again {
			t.Errorf("%d notifications for three handoffs; watches were set again %d times", n, again)
		}
	})
}

// TestReconnect cuts the connection: the session and its ephemeral node live
// on, and go-zookeeper's watches are set again.
func TestReconnect(t *testing.T) {
	overBoth(t, func(t *testing.T, s *zkserver.Server, addr string, d zk.Dialer) {
		acl := zk.WorldACL(zk.PermAll)
		c, events := connectZK(t, addr, d, 10*time.Second)
		other, otherEvents := connectZK(t, addr, d, 10*time.Second)
		if _, err := c.Create("/mine", nil, zk.FlagEphemeral, acl); err != nil {
			t.Fatal(err)
		}
		_, _, absent, err := c.ExistsW("/absent")
		if err != nil {
			t.Fatal(err)
		}
		id := c.SessionID()
		s.CloseConnections()
		waitState(t, events, zk.StateDisconnected)
		waitState(t, events, zk.StateHasSession)
		waitState(t, otherEvents, zk.StateHasSession)
		if c.SessionID() != id {
			t.Errorf("session %#x became %#x", id, c.SessionID())
		}
		if ok, _, err := other.Exists("/mine"); !ok || err != nil {
			t.Errorf("the ephemeral node went with the connection: %v %v", ok, err)
		}
		if _, err := other.Create("/absent", nil, 0, acl); err != nil {
			t.Fatal(err)
		}
		if ev := waitEvent(t, absent); ev.Type != zk.EventNodeCreated {
			t.Errorf("restored watch: %+v", ev)
		}
	})
}

// TestRestart replaces the server by an empty one on the same address. The
// client has seen more than it knows and must start afresh, not loop.
func TestRestart(t *testing.T) {
	t.Parallel()
	s1, addr := zkserver.Start(t, zkserver.Options{})
	c, events := connectZK(t, addr, nil, 10*time.Second)
	for i := range 5 {
		if _, err := c.Create(fmt.Sprintf("/n%d", i), nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
			t.Fatal(err)
		}
	}
	id := c.SessionID()
	s1.Close()
	s2 := zkserver.New(zkserver.Options{})
	var l net.Listener
	eventually(t, "the port is free", func() (ok bool) {
		var err error
		l, err = net.Listen("tcp", addr)
		return err == nil
	})
	served := make(chan error, 1)
	go func() { served <- s2.Serve(l) }()
	waitState(t, events, zk.StateExpired)
	waitState(t, events, zk.StateHasSession)
	if c.SessionID() == id {
		t.Errorf("the session %#x outlived its server", id)
	}
	if ok, _, err := c.Exists("/n0"); ok || err != nil {
		t.Errorf("exists on the new server: %v %v", ok, err)
	}
	c.Close()
	s2.Close()
	if err := <-served; err != nil {
		t.Errorf("Serve after Close: %v", err)
	}
}

func TestRefuse(t *testing.T) {
	s, addr := zkserver.Start(t, zkserver.Options{})
	dialRaw(t, addr)
	s.Refuse(true)
	if _, err := s.Dial(); !errors.Is(err, zkserver.ErrRefused) {
		t.Errorf("Dial while refusing: %v", err)
	}
	nc := dialTCP(t, addr)
	nc.SetDeadline(time.Now().Add(patience))
	if n, err := nc.Read(make([]byte, 1)); err == nil {
		t.Errorf("read %d bytes from a server that refuses", n)
	}
	s.Refuse(false)
	dialRaw(t, addr).must(wire.OpPing, nil, nil)
	s.Close()
	if _, err := s.Dial(); !errors.Is(err, zkserver.ErrClosed) {
		t.Errorf("Dial after Close: %v", err)
	}
	if err := s.ExpireSession(1); !errors.Is(err, zkserver.ErrClosed) {
		t.Errorf("ExpireSession after Close: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}
