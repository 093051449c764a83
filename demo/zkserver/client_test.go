package zkserver_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"electop/zkwatch/wire"
)

const patience = time.Minute

// rawClient shows what client libraries hide: zxids, some operations, and the order of events and replies.
type rawClient struct {
	t         testing.TB
	nc        net.Conn
	in        *bufio.Reader
	xid       int32
	handshake wire.ConnectResponse
	onEvent   func(wire.WatcherEvent)
}

func connectRaw(t testing.TB, nc net.Conn, req wire.ConnectRequest) *rawClient {
	t.Helper()
	if req.Timeout == 0 {
		req.Timeout = 10_000
	}
	if req.Passwd == nil {
		req.Passwd = make([]byte, 16)
	}
	req.HasReadOnly = true
	c := &rawClient{t: t, nc: nc, in: bufio.NewReader(nc), onEvent: func(wire.WatcherEvent) {}}
	t.Cleanup(func() { nc.Close() })
	nc.SetDeadline(time.Now().Add(patience))
	if _, err := nc.Write(wire.AppendFrame(nil, &req)); err != nil {
		t.Fatalf("send connect request: %v", err)
	}
	frame, err := wire.ReadFrame(c.in, 1<<20)
	if err != nil {
		t.Fatalf("read connect response: %v", err)
	}
	d := wire.NewDecoder(frame)
	if c.handshake.Fields(d); d.Err() != nil {
		t.Fatalf("decode connect response: %v", d.Err())
	}
	return c
}

func dialRaw(t testing.TB, addr string) *rawClient {
	t.Helper()
	return connectRaw(t, dialTCP(t, addr), wire.ConnectRequest{})
}

func dialTCP(t testing.TB, addr string) net.Conn {
	t.Helper()
	nc, err := net.DialTimeout("tcp", addr, patience)
	if err != nil {
		t.Fatalf("dial %s: %v", addr, err)
	}
	t.Cleanup(func() { nc.Close() })
	return nc
}

func (c *rawClient) send(op wire.Op, req wire.Record) int32 {
	c.t.Helper()
	c.xid++
	xid := c.xid
	switch op {
	case wire.OpPing:
		xid = wire.XidPing
	case wire.OpAuth:
		xid = wire.XidAuth
	}
	records := []wire.Record{&wire.RequestHeader{Xid: xid, Op: op}}
	if req != nil {
		records = append(records, req)
	}
	c.nc.SetDeadline(time.Now().Add(patience))
	if _, err := c.nc.Write(wire.AppendFrame(nil, records...)); err != nil {
		c.t.Fatalf("send %v: %v", op, err)
	}
	return xid
}

func (c *rawClient) receive(rsp wire.Record) (wire.ReplyHeader, error) {
	c.t.Helper()
	for {
		frame, err := wire.ReadFrame(c.in, 64<<20)
		if err != nil {
			return wire.ReplyHeader{}, err
		}
		d := wire.NewDecoder(frame)
		var h wire.ReplyHeader
		h.Fields(d)
		if h.Xid == wire.XidWatch {
			var ev wire.WatcherEvent
			if ev.Fields(d); d.Err() != nil {
				c.t.Fatalf("decode watch event: %v", d.Err())
			}
			c.onEvent(ev)
			continue
		}
		if _, raw := rsp.(*anyBytes); rsp != nil && (h.Err == wire.OK || raw) {
			rsp.Fields(d)
		}
		if d.Err() != nil {
			c.t.Fatalf("decode reply to xid %d: %v", h.Xid, d.Err())
		}
		if h.Err == wire.OK && len(d.Rest()) > 0 {
			c.t.Fatalf("reply to xid %d has %d bytes too many", h.Xid, len(d.Rest()))
		}
		return h, nil
	}
}

func (c *rawClient) call(op wire.Op, req wire.Record, rsp wire.Record) wire.ReplyHeader {
	c.t.Helper()
	xid := c.send(op, req)
	h, err := c.receive(rsp)
	if err != nil {
		c.t.Fatalf("read reply to %v: %v", op, err)
	}
	if h.Xid != xid {
		c.t.Fatalf("reply to %v has xid %d, want %d", op, h.Xid, xid)
	}
	return h
}

func (c *rawClient) must(op wire.Op, req wire.Record, rsp wire.Record) {
	c.t.Helper()
	if h := c.call(op, req, rsp); h.Err != wire.OK {
		c.t.Fatalf("%v %+v: %v", op, req, h.Err)
	}
}

