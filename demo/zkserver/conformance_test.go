package zkserver_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/zkwatch/wire"
)

var update = flag.Bool("update", false, "write the transcripts of Apache ZooKeeper to testdata")

func TestMain(m *testing.M) { zktest.Main(m) }

// TestConformance compares the embedded server and a running Apache server with transcripts of Apache 3.8.0.
func TestConformance(t *testing.T) {
	for _, cs := range conversations {
		t.Run(cs.name, func(t *testing.T) {
			golden := filepath.Join("testdata", "conformance", cs.name+".txt")
			if *update {
				try(t, os.WriteFile(golden, []byte(converse(t, zktest.Apache(t).Addr, cs.run)), 0o644))
			}
			want, err := os.ReadFile(golden)
			try(t, err)
			t.Run("embedded", func(t *testing.T) {
				s, addr := zkserver.Start(t, zkserver.Options{})
				if diff := cmp.Diff(string(want), converse(t, addr, cs.run)); diff != "" {
					t.Errorf("embedded server differs from Apache (-apache +embedded):\n%s", diff)
				}
				if n := s.Counters().Panics; n > 0 {
					t.Errorf("got %d panics, want none", n)
				}
			})
			t.Run("apache", func(t *testing.T) {
				var server *zktest.Server
				if cs.name == "fresh" {
					server = zktest.NewApache(t)
				} else {
					server = zktest.Apache(t)
				}
				if diff := cmp.Diff(string(want), converse(t, server.Addr, cs.run)); diff != "" {
					t.Errorf("Apache differs from its transcript (-transcript +now):\n%s", diff)
				}
			})
		})
	}
}

func converse(t *testing.T, addr string, run func(*transcript)) string {
	t.Helper()
	s := newTranscript(t, addr)
	run(s)
	tidy(t, addr)
	return s.text.String()
}

func tidy(t *testing.T, addr string) {
	t.Helper()
	c := dialRaw(t, addr)
	defer c.must(wire.OpCloseSession, nil, nil)
	c.must(wire.OpAuth, &wire.AuthRequest{Scheme: "digest", Auth: []byte("ann:secret")}, nil)
	removeAll(c, "/t")
}

func removeAll(c *rawClient, path string) {
	var rsp wire.StringsResponse
	c.call(wire.OpSetACL, &wire.SetACLRequest{Path: path, ACL: world(wire.PermAll), Version: -1}, &wire.Stat{})
	if c.call(wire.OpGetChildren, &wire.PathWatchRequest{Path: path}, &rsp).Err != wire.OK {
		return
	}
	for _, name := range rsp.Strings {
		removeAll(c, path+"/"+name)
	}
	c.call(wire.OpDelete, &wire.MultiOp{Op: wire.OpDelete, Path: path, Version: -1}, nil)
}

const (
	eph = wire.FlagEphemeral
	seq = wire.FlagSequential
)

func op(o wire.Op, path string, version int32) wire.MultiOp {
	return wire.MultiOp{Op: o, Path: path, Version: version}
}

func put(path string, flags int32) wire.MultiOp {
	return wire.MultiOp{Op: wire.OpCreate, Create: wire.CreateRequest{Path: path, ACL: world(wire.PermAll), Flags: flags}}
}

