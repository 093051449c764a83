package zkserver

import (
	"math"
	"net"
	"testing"

	"electop/zkwatch/wire"
)

// request has s handle one request of c and returns the reply.
func request(t *testing.T, s *Server, c *conn, op wire.Op, req, rsp wire.Record) wire.ReplyHeader {
	t.Helper()
	frame := (&wire.RequestHeader{Xid: 1, Op: op}).Append(nil)
	if _, err := s.handle(c, req.Append(frame)); err != nil {
		t.Fatal(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	d := wire.NewDecoder(c.queue[4:])
	c.queue = nil
	var h wire.ReplyHeader
	if h.Decode(d); h.Err == wire.OK && rsp != nil {
		rsp.Decode(d)
	}
	if d.Err() != nil {
		t.Fatal(d.Err())
	}
	return h
}

// The counter of creates cannot be driven to its end through a connection:
// that would take 2^31 requests.
func TestSequenceJam(t *testing.T) {
	s := New(Options{})
	defer s.Close()
	client, server := net.Pipe()
	defer client.Close()
	defer server.Close()
	c := &conn{s: s, nc: server}
	c.output.init(c)
	c.corked = true
	if !s.attach(c) {
		t.Fatal("not attached")
	}
	defer s.wg.Done()
	if !s.connect(c, &wire.ConnectRequest{Timeout: 1000}) {
		t.Fatal("no session")
	}
	c.queue = nil
	create := func(path string, flags int32) (string, wire.Code) {
		t.Helper()
		var rsp wire.PathResponse
		h := request(t, s, c, wire.OpCreate, &wire.CreateRequest{Path: path, ACL: openACL, Flags: flags}, &rsp)
		return rsp.Path, h.Err
	}
	create("/e", 0)
	e := s.tree.get("/e")
	e.creates = 1<<30 - 1
	steps := []struct {
		path  string
		flags int32
		want  string
		code  wire.Code
		cv    int32 // afterwards
	}{
		{"/e/n_", wire.FlagSequential, "/e/n_1073741823", wire.OK, math.MaxInt32},     // 2^31 - 1
		{"/e/n_", wire.FlagSequential, "/e/n_1073741824", wire.OK, math.MinInt32},     // wraps
		{"/e/n_", wire.FlagSequential, "/e/n_1073741825", wire.OK, math.MinInt32 + 1}, // goes on
	}
	for _, st := range steps {
		got, code := create(st.path, st.flags)
		if got != st.want || code != st.code || e.stat().Cversion != st.cv {
			t.Errorf("create %s: %q %v, cversion %d; want %q %v, %d", st.path, got, code, e.stat().Cversion, st.want, st.code, st.cv)
		}
	}

	e.creates = math.MaxInt32 - 1
	if got, code := create("/e/n_", wire.FlagSequential); got != "/e/n_2147483646" || code != wire.OK {
		t.Errorf("last but one: %q %v", got, code)
	}
	if got, code := create("/e/n_", wire.FlagSequential); got != "/e/n_2147483647" || code != wire.OK {
		t.Errorf("last: %q %v", got, code)
	}
	if e.creates != math.MaxInt32 {
		t.Errorf("creates = %d after the last", e.creates)
	}
	pzxid := e.pzxid
	for range 3 {
		if got, code := create("/e/n_", wire.FlagSequential); code != wire.NodeExists {
			t.Errorf("beyond the last: %q %v, want NodeExists", got, code)
		}
	}
	// Others still work, but are neither counted nor seen in pzxid.
	if _, code := create("/e/plain", 0); code != wire.OK || e.creates != math.MaxInt32 || e.pzxid != pzxid {
		t.Errorf("plain create at the jam: %v, creates %d, pzxid %d -> %d", code, e.creates, pzxid, e.pzxid)
	}
	if got, code := create("/e/other_", wire.FlagSequential); got != "/e/other_2147483647" || code != wire.OK {
		t.Errorf("another prefix at the jam: %q %v", got, code)
	}
	s.mu.Lock()
	s.detach(c)
	s.mu.Unlock()
}

func TestFreshRoot(t *testing.T) {
	tr := newTree()
	if st := tr.root.stat(); st != (wire.Stat{Cversion: -1, NumChildren: 1}) {
		t.Errorf("root of a fresh tree: %+v", st)
	}
	if tr.bytes != 44 || tr.descendants("/") != 3 {
		t.Errorf("fresh tree: %d bytes, %d nodes below the root; Apache has 44 and 3", tr.bytes, tr.descendants("/"))
	}
}

func TestAverage(t *testing.T) {
	for _, tt := range []struct {
		l    latency
		want string
	}{
		{latency{}, "0.0"},
		{latency{count: 2, total: 2e6}, "1.0"},
		{latency{count: 1, total: 11_969e2}, "1.1969"},
		{latency{count: 1, total: 1}, "0.0"},
		{latency{count: 1, total: 12e6 + 500e3}, "12.5"},
	} {
		if got := average(&tt.l); got != tt.want {
			t.Errorf("average of %+v = %s, want %s", tt.l, got, tt.want)
		}
	}
}