func (c *rawClient) create(path string, flags int32) string {
	c.t.Helper()
	var rsp wire.PathResponse
	c.must(wire.OpCreate, &wire.CreateRequest{Path: path, ACL: world(wire.PermAll), Flags: flags}, &rsp)
	return rsp.Path
}

func (c *rawClient) awaitClosed() error {
	c.nc.SetDeadline(time.Now().Add(patience))
	_, err := c.receive(nil)
	switch {
	case err == nil:
		return errors.New("got a reply, want a closed connection")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), strings.Contains(err.Error(), "reset by peer"):
		return nil
	}
	return err
}

func world(perms int32) []wire.ACL {
	return []wire.ACL{{Perms: perms, ID: wire.ID{Scheme: "world", ID: "anyone"}}}
}

// transcript prints requests, replies and events. Servers that behave alike produce the same text.
type transcript struct {
	t        testing.TB
	addr     string
	base     int64 // printed zxids are relative to base
	sessions map[int64]string
	text     strings.Builder
}

func newTranscript(t testing.TB, addr string) *transcript {
	s := &transcript{t: t, addr: addr, sessions: make(map[int64]string)}
	first := dialRaw(t, addr)
	first.must(wire.OpCloseSession, nil, nil)
	first.nc.Close()
	probe := dialRaw(t, addr)
	s.base = probe.call(wire.OpPing, nil, nil).Zxid + 1 // the zxid of the probe's closeSession
	probe.must(wire.OpCloseSession, nil, nil)
	probe.nc.Close()
	return s
}

func (s *transcript) printf(format string, args ...any) { fmt.Fprintf(&s.text, format+"\n", args...) }

func (s *transcript) connect(name string) *namedClient {
	s.t.Helper()
	c := dialRaw(s.t, s.addr)
	s.sessions[c.handshake.SessionID] = name
	named := &namedClient{s: s, c: c, name: name}
	c.onEvent = func(ev wire.WatcherEvent) {
		s.printf("%s event %d state %d %s", name, ev.Type, ev.State, ev.Path)
	}
	s.printf("%s connects: timeout %d, %d bytes of password", name, c.handshake.Timeout, len(c.handshake.Passwd))
	return named
}

func (s *transcript) zxid(z int64) string {
	if z <= s.base {
		return "old"
	}
	return fmt.Sprintf("+%d", z-s.base)
}

func (s *transcript) stat(st wire.Stat) string {
	owner := "0"
	if st.EphemeralOwner != 0 {
		if owner = s.sessions[st.EphemeralOwner]; owner == "" {
			owner = "stranger"
		}
	}
	return fmt.Sprintf("{c%s m%s p%s times %t,%t v%d cv%d av%d owner %s len %d children %d}",
		s.zxid(st.Czxid), s.zxid(st.Mzxid), s.zxid(st.Pzxid), st.Ctime != 0, st.Mtime != 0,
		st.Version, st.Cversion, st.Aversion, owner, st.DataLength, st.NumChildren)
}

func (s *transcript) body(rsp wire.Record) string {
	switch r := rsp.(type) {
	case nil:
		return ""
	case *wire.Stat:
		return s.stat(*r)
	case *anyBytes:
		if len(*r) > 20 { // the bytes may contain a Stat, whose times vary
			return fmt.Sprintf("%d bytes", len(*r))
		}
		return fmt.Sprintf("%x", *r)
	case *wire.CreateResponse:
		return fmt.Sprintf("%q %s", r.Path, s.stat(r.Stat))
	case *wire.DataResponse:
		return fmt.Sprintf("%q nil %t %s", r.Data, r.Data == nil, s.stat(r.Stat))
	case *wire.StringsResponse:
		slices.Sort(r.Strings)
		return fmt.Sprintf("%q", r.Strings)
	case *wire.Children2Response:
		slices.Sort(r.Children)
		return fmt.Sprintf("%q %s", r.Children, s.stat(r.Stat))
	case *wire.ACLResponse:
		return fmt.Sprintf("%+v %s", r.ACL, s.stat(r.Stat))
	case *wire.WhoAmIResponse:
		slices.SortFunc(r.IDs, func(a, b wire.ID) int { return strings.Compare(a.Scheme, b.Scheme) })
		return fmt.Sprintf("%+v", r.IDs)
	case *wire.MultiResponse:
		var b strings.Builder
		for _, m := range r.Results {
			slices.Sort(m.Children)
			fmt.Fprintf(&b, "\n    %v", m.Op)
			switch m.Op {
			case wire.OpError:
				fmt.Fprintf(&b, " %v", m.Err)
			case wire.OpCreate:
				fmt.Fprintf(&b, " %q", m.Path)
			case wire.OpCreate2:
				fmt.Fprintf(&b, " %q %s", m.Path, s.stat(m.Stat))
			case wire.OpSetData:
				fmt.Fprintf(&b, " %s", s.stat(m.Stat))
			case wire.OpGetData:
				fmt.Fprintf(&b, " %q %s", m.Data, s.stat(m.Stat))
			case wire.OpGetChildren:
				fmt.Fprintf(&b, " %q", m.Children)
			}
		}
		return b.String()
	default:
		return fmt.Sprintf("%+v", r)
	}
}

