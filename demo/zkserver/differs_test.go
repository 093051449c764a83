package zkserver_test

import (
	"io"
	"slices"
	"strings"
	"testing"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/zkwatch/wire"
)

type difference struct {
	what, why    string
	run          func(*transcript)
	apache, here string // the line of each server's transcript that shows the difference
	fatal        bool   // Apache stops serving after run
}

var intendedDifferences = []difference{
	{
		what: "the order of children",
		why:  "Apache has the order of a Java hash table; clients must sort anyway",
		run: func(s *transcript) {
			a := s.connect("a")
			a.create("/t", "", 0)
			a.create("/t/b", "", 0)
			a.create("/t/a", "", 0)
			var rsp wire.StringsResponse
			a.c.must(wire.OpGetChildren, &wire.PathWatchRequest{Path: "/t"}, &rsp)
			s.printf("in order: %q", rsp.Strings)
			a.close()
		},
		apache: `in order: ["a" "b"]`, here: `in order: ["b" "a"]`,
	},
	{
		what: "the order of deletion of an ended session's ephemeral nodes, and the order of lists of ephemeral nodes and of identities",
		why:  "Apache has the order of a Java hash table; here nodes are ordered by czxid and path, identities by their authentication",
		run: func(s *transcript) {
			a, b := s.connect("a"), s.connect("b")
			a.create("/t", "", 0)
			var order []string
			b.c.onEvent = func(ev wire.WatcherEvent) { order = append(order, ev.Path) }
			for _, path := range []string{"/t/b", "/t/a"} {
				a.create(path, "", eph)
				b.exists(path, true)
			}
			a.close()
			b.sync()
			s.printf("gone: %q", order)
			b.close()
		},
		apache: `gone: ["/t/a" "/t/b"]`, here: `gone: ["/t/b" "/t/a"]`,
	},
	{
		what: "several watches of one client on one path",
		why:  "in 3.8 the mode of the last watch replaces the modes of earlier watches; in 3.9 they are separate (ZOOKEEPER-4466)",
		run: func(s *transcript) {
			a, b := s.connect("a"), s.connect("b")
			a.create("/t", "", 0)
			b.c.must(wire.OpAddWatch, &wire.AddWatchRequest{Path: "/t", Mode: wire.WatchPersistent}, &wire.ErrorResponse{})
			b.get("/t", true)
			n := 0
			b.c.onEvent = func(wire.WatcherEvent) { n++ }
			a.set("/t", "1", -1)
			a.set("/t", "2", -1)
			b.sync()
			s.printf("events: %d", n)
			a.close()
			b.close()
		},
		apache: `events: 1`, here: `events: 2`,
	},
	{
		what: "checkWatches when only another client watches the path",
		why:  "3.8 reads the watches of all clients, which is of no use to the client; later releases read its own watches",
		run: func(s *transcript) {
			a, b := s.connect("a"), s.connect("b")
			a.create("/t", "", 0)
			a.get("/t", true)
			s.printf("watched: %v", b.do(wire.OpCheckWatches, &wire.WatcherTypeRequest{Path: "/t", Type: wire.WatcherData}, nil) == wire.OK)
			a.close()
			b.close()
		},
		apache: `watched: true`, here: `watched: false`,
	},
	{
		what: "checkWatches of a path without a slash, if the watcher type is any or a client has a recursive watch",
		why:  "Apache fails when it looks for the path's parents; here such a path is treated like other paths",
		run: func(s *transcript) {
			a, b := s.connect("a"), s.connect("b")
			a.create("/t", "", 0)
			a.c.must(wire.OpAddWatch, &wire.AddWatchRequest{Path: "/t", Mode: wire.WatchPersistentRecursive}, &wire.ErrorResponse{})
			code := b.do(wire.OpCheckWatches, &wire.WatcherTypeRequest{Path: "t", Type: wire.WatcherData}, nil)
			s.printf("no watcher: %t", code == wire.NoWatcher)
			a.close()
			b.close()
		},
		apache: `no watcher: false`, here: `no watcher: true`,
	},
	{
		what: "null as the identity of an ACL",
		why:  "Apache fails with MarshallingError; here such an ACL is invalid",
		run: func(s *transcript) {
			a := s.connect("a")
			h := a.c.call(wire.OpCreate, bytesOf(str("/t")+str("")+i32(1)+i32(wire.PermAll)+str("world")+null+i32(0)), nil)
			s.printf("invalid: %t", h.Err == wire.InvalidACL)
			a.close()
		},
		apache: `invalid: false`, here: `invalid: true`,
	},
	{
		what: "null in place of a path in a multi",
		why:  "Apache takes a zxid for the transaction, but its reply has the previous zxid and a body; here the reply is like that of other errors",
		run: func(s *transcript) {
			a := s.connect("a")
			multi := i32(int32(wire.OpDelete)) + "\x00" + i32(-1) + null + i32(-1) + i32(-1) + "\x01" + i32(-1)
			before := a.c.call(wire.OpPing, nil, nil).Zxid
			s.printf("zxid grows: %t", a.c.call(wire.OpMulti, bytesOf(multi), nil).Zxid > before)
			a.close()
		},
		apache: `zxid grows: false`, here: `zxid grows: true`,
	},
	{
		what: "a wrong password for a session that is connected",
		why:  "Apache closes the session's connection before it checks the password: anybody who guesses an id could close it",
		run: func(s *transcript) {
			a := s.connect("a")
			other := connectRaw(s.t, dialTCP(s.t, s.addr), wire.ConnectRequest{SessionID: a.c.handshake.SessionID})
			s.printf("refused: %t", other.handshake.SessionID == 0)
			a.c.send(wire.OpPing, nil)
			_, err := a.c.receive(nil)
			s.printf("still connected: %t", err == nil)
			again := connectRaw(s.t, dialTCP(s.t, s.addr), wire.ConnectRequest{SessionID: a.c.handshake.SessionID, Passwd: a.c.handshake.Passwd})
			again.must(wire.OpCloseSession, nil, nil)
		},
		apache: `still connected: false`, here: `still connected: true`,
	},
	{
		what: "a client that has seen a later zxid than the server has",
		why:  "Apache drops the connection, and the client retries for ever if its only server lost its data; here the reply is that the session has expired",
		run: func(s *transcript) {
			nc := dialTCP(s.t, s.addr)
			req := wire.ConnectRequest{LastZxidSeen: 1 << 60, Timeout: 10_000, Passwd: make([]byte, 16), HasReadOnly: true}
			if _, err := nc.Write(wire.AppendFrame(nil, &req)); err != nil {
				s.t.Fatalf("connect request: %v", err)
			}
			reply, err := io.ReadAll(nc)
			s.printf("answered: %t", err == nil && len(reply) > 0)
		},
		apache: `answered: false`, here: `answered: true`,
	},
	{
		what: "an operation that does not exist",
		why:  "Apache closes the connection after its reply; a client newer than the server can continue if the connection stays open",
		run: func(s *transcript) {
			a := s.connect("a")
			h := a.c.call(wire.Op(99), nil, nil)
			s.printf("zxid %d %v", h.Zxid, h.Err)
			var err error
			for i := 0; i < 1000 && err == nil; i++ { // Apache may answer some pings before the close
				if _, err = a.c.nc.Write(wire.AppendFrame(nil, &wire.RequestHeader{Xid: wire.XidPing, Op: wire.OpPing})); err == nil {
					_, err = a.c.receive(nil)
				}
			}
			s.printf("still connected: %t", err == nil)
			again := connectRaw(s.t, dialTCP(s.t, s.addr), wire.ConnectRequest{SessionID: a.c.handshake.SessionID, Passwd: a.c.handshake.Passwd})
			again.must(wire.OpCloseSession, nil, nil)
		},
		apache: `still connected: false`, here: `still connected: true`,
	},
	{
		what: "reconfig",
		why:  "there is no ensemble; Apache refuses too, unless it is configured otherwise",
		run: func(s *transcript) {
			a := s.connect("a")
			change := null + null + str("server.2=127.0.0.1:1:2") + i64(-1)
			s.printf("unimplemented: %t", a.c.call(wire.OpReconfig, bytesOf(change), nil).Err == wire.Unimplemented)
			a.close()
		},
		apache: `unimplemented: false`, here: `unimplemented: true`,
	},
	{
		what: "deleteContainer and createSession from a client",
		why:  "only servers use these operations; for clients they do not exist",
		run: func(s *transcript) {
			a := s.connect("a")
			for _, o := range []wire.Op{wire.OpDeleteContainer, wire.OpCreateSession} {
				s.printf("%v: unimplemented %t", o, a.c.call(o, bytesOf("/t"), nil).Err == wire.Unimplemented)
			}
			a.close()
		},
		apache: `deleteContainer: unimplemented false`, here: `createSession: unimplemented true`,
	},
	{
		what: "SASL",
		why:  "there are no accounts; Apache without SASL replies, but authenticates no client",
		run: func(s *transcript) {
			a := s.connect("a")
			a.c.send(wire.OpSASL, bytesOf("\x00\x00\x00\x01x"))
			frame, err := wire.ReadFrame(a.c.in, 1<<10)
			var h wire.ReplyHeader
			h.Fields(wire.NewDecoder(frame))
			s.printf("unimplemented: %t", err == nil && h.Err == wire.Unimplemented)
			a.close()
		},
		apache: `unimplemented: false`, here: `unimplemented: true`,
	},
	{
		what: "a check that succeeds outside of a multi",
		why:  "Apache fails to make the reply and never sends one; no client sends such a request",
		run: func(s *transcript) {
			a := s.connect("a")
			a.create("/t", "", 0)
			a.c.send(wire.OpCheck, &wire.MultiOp{Op: wire.OpCheck, Path: "/t", Version: -1})
			a.c.send(wire.OpPing, nil)
			h, err := a.c.receive(nil)
			if err != nil {
				s.t.Fatalf("neither check nor ping is answered: %v", err)
			}
			s.printf("answered: %t", h.Xid != wire.XidPing)
			if h.Xid != wire.XidPing {
				a.c.receive(nil)
			}
			a.close()
		},
		apache: `answered: false`, here: `answered: true`,
	},
	{
		what: "a createTTL with a TTL of -1 and without a TTL flag",
		why:  "Apache accepts the request as valid and never replies",
		run: func(s *transcript) {
			a := s.connect("a")
			create := wire.CreateRequest{Path: "/t", ACL: world(wire.PermAll)}
			xid := a.c.send(wire.OpCreateTTL, &wire.MultiOp{Op: wire.OpCreateTTL, Create: create, TTL: -1})
			h, err := a.c.receive(nil)
			s.printf("answered: %t", err == nil && h.Xid == xid)
		},
		apache: `answered: false`, here: `answered: true`, fatal: true,
	},
	{
		what: "characters above U+FFFF, and bytes that are no UTF-8, in the path of a reply or event",
		why:  "Java's strings change them in Apache; no node can have such a path, so that only a sync or the event of a setWatches shows it",
		run: func(s *transcript) {
			a := s.connect("a")
			var rsp wire.PathResponse
			a.c.must(wire.OpSync, &wire.PathRequest{Path: "/t/😀"}, &rsp)
			s.printf("unchanged: %t", rsp.Path == "/t/😀")
			a.close()
		},
		apache: `unchanged: false`, here: `unchanged: true`,
	},
	{
		what: "a request sent after a setACL without waiting for the reply",
		why:  "Apache checks it with the old or the new ACL, by chance; here with the new ACL",
		// There is no run, because the difference appears by chance.
	},
	{
		what: "quotas",
		why:  "the quota nodes exist, but the server does not count: the demo and the tests do not need quotas",
		run: func(s *transcript) {
			a := s.connect("a")
			a.create("/t", "", 0)
			a.create("/zookeeper/quota/t", "", 0)
			a.create("/zookeeper/quota/t/zookeeper_limits", "count=9,bytes=-1", 0)
			a.create("/zookeeper/quota/t/zookeeper_stats", "count=1,bytes=0", 0)
			a.create("/t/x", "12345", 0)
			var rsp wire.DataResponse
			a.c.must(wire.OpGetData, &wire.PathWatchRequest{Path: "/zookeeper/quota/t/zookeeper_stats"}, &rsp)
			s.printf("five bytes counted: %t", strings.Contains(string(rsp.Data), "5"))
			removeAll(a.c, "/zookeeper/quota/t")
			a.close()
		},
		apache: `five bytes counted: true`, here: `five bytes counted: false`,
	},
}

