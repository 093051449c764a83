package zkserver_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"electop/demo/zktest"
	"electop/zkwatch/wire"
)

// sessionEvent is what may happen to a session or its connection.
type sessionEvent int

const (
	closeAndReturn   sessionEvent = iota + 1 // closeSession; a new one follows
	reattach                                 // the connection is lost; resumed on another
	moveOver                                 // resumed on another while the first is open
	wrongPassword                            // lost; refused; resumed
	strangersSession                         // a session that does not exist is asked for
	expire                                   // lost for too long; a new one follows
)

func (e sessionEvent) String() string {
	return [...]string{"", "closes its session", "loses its connection", "moves to another connection",
		"comes back with a wrong password", "asks for a session that is not there", "stays away until it expires"}[e]
}

// A talk is a conversation in progress.
type talk struct {
	*transcript
	tb      *talkTB
	dial    func() (net.Conn, error)
	clients [3]*speaker
	born    int
	control *rawClient // sees to what is no part of the conversation
	held    *[]string  // events that come now go there
}

// talkTB turns failures into panics, so that a conversation can be had outside
// of the test's goroutine, and closes what is to be closed when it is over.
type talkTB struct {
	testing.TB
	cleanups []func()
}

type talkFailed string

func (*talkTB) Helper()             {}
func (tb *talkTB) Cleanup(f func()) { tb.cleanups = append(tb.cleanups, f) }
func (tb *talkTB) Fatalf(format string, args ...any) {
	panic(talkFailed(fmt.Sprintf(format, args...)))
}

func dialTo(addr string) func() (net.Conn, error) {
	return func() (net.Conn, error) { return net.DialTimeout("tcp", addr, patience) }
}

// talkWith has a conversation and returns it as text. What goes wrong is part
// of the text.
func talkWith(t testing.TB, dial func() (net.Conn, error), steps []step) (text string) {
	tb := &talkTB{TB: t}
	k := &talk{transcript: &transcript{t: tb, sessions: make(map[int64]string)}, tb: tb, dial: dial}
	defer func() {
		if r := recover(); r != nil {
			failed, ok := r.(talkFailed)
			if !ok {
				panic(r)
			}
			k.printf("FAILED: %s", failed)
		}
		k.cleanUp()
		text = k.text.String()
	}()
	k.control = k.connectTo(wire.ConnectRequest{})
	k.control.must(wire.OpAuth, &wire.AuthRequest{Scheme: "digest", Auth: []byte(superAuth)}, nil)
	k.base = k.zxidNow()
	for i := range k.clients {
		k.begin(i)
	}
	for _, path := range []string{"/t", "/t/x", "/t/x/x", "/t/y"} { // not to begin with nothing but NoNode
		k.control.create(path, 0)
	}
	for i := 0; i < len(steps); i++ {
		if steps[i].event != 0 {
			k.happen(steps[i])
			continue
		}
		from := i
		for steps[i].burst && i+1 < len(steps) && steps[i+1].event == 0 && steps[i+1].op != wire.OpAuth && steps[i+1].who == steps[i].who {
			i++
		}
		k.ask(steps[from : i+1])
	}
	for i := range k.clients {
		k.end(i)
	}
	return ""
}

// cleanUp leaves the server as it was, but for zxids: also the sessions of a
// conversation that failed.
func (k *talk) cleanUp() {
	defer func() {
		if r := recover(); r != nil {
			k.printf("CLEANING UP: %v", r)
		}
		for _, f := range k.tb.cleanups {
			f()
		}
	}()
	for _, sp := range k.clients {
		if sp != nil {
			c := k.connectTo(wire.ConnectRequest{SessionID: sp.c.conn.SessionID, Passwd: sp.c.conn.Passwd})
			if c.conn.SessionID != 0 {
				c.call(wire.OpCloseSession, nil, nil)
			}
		}
	}
	if k.control != nil {
		removeAll(k.control, "/t")
		k.control.must(wire.OpCloseSession, nil, nil)
	}
}

// connectTo handshakes. Sessions live so long that none expires unasked.
func (k *talk) connectTo(req wire.ConnectRequest) *rawClient {
	nc, err := k.dial()
	if err != nil {
		k.t.Fatalf("dial: %v", err)
	}
	if req.Timeout == 0 {
		req.Timeout = 60_000
	}
	return connectRaw(k.t, nc, req)
}

func (k *talk) zxidNow() int64 { return k.control.call(wire.OpPing, nil, nil).Zxid }

func (k *talk) begin(who int) {
	c := k.connectTo(wire.ConnectRequest{})
	name := fmt.Sprintf("%c%d", 'a'+who, k.born)
	k.born++
	k.sessions[c.conn.SessionID] = name
	k.clients[who] = &speaker{s: k.transcript, name: name}
	k.adopt(who, c)
}