type namedClient struct {
	s    *transcript
	c    *rawClient
	name string
}

func (named *namedClient) do(op wire.Op, req wire.Record, rsp wire.Record) wire.Code {
	named.c.t.Helper()
	request := ""
	if o, ok := req.(*wire.MultiOp); ok {
		switch o.Op {
		case wire.OpCreateTTL:
			request = fmt.Sprintf(" {CreateRequest:%+v TTL:%d}", o.Create, o.TTL)
		case wire.OpSetData:
			request = fmt.Sprintf(" {Path:%s Data:%v Version:%d}", o.Path, o.Data, o.Version)
		default:
			request = fmt.Sprintf(" {Path:%s Version:%d}", o.Path, o.Version)
		}
	} else if req != nil {
		request = " " + strings.TrimPrefix(fmt.Sprintf("%+v", req), "&")
	}
	request = strings.ReplaceAll(request, " NoPath:false", "")
	h := named.c.call(op, req, rsp)
	if h.Err != wire.OK {
		rsp = nil
	}
	named.s.printf("%s %v%s\n  zxid %s %v %s", named.name, op, request, named.s.zxid(h.Zxid), h.Err, named.s.body(rsp))
	return h.Err
}

func (named *namedClient) create(path, data string, flags int32) {
	named.c.t.Helper()
	named.do(wire.OpCreate, &wire.CreateRequest{Path: path, Data: []byte(data), ACL: world(wire.PermAll), Flags: flags}, &wire.PathResponse{})
}
func (named *namedClient) delete(path string, version int32) {
	named.c.t.Helper()
	named.do(wire.OpDelete, &wire.MultiOp{Op: wire.OpDelete, Path: path, Version: version}, nil)
}
func (named *namedClient) set(path, data string, version int32) {
	named.c.t.Helper()
	named.do(wire.OpSetData, &wire.MultiOp{Op: wire.OpSetData, Path: path, Data: []byte(data), Version: version}, &wire.Stat{})
}
func (named *namedClient) get(path string, watch bool) {
	named.c.t.Helper()
	named.do(wire.OpGetData, &wire.PathWatchRequest{Path: path, Watch: watch}, &wire.DataResponse{})
}
func (named *namedClient) exists(path string, watch bool) {
	named.c.t.Helper()
	named.do(wire.OpExists, &wire.PathWatchRequest{Path: path, Watch: watch}, &wire.Stat{})
}
func (named *namedClient) ls(path string, watch bool) {
	named.c.t.Helper()
	named.do(wire.OpGetChildren, &wire.PathWatchRequest{Path: path, Watch: watch}, &wire.StringsResponse{})
}
func (named *namedClient) ls2(path string, watch bool) {
	named.c.t.Helper()
	named.do(wire.OpGetChildren2, &wire.PathWatchRequest{Path: path, Watch: watch}, &wire.Children2Response{})
}
func (named *namedClient) sync() {
	named.c.t.Helper()
	named.do(wire.OpSync, &wire.PathRequest{Path: "/"}, &wire.PathResponse{})
}
func (named *namedClient) acl(path string) {
	named.c.t.Helper()
	named.do(wire.OpGetACL, &wire.PathRequest{Path: path}, &wire.ACLResponse{})
}
func (named *namedClient) auth(scheme, auth string) wire.Code {
	named.c.t.Helper()
	return named.do(wire.OpAuth, &wire.AuthRequest{Scheme: scheme, Auth: []byte(auth)}, nil)
}
func (named *namedClient) multi(ops ...wire.MultiOp) {
	named.c.t.Helper()
	named.do(wire.OpMulti, &wire.MultiRequest{Ops: ops}, &wire.MultiResponse{})
}
func (named *namedClient) close() {
	named.c.t.Helper()
	named.do(wire.OpCloseSession, nil, nil)
	if err := named.c.awaitClosed(); err != nil {
		named.c.t.Fatalf("after closeSession: %v", err)
	}
	named.c.nc.Close()
}

func sessionHex(c *rawClient) string { return fmt.Sprintf("%#x", uint64(c.handshake.SessionID)) }