func TestIntendedDifferences(t *testing.T) {
	for _, d := range intendedDifferences {
		if d.run == nil {
			continue
		}
		t.Run(d.what, func(t *testing.T) {
			_, addr := zkserver.Start(t, zkserver.Options{})
			apache := zktest.Apache
			if d.fatal {
				apache = func(t testing.TB) *zktest.Server { return zktest.NewApache(t) }
			}
			for _, side := range []struct{ server, addr, want string }{
				{"Apache", apache(t).Addr, d.apache},
				{"the embedded server", addr, d.here},
			} {
				s := newTranscript(t, side.addr)
				if d.run(s); !d.fatal {
					tidy(t, side.addr)
				}
				text := s.text.String()
				if !slices.Contains(strings.Split(text, "\n"), side.want) {
					t.Errorf("%s: no line %q in the transcript (reason for the difference: %s):\n%s", side.server, side.want, d.why, text)
				}
			}
		})
	}
}

// withoutIntendedDifferences removes or changes steps that could show an intended difference of watches or setACL.
func withoutIntendedDifferences(steps []step) []step {
	const once, persistent, recursive = 1, 2, 3
	var watched [3]map[string]int
	claim := func(who int, path string, kind int) bool { // false if the client has another kind of watch on path
		m := watched[who]
		if m == nil {
			m = make(map[string]int)
			watched[who] = m
		}
		if m[path] == 0 {
			m[path] = kind
		}
		return m[path] == kind
	}
	claimable := func(who int, paths []string, kind int) []string {
		return slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return !claim(who, p, kind) })
	}
	claimOnce := func(who int, r wire.SetWatchesRequest) wire.SetWatchesRequest {
		r.Data, r.Exist, r.Child = claimable(who, r.Data, once), claimable(who, r.Exist, once), claimable(who, r.Child, once)
		return r
	}
	var out []step
	for _, s := range steps {
		switch r := s.req.(type) {
		case nil:
			if s.event != 0 && s.event != unknownSession {
				watched[s.who] = nil // the watches end with the connection
			}
		case *wire.AuthRequest:
			if r.Scheme != "digest" && r.Scheme != "ip" || r.Scheme == "digest" && r.Auth == nil { // auth fails: a new connection follows
				watched[s.who] = nil
			}
		case *wire.PathWatchRequest:
			if r.Watch && !claim(s.who, r.Path, once) {
				s.req = &wire.PathWatchRequest{Path: r.Path}
			}
		case *wire.AddWatchRequest:
			kind := map[int32]int{wire.WatchPersistent: persistent, wire.WatchPersistentRecursive: recursive}[r.Mode]
			if kind != 0 && !claim(s.who, r.Path, kind) {
				continue
			}
		case *wire.SetACLRequest:
			s.burst = false
		case bytesOf:
			switch s.op { // these may add or check watches, or end the connection
			case wire.OpAddWatch, wire.OpCheckWatches, wire.OpSetWatches, wire.OpSetWatches2, wire.OpAuth:
				continue
			}
		case *wire.SetWatchesRequest:
			c := claimOnce(s.who, *r)
			s.req = &c
		case *wire.SetWatches2Request:
			s.req = &wire.SetWatches2Request{
				SetWatchesRequest: claimOnce(s.who, r.SetWatchesRequest),
				Persistent:        claimable(s.who, r.Persistent, persistent),
				Recursive:         claimable(s.who, r.Recursive, recursive),
			}
		case *wire.WatcherTypeRequest:
			if s.op == wire.OpCheckWatches && (watched[(s.who+1)%3][r.Path] != 0 || watched[(s.who+2)%3][r.Path] != 0) {
				continue
			}
		}
		out = append(out, s)
	}
	return out
}