// adopt makes c the client's connection.
func (k *talk) adopt(who int, c *rawClient) {
	sp := k.clients[who]
	if sp.c != nil {
		c.xid = sp.c.xid
	}
	sp.c = c
	c.onEvent = func(ev wire.WatcherEvent) {
		line := fmt.Sprintf("%s event %d state %d %q", sp.name, ev.Type, ev.State, ev.Path)
		if k.held != nil {
			*k.held = append(*k.held, line)
		} else {
			k.printf("%s", line)
		}
	}
}

// end closes a session. The order of the events is Apache's hash table's.
func (k *talk) end(who int) {
	sp := k.clients[who]
	sp.do(wire.OpPing, nil, nil)
	k.sorted(func() {
		h := sp.c.call(wire.OpCloseSession, nil, nil)
		k.printf("%s closeSession: zxid %s %v", sp.name, k.zxid(h.Zxid), h.Err)
		if err := sp.c.closed(); err != nil {
			k.t.Fatalf("after closeSession: %v", err)
		}
		k.clients[who] = nil
	})
	sp.c.nc.Close()
}

// sorted calls f and writes down, in alphabetical order, the events that
// clients were sent meanwhile.
func (k *talk) sorted(f func()) {
	for _, sp := range k.clients { // those from before keep their order
		if sp != nil && sp.c != nil {
			sp.c.must(wire.OpPing, nil, nil)
		}
	}
	var events []string
	k.held = &events
	defer func() { k.held = nil }()
	f()
	for _, sp := range k.clients {
		if sp != nil {
			sp.c.must(wire.OpPing, nil, nil)
		}
	}
	slices.Sort(events)
	k.text.WriteString(strings.Join(append(events, ""), "\n"))
}

// ask sends requests of one client and reads the replies.
func (k *talk) ask(steps []step) {
	sp := k.clients[steps[0].who]
	var xids []int32
	for _, st := range steps {
		xids = append(xids, sp.c.send(st.op, k.absolute(st.req)))
	}
	for i, st := range steps {
		k.printf("%s %v%s", sp.name, st.op, printed(st.req))
		rsp := responseTo(st)
		h, err := sp.c.receive(rsp)
		if _, odd := rsp.(*anyBytes); odd && err != nil {
			k.printf("  closed")
			k.resume(st.who, 0)
			return
		}
		if err != nil {
			k.t.Fatalf("reply to %v: %v", st.op, err)
		}
		if h.Xid != xids[i] {
			k.t.Fatalf("reply to %v has xid %d, want %d", st.op, h.Xid, xids[i])
		}
		if _, odd := rsp.(*anyBytes); h.Err != wire.OK && !odd {
			rsp = nil
		}
		k.printf("  zxid %s %v %s", k.zxid(h.Zxid), h.Err, k.body(inSomeOrder(rsp)))
		if st.op == wire.OpAuth && h.Err != wire.OK {
			if err := sp.c.closed(); err != nil {
				k.t.Fatalf("after a failed auth: %v", err)
			}
			k.resume(st.who, 0)
		}
	}
}

// absolute turns a zxid that counts from the beginning of the conversation
// into one of the server's.
func (k *talk) absolute(req wire.Record) wire.Record {
	switch r := req.(type) {
	case *wire.SetWatchesRequest:
		c := *r
		c.RelativeZxid += k.base
		return &c
	case *wire.SetWatches2Request:
		c := *r
		c.RelativeZxid += k.base
		return &c
	}
	return req
}

// anyBytes is the reply to an oddity.
type anyBytes []byte

func (b *anyBytes) Fields(c *wire.Coder) { c.Raw((*[]byte)(b)) }

func responseTo(st step) wire.Record {
	if _, odd := st.req.(bytesOf); odd {
		return new(anyBytes)
	}
	switch st.op {
	case wire.OpCreate, wire.OpSync:
		return &wire.PathResponse{}
	case wire.OpCreate2, wire.OpCreateContainer, wire.OpCreateTTL:
		return &wire.CreateResponse{}
	case wire.OpSetData, wire.OpSetACL, wire.OpExists:
		return &wire.Stat{}
	case wire.OpGetData:
		return &wire.DataResponse{}
	case wire.OpGetChildren, wire.OpGetEphemerals:
		return &wire.StringsResponse{}
	case wire.OpGetChildren2:
		return &wire.Children2Response{}
	case wire.OpGetACL:
		return &wire.ACLResponse{}
	case wire.OpMulti, wire.OpMultiRead:
		return &wire.MultiResponse{}
	case wire.OpGetAllChildrenNumber:
		return &wire.CountResponse{}
	case wire.OpWhoAmI:
		return &wire.WhoAmIResponse{}
	case wire.OpAddWatch:
		return &wire.ErrorResponse{}
	}
	return nil
}

