package zkserver

import (
	"bytes"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"electop/zkwatch/wire"
)

type scriptConn struct {
	io.Reader
	out bytes.Buffer
}

func (c *scriptConn) Write(p []byte) (int, error)      { return c.out.Write(p) }
func (c *scriptConn) Close() error                     { return nil }
func (c *scriptConn) LocalAddr() net.Addr              { return pipeAddr(1) }
func (c *scriptConn) RemoteAddr() net.Addr             { return pipeAddr(2) }
func (c *scriptConn) SetDeadline(time.Time) error      { return nil }
func (c *scriptConn) SetReadDeadline(time.Time) error  { return nil }
func (c *scriptConn) SetWriteDeadline(time.Time) error { return nil }

type rawBytes string

func (p rawBytes) Fields(c *wire.Coder) { b := []byte(p); c.Raw(&b) }

func FuzzConnection(f *testing.F) {
	handshake := wire.AppendFrame(nil, &wire.ConnectRequest{Timeout: 5000, Passwd: make([]byte, 16), HasReadOnly: true})
	requests := func(rs ...[]wire.Record) []byte {
		var b []byte
		for i, r := range rs {
			r[0].(*wire.RequestHeader).Xid = int32(i + 1)
			b = wire.AppendFrame(b, r...)
		}
		return b
	}
	r := func(op wire.Op, body ...wire.Record) []wire.Record {
		return append([]wire.Record{&wire.RequestHeader{Op: op}}, body...)
	}
	create := func(path string, flags int32) *wire.CreateRequest {
		return &wire.CreateRequest{Path: path, Data: []byte("x"), ACL: everybody, Flags: flags}
	}
	path := func(p string) *wire.PathRequest { return &wire.PathRequest{Path: p} }
	watch := func(p string) *wire.PathWatchRequest { return &wire.PathWatchRequest{Path: p, Watch: true} }
	versioned := func(p string, v int32) *wire.MultiOp {
		return &wire.MultiOp{Op: wire.OpDelete, Path: p, Version: v}
	}
	f.Add(true, requests(r(wire.OpCreate, create("/a", 0)), r(wire.OpCreate2, create("/a/n_", 3)), r(wire.OpGetChildren, watch("/a")),
		r(wire.OpGetChildren2, watch("/a")), r(wire.OpGetData, watch("/a")), r(wire.OpExists, watch("/b")), r(wire.OpCreate, create("/b", 1)),
		r(wire.OpSetData, &wire.MultiOp{Op: wire.OpSetData, Path: "/a", Data: []byte("y"), Version: 0}),
		r(wire.OpDelete, versioned("/a/n_0000000000", -1)), r(wire.OpDelete, versioned("/a", 1)), r(wire.OpPing), r(wire.OpCloseSession)))
	f.Add(true, requests(r(wire.OpCreateContainer, create("/c", 4)),
		r(wire.OpCreateTTL, &wire.MultiOp{Op: wire.OpCreateTTL, Create: *create("/t", 5), TTL: 10}),
		r(wire.OpGetACL, path("/c")), r(wire.OpSetACL, &wire.SetACLRequest{Path: "/c", ACL: readers, Version: 0}), r(wire.OpSync, path("/")),
		r(wire.OpCheck, versioned("/c", 0)), r(wire.OpGetEphemerals, path("/")), r(wire.OpGetAllChildrenNumber, path("/")), r(wire.OpWhoAmI),
		r(wire.OpAuth, &wire.AuthRequest{Scheme: "digest", Auth: []byte("u:p")})))
	f.Add(true, requests(r(wire.OpAddWatch, &wire.AddWatchRequest{Path: "/", Mode: 1}), r(wire.OpAddWatch, &wire.AddWatchRequest{Path: "/x", Mode: 0}),
		r(wire.OpMulti, &wire.MultiRequest{Ops: []wire.MultiOp{{Op: wire.OpCreate, Create: *create("/x", 0)}, {Op: wire.OpCreate, Create: *create("/x/s", 2)},
			{Op: wire.OpCheck, Path: "/x", Version: 0}, {Op: wire.OpSetData, Path: "/x"}, {Op: wire.OpDelete, Path: "/x/s0000000000", Version: -1}}}),
		r(wire.OpMultiRead, &wire.MultiRequest{Ops: []wire.MultiOp{{Op: wire.OpGetData, Path: "/x"}, {Op: wire.OpGetChildren, Path: "/"}}}),
		r(wire.OpCheckWatches, &wire.WatcherTypeRequest{Path: "/x", Type: 3}), r(wire.OpRemoveWatches, &wire.WatcherTypeRequest{Path: "/", Type: 3}),
		r(wire.OpSetWatches, &wire.SetWatchesRequest{Data: []string{"/x"}, Exist: []string{"/y"}, Child: []string{"/"}}),
		r(wire.OpSetWatches2, &wire.SetWatches2Request{Persistent: []string{"/"}, Recursive: []string{"/", "", "no slash"}}),
		r(wire.OpCreate, create("/y", 0)), r(wire.OpReconfig, path("")), r(99)))
	raw := func(s string) wire.Record { return rawBytes(s) }
	const null = "\xff\xff\xff\xff"
	f.Add(true, requests(r(wire.OpGetAllChildrenNumber, path("")), r(wire.OpSetData, raw(null+null+null)), r(wire.OpAddWatch, raw(null+"\x00\x00\x00\x01")),
		r(wire.OpSetACL, raw(null+"\xff\xff\xff\xfe"+null)), r(wire.OpSync, raw(null)), r(wire.OpRemoveWatches, raw(null+null)), r(wire.OpGetData, raw(null)),
		r(wire.OpMultiRead, raw("\x00\x00\x00\x04\x00"+null+null+"\x00"+null+"\x01"+null)), r(wire.OpSetWatches2, raw("\x00\x00\x00\x00\x00\x00\x00\x00"+null)),
		r(wire.OpMulti, raw("\x00\x00\x00\x02\x00"+null+null+null+null+"\x01"+null)), r(wire.OpCreate, raw("\x00\x00\x00\x02/a"+null+null+null)),
		r(wire.OpAuth, raw("\x00\x00\x00\x00\x00\x00\x00\x06digest"+null))))
	f.Add(false, handshake)
	for _, word := range strings.Fields("ruok srvr mntr cons dump wchs wchp conf envi") {
		f.Add(false, []byte(word))
	}
	f.Add(false, []byte("GET / HTTP/1.0\r\n\r\n"))
	f.Add(true, []byte("\x00\x0f\xff\xff"))
	f.Fuzz(func(t *testing.T, connected bool, stream []byte) {
		s := New(Options{})
		nc := &scriptConn{}
		if connected {
			nc.Reader = io.MultiReader(bytes.NewReader(handshake), bytes.NewReader(stream))
		} else {
			nc.Reader = bytes.NewReader(stream)
		}
		s.ServeConn(nc)
		s.Close()
		if connected {
			checkReplies(t, nc.out.Bytes(), stream)
		}
		s.mu.Lock()
		checkInvariants(t, s)
		s.mu.Unlock()
		if n := s.counters.panics.Load(); n > 0 {
			t.Errorf("got %d panics, want none", n)
		}
	})
}

