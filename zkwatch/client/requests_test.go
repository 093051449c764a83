package client_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zktest"
	"electop/zkwatch/client"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/wire"
)

func connect(t *testing.T, servers string, change ...func(*client.Config)) *client.Conn {
	t.Helper()
	chroot := "/" + strings.NewReplacer("/", "-", "#", "-").Replace(t.Name())
	setup := electiontest.Connected(t, client.Config{Servers: zktest.Must(client.ParseConnectString(servers))})
	defer setup.Close()
	if _, err := setup.Create(t.Context(), chroot, nil, zk.FlagPersistent, electiontest.Open); err != nil && !errors.Is(err, zk.ErrNodeExists) {
		t.Fatal(err)
	}
	cfg := client.Config{
		Servers:        zktest.Must(client.ParseConnectString(servers + chroot)),
		SessionTimeout: 10 * time.Second, BufferSize: 16 << 10, MaxReply: 64 << 10,
	}
	for _, f := range change {
		f(&cfg)
	}
	return electiontest.Connected(t, cfg)
}

func event(t *testing.T, events <-chan zk.Event) zk.Event {
	t.Helper()
	select {
	case e := <-events:
		return e
	case <-time.After(30 * time.Second):
		t.Fatal("no event")
	}
	return zk.Event{}
}

func TestOperations(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		ctx := t.Context()
		c := connect(t, addr)
		if _, err := c.Create(ctx, "/e", []byte("x"), zk.FlagPersistent, electiontest.Open); err != nil {
			t.Fatal(err)
		}
		f, err := c.Follow("/e")
		if err != nil {
			t.Fatal(err)
		}
		_, _, seen, err := f.Children(ctx, true)
		if err != nil {
			t.Fatal(err)
		}
		path, err := c.Create(ctx, "/e/n_", nil, zk.FlagEphemeralSequential, electiontest.Open)
		if err != nil || path != "/e/n_0000000000" {
			t.Fatalf("created %q, %v; want /e/n_0000000000", path, err)
		}
		if e, err := f.Next(ctx, seen); err != nil || e.Kind != zk.EventNodeChildrenChanged || e.At.IsZero() || e.AppliedAfter.After(e.At) {
			t.Errorf("event %+v, %v; want EventNodeChildrenChanged with AppliedAfter at or before At", e, err)
		}
		_, stat, changed, err := c.GetW(ctx, path)
		if err != nil || uint64(stat.EphemeralOwner) != c.Status().SessionID {
			t.Errorf("stat %+v, %v; want owner %#x", stat, err, c.Status().SessionID)
		}
		if _, err := c.Set(ctx, path, []byte("y"), 0); err != nil {
			t.Error(err)
		}
		if e := event(t, changed); e.Type != zk.EventNodeDataChanged {
			t.Errorf("event %+v, want EventNodeDataChanged", e)
		}
		if err := c.Sync(ctx, "/"); err != nil {
			t.Error(err)
		}
		if names, stat, err := c.Children(ctx, "/"); err != nil || len(names) != 1 || names[0] != "e" || stat.NumChildren != 1 {
			t.Errorf("children %q, %+v, %v; want e", names, stat, err)
		}
		if data, _, err := c.Get(ctx, path); err != nil || string(data) != "y" {
			t.Errorf("data %q, %v; want y", data, err)
		}
		exists, _, deleted, err := c.ExistsW(ctx, path)
		if err != nil || !exists {
			t.Errorf("exists %v, %v; want true", exists, err)
		}
		if err := c.Delete(ctx, path, -1); err != nil {
			t.Error(err)
		}
		if e := event(t, deleted); e.Type != zk.EventNodeDeleted {
			t.Errorf("event %+v, want EventNodeDeleted", e)
		}
		if exists, stat, err := c.Exists(ctx, path); exists || stat != nil || err != nil {
			t.Errorf("exists %v, %v, %v; want false without a stat", exists, stat, err)
		}

		_, _, err = c.Get(ctx, "/none")
		if !errors.Is(err, zk.ErrNoNode) || !strings.HasPrefix(err.Error(), "getData /none: ") {
			t.Errorf("get /none: error %v, want getData /none with ErrNoNode", err)
		}
		if err := c.Delete(ctx, "/e", 5); !errors.Is(err, zk.ErrBadVersion) || errors.Is(err, client.ErrUnknownOutcome) {
			t.Errorf("delete version 5: error %v, want ErrBadVersion", err)
		}
		if _, err := c.Create(ctx, "/big", make([]byte, 20<<10), 0, electiontest.Open); !errors.Is(err, client.ErrRequestTooLarge) {
			t.Errorf("create 20 KiB: error %v, want ErrRequestTooLarge", err)
		}
		if _, _, err := c.Get(ctx, "e"); !errors.Is(err, zk.ErrInvalidPath) {
			t.Errorf("get e: error %v, want ErrInvalidPath", err)
		}
		done, cancel := context.WithCancel(ctx)
		cancel()
		if err := c.Delete(done, "/e", -1); !errors.Is(err, context.Canceled) || errors.Is(err, client.ErrUnknownOutcome) {
			t.Errorf("delete with a cancelled context: error %v, want Canceled", err)
		}
		if err := c.Delete(ctx, "/e", -1); err != nil {
			t.Error(err)
		}
	})
}

func TestRequestsEndWithTheirContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &electiontest.Peer{}
		c := p.Session(t)
		c.Config().Gate.Freeze()
		defer c.Config().Gate.Thaw()
		ctx, cancel := context.WithCancel(t.Context())
		errs := make(chan error, 2)
		go func() { errs <- c.Delete(ctx, "/e", -1) }()
		go func() { _, _, err := c.Get(ctx, "/e"); errs <- err }()
		synctest.Wait()
		cancel()
		for range 2 {
			if err := <-errs; !errors.Is(err, context.Canceled) {
				t.Errorf("error %v, want Canceled", err)
			}
		}
	})
}

func TestOnlyCloseDeletesEphemeralsBeforeTheExpiry(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		ctx := t.Context()
		watcher := connect(t, addr)
		for _, end := range []string{"close", "cut", "freeze"} {
			c := connect(t, addr, func(cfg *client.Config) { cfg.SessionTimeout = 2 * time.Second })
			path := "/" + end
			if _, err := c.Create(ctx, path, nil, zk.FlagEphemeral, electiontest.Open); err != nil {
				t.Fatal(err)
			}
			_, _, events, err := watcher.GetW(ctx, path)
			if err != nil {
				t.Fatal(err)
			}
			expires := c.Status().ExpiresFrom
			switch end {
			case "close":
				c.Close()
			case "cut":
				c.Cut()
			case "freeze":
				c.Config().Gate.Freeze()
			}
			if e := event(t, events); e.Type != zk.EventNodeDeleted {
				t.Errorf("%s: event %+v, want EventNodeDeleted", end, e)
			}
			if deleted := time.Now(); deleted.Before(expires) != (end == "close") {
				t.Errorf("%s: the znode was deleted %v before ExpiresFrom; want that only for close", end, expires.Sub(deleted))
			}
			if end == "freeze" {
				if s := c.Status(); s.State != client.Connected {
					t.Errorf("a frozen Conn is %v, want Connected", s.State)
				}
				c.Config().Gate.Thaw()
				<-c.Done()
				if s := c.Status(); s.State != client.Expired {
					t.Errorf("after the thaw: status %+v, want Expired", s)
				}
			}
		}
	})
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		ctx := t.Context()
		owner := connect(t, addr, func(cfg *client.Config) {
			cfg.Auth = []client.Auth{client.NewAuth("digest", "u:p"), client.NewAuth("digest", "v:q")}
		})
		if _, err := owner.Create(ctx, "/mine", []byte("x"), zk.FlagEphemeral, zk.DigestACL(zk.PermAll, "v", "q")); err != nil {
			t.Fatal(err)
		}
		if _, _, err := owner.Get(ctx, "/mine"); err != nil {
			t.Error(err)
		}
		if _, _, err := connect(t, addr).Get(ctx, "/mine"); !errors.Is(err, zk.ErrNoAuth) {
			t.Errorf("client without the credential: got %v, want ErrNoAuth", err)
		}
		cs := zktest.Must(client.ParseConnectString(addr))
		c := electiontest.Connect(t, client.Config{Servers: cs, Auth: []client.Auth{client.NewAuth("nonsense", "x")}})
		<-c.Done()
		if s := c.Status(); !errors.Is(s.Err, zk.ErrAuthFailed) {
			t.Errorf("unknown scheme: status %+v, want ErrAuthFailed", s)
		}
	})
}

func TestReplyTooLarge(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		ctx := t.Context()
		c := connect(t, addr, func(cfg *client.Config) { cfg.MaxReply = 2 << 10 })
		for i := range 40 {
			if _, err := c.Create(ctx, fmt.Sprintf("/%060d", i), nil, zk.FlagEphemeral, electiontest.Open); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := c.Children(ctx, "/"); !errors.Is(err, client.ErrReplyTooLarge) {
			t.Errorf("error %v, want ErrReplyTooLarge", err)
		}
		again := connect(t, addr, func(cfg *client.Config) { cfg.MaxReply = 4 << 10 })
		if names, _, err := again.Children(ctx, "/"); err != nil || len(names) != 40 {
			t.Errorf("with twice the limit: %d children, %v; want 40", len(names), err)
		}
	})
}