// inSomeOrder sorts what Apache takes from a hash table and transcripts do not
// sort themselves: the identities of a client.
func inSomeOrder(rsp wire.Record) wire.Record {
	byID := func(a, b wire.ID) int { return strings.Compare(a.Scheme+a.ID, b.Scheme+b.ID) }
	switch r := rsp.(type) {
	case *wire.WhoAmIResponse:
		slices.SortFunc(r.IDs, byID)
		var ids []string
		for _, id := range r.IDs {
			ids = append(ids, fmt.Sprint(id))
		}
		return &wire.StringsResponse{Strings: ids}
	case *wire.ACLResponse:
		slices.SortFunc(r.ACL, func(a, b wire.ACL) int {
			if a.Perms != b.Perms {
				return int(a.Perms - b.Perms)
			}
			return byID(a.ID, b.ID)
		})
	}
	return rsp
}

// happen carries out a session event. Events on their way to a connection
// that is about to be lost are read first: whether they arrive is chance.
func (k *talk) happen(st step) {
	sp := k.clients[st.who]
	k.printf("%v (%s)", st, sp.name)
	sp.do(wire.OpPing, nil, nil)
	id, passwd := sp.c.conn.SessionID, sp.c.conn.Passwd
	switch st.event {
	case closeAndReturn:
		k.end(st.who)
		k.refused("resume a closed session", wire.ConnectRequest{SessionID: id, Passwd: passwd})
		k.begin(st.who)
	case reattach:
		k.hangUp(sp.c)
		k.resume(st.who, 0)
	case moveOver:
		old := sp.c
		k.resume(st.who, 45_000)
		if err := old.closed(); err != nil {
			k.t.Fatalf("the connection before: %v", err)
		}
	case wrongPassword:
		k.hangUp(sp.c)
		wrong := slices.Clone(passwd)
		wrong[0]++
		k.refused("wrong password", wire.ConnectRequest{SessionID: id, Passwd: wrong})
		k.refused("no password", wire.ConnectRequest{SessionID: id, Passwd: []byte{}})
		k.resume(st.who, 0)
	case strangersSession:
		k.refused("no such session", wire.ConnectRequest{SessionID: id + 1<<40, Passwd: passwd})
	case expire:
		k.hangUp(sp.c)
		k.clients[st.who] = nil
		k.sorted(func() {
			before := k.zxidNow()
			c := k.connectTo(wire.ConnectRequest{SessionID: id, Passwd: passwd, Timeout: 200})
			k.printf("resumed %t, timeout %d", c.conn.SessionID == id, c.conn.Timeout)
			k.hangUp(c)
			zktest.Await(k.t, fmt.Sprintf("session %#x expires", id), func() bool { return k.zxidNow() != before })
			k.printf("expired, zxid %s", k.zxid(k.zxidNow()))
		})
		k.refused("resume an expired session", wire.ConnectRequest{SessionID: id, Passwd: passwd})
		k.begin(st.who)
	}
}

// hangUp closes a connection and waits until the server has noticed. Apache
// files connections by session; should it notice after the session has moved
// on, it would strike out the later one and never close it.
func (k *talk) hangUp(c *rawClient) {
	c.nc.SetDeadline(time.Now().Add(patience))
	if err := c.nc.(*net.TCPConn).CloseWrite(); err != nil {
		k.t.Fatalf("hang up: %v", err)
	}
	if _, err := io.Copy(io.Discard, c.nc); err != nil && !strings.Contains(err.Error(), "reset by peer") {
		k.t.Fatalf("hang up: %v", err)
	}
	c.nc.Close()
}

// resume continues a client's session on a new connection.
func (k *talk) resume(who int, timeout int32) {
	sp := k.clients[who]
	was := sp.c.conn
	c := k.connectTo(wire.ConnectRequest{SessionID: was.SessionID, Passwd: was.Passwd, Timeout: timeout})
	if c.conn.SessionID != was.SessionID || !bytes.Equal(c.conn.Passwd, was.Passwd) {
		k.t.Fatalf("%s is not resumed: session %#x instead of %#x", sp.name, c.conn.SessionID, was.SessionID)
	}
	k.printf("%s resumed, timeout %d", sp.name, c.conn.Timeout)
	k.adopt(who, c)
}

func (k *talk) refused(what string, req wire.ConnectRequest) {
	c := k.connectTo(req)
	k.printf("%s: none %t, timeout %d, password empty %t", what, c.conn.SessionID == 0, c.conn.Timeout, len(bytes.Trim(c.conn.Passwd, "\x00")) == 0)
	if err := c.closed(); err != nil {
		k.t.Fatalf("%s: %v", what, err)
	}
}
