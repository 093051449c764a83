package client_test

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zktest"
	"electop/zkwatch/client"
	"electop/zkwatch/internal/clienttest"
	"electop/zkwatch/wire"
)

func TestSetFenced(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		ctx := t.Context()
		c := dial(t, addr)
		create := func(path string, flags int32) string {
			t.Helper()
			made, err := c.Create(ctx, path, nil, flags, clienttest.Open)
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
		data, truth, err := c.Get(ctx, "/counter")
		if err != nil || string(data) != "1" || *stat != *truth || stat.Mzxid <= stat.Czxid || stat.Version != 1 {
			t.Errorf("accepted with %+v; the server has %q, %+v, %v", stat, data, truth, err)
		}

		_, err = c.SetFenced(ctx, "/none", nil, guard)
		if !errors.Is(err, zk.ErrNoNode) || errors.Is(err, client.ErrFenced) || !strings.HasPrefix(err.Error(), "setData /none: ") {
			t.Errorf("a path that is missing: %v", err)
		}

		if err := c.Delete(ctx, guard, -1); err != nil {
			t.Fatal(err)
		}
		// Nothing else is as good as it: a sequence number comes once.
		if next := create("/e/n_", zk.FlagEphemeralSequential); next == guard {
			t.Fatalf("the name %s was given twice", guard)
		}
		_, err = c.SetFenced(ctx, "/counter", []byte("2"), guard)
		if !errors.Is(err, client.ErrFenced) || errors.Is(err, zk.ErrNoNode) || errors.Is(err, client.ErrUnknownOutcome) || !strings.Contains(err.Error(), guard) {
			t.Errorf("the guard is gone: %v", err)
		}
		if _, err := c.SetFenced(ctx, "/none", nil, guard); !errors.Is(err, client.ErrFenced) {
			t.Errorf("neither is there: %v", err)
		}
		if data, now, err := c.Get(ctx, "/counter"); err != nil || string(data) != "1" || now.Mzxid != truth.Mzxid {
			t.Errorf("fenced, and the data is %q, %+v, %v", data, now, err)
		}

		// It is the name that counts: one that is not given by a sequence can come
		// again, and says nothing.
		create("/fixed", zk.FlagEphemeral)
		if err := c.Delete(ctx, "/fixed", -1); err != nil {
			t.Fatal(err)
		}
		create("/fixed", zk.FlagEphemeral)
		if _, err := c.SetFenced(ctx, "/counter", []byte("3"), "/fixed"); err != nil {
			t.Errorf("a guard that was created again: %v", err)
		}

		for _, bad := range []string{"", "e", "/e//n"} {
			if _, err := c.SetFenced(ctx, "/counter", nil, bad); !errors.Is(err, zk.ErrInvalidPath) || errors.Is(err, client.ErrUnknownOutcome) {
				t.Errorf("guard %q: %v", bad, err)
			}
		}
		if _, err := c.SetFenced(ctx, "/counter", make([]byte, 20<<10), "/fixed"); !errors.Is(err, client.ErrRequestTooLarge) {
			t.Errorf("too large: %v", err)
		}
	})
}

func TestSetFencedKeepsToTheACL(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		ctx := t.Context()
		owner := dial(t, addr, func(cfg *client.Config) { cfg.Auth = []client.Auth{client.NewAuth("digest", "u:p")} })
		stranger := dial(t, addr)
		all := zk.AuthACL(zk.PermAll)
		readable := append(zk.AuthACL(zk.PermAll), zk.WorldACL(zk.PermRead)...)
		for path, acl := range map[string][]zk.ACL{"/open": clienttest.Open, "/readable": readable, "/hidden": all} {
			if _, err := owner.Create(ctx, path, nil, 0, acl); err != nil {
				t.Fatal(err)
			}
		}
		for _, w := range []struct{ path, guard string }{
			{"/readable", "/open"}, // it may not write that
			{"/open", "/hidden"},   // nor look at this
		} {
			_, err := stranger.SetFenced(ctx, w.path, []byte("x"), w.guard)
			if !errors.Is(err, zk.ErrNoAuth) || errors.Is(err, client.ErrFenced) {
				t.Errorf("set %s guarded by %s: %v", w.path, w.guard, err)
			}
			if _, err := owner.SetFenced(ctx, w.path, []byte("x"), w.guard); err != nil {
				t.Errorf("the owner: set %s guarded by %s: %v", w.path, w.guard, err)
			}
		}
		if _, err := stranger.SetFenced(ctx, "/open", []byte("y"), "/readable"); err != nil {
			t.Errorf("reading the guard is enough: %v", err)
		}
	})
}

// What a server did with a transaction that it never answered is not known.
func TestSetFencedOutcomeUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &clienttest.Peer{Answer: func(f clienttest.Request, _ func(int32, int32, []byte), _ int32) bool {
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
			t.Errorf("connection lost: %v", err)
		}
	})
}

// Whatever comes as the answer to a transaction, it is never taken for an
// accepted write.
func TestSetFencedBelievesNoNonsense(t *testing.T) {
	end := func(b []byte) []byte {
		b = binary.BigEndian.AppendUint32(b, 0xffffffff)
		return binary.BigEndian.AppendUint32(append(b, 1), 0xffffffff)
	}
	part := func(b []byte, op int32, code uint32) []byte {
		b = append(binary.BigEndian.AppendUint32(b, uint32(op)), 0)
		return binary.BigEndian.AppendUint32(b, code)
	}
	for name, body := range map[string][]byte{
		"nothing":       nil,
		"no results":    end(nil),
		"one result":    end(part(nil, 13, 0)),
		"two checks":    end(part(part(nil, 13, 0), 13, 0)),
		"no end":        part(nil, 13, 0),
		"unknown parts": end(part(part(nil, 13, 0), 99, 0)),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &clienttest.Peer{Answer: func(f clienttest.Request, reply func(int32, int32, []byte), xid int32) bool {
					if f.Opcode == wire.OpMulti {
						reply(xid, 0, body)
					}
					return f.Opcode == wire.OpMulti
				}}
				c := p.Session(t)
				if stat, err := c.SetFenced(t.Context(), "/counter", nil, "/e/n_0000000000"); err == nil || stat != nil {
					t.Errorf("accepted: %+v, %v", stat, err)
				}
			})
		})
	}
}
