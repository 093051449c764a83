package zkserver_test

import (
	"bytes"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"electop/demo/zkserver"
	"electop/zkwatch/wire"
)

// keeping starts a server that keeps its data in a file.
func keeping(t zkserver.TB, file string, opts zkserver.Options) (*zkserver.Server, zkserver.Kept) {
	t.Helper()
	s := zkserver.New(opts)
	t.Cleanup(func() { s.Close() })
	kept, err := s.Keep(file)
	if err != nil {
		t.Fatalf("keep: %v", err)
	}
	return s, kept
}

func pipeTo(t testing.TB, s *zkserver.Server) *rawClient {
	t.Helper()
	return pipeFor(t, s, 0)
}

// pipeFor asks for a session with this timeout.
func pipeFor(t testing.TB, s *zkserver.Server, timeout time.Duration) *rawClient {
	t.Helper()
	nc, err := s.Dial()
	if err != nil {
		t.Fatal(err)
	}
	return connectRaw(t, nc, wire.ConnectRequest{Timeout: int32(timeout.Milliseconds())})
}

// put sends a request and waits for its reply, whatever that is.
func (c *rawClient) put(op wire.Op, req wire.Appender) {
	xid := c.send(op, req)
	for {
		frame, err := wire.ReadFrame(c.in, 64<<20)
		if err != nil {
			c.t.Fatalf("%v: %v", op, err)
		}
		var h wire.ReplyHeader
		if h.Decode(wire.NewDecoder(frame)); h.Xid == xid {
			return
		}
	}
}

// Whatever clients do, what is on disk when they have the reply is the state of
// the server; and what is on disk at any moment, as a crash may leave it, is the
// state after one of the transactions. Not parallel: a process that another test
// starts has the file, and its lock, until it runs its program.
func TestKeptIsTheState(t *testing.T) {
	rewritten := 0
	dir := t.TempDir()
	file, copied := filepath.Join(dir, "data"), filepath.Join(dir, "copy")
	again := func(rt *rapid.T, b []byte) (string, zkserver.Kept) {
		if err := os.WriteFile(copied, b, 0o600); err != nil {
			rt.Fatal(err)
		}
		s := zkserver.New(zkserver.Options{})
		defer s.Close()
		kept, err := s.Keep(copied)
		if err != nil {
			rt.Fatalf("keep again: %v", err)
		}
		return s.Snapshot(), kept
	}
	// Only the step "expire" ends a session: a slow fsync takes seconds, and the
	// clients send no pings.
	connect := func(s *zkserver.Server) *rawClient { return pipeFor(t, s, time.Hour) }
	rapid.Check(t, func(rt *rapid.T) {
		os.Remove(file)
		s := zkserver.New(zkserver.Options{ReapInterval: time.Hour, MaxSessionTimeout: time.Hour})
		defer s.Close()
		if kept, err := s.Keep(file); err != nil || !kept.New {
			rt.Fatalf("keep: %+v, %v", kept, err)
		}
		states := map[string]bool{s.Snapshot(): true}
		first := s.Rewritten()
		if rapid.Bool().Draw(rt, "often rewritten") {
			s.RewriteFrom(first)
		}
		var clients [3]*rawClient
		for i := range clients {
			clients[i] = connect(s)
			states[s.Snapshot()] = true
		}
		clients[0].create("/t", 0)
		states[s.Snapshot()] = true
		for range rapid.IntRange(0, 60).Draw(rt, "steps") {
			st := anyStep.Draw(rt, "step")
			switch {
			case st.op == wire.OpAuth:
			case st.event == 0:
				clients[st.who].put(st.op, st.req)
			case st.event == closeAndReturn:
				clients[st.who].put(wire.OpCloseSession, nil)
				states[s.Snapshot()] = true
				clients[st.who] = connect(s)
			case st.event == expire:
				s.ExpireSession(clients[st.who].conn.SessionID)
				states[s.Snapshot()] = true
				clients[st.who] = connect(s)
			}
			states[s.Snapshot()] = true
		}
		if s.Rewritten() > first {
			rewritten++
		}
		b, err := os.ReadFile(file)
		if err != nil {
			rt.Fatal(err)
		}
		if now, kept := again(rt, b); now != s.Snapshot() || kept.Torn != 0 {
			rt.Fatalf("what is kept is not what there is (%+v)", kept)
		}
		for range 5 {
			cut := rapid.IntRange(int(s.Rewritten()), len(b)).Draw(rt, "cut")
			if got, kept := again(rt, b[:cut]); !states[got] {
				rt.Fatalf("cut at %d of %d (%+v) it is no state that there was", cut, len(b), kept)
			}
		}
		s.Close()
		if b, err = os.ReadFile(file); err != nil {
			rt.Fatal(err)
		}
		if got, _ := again(rt, b); got != s.Snapshot() {
			rt.Fatal("what is kept at the end is not what there was")
		}
	})
	if rewritten == 0 {
		t.Error("no file was rewritten")
	}
}

