package client_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/zkwatch/client"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/wire"
)

func takeChanges(t *testing.T, f *client.Following, n int) (changes []client.Change) {
	t.Helper()
	for deadline := time.After(20 * time.Second); len(changes) < n; {
		select {
		case <-f.More():
			more, complete := f.Take()
			if !complete {
				t.Fatal("changes were dropped")
			}
			changes = append(changes, more...)
		case <-deadline:
			t.Fatalf("got %d changes, want %d", len(changes), n)
		}
	}
	return changes
}

func follow(t *testing.T, c *client.Conn, path string) *client.Following {
	t.Helper()
	f, err := c.Follow(path)
	if err == nil {
		err = f.Watch(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

func TestFollow(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		c := electiontest.Connected(t, on.Config())
		ctx := t.Context()
		f := follow(t, c, on.Path)
		if stat, _, err := f.Exists(ctx, false); err != nil || stat != nil {
			t.Fatalf("exists: got %+v, %v; want no stat", stat, err)
		}
		on.Make(on.Path, 0)
		on.Make(on.Path+"x", 0) // not below on.Path
		candidate := on.Make(on.Path+"/n_", electiontest.Contender)
		if names, stat, _, err := f.Children(ctx, false); err != nil || !slices.Equal(names, []string{"n_0000000000"}) || stat.NumChildren != 1 {
			t.Errorf("children %q, %+v, %v; want n_0000000000 and NumChildren 1", names, stat, err)
		}
		z, seen, err := f.Child(ctx, "n_0000000000")
		if err != nil || z.Session == 0 || string(z.Data.Bytes) != "d" {
			t.Errorf("child %+v, %v; want a session and data d", z, err)
		}
		// The library's watch on the candidate's znode must also report the deletion.
		_, _, once, err := c.GetW(ctx, candidate)
		if err != nil {
			t.Fatal(err)
		}
		on.Make(on.Path+"/config", 0)
		on.Make(on.Path+"/config/below", 0)
		if _, err := on.Set(on.Path+"/config", []byte("x"), -1); err != nil {
			t.Fatal(err)
		}
		on.Remove(candidate)
		var got []string
		changes := takeChanges(t, f, 6)
		for _, ch := range changes {
			got = append(got, fmt.Sprintf("%v %q", ch.Kind, ch.Below))
			if ch.At.IsZero() || ch.AppliedAfter.After(ch.At) {
				t.Errorf("change %+v, want At, and AppliedAfter at or before At", ch)
			}
		}
		want := []string{
			`EventNodeCreated ""`, `EventNodeCreated "n_0000000000"`, `EventNodeCreated "config"`,
			`EventNodeCreated "config/below"`, `EventNodeDataChanged "config"`, `EventNodeDeleted "n_0000000000"`,
		}
		if !slices.Equal(got, want) {
			t.Errorf("changes %q\nwant    %q", got, want)
		}
		if seen < changes[1].N || seen >= changes[5].N {
			t.Errorf("seen %d, want at least %d (created) and less than %d (deleted)", seen, changes[1].N, changes[5].N)
		}
		select {
		case e := <-once:
			if e.Type != zk.EventNodeDeleted {
				t.Errorf("event of the library's watch: %v, want EventNodeDeleted", e)
			}
		case <-time.After(20 * time.Second):
			t.Error("no event of the library's watch")
		}
		if z, _, err := f.Child(ctx, "n_0000000000"); err != nil || !z.Unread {
			t.Errorf("deleted child: got %+v, %v; want Unread", z, err)
		}
		if err := f.Stop(ctx); err != nil {
			t.Errorf("stop: %v", err)
		}
		on.Make(on.Path+"/later", 0)
		if _, _, err := c.Children(ctx, on.Path); err != nil { // the server sends earlier events first
			t.Fatal(err)
		}
		if changes, _ := f.Take(); len(changes) > 0 {
			t.Errorf("changes after Stop: %+v, want none", changes)
		}
	})
}

func TestFollowAtAnOldServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &electiontest.Peer{Answer: func(f electiontest.Request, reply func(xid, code int32, body []byte), xid int32) bool {
			if f.Opcode == wire.OpAddWatch {
				reply(xid, int32(wire.Unimplemented), nil)
				return true
			}
			return false
		}}
		c := p.Session(t)
		f, err := c.Follow("/e")
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Watch(t.Context()); !errors.Is(err, client.ErrUnsupported) {
			t.Errorf("got %v, want ErrUnsupported", err)
		}
	})
}

func TestHandshakeDeadlineDoesNotApplyToLaterRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &electiontest.Peer{}
		c := p.Session(t, func(cfg *client.Config) { cfg.SessionTimeout = 40 * time.Second })
		f, err := c.Follow("/e")
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second) // after the handshake's deadline, before the library's first ping
		if _, _, err := f.Exists(t.Context(), false); err != nil || p.Dials() != 1 {
			t.Errorf("exists: %v, %d connections; want no error and 1 connection", err, p.Dials())
		}
	})
}

func TestFollowingEndsWithTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &electiontest.Peer{Answer: func(f electiontest.Request, _ func(xid, code int32, body []byte), _ int32) bool {
			return f.Opcode == wire.OpExists // true: the peer sends no reply
		}}
		c := p.Session(t)
		f := follow(t, c, "/e")
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, _, err := f.Exists(short, false); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after a second: got %v, want DeadlineExceeded", err)
		}
		failed := make(chan error)
		go func() {
			_, _, err := f.Exists(t.Context(), false)
			failed <- err
		}()
		synctest.Wait()
		p.Drop(1)
		if err := <-failed; !client.Unanswered(err) {
			t.Errorf("after the loss: got %v, want an unanswered request", err)
		}
		<-f.Lost()
		p.Connected(t, c, 2)
		if _, _, _, err := f.Children(t.Context(), false); err == nil {
			t.Error("a Following of the lost connection got an answer")
		}
		follow(t, c, "/e")
	})
}