func checkReplies(t *testing.T, out, stream []byte) {
	t.Helper()
	r := bytes.NewReader(out)
	if _, err := wire.ReadFrame(r, 1<<10); err != nil {
		t.Fatalf("connect response: %v", err)
	}
	in := bytes.NewReader(stream)
	for {
		frame, err := wire.ReadFrame(r, 1<<30)
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatalf("reply: %v", err)
		}
		d := wire.NewDecoder(frame)
		var h wire.ReplyHeader
		if h.Fields(d); d.Err() != nil {
			t.Fatalf("reply header: %v", d.Err())
		}
		var ev wire.WatcherEvent
		if h.Xid == wire.XidWatch && h.Zxid == -1 && h.Err == wire.OK {
			if ev.Fields(d); d.Err() != nil || len(d.Rest()) > 0 {
				t.Fatalf("watch event: got error %v and %d bytes too many", d.Err(), len(d.Rest()))
			}
			continue
		}
		request, err := wire.ReadFrame(in, wire.MaxFrame)
		if err != nil {
			t.Fatalf("got reply %+v without a request", h)
		}
		describe(request, h, nil)
		var req wire.RequestHeader
		req.Fields(wire.NewDecoder(request))
		want := req.Xid
		if req.Op == wire.OpPing {
			want = wire.XidPing
		}
		if h.Xid != want {
			t.Fatalf("xid of a reply: got %d, want %d", h.Xid, want)
		}
	}
}

func checkInvariants(t *testing.T, s *Server) {
	t.Helper()
	owned := 0
	for id := range s.sessions {
		owned += len(s.tree.EphemeralsOf(id))
	}
	if owned != s.tree.Ephemerals() {
		t.Errorf("%d ephemeral nodes, but %d owned by sessions; want the same number", s.tree.Ephemerals(), owned)
	}
	for _, w := range []*watchTable{&s.watches.data, &s.watches.child} {
		if s.alive == 0 && len(w.owned)+len(w.paths)+w.total+w.recursive != 0 {
			t.Errorf("without connections: got watches of %d connections on %d paths, %d in all, %d recursive; want none", len(w.owned), len(w.paths), w.total, w.recursive)
		}
	}
}

var (
	everybody = []wire.ACL{{Perms: wire.PermAll, ID: wire.ID{Scheme: "world", ID: "anyone"}}}
	readers   = []wire.ACL{{Perms: wire.PermRead, ID: wire.ID{Scheme: "world", ID: "anyone"}}}
)