func TestSessionSurvivesTheLossOfItsServer(t *testing.T) {
	zktest.SecondTier(t)
	t.Parallel()
	e := zktest.NewEnsemble(t, 3)
	ctx := t.Context()
	c := connect(t, e.ConnectString())
	watcher := connect(t, e.ConnectString())
	if _, err := c.Create(ctx, "/e", nil, zk.FlagEphemeral, electiontest.Open); err != nil {
		t.Fatal(err)
	}
	if err := watcher.Sync(ctx, "/"); err != nil {
		t.Fatal(err)
	}
	_, _, changed, err := watcher.GetW(ctx, "/e")
	if err != nil {
		t.Fatal(err)
	}
	before := c.Status()
	states := c.Subscribe(ctx)
	for _, s := range e.Members {
		if s.Addr == before.Server {
			s.Kill(t)
		}
	}
	var after client.Status
	for after = range states {
		if after.State == client.Connected && after.Server != before.Server || after.State.Terminal() {
			break
		}
	}
	if after.State != client.Connected || after.SessionID != before.SessionID {
		t.Fatalf("status %+v, want session %#x on another server", after, before.SessionID)
	}
	electiontest.WaitState(t, watcher, client.Connected)
	if _, err := c.Set(ctx, "/e", []byte("x"), -1); err != nil {
		t.Fatal(err)
	}
	if e := event(t, changed); e.Type != zk.EventNodeDataChanged {
		t.Errorf("event %+v, want EventNodeDataChanged", e)
	}
}

func TestServerThatLostItsData(t *testing.T) {
	t.Parallel()
	old, fresh := zktest.NewApache(t), zktest.NewApache(t)
	var addr atomic.Value
	addr.Store(old.Addr)
	c := connect(t, old.Addr, func(cfg *client.Config) {
		cfg.SessionTimeout, cfg.DialTimeout = time.Second, time.Second
		cfg.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, addr.Load().(string))
		}
	})
	if _, err := c.Create(t.Context(), "/e", nil, zk.FlagPersistent, electiontest.Open); err != nil {
		t.Fatal(err)
	}
	addr.Store(fresh.Addr)
	old.Kill(t)
	<-c.Done()
	if s := c.Status(); !s.State.Terminal() || !errors.Is(s.Err, client.ErrRefused) && !errors.Is(s.Err, zk.ErrSessionExpired) {
		t.Errorf("status %+v, want ErrRefused or ErrSessionExpired", s)
	}
	electiontest.WaitState(t, connect(t, fresh.Addr), client.Connected)
}

func TestSetFenced(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		ctx := t.Context()
		c := connect(t, addr)
		create := func(path string, flags int32) string {
			t.Helper()
			made, err := c.Create(ctx, path, nil, flags, electiontest.Open)
			if err != nil {
				t.Fatal(err)
			}
			return made
		}
		create("/e", 0)
		create("/counter", 0)
		guard := create("/e/n_", zk.FlagEphemeralSequential)

		stat, err := c.SetFenced(ctx, "/counter", []byte("1"), guard)
		if err != nil {
			t.Fatal(err)
		}
		data, read, err := c.Get(ctx, "/counter")
		if err != nil || string(data) != "1" || *stat != *read || stat.Mzxid <= stat.Czxid || stat.Version != 1 {
			t.Errorf("SetFenced returned %+v; the server has %q, %+v, %v; want data 1 and the same stat", stat, data, read, err)
		}

		_, err = c.SetFenced(ctx, "/none", nil, guard)
		if !errors.Is(err, zk.ErrNoNode) || errors.Is(err, client.ErrFenced) || !strings.HasPrefix(err.Error(), "setData /none: ") {
			t.Errorf("missing path: got %v, want ErrNoNode", err)
		}

		if err := c.Delete(ctx, guard, -1); err != nil {
			t.Fatal(err)
		}
		if next := create("/e/n_", zk.FlagEphemeralSequential); next == guard {
			t.Fatalf("two znodes got the name %s", guard)
		}
		_, err = c.SetFenced(ctx, "/counter", []byte("2"), guard)
		if !errors.Is(err, client.ErrFenced) || errors.Is(err, zk.ErrNoNode) || errors.Is(err, client.ErrUnknownOutcome) || !strings.Contains(err.Error(), guard) {
			t.Errorf("without the guard: got %v, want ErrFenced", err)
		}
		if _, err := c.SetFenced(ctx, "/none", nil, guard); !errors.Is(err, client.ErrFenced) {
			t.Errorf("without the guard and the path: got %v, want ErrFenced", err)
		}
		if data, now, err := c.Get(ctx, "/counter"); err != nil || string(data) != "1" || now.Mzxid != read.Mzxid {
			t.Errorf("after ErrFenced: data %q, %+v, %v; want no change", data, now, err)
		}

		create("/fixed", zk.FlagEphemeral)
		if err := c.Delete(ctx, "/fixed", -1); err != nil {
			t.Fatal(err)
		}
		create("/fixed", zk.FlagEphemeral)
		if _, err := c.SetFenced(ctx, "/counter", []byte("3"), "/fixed"); err != nil {
			t.Errorf("guard that was created again: %v", err)
		}

		for _, bad := range []string{"", "e", "/e//n"} {
			if _, err := c.SetFenced(ctx, "/counter", nil, bad); !errors.Is(err, zk.ErrInvalidPath) || errors.Is(err, client.ErrUnknownOutcome) {
				t.Errorf("guard %q: got %v, want ErrInvalidPath", bad, err)
			}
		}
		if _, err := c.SetFenced(ctx, "/counter", make([]byte, 20<<10), "/fixed"); !errors.Is(err, client.ErrRequestTooLarge) {
			t.Errorf("20 KiB: got %v, want ErrRequestTooLarge", err)
		}
	})
}