// Sessions, with their ephemeral nodes and watchable predecessors, outlive the
// server, and begin with a full timeout.
func TestSessionsOutliveTheServer(t *testing.T) {
	file := filepath.Join(t.TempDir(), "data")
	synctest.Test(t, func(t *testing.T) {
		opts := zkserver.Options{Tick: time.Second}
		first, _ := keeping(t, file, opts)
		a := pipeTo(t, first)
		a.create("/e", 0)
		for range 3 {
			a.create("/e/n_", eph|seq)
		}
		time.Sleep(9 * time.Second) // virtual; of ten
		first.Close()

		second, kept := keeping(t, file, opts)
		if kept.Sessions != 1 || kept.New || kept.Znodes != 8 {
			t.Errorf("%+v", kept)
		}
		time.Sleep(9 * time.Second)
		nc, err := second.Dial()
		if err != nil {
			t.Fatal(err)
		}
		again := connectRaw(t, nc, wire.ConnectRequest{SessionID: a.conn.SessionID, Passwd: a.conn.Passwd})
		if again.conn.SessionID != a.conn.SessionID {
			t.Fatalf("session %#x instead of %#x", again.conn.SessionID, a.conn.SessionID)
		}
		if name := again.create("/e/n_", eph|seq); name != "/e/n_0000000003" {
			t.Errorf("the next is %s", name)
		}
		other := pipeTo(t, second)
		if other.conn.SessionID == a.conn.SessionID {
			t.Error("one session id for two")
		}
		again.nc.Close()
		time.Sleep(12 * time.Second)
		fresh := pipeTo(t, second)
		var children wire.StringsResponse
		fresh.must(wire.OpGetChildren, &wire.PathWatchRequest{Path: "/e"}, &children)
		if len(children.Strings) != 0 {
			t.Errorf("the session is over, and there are %q", children.Strings)
		}
	})
}

func TestKeepRefuses(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "data")
	s, _ := keeping(t, file, zkserver.Options{})
	refused := func(name, want string) {
		t.Helper()
		other := zkserver.New(zkserver.Options{})
		defer other.Close()
		if _, err := other.Keep(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("keep in %s: %v, want %q", name, err, want)
		}
	}
	refused(file, "another server uses it")
	c := pipeTo(t, s)
	for range 5 {
		c.create("/n", seq)
	}
	if _, err := s.Keep(file); err == nil {
		t.Error("kept twice")
	}
	s.Close()
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	os.Chmod(file, 0o644)
	keptAgain, _ := keeping(t, file, zkserver.Options{})
	keptAgain.Close()
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v: others can read it", info.Mode(), err)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	write := func(b []byte) string {
		name := filepath.Join(dir, "other")
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	refused(write([]byte("{}")), "not a data file")
	refused(write(bytes.Repeat([]byte("x"), 100)), "not a data file")
	refused(dir, "not a regular file")
	refused(filepath.Join(dir, "none", "data"), "no such file")
	// Two records, of which the first is damaged.
	two := append(bytes.Clone(b), b[len("electop data 1\n"):]...)
	two[60] ^= 1
	refused(write(two), "damaged at byte 15")
	if entries, _ := filepath.Glob(filepath.Join(dir, ".*")); len(entries) > 0 {
		t.Errorf("left behind: %q", entries)
	}
}

// A server whose disk fails acknowledges nothing any more, and ends with the
// error.
func TestKeepFails(t *testing.T) {
	s, _ := keeping(t, filepath.Join(t.TempDir(), "data"), zkserver.Options{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	c := dialRaw(t, l.Addr().String())
	c.create("/a", 0)
	s.BreakData()
	c.send(wire.OpCreate, &wire.CreateRequest{Path: "/b", ACL: world(wire.PermAll)})
	if err := c.closed(); err != nil {
		t.Errorf("the write is acknowledged: %v", err)
	}
	if err := <-served; !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Serve: %v", err)
	}
}

// Garbage in a data file is no data, or an error, and never a panic; what is
// taken can be used.
func FuzzKeep(f *testing.F) {
	file := filepath.Join(f.TempDir(), "data")
	s := zkserver.New(zkserver.Options{})
	if _, err := s.Keep(file); err != nil {
		f.Fatal(err)
	}
	c := pipeTo(f, s)
	c.create("/a", 0)
	c.create("/a/n_", eph|seq)
	c.must(wire.OpDelete, &wire.PathVersionRequest{Path: "/a/n_0000000000", Version: -1}, nil)
	s.Close()
	b, err := os.ReadFile(file)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add(b[:len(b)-3])
	f.Add([]byte("electop data 1\n"))
	f.Add([]byte("electop data 1\n\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		file := filepath.Join(t.TempDir(), "data")
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		s := zkserver.New(zkserver.Options{})
		defer s.Close()
		if _, err := s.Keep(file); err != nil {
			return
		}
		pipeTo(t, s).put(wire.OpCreate, &wire.CreateRequest{Path: "/n", ACL: world(wire.PermAll), Flags: seq})
	})
}

// BenchmarkKeep is creates by many clients at once, which share the fsync.
func BenchmarkKeep(b *testing.B) {
	for _, clients := range []int{1, 50} {
		b.Run(map[int]string{1: "1", 50: "50"}[clients], func(b *testing.B) {
			s, _ := keeping(b, filepath.Join(b.TempDir(), "data"), zkserver.Options{})
			var wg sync.WaitGroup
			work := make(chan struct{})
			for range clients {
				c := pipeTo(b, s)
				wg.Go(func() {
					for range work {
						c.put(wire.OpCreate, &wire.CreateRequest{Path: "/n", ACL: world(wire.PermAll), Flags: seq})
					}
				})
			}
			for b.Loop() {
				work <- struct{}{}
			}
			close(work)
			wg.Wait()
		})
	}
}