// conversations create znodes only at /t and below, because tidy removes only these.
var conversations = []struct {
	name string
	run  func(*transcript)
}{
	{"fresh", func(s *transcript) {
		a := s.connect("a")
		a.do(wire.OpPing, nil, nil)
		a.exists("/zookeeper", false)
		a.exists("/zookeeper/config", false)
		a.exists("/zookeeper/quota", false)
		a.get("/zookeeper/quota", false)
		a.ls("/zookeeper", false)
		a.acl("/zookeeper/config")
		a.acl("/zookeeper/quota")
		a.delete("/zookeeper", -1)
		a.delete("/zookeeper/config", -1)
		a.delete("/zookeeper/quota", -1)
		a.delete("/", -1)
		a.set("/zookeeper/config", "x", -1)
		a.close()
	}},
	{"crud", func(s *transcript) {
		a := s.connect("a")
		a.create("/t", "", 0)
		a.create("/t", "", 0)
		a.create("/t/a/b", "", 0)
		a.create("/t/a", "data", 0)
		a.exists("/t/a", false)
		a.exists("/t/none", false)
		a.get("/t/a", false)
		a.get("/t/none", false)
		a.set("/t/a", "more", 0)
		a.set("/t/a", "stale", 0)
		a.set("/t/a", "any", -1)
		a.set("/t/none", "x", -1)
		a.set("/t/none", "x", 7)
		a.do(wire.OpSetData, &wire.MultiOp{Op: wire.OpSetData, Path: "/t/a", Version: 2}, &wire.Stat{})
		a.get("/t/a", false)
		a.create("/t/a/b", "", 0)
		a.ls("/t", false)
		a.ls2("/t/a", false)
		a.ls("/t/none", false)
		a.delete("/t/a", -1)
		a.delete("/t/a", 1)
		a.delete("/t/none", 1)
		a.delete("/t/a/b", 5)
		a.delete("/t/a/b", 0)
		a.exists("/t/a", false)
		a.do(wire.OpCreate2, &wire.CreateRequest{Path: "/t/two", Data: []byte("2"), ACL: world(wire.PermAll)}, &wire.CreateResponse{})
		a.do(wire.OpCreate, &wire.CreateRequest{Path: "/t/null", ACL: world(wire.PermAll)}, &wire.PathResponse{})
		a.get("/t/null", false)
		a.do(wire.OpGetAllChildrenNumber, &wire.PathRequest{Path: "/t"}, &wire.CountResponse{})
		a.do(wire.OpGetAllChildrenNumber, &wire.PathRequest{Path: "/t/a"}, &wire.CountResponse{})
		a.do(wire.OpGetAllChildrenNumber, &wire.PathRequest{Path: "/none"}, &wire.CountResponse{})
		a.do(wire.OpSync, &wire.PathRequest{Path: "/nowhere"}, &wire.PathResponse{})
		a.do(wire.OpCheck, &wire.MultiOp{Op: wire.OpCheck, Path: "/t/a", Version: 9}, nil)
		a.do(wire.OpCheck, &wire.MultiOp{Op: wire.OpCheck, Path: "/t/none", Version: 3}, nil)
		a.close()
	}},
	{"paths", func(s *transcript) {
		a := s.connect("a")
		a.create("/t", "", 0)
		for _, p := range []string{"", "t", "t/x", "/", "//", "/t/", "/t//x", "/t/./x", "/t/..", "/t/...", "/t/.x", "/t/x\x00", "/t/\x01",
			"/t/\x7f", "/t/\u0085", "/t/\u00a0", "/t/ä", "/t/\ue000", "/t/\uf900", "/t/\uffef", "/t/\ufff0", "/t/😀", "/t/a b", "/t/\xff"} {
			a.create(p, "", 0)
			if p == "" || p == "/" {
				a.ls(p, false) // the root's Stat depends on earlier tests
			} else {
				a.exists(p, false)
			}
			a.delete(p, 99)
			a.set(p, "", 99)
			a.do(wire.OpSetACL, &wire.SetACLRequest{Path: p, ACL: world(wire.PermAll), Version: 99}, &wire.Stat{})
			a.multi(op(wire.OpCheck, p, 99))
		}
		a.create("/t/", "", seq)
		a.create("/t/..", "", seq)
		a.create("/t//", "", seq)
		a.ls("/t", false)
		a.ls("/t/", false)
		a.get("t", false)
		a.close()
	}},
	{"sequence", func(s *transcript) {
		a := s.connect("a")
		a.create("/t", "", 0)
		a.create("/t/n_", "", seq)
		a.create("/t/plain", "", 0)
		a.create("/t/n_", "", eph|seq)
		a.create("/t/plain", "", 0) // fails and does not change the counter
		a.create("/t/", "", seq)
		a.delete("/t/plain", -1)
		a.exists("/t", false)
		a.create("/t/n_", "", seq)
		a.create("/t/n_0000000005", "", 0)
		a.exists("/t", false)
		a.create("/t/n_", "", seq)
		a.create("/t/n_0000000008", "", 0)
		a.create("/t/n_", "", seq) // number 8, which exists
		a.create("/t/n_", "", seq) // still number 8
		a.ls2("/t", false)
		a.close()
	}},
	{"flags", func(s *transcript) {
		a := s.connect("a")
		a.create("/t", "", 0)
		for _, f := range []int32{4, 5, 6, 7, -1, 99} {
			a.create("/t/f", "", f)
			a.exists("/t/f", false)
			a.delete("/t/f", -1)
		}
		for _, f := range []int32{0, 1, 2, 3, 4} {
			a.do(wire.OpCreateContainer, &wire.CreateRequest{Path: "/t/c", ACL: world(wire.PermAll), Flags: f}, &wire.CreateResponse{})
		}
		for _, ttl := range []int64{-1, 0, 1, 1 << 39, 1 << 40} {
			for _, f := range []int32{5, 6} {
				req := wire.CreateRequest{Path: "/t/ttl", ACL: world(wire.PermAll), Flags: f}
				a.do(wire.OpCreateTTL, &wire.MultiOp{Op: wire.OpCreateTTL, Create: req, TTL: ttl}, &wire.CreateResponse{})
			}
		}
		plain := wire.CreateRequest{Path: "/t/ttl2", ACL: world(wire.PermAll)}
		a.do(wire.OpCreateTTL, &wire.MultiOp{Op: wire.OpCreateTTL, Create: plain, TTL: 9}, &wire.CreateResponse{})
		a.ls2("/t", false)
		a.close()
	}},
	{"ephemeral", func(s *transcript) {
		a, b := s.connect("a"), s.connect("b")
		a.create("/t", "", 0)
		a.create("/t/e", "", eph)
		a.create("/t/e/child", "", 0)
		a.create("/t/f", "", eph)
		b.create("/t/g", "", eph)
		b.exists("/t/e", true)
		b.ls("/t", true)
		a.do(wire.OpGetEphemerals, &wire.GetEphemeralsRequest{Prefix: "/"}, &wire.StringsResponse{})
		a.do(wire.OpGetEphemerals, &wire.GetEphemeralsRequest{Prefix: "/t/f"}, &wire.StringsResponse{})
		a.do(wire.OpGetEphemerals, &wire.GetEphemeralsRequest{}, &wire.StringsResponse{})
		a.do(wire.OpGetEphemerals, &wire.GetEphemeralsRequest{Prefix: "/none"}, &wire.StringsResponse{})
		a.close()
		b.sync()
		b.ls2("/t", false)
		b.close()
	}},
	{"watches", func(s *transcript) {
		a, b := s.connect("a"), s.connect("b")
		a.create("/t", "", 0)
		b.exists("/t/x", true)
		b.get("/t/x", true)
		a.create("/t/x", "", 0)
		b.sync()
		b.get("/t/x", true)
		b.exists("/t/x", true)
		b.ls("/t/x", true)
		a.set("/t/x", "1", -1)
		a.set("/t/x", "2", -1)
		b.sync()
		b.get("/t/x", true)
		b.ls("/t", true)
		a.delete("/t/x", -1) // one event for the data and child watches of /t/x
		b.sync()
		a.create("/t/y", "", 0)
		b.sync()
		// The event of a client's own change comes before the reply.
		b.ls("/t", true)
		b.get("/t/y", true)
		b.set("/t/y", "mine", -1)
		b.delete("/t/y", -1)
		b.ls("/t", true)
		b.create("/t/z", "", 0)
		b.get("/t/z", true)
		b.do(wire.OpSetACL, &wire.SetACLRequest{Path: "/t/z", ACL: world(wire.PermAll), Version: -1}, &wire.Stat{})
		b.sync()
		a.close()
		b.close()
	}},
	{"addwatch", func(s *transcript) {
		a, b := s.connect("a"), s.connect("b")
		a.create("/t", "", 0)
		add := func(named *namedClient, path string, mode int32) {
			named.do(wire.OpAddWatch, &wire.AddWatchRequest{Path: path, Mode: mode}, &wire.ErrorResponse{})
		}
		add(b, "/t", wire.WatchPersistent)
		add(a, "/t", wire.WatchPersistentRecursive)
		add(b, "/t", 5)
		a.create("/t/x", "", 0)
		a.create("/t/x/y", "", 0)
		a.set("/t/x/y", "1", -1)
		a.set("/t", "1", -1)
		a.delete("/t/x/y", -1)
		a.delete("/t/x", -1)
		b.sync()
		rm := func(named *namedClient, o wire.Op, path string, kind int32) {
			named.do(o, &wire.WatcherTypeRequest{Path: path, Type: kind}, nil)
		}
		rm(b, wire.OpRemoveWatches, "/t", wire.WatcherAny)
		rm(b, wire.OpRemoveWatches, "/t", wire.WatcherAny)
		rm(b, wire.OpRemoveWatches, "/t", 9)
		b.get("/t", true)
		rm(b, wire.OpCheckWatches, "/t", wire.WatcherData)
		rm(b, wire.OpRemoveWatches, "/t", wire.WatcherChildren)
		rm(b, wire.OpRemoveWatches, "/t", wire.WatcherData)
		b.ls("/t", true)
		rm(b, wire.OpCheckWatches, "/t", wire.WatcherChildren)
		rm(b, wire.OpRemoveWatches, "/t", wire.WatcherChildren)
		rm(b, wire.OpCheckWatches, "/nothing", wire.WatcherAny)
		a.set("/t", "2", -1)
		a.create("/t/x", "", 0)
		b.sync()
		a.close()
		b.close()
	}},
	{"withheld", func(s *transcript) { // events about nodes that b may not read
		a, b := s.connect("a"), s.connect("b")
		a.create("/t", "", 0)
		a.auth("digest", "ann:secret")
		b.exists("/t/x", true)
		b.do(wire.OpAddWatch, &wire.AddWatchRequest{Path: "/t", Mode: wire.WatchPersistentRecursive}, &wire.ErrorResponse{})
		secret := []wire.ACL{{Perms: wire.PermAll, ID: wire.ID{Scheme: "auth"}}}
		a.do(wire.OpCreate, &wire.CreateRequest{Path: "/t/x", ACL: secret}, &wire.PathResponse{})
		b.exists("/t/x", true)
		a.set("/t/x", "1", -1)
		a.delete("/t/x", -1)
		b.sync()
		a.create("/t/x", "", 0) // b has only its recursive watch left
		b.sync()
		a.do(wire.OpSetACL, &wire.SetACLRequest{Path: "/t/x", ACL: secret, Version: -1}, &wire.Stat{})
		a.set("/t/x", "2", -1)
		b.auth("digest", "ann:secret")
		a.set("/t/x", "3", -1)
		b.sync()
		a.do(wire.OpSetACL, &wire.SetACLRequest{Path: "/t", ACL: world(wire.PermAll &^ wire.PermRead), Version: -1}, &wire.Stat{})
		b.sync()
		a.close()
		b.close()
	}},
	{"setwatches", func(s *transcript) {
		a, b := s.connect("a"), s.connect("b")
		a.create("/t", "", 0)
		a.create("/t/old", "", 0)
		a.create("/t/new", "", 0)
		a.create("/t/there", "", 0)
		seen := a.c.call(wire.OpPing, nil, nil).Zxid
		a.set("/t/new", "1", -1)
		b.do(wire.OpSetWatches, &unprinted{&wire.SetWatchesRequest{
			RelativeZxid: seen,
			Data:         []string{"/t/old", "/t/new", "/t/gone"},
			Exist:        []string{"/t/there", "/t/absent"},
			Child:        []string{"/t/gone2", "/t/old", "/t"},
		}}, nil)
		a.set("/t/old", "1", -1)
		a.create("/t/absent", "", 0)
		a.create("/t/old/x", "", 0)
		b.sync()
		b.do(wire.OpSetWatches2, &unprinted{&wire.SetWatches2Request{
			SetWatchesRequest: wire.SetWatchesRequest{RelativeZxid: 0, Data: []string{"/t/old"}, Child: []string{"/t"}},
			Persistent:        []string{"/t"},
			Recursive:         []string{"/t/there"},
		}}, nil)
		a.create("/t/there/x", "", 0)
		a.create("/t/one", "", 0)
		a.create("/t/two", "", 0)
		b.sync()
		a.close()
		b.close()
	}},
	{"multi", func(s *transcript) {
		a, b := s.connect("a"), s.connect("b")
		a.create("/t", "", 0)
		b.ls("/t", true)
		b.exists("/t/a", true)
		a.multi()
		a.multi(put("/t/a", 0), put("/t/a/n_", seq), put("/t/a/n_", seq), op(wire.OpCheck, "/t/a", 0),
			wire.MultiOp{Op: wire.OpSetData, Path: "/t/a", Data: []byte("x"), Version: 0}, op(wire.OpCheck, "/t/a", 1),
			op(wire.OpDelete, "/t/a/n_0000000000", -1))
		b.sync()
		a.ls2("/t/a", false)
		a.multi(put("/t/b", 0), op(wire.OpDelete, "/t/a", -1), put("/t/c", 0))
		a.multi(op(wire.OpCheck, "/t/a", 0), put("/t/b", 0))
		a.multi(put("/t/b", 0), put("/t/b", 0))
		a.exists("/t", false)
		a.create("/t/n_", "", seq) // the failed operations did not change the counter
		a.multi(put("/t/d", 0), op(wire.OpDelete, "/t/d", 0), put("/t/d", eph), put("/t/d/x", 0))
		a.multi(put("/t/d", 0), op(wire.OpDelete, "/t/d", 0), put("/t/d", eph))
		a.exists("/t/d", false)
		a.multi(wire.MultiOp{Op: wire.OpCreate2, Create: wire.CreateRequest{Path: "/t/e", ACL: world(wire.PermAll)}})
		a.multi(put("/t/cont", wire.FlagContainer))
		a.multi(put("/t/ttl", wire.FlagTTL))
		a.multi(put("/t/bad", 77))
		a.multi(wire.MultiOp{Op: wire.OpCreateTTL, TTL: 1000, Create: wire.CreateRequest{Path: "/t/ttl", ACL: world(wire.PermAll), Flags: wire.FlagTTL}})
		a.multi(wire.MultiOp{Op: wire.OpGetData, Path: "/t"})
		a.do(wire.OpMultiRead, &wire.MultiRequest{Ops: []wire.MultiOp{
			{Op: wire.OpGetData, Path: "/t/a"}, {Op: wire.OpGetChildren, Path: "/t"}, {Op: wire.OpGetData, Path: "/none"},
		}}, &wire.MultiResponse{})
		a.do(wire.OpMultiRead, &wire.MultiRequest{Ops: []wire.MultiOp{op(wire.OpCheck, "/t", -1)}}, &wire.MultiResponse{})
		a.do(wire.OpMultiRead, &wire.MultiRequest{}, &wire.MultiResponse{})
		a.ls2("/t", false)
		a.close()
		b.close()
	}},
	{"acl", func(s *transcript) {
		a, b := s.connect("a"), s.connect("b")
		a.create("/t", "", 0)
		whoami := func(named *namedClient) { named.do(wire.OpWhoAmI, nil, &wire.WhoAmIResponse{}) }
		id := func(perms int32, scheme, id string) wire.ACL {
			return wire.ACL{Perms: perms, ID: wire.ID{Scheme: scheme, ID: id}}
		}
		with := func(named *namedClient, path string, acl ...wire.ACL) {
			named.do(wire.OpCreate, &wire.CreateRequest{Path: path, Data: []byte("d"), ACL: acl}, &wire.PathResponse{})
		}
		whoami(a)
		with(a, "/t/auth", id(wire.PermAll, "auth", "")) // a has no identity for auth yet
		a.auth("digest", "ann:secret")
		a.auth("digest", "ann:secret")
		a.auth("ip", "")
		whoami(a)
		with(a, "/t/auth", id(wire.PermAll, "auth", ""))
		a.acl("/t/auth")
		b.acl("/t/auth")
		b.get("/t/auth", false)
		b.exists("/t/auth", false)
		b.set("/t/auth", "x", 5)
		b.ls("/t/auth", false)
		b.create("/t/auth/x", "", 0)
		b.do(wire.OpGetAllChildrenNumber, &wire.PathRequest{Path: "/t/auth"}, &wire.CountResponse{})
		b.multi(op(wire.OpCheck, "/t/auth", 9))
		b.do(wire.OpSetACL, &wire.SetACLRequest{Path: "/t/auth", ACL: world(31), Version: 9}, &wire.Stat{})
		a.create("/t/auth/x", "", 0)
		b.delete("/t/auth/x", -1)
		b.delete("/t/auth/none", -1)
		a.delete("/t/auth/x", -1)
		digest := "ann:DGZxUBvnmMPMQr0pt0LDU0J6iHo="
		with(a, "/t/mixed", id(wire.PermAll, "digest", digest), id(wire.PermRead, "world", "anyone"),
			id(wire.PermRead, "world", "anyone"), id(1, "ip", "127.0.0.1/8"))
		a.acl("/t/mixed")
		b.acl("/t/mixed")
		b.get("/t/mixed", false)
		b.set("/t/mixed", "no", -1)
		b.auth("digest", "ann:secret")
		b.acl("/t/mixed")
		whoami(b)
		b.do(wire.OpSetACL, &wire.SetACLRequest{Path: "/t/auth", ACL: world(1), Version: 0}, &wire.Stat{})
		b.do(wire.OpSetACL, &wire.SetACLRequest{Path: "/t/mixed", ACL: world(31), Version: 0}, &wire.Stat{})
		b.do(wire.OpSetACL, &wire.SetACLRequest{Path: "/t/mixed", ACL: world(31), Version: 0}, &wire.Stat{})
		b.do(wire.OpSetACL, &wire.SetACLRequest{Path: "/t/none", ACL: world(31), Version: 0}, &wire.Stat{})
		b.do(wire.OpSetACL, &wire.SetACLRequest{Path: "/t/none", Version: 0}, &wire.Stat{})
		a.acl("/t/none")
		for _, x := range []wire.ACL{
			id(31, "world", "me"), id(31, "nobody", "x"), id(31, "digest", "ann"), id(31, "digest", "ann:"), id(31, "digest", ":x"), id(31, "digest", "a:b:c"),
			id(31, "digest", "a:b:"), id(31, "digest", ":"), id(31, "ip", "127.0.0.1"), id(31, "ip", "127.0.0.1/33"), id(31, "ip", "127.0.0.1/-1"), id(31, "ip", "::1"),
			id(31, "ip", "10.0.0.0/0"), id(31, "ip", "1.2.3"), id(31, "", ""), id(0, "world", "anyone"), id(31, "sasl", "x"),
		} {
			with(a, "/t/x", x)
			a.get("/t/x", false)
			a.delete("/t/x", -1)
		}
		with(a, "/t/x")
		a.close()
		b.close()
	}},
	{"sessions", func(s *transcript) {
		for _, ms := range []int32{-1, 1, 250, 5000, 59_999, 60_001, 1 << 30} {
			c := connectRaw(s.t, dialTCP(s.t, s.addr), wire.ConnectRequest{Timeout: ms})
			s.printf("requested %d, got %d", ms, c.handshake.Timeout)
			c.must(wire.OpCloseSession, nil, nil)
		}
		a, b := s.connect("a"), s.connect("b")
		a.create("/t", "", 0)
		a.create("/t/e", "", eph)
		a.exists("/t", true)
		again := func(what string, req wire.ConnectRequest) *rawClient {
			c := connectRaw(s.t, dialTCP(s.t, s.addr), req)
			good := c.handshake.SessionID == req.SessionID
			s.printf("%s: same id %t, none %t, timeout %d, %d bytes of password", what, good, c.handshake.SessionID == 0, c.handshake.Timeout, len(c.handshake.Passwd))
			if !good {
				if err := c.awaitClosed(); err != nil {
					s.t.Errorf("%s: %v", what, err)
				}
			}
			return c
		}
		id, passwd := a.c.handshake.SessionID, a.c.handshake.Passwd
		again("no such session", wire.ConnectRequest{SessionID: id + 12345, Passwd: passwd})
		moved := again("resumed", wire.ConnectRequest{SessionID: id, Passwd: passwd, Timeout: 7000})
		if err := a.c.awaitClosed(); err != nil {
			s.t.Errorf("the earlier connection is not closed: %v", err)
		}
		b.set("/t", "1", -1) // a's watch ended with its connection
		b.exists("/t/e", false)
		moved.onEvent = func(ev wire.WatcherEvent) { s.printf("event on the resumed connection: %+v", ev) }
		a.c = moved
		a.exists("/t/e", true)
		again("wrong password", wire.ConnectRequest{SessionID: b.c.handshake.SessionID, Passwd: passwd})
		a.close()
		again("closed", wire.ConnectRequest{SessionID: id, Passwd: passwd})
		b = s.connect("b")
		b.exists("/t/e", false)
		b.close()
	}},
	{"authfailed", func(s *transcript) {
		for _, scheme := range []string{"world", "nobody", ""} {
			a := s.connect("a")
			a.auth(scheme, "x")
			if err := a.c.awaitClosed(); err != nil {
				s.t.Errorf("the connection is not closed after a failed auth: %v", err)
			}
			a.c.nc.Close()
		}
	}},
	{"malformed", func(s *transcript) {
		a := s.connect("a")
		for _, o := range []wire.Op{wire.OpCreate, wire.OpCreate2, wire.OpCreateTTL, wire.OpCreateContainer, wire.OpDelete, wire.OpExists, wire.OpGetData,
			wire.OpSetData, wire.OpGetACL, wire.OpSetACL, wire.OpGetChildren, wire.OpGetChildren2, wire.OpSync, wire.OpCheck, wire.OpMulti, wire.OpMultiRead,
			wire.OpSetWatches, wire.OpSetWatches2, wire.OpAddWatch, wire.OpCheckWatches, wire.OpRemoveWatches, wire.OpGetEphemerals, wire.OpGetAllChildrenNumber} {
			a.do(o, bytesOf("\x00\x00\x00\x20\x00short"), nil)
			a.do(o, bytesOf(""), nil)
		}
		a.do(wire.OpExists, bytesOf("\xff\xff\xff\xff\x00"), nil)
		a.do(wire.OpGetData, bytesOf("\xff\xff\xff\xff\x00"), nil)
		a.do(wire.OpDelete, bytesOf("\xff\xff\xff\xff\x00\x00\x00\x00"), nil)
		a.do(wire.OpGetData, bytesOf("\x00\x00\x00\x01/"), nil) // no watch byte
		a.do(wire.OpExists, bytesOf("\x00\x00\x00\x0a/zookeeper\x00 and more"), &wire.Stat{})
		a.close()
	}},
}

type bytesOf string

func (b bytesOf) Fields(c *wire.Coder) { p := []byte(b); c.Raw(&p) }

// unprinted hides a request from the transcript, because the request may have an absolute zxid.
type unprinted struct{ wire.Record }

func (*unprinted) String() string { return "(...)" }