func TestSetFencedObeysTheACL(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		ctx := t.Context()
		owner := connect(t, addr, func(cfg *client.Config) { cfg.Auth = []client.Auth{client.NewAuth("digest", "u:p")} })
		other := connect(t, addr)
		all := zk.AuthACL(zk.PermAll)
		readable := append(zk.AuthACL(zk.PermAll), zk.WorldACL(zk.PermRead)...)
		for path, acl := range map[string][]zk.ACL{"/open": electiontest.Open, "/readable": readable, "/hidden": all} {
			if _, err := owner.Create(ctx, path, nil, 0, acl); err != nil {
				t.Fatal(err)
			}
		}
		for _, w := range []struct{ path, guard string }{
			{"/readable", "/open"}, // no permission to write the path
			{"/open", "/hidden"},   // no permission to read the guard
		} {
			_, err := other.SetFenced(ctx, w.path, []byte("x"), w.guard)
			if !errors.Is(err, zk.ErrNoAuth) || errors.Is(err, client.ErrFenced) {
				t.Errorf("set %s guarded by %s: got %v, want ErrNoAuth", w.path, w.guard, err)
			}
			if _, err := owner.SetFenced(ctx, w.path, []byte("x"), w.guard); err != nil {
				t.Errorf("the owner: set %s guarded by %s: %v", w.path, w.guard, err)
			}
		}
		if _, err := other.SetFenced(ctx, "/open", []byte("y"), "/readable"); err != nil {
			t.Errorf("set /open guarded by a guard that the client may only read: %v", err)
		}
	})
}

func TestSetFencedOutcomeUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &electiontest.Peer{Answer: func(f electiontest.Request, _ func(int32, int32, []byte), _ int32) bool {
			return f.Opcode == wire.OpMulti
		}}
		c := p.Session(t)
		done := make(chan error)
		go func() {
			_, err := c.SetFenced(t.Context(), "/counter", nil, "/e/n_0000000000")
			done <- err
		}()
		time.Sleep(time.Second)
		p.Drop(1)
		if err := <-done; !errors.Is(err, client.ErrUnknownOutcome) || errors.Is(err, client.ErrFenced) {
			t.Errorf("after the loss: got %v, want ErrUnknownOutcome", err)
		}
	})
}

func TestSetFencedRefusesBrokenAnswers(t *testing.T) {
	end := func(b []byte) []byte {
		b = binary.BigEndian.AppendUint32(b, 0xffffffff)
		return binary.BigEndian.AppendUint32(append(b, 1), 0xffffffff)
	}
	part := func(b []byte, op int32, code uint32) []byte {
		b = append(binary.BigEndian.AppendUint32(b, uint32(op)), 0)
		return binary.BigEndian.AppendUint32(b, code)
	}
	for name, body := range map[string][]byte{
		"nothing":    nil,
		"no results": end(nil),
		"one result": end(part(nil, 13, 0)),
		"two checks": end(part(part(nil, 13, 0), 13, 0)),
		"no end":     part(nil, 13, 0),
		"unknown op": end(part(part(nil, 13, 0), 99, 0)),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &electiontest.Peer{Answer: func(f electiontest.Request, reply func(int32, int32, []byte), xid int32) bool {
					if f.Opcode == wire.OpMulti {
						reply(xid, 0, body)
					}
					return f.Opcode == wire.OpMulti
				}}
				c := p.Session(t)
				if stat, err := c.SetFenced(t.Context(), "/counter", nil, "/e/n_0000000000"); err == nil || stat != nil {
					t.Errorf("got %+v, %v; want an error", stat, err)
				}
			})
		})
	}
}
