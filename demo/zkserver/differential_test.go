package zkserver_test

import (
	"bytes"
	"cmp"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/zkwatch/wire"
)

var differentialOps = flag.Int("differential.ops", 4000, "approximate number of operations in TestDifferential; half without ELECTOP_TEST_LONG")

// stepsPerConversation is small, because longer conversations take longer to reduce.
const stepsPerConversation = 150

func TestDifferential(t *testing.T) {
	both := bothServers(t)
	seed := zktest.Seed(t)
	if f := flag.Lookup("rapid.seed"); f.Value.String() != "0" {
		seed, _ = strconv.ParseUint(f.Value.String(), 0, 64)
	}
	wanted := *differentialOps
	if _, long := zktest.Long(t); !long {
		wanted /= 2
	}
	talks := max(1, wanted/stepsPerConversation)
	for name, value := range map[string]any{"seed": seed, "checks": talks, "steps": stepsPerConversation, "nofailfile": true, "shrinktime": "1ns"} {
		f := flag.Lookup("rapid." + name)
		old := f.Value.String()
		f.Value.Set(fmt.Sprint(value))
		t.Cleanup(func() { f.Value.Set(old) })
	}
	ops, events := 0, 0
	compare := func(steps []step) (difference string) {
		want, ours := both(t, steps)
		ops += len(steps)
		events += strings.Count(want, " event ")
		if want == ours {
			return ""
		}
		return firstDifference(want, ours)
	}
	reported := make(map[string]string) // failures by conversation, because rapid repeats failures
	rapid.Check(t, func(rt *rapid.T) {
		var steps []step
		rt.Repeat(map[string]func(*rapid.T){"step": func(rt *rapid.T) { steps = append(steps, anyStep.Draw(rt, "step")) }})
		steps = withoutIntendedDifferences(steps)
		key := listed(steps)
		if reported[key] == "" {
			difference := compare(steps)
			if difference == "" {
				return
			}
			first := difference
			steps = reduced(steps, func(fewer []step) bool {
				if d := compare(fewer); d != "" {
					difference = d
					return true
				}
				return false
			})
			reported[key] = fmt.Sprintf("%s\nin this conversation:\n%s\nbefore the reduction:\n%s", difference, listed(steps), first)
		}
		rt.Fatalf("seed %d: the embedded server differs from Apache (-):\n%s", seed, reported[key])
	})
	t.Logf("seed %d: %d operations and %d events compared in %d conversations", seed, ops, events, talks)
	if ops < wanted/4 || events == 0 {
		t.Errorf("compared %d operations and %d events, want at least %d operations and an event", ops, events, wanted/4)
	}
}

func bothServers(t *testing.T) func(t *testing.T, steps []step) (theirs, ours string) {
	// Apache must not delete containers at times that depend on the clock.
	apache := zktest.NewApache(t, zktest.WithProperty("znode.container.checkIntervalMs", "86400000"),
		zktest.WithProperty("zookeeper.DigestAuthenticationProvider.superDigest", digestID(superAuth))).Addr
	return func(t *testing.T, steps []step) (theirs, ours string) {
		var l testingT
		defer l.end()
		s, addr := zkserver.Start(&l, zkserver.Options{})
		text := make(chan string)
		go func() { text <- talkWith(t, dialTo(apache), steps) }()
		ours = talkWith(t, dialTo(addr), steps)
		if s.Counters().Panics > 0 || strings.Contains(ours, "FAILED") {
			ours += "a panic or FAILED"
		}
		return <-text, ours
	}
}

func firstDifference(a, b string) string {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	i := 0
	for i < len(as) && i < len(bs) && as[i] == bs[i] {
		i++
	}
	var out strings.Builder
	for _, line := range as[max(0, i-8):i] {
		fmt.Fprintf(&out, "  %s\n", line)
	}
	for _, line := range as[i:min(len(as), i+4)] {
		fmt.Fprintf(&out, "- %s\n", line)
	}
	for _, line := range bs[i:min(len(bs), i+4)] {
		fmt.Fprintf(&out, "+ %s\n", line)
	}
	return out.String()
}

func listed(steps []step) string {
	var list strings.Builder
	for i, st := range steps {
		fmt.Fprintf(&list, "%4d %v\n", i, st)
	}
	return list.String()
}

// reduced removes steps, and operations of multis, that the failure does not need. Rapid's own reduction is slower.
func reduced(steps []step, fails func([]step) bool) []step {
	deadline := time.Now().Add(time.Minute)
	for size := len(steps) / 2; size > 0; {
		smaller := false
		for from := 0; from < len(steps) && time.Now().Before(deadline); {
			fewer := withoutIntendedDifferences(slices.Concat(steps[:from], steps[min(len(steps), from+size):]))
			if fails(fewer) {
				steps, smaller = fewer, true
			} else {
				from += size
			}
		}
		if size > 1 || !smaller {
			size /= 2
		}
	}
	for i := range steps {
		r, ok := steps[i].req.(*wire.MultiRequest)
		for j := 0; ok && j < len(r.Ops) && time.Now().Before(deadline); {
			fewer := &wire.MultiRequest{Ops: slices.Concat(r.Ops[:j], r.Ops[j+1:])}
			with := slices.Clone(steps)
			with[i].req = fewer
			if fails(with) {
				steps, r = with, fewer
			} else {
				j++
			}
		}
	}
	return steps
}

// superAuth authenticates Apache's super user, who may delete znodes with any ACL.
const superAuth = "super:cleaner"

func digestID(auth string) string {
	sum := sha1.Sum([]byte(auth))
	user, _, _ := strings.Cut(auth, ":")
	return user + ":" + base64.StdEncoding.EncodeToString(sum[:])
}

type sessionEvent int

const (
	closeAndReturn sessionEvent = iota + 1
	reattach                    // the connection is lost, then the session is resumed on another
	moveOver                    // the session is resumed on another connection while the first is open
	wrongPassword               // a wrong and an empty password are sent, then the session is resumed
	unknownSession
	expire
)

func (e sessionEvent) String() string {
	return [...]string{"", "closes its session", "loses its connection", "moves to another connection",
		"connects with a wrong password", "requests an unknown session", "is silent until its session expires"}[e]
}

type talk struct {
	*transcript
	tb      *talkTB
	dial    func() (net.Conn, error)
	clients [3]*namedClient
	opened  int
	control *rawClient // prepares, reads zxids and cleans up, outside of the conversation
	events  *[]string  // collects the events during a call of sorted, otherwise nil
}

// talkTB panics in Fatalf, because a conversation may run outside of the test's goroutine.
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
	for _, path := range []string{"/t", "/t/x", "/t/x/x", "/t/y"} { // without these, the first requests rarely find a node
		k.control.create(path, 0)
	}
	for i := 0; i < len(steps); i++ {
		if steps[i].event != 0 {
			k.runEvent(steps[i])
			continue
		}
		from := i
		for steps[i].burst && i+1 < len(steps) && steps[i+1].event == 0 && steps[i+1].op != wire.OpAuth && steps[i+1].who == steps[i].who {
			i++
		}
		k.request(steps[from : i+1])
	}
	for i := range k.clients {
		k.end(i)
	}
	return ""
}

func (k *talk) cleanUp() {
	defer func() {
		if r := recover(); r != nil {
			k.printf("CLEANING UP: %v", r)
		}
		for _, f := range k.tb.cleanups {
			f()
		}
	}()
	for _, named := range k.clients {
		if named != nil {
			c := k.connectTo(wire.ConnectRequest{SessionID: named.c.handshake.SessionID, Passwd: named.c.handshake.Passwd})
			if c.handshake.SessionID != 0 {
				c.call(wire.OpCloseSession, nil, nil)
			}
		}
	}
	if k.control != nil {
		removeAll(k.control, "/t")
		k.control.must(wire.OpCloseSession, nil, nil)
	}
}

// connectTo has a default timeout of one minute, so that the session does not expire.
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
	name := fmt.Sprintf("%c%d", 'a'+who, k.opened)
	k.opened++
	k.sessions[c.handshake.SessionID] = name
	k.clients[who] = &namedClient{s: k.transcript, name: name}
	k.adopt(who, c)
}

func (k *talk) adopt(who int, c *rawClient) {
	named := k.clients[who]
	if named.c != nil {
		c.xid = named.c.xid
	}
	named.c = c
	c.onEvent = func(ev wire.WatcherEvent) {
		line := fmt.Sprintf("%s event %d state %d %q", named.name, ev.Type, ev.State, ev.Path)
		if k.events != nil {
			*k.events = append(*k.events, line)
		} else {
			k.printf("%s", line)
		}
	}
}

// end sorts events, because Apache deletes ephemeral nodes in the order of a hash table.
func (k *talk) end(who int) {
	named := k.clients[who]
	named.do(wire.OpPing, nil, nil)
	k.sorted(func() {
		h := named.c.call(wire.OpCloseSession, nil, nil)
		k.printf("%s closeSession: zxid %s %v", named.name, k.zxid(h.Zxid), h.Err)
		if err := named.c.awaitClosed(); err != nil {
			k.t.Fatalf("after closeSession: %v", err)
		}
		k.clients[who] = nil
	})
	named.c.nc.Close()
}

func (k *talk) sorted(f func()) {
	for _, named := range k.clients { // print the earlier events, which must not be sorted
		if named != nil && named.c != nil {
			named.c.must(wire.OpPing, nil, nil)
		}
	}
	var events []string
	k.events = &events
	defer func() { k.events = nil }()
	f()
	for _, named := range k.clients {
		if named != nil {
			named.c.must(wire.OpPing, nil, nil)
		}
	}
	slices.Sort(events)
	k.text.WriteString(strings.Join(append(events, ""), "\n"))
}

func (k *talk) request(steps []step) {
	named := k.clients[steps[0].who]
	var xids []int32
	for _, st := range steps {
		xids = append(xids, named.c.send(st.op, k.absolute(st.req)))
	}
	for i, st := range steps {
		k.printf("%s %v%s", named.name, st.op, printed(st.req))
		rsp := responseTo(st)
		h, err := named.c.receive(rsp)
		if _, raw := rsp.(*anyBytes); raw && err != nil {
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
		if _, raw := rsp.(*anyBytes); h.Err != wire.OK && !raw {
			rsp = nil
		}
		k.printf("  zxid %s %v %s", k.zxid(h.Zxid), h.Err, k.body(sortedIDs(rsp)))
		if st.op == wire.OpAuth && h.Err != wire.OK {
			if err := named.c.awaitClosed(); err != nil {
				k.t.Fatalf("after a failed auth: %v", err)
			}
			k.resume(st.who, 0)
		}
	}
}

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

type anyBytes []byte

func (b *anyBytes) Fields(c *wire.Coder) { c.Raw((*[]byte)(b)) }

func responseTo(st step) wire.Record {
	if _, raw := st.req.(bytesOf); raw {
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

// sortedIDs sorts identities, because Apache sends them in the order of a hash table.
func sortedIDs(rsp wire.Record) wire.Record {
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

// runEvent first reads the pending watch events, because the connection may lose them.
func (k *talk) runEvent(st step) {
	named := k.clients[st.who]
	k.printf("%v (%s)", st, named.name)
	named.do(wire.OpPing, nil, nil)
	id, passwd := named.c.handshake.SessionID, named.c.handshake.Passwd
	switch st.event {
	case closeAndReturn:
		k.end(st.who)
		k.refused("resume a closed session", wire.ConnectRequest{SessionID: id, Passwd: passwd})
		k.begin(st.who)
	case reattach:
		k.hangUp(named.c)
		k.resume(st.who, 0)
	case moveOver:
		old := named.c
		k.resume(st.who, 45_000)
		if err := old.awaitClosed(); err != nil {
			k.t.Fatalf("the earlier connection is not closed: %v", err)
		}
	case wrongPassword:
		k.hangUp(named.c)
		wrong := slices.Clone(passwd)
		wrong[0]++
		k.refused("wrong password", wire.ConnectRequest{SessionID: id, Passwd: wrong})
		k.refused("no password", wire.ConnectRequest{SessionID: id, Passwd: []byte{}})
		k.resume(st.who, 0)
	case unknownSession:
		k.refused("no such session", wire.ConnectRequest{SessionID: id + 1<<40, Passwd: passwd})
	case expire:
		k.hangUp(named.c)
		k.clients[st.who] = nil
		k.sorted(func() {
			before := k.zxidNow()
			c := k.connectTo(wire.ConnectRequest{SessionID: id, Passwd: passwd, Timeout: 200})
			k.printf("resumed %t, timeout %d", c.handshake.SessionID == id, c.handshake.Timeout)
			k.hangUp(c)
			zktest.Await(k.t, fmt.Sprintf("session %#x expires", id), func() bool { return k.zxidNow() != before })
			k.printf("expired, zxid %s", k.zxid(k.zxidNow()))
		})
		k.refused("resume an expired session", wire.ConnectRequest{SessionID: id, Passwd: passwd})
		k.begin(st.who)
	}
}

// hangUp waits until the server has closed the connection. Otherwise, Apache could remove the session's
// next connection from its map of sessions.
func (k *talk) hangUp(c *rawClient) {
	c.nc.SetDeadline(time.Now().Add(patience))
	if err := c.nc.(*net.TCPConn).CloseWrite(); err != nil {
		k.t.Fatalf("close a connection: %v", err)
	}
	if _, err := io.Copy(io.Discard, c.nc); err != nil && !strings.Contains(err.Error(), "reset by peer") {
		k.t.Fatalf("close a connection: %v", err)
	}
	c.nc.Close()
}

func (k *talk) resume(who int, timeout int32) {
	named := k.clients[who]
	was := named.c.handshake
	c := k.connectTo(wire.ConnectRequest{SessionID: was.SessionID, Passwd: was.Passwd, Timeout: timeout})
	if c.handshake.SessionID != was.SessionID || !bytes.Equal(c.handshake.Passwd, was.Passwd) {
		k.t.Fatalf("%s is not resumed: session %#x instead of %#x", named.name, c.handshake.SessionID, was.SessionID)
	}
	k.printf("%s resumed, timeout %d", named.name, c.handshake.Timeout)
	k.adopt(who, c)
}

func (k *talk) refused(what string, req wire.ConnectRequest) {
	c := k.connectTo(req)
	k.printf("%s: none %t, timeout %d, password empty %t", what, c.handshake.SessionID == 0, c.handshake.Timeout, len(bytes.Trim(c.handshake.Passwd, "\x00")) == 0)
	if err := c.awaitClosed(); err != nil {
		k.t.Fatalf("%s: %v", what, err)
	}
}

// roll draws almost uniformly from [0, n), because rapid's own integers prefer small values.
func roll(t *rapid.T, n int) int {
	v := 0
	for range 16 {
		v *= 2
		if rapid.Bool().Draw(t, "bit") {
			v++
		}
	}
	return v % n
}

func pick[T any](t *rapid.T, from []T) T { return from[roll(t, len(from))] }

func several[T any](t *rapid.T, most int, draw func(*rapid.T) T) []T {
	out := make([]T, roll(t, most+1))
	for i := range out {
		out[i] = draw(t)
	}
	return out
}

// path draws one of few paths, because clients must have common znodes.
func path(t *rapid.T) string {
	if roll(t, 30) == 29 {
		return pick(t, oddPaths)
	}
	p := "/t"
	for range pick(t, []int{0, 1, 1, 1, 2, 2, 2, 3}) {
		p += "/" + pick(t, []string{"x", "x", "x", "y", "y", "y", "n_0000000002", "0000000003"})
	}
	return p
}

// oddPaths outside of /t must be invalid or below a missing znode, because only /t is removed after a conversation.
var oddPaths = []string{
	"/none/y", "", "t", "t/x", "/t/", "/t//x", "/t/./x", "/t/..", "/t/...", "/t/x\x00", "/t/\x01", "/t/\u0085", "/t/ä", "/t/\ue000",
	"/t/\ufff0", "/t/😀", "/t/a b", "/t/\xff", "/t/w/", "/none/x", "/zookeeper/quota/none/x", "//",
}

func version(t *rapid.T) int32 {
	if roll(t, 4) < 3 {
		return -1
	}
	return int32(roll(t, 7) - 2)
}

func data(t *rapid.T) []byte {
	switch n := roll(t, 10); n {
	case 0:
		return []byte{}
	case 1:
		return nil
	case 2:
		return []byte(strings.Repeat("long ", 1000))
	default:
		return []byte(strings.Repeat("d", n))
	}
}

func acl(t *rapid.T) []wire.ACL {
	one := func(perms int32, scheme, id string) []wire.ACL {
		return []wire.ACL{{Perms: perms, ID: wire.ID{Scheme: scheme, ID: id}}}
	}
	perms := func() int32 { return int32(roll(t, 32)) }
	switch roll(t, 50) {
	case 0:
		return world(perms())
	case 1:
		return one(perms(), "auth", "")
	case 2:
		return nil
	case 3:
		return append(world(wire.PermRead), one(wire.PermAll, "digest", digestID("ann:secret"))...)
	case 4:
		return append(one(perms(), "digest", digestID("bob:pw")), one(perms(), "auth", "ignored")...)
	case 5:
		return append(world(wire.PermAll), world(wire.PermAll)...)
	case 6:
		return one(perms(), "ip", pick(t, []string{"127.0.0.1", "127.0.0.0/8", "10.0.0.0/8", "127.0.0.1/33", "::1", "x"}))
	case 7:
		return one(wire.PermAll, "nobody", "x")
	case 8:
		return one(wire.PermAll, "world", "else")
	case 9:
		return one(wire.PermAll, "digest", "no colon")
	}
	return world(wire.PermAll)
}

func create(t *rapid.T, flags ...int32) wire.CreateRequest {
	req := wire.CreateRequest{Path: path(t), Data: data(t), ACL: acl(t), Flags: pick(t, flags)}
	if req.Flags == seq || req.Flags == eph|seq || req.Flags == wire.FlagTTLSequential || roll(t, 10) == 9 {
		// The node is below /t, because only /t is removed after a conversation.
		req.Path = "/t/" + strings.TrimPrefix(req.Path, "/t") + pick(t, []string{"", "/", "n_"})
		req.Path = strings.Replace(req.Path, "//", "/", 1)
		req.Flags |= seq
	}
	return req
}

func createTTL(t *rapid.T) wire.MultiOp {
	r := wire.MultiOp{
		Op:     wire.OpCreateTTL,
		Create: create(t, wire.FlagTTL, wire.FlagTTL, wire.FlagTTLSequential, 0, 7),
		TTL:    pick(t, []int64{1000, 1<<40 - 1, 1 << 40, 0, -1, 1}),
	}
	if r.TTL < 0 && r.Create.Flags != wire.FlagTTL && r.Create.Flags != wire.FlagTTLSequential {
		r.TTL = 0 // see intendedDifferences
	}
	return r
}

func multiOp(t *rapid.T) wire.MultiOp {
	switch roll(t, 12) {
	case 0:
		return op(wire.OpCheck, path(t), version(t))
	case 1, 2:
		return op(wire.OpDelete, path(t), version(t))
	case 3, 4:
		return wire.MultiOp{Op: wire.OpSetData, Path: path(t), Data: data(t), Version: version(t)}
	case 5:
		return wire.MultiOp{Op: wire.OpCreate2, Create: create(t, 0, eph, seq)}
	case 6:
		return wire.MultiOp{Op: wire.OpCreateContainer, Create: create(t, wire.FlagContainer, 0)}
	case 7:
		return createTTL(t)
	case 8:
		return wire.MultiOp{Op: wire.OpCreate, Create: create(t, wire.FlagContainer, wire.FlagTTL, 77)}
	}
	return wire.MultiOp{Op: wire.OpCreate, Create: create(t, 0, 0, eph, seq, eph|seq)}
}

func paths(t *rapid.T) []string {
	return several(t, 3, readPath)
}

type kind struct {
	weight int
	op     wire.Op
	event  sessionEvent // if set, there is no op
	req    func(*rapid.T) wire.Record
}

// readPath draws a path for a read: not the root, and no path that Apache treats differently (see intendedDifferences).
func readPath(t *rapid.T) string {
	switch p := path(t); p {
	case "", "t", "t/x", "/t/😀", "/t/\xff":
		return "/none"
	default:
		return p
	}
}
func pathRequest(t *rapid.T) wire.Record { return &wire.PathRequest{Path: readPath(t)} }
func pathWatch(t *rapid.T) wire.Record {
	return &wire.PathWatchRequest{Path: readPath(t), Watch: roll(t, 2) == 0}
}
func watcherType(t *rapid.T) wire.Record {
	return &wire.WatcherTypeRequest{Path: readPath(t), Type: int32(roll(t, 5))}
}
func setWatches(t *rapid.T) wire.SetWatchesRequest {
	// The zxid is relative to the beginning of the conversation.
	return wire.SetWatchesRequest{RelativeZxid: int64(roll(t, 200)) - 5,
		Data: paths(t), Exist: paths(t), Child: paths(t)}
}
func nothing(*rapid.T) wire.Record { return nil }

func maybeInsert(t *rapid.T, ops []wire.MultiOp, op wire.MultiOp) []wire.MultiOp {
	if roll(t, 12) > 0 {
		return ops
	}
	at := roll(t, len(ops)+1)
	return slices.Concat(ops[:at], []wire.MultiOp{op}, ops[at:])
}

var kinds = []kind{
	{1, wire.OpPing, 0, nothing},
	{14, wire.OpCreate, 0, func(t *rapid.T) wire.Record {
		r := create(t, 0, 0, 0, eph, seq, eph|seq, wire.FlagContainer, wire.FlagTTL, -1)
		return &r
	}},
	{6, wire.OpCreate2, 0, func(t *rapid.T) wire.Record { r := create(t, 0, 0, eph, seq, eph|seq, 99); return &r }},
	{2, wire.OpCreateContainer, 0, func(t *rapid.T) wire.Record { r := create(t, wire.FlagContainer, 0, eph); return &r }},
	{3, wire.OpCreateTTL, 0, func(t *rapid.T) wire.Record { r := createTTL(t); return &r }},
	{12, wire.OpDelete, 0, func(t *rapid.T) wire.Record {
		p := path(t)
		if roll(t, 20) == 19 {
			p = pick(t, []string{"/", "/zookeeper", "/zookeeper/config", "/zookeeper/quota"})
		}
		return &wire.MultiOp{Op: wire.OpDelete, Path: p, Version: version(t)}
	}},
	{8, wire.OpSetData, 0, func(t *rapid.T) wire.Record {
		return &wire.MultiOp{Op: wire.OpSetData, Path: path(t), Data: data(t), Version: version(t)}
	}},
	{8, wire.OpExists, 0, pathWatch},
	{8, wire.OpGetData, 0, pathWatch},
	{4, wire.OpGetChildren, 0, pathWatch},
	{6, wire.OpGetChildren2, 0, pathWatch},
	{2, wire.OpGetACL, 0, pathRequest},
	{4, wire.OpSetACL, 0, func(t *rapid.T) wire.Record {
		return &wire.SetACLRequest{Path: path(t), ACL: acl(t), Version: version(t)}
	}},
	{2, wire.OpSync, 0, pathRequest},
	{2, wire.OpCheck, 0, func(t *rapid.T) wire.Record {
		// The check must fail: Apache does not reply to a successful check. See intendedDifferences.
		return &wire.MultiOp{Op: wire.OpCheck, Path: path(t), Version: pick(t, []int32{-2, 1000})}
	}},
	{14, wire.OpMulti, 0, func(t *rapid.T) wire.Record {
		return &wire.MultiRequest{Ops: maybeInsert(t, several(t, 4, multiOp), wire.MultiOp{Op: wire.OpGetData, Path: "/t"})}
	}},
	{3, wire.OpMultiRead, 0, func(t *rapid.T) wire.Record {
		return &wire.MultiRequest{Ops: maybeInsert(t, several(t, 3, func(t *rapid.T) wire.MultiOp {
			o := wire.MultiOp{Op: wire.OpGetData, Path: readPath(t), Watch: roll(t, 2) == 0}
			if roll(t, 2) == 0 {
				o.Op = wire.OpGetChildren
			}
			if roll(t, 30) == 0 {
				o.Path, o.NoPath = "", true
			}
			return o
		}), multiOp(t))}
	}},
	{2, wire.OpGetEphemerals, 0, func(t *rapid.T) wire.Record {
		return &wire.GetEphemeralsRequest{Prefix: pick(t, []string{"/", "", " ", "/t/w", "/t/x/", "t", "/none"})}
	}},
	{2, wire.OpGetAllChildrenNumber, 0, pathRequest},
	{1, wire.OpWhoAmI, 0, nothing},
	{6, wire.OpAddWatch, 0, func(t *rapid.T) wire.Record {
		return &wire.AddWatchRequest{Path: path(t), Mode: pick(t, []int32{0, 1, 1, 2, -1})}
	}},
	{4, wire.OpRemoveWatches, 0, watcherType},
	{3, wire.OpCheckWatches, 0, watcherType},
	{2, wire.OpSetWatches, 0, func(t *rapid.T) wire.Record { r := setWatches(t); return &r }},
	{2, wire.OpSetWatches2, 0, func(t *rapid.T) wire.Record {
		return &wire.SetWatches2Request{SetWatchesRequest: setWatches(t), Persistent: paths(t), Recursive: paths(t)}
	}},
	{4, wire.OpAuth, 0, func(t *rapid.T) wire.Record {
		r := pick(t, []wire.AuthRequest{
			{Scheme: "digest", Auth: []byte("ann:secret")}, {Scheme: "digest", Auth: []byte("bob:pw")}, {Scheme: "ip"},
			{Scheme: "digest", Auth: []byte("a:b:c")}, {Scheme: "digest", Auth: []byte("nocolon")}, {Scheme: "digest", Auth: []byte{}}, {Scheme: "digest"},
			{Scheme: "world", Auth: []byte("anyone")}, {Scheme: "nobody", Auth: []byte("x")},
		})
		return &r
	}},
	{6, 0, 0, nil}, // anyStep draws an oddity
	{3, 0, closeAndReturn, nil},
	{2, 0, reattach, nil},
	{2, 0, moveOver, nil},
	{1, 0, wrongPassword, nil},
	{1, 0, unknownSession, nil},
	{1, 0, expire, nil},
}

type step struct {
	who   int
	op    wire.Op
	req   wire.Record
	event sessionEvent
	burst bool // if possible, the next step is sent before this step's reply is read
}

func (s step) String() string {
	who := string(rune('a' + s.who))
	if s.event != 0 {
		return who + " " + s.event.String()
	}
	return who + " " + s.op.String() + printed(s.req) + map[bool]string{true: " ..."}[s.burst]
}

func (s step) GoString() string { return s.String() }

func printed(req wire.Record) string {
	acls := func(acl []wire.ACL) string {
		if slices.Equal(acl, world(wire.PermAll)) {
			return "open"
		}
		return fmt.Sprint(acl)
	}
	bytes := func(p []byte) string {
		switch {
		case p == nil:
			return "nil"
		case len(p) > 20:
			return fmt.Sprintf("(%d bytes)", len(p))
		}
		return fmt.Sprintf("%q", p)
	}
	create := func(r *wire.CreateRequest) string {
		return fmt.Sprintf("%q %s acl %s flags %d", r.Path, bytes(r.Data), acls(r.ACL), r.Flags)
	}
	operation := func(o *wire.MultiOp) string {
		switch o.Op {
		case wire.OpCreate, wire.OpCreate2, wire.OpCreateContainer, wire.OpCreateTTL:
			return fmt.Sprintf("%s ttl %d", create(&o.Create), o.TTL)
		case wire.OpSetData:
			return fmt.Sprintf("%q %s version %d", o.Path, bytes(o.Data), o.Version)
		}
		return fmt.Sprintf("%q version %d watch %t", o.Path, o.Version, o.Watch)
	}
	switch r := req.(type) {
	case nil:
		return ""
	case bytesOf:
		return fmt.Sprintf(" %q", string(r))
	case *wire.CreateRequest:
		return " " + create(r)
	case *wire.MultiOp:
		return " " + operation(r)
	case *wire.SetACLRequest:
		return fmt.Sprintf(" %q acl %s version %d", r.Path, acls(r.ACL), r.Version)
	case *wire.AuthRequest:
		return fmt.Sprintf(" %s %q", r.Scheme, r.Auth)
	case *wire.MultiRequest:
		var b strings.Builder
		for i := range r.Ops {
			fmt.Fprintf(&b, "\n      %v %s", r.Ops[i].Op, operation(&r.Ops[i]))
		}
		return b.String()
	}
	return " " + strings.TrimPrefix(fmt.Sprintf("%+v", req), "&")
}

var anyStep = rapid.Custom(func(t *rapid.T) step {
	total := 0
	for _, k := range kinds {
		total += k.weight
	}
	n := roll(t, total)
	for _, k := range kinds {
		if n -= k.weight; n >= 0 {
			continue
		}
		st := step{who: roll(t, 3), op: k.op, event: k.event}
		// Three of four expiries are replaced, because an expiry takes time.
		if k.event == expire && roll(t, 4) > 0 {
			st.event = reattach
		}
		if k.op == 0 && k.event == 0 {
			o := pick(t, alike())
			st.op, st.req, st.burst = o.op, o.body, o.op != wire.OpAuth && o.op != wire.OpSetACL && roll(t, 4) == 3
		}
		if k.req != nil {
			st.req = k.req(t)
			st.burst = k.op != wire.OpAuth && roll(t, 4) == 3
		}
		return st
	}
	panic("no kind was drawn")
})

// null is the length of a null string, buffer or list.
const null = "\xff\xff\xff\xff"

func str(s string) string { return string(wire.Append(nil, &wire.PathRequest{Path: s})) }

func i32(n int32) string { return string(wire.Append(nil, &wire.CountResponse{Count: n})) }

func i64(n int64) string { return string(binary.BigEndian.AppendUint64(nil, uint64(n))) }

// An oddity is an encoded request, usually one that no client library makes.
type oddity struct {
	op   wire.Op
	name string
	body bytesOf
}

var alike = sync.OnceValue(func() []oddity {
	return slices.DeleteFunc(oddities(), func(o oddity) bool { return differs.MatchString(fmt.Sprintf("%v: %s", o.op, o.name)) })
})

// differs matches oddities that Apache treats differently; see intendedDifferences. The last two patterns match
// watches of a null path: Apache accepts these, and fails when the connection ends.
var differs = regexp.MustCompile(`^checkWatches: relative path$|: null id( for digest| for ip)? ACL$|^multi: .*, null$|` +
	`^setWatches2: with null list, [34]$|^addWatch: null path$`)

func oddities() (all []oddity) {
	acl := i32(1) + i32(31) + str("world") + str("anyone")
	data := str("d")
	paths := map[string]string{"null": null, "empty": str(""), "relative": str("t"), "fine": str("/t/x"), "absent": str("/t/none")}
	// rests has the part of a complete request after the path.
	rests := map[wire.Op]string{
		wire.OpCreate: data + acl + i32(0), wire.OpCreate2: data + acl + i32(0), wire.OpCreateContainer: data + acl + i32(4),
		wire.OpCreateTTL: data + acl + i32(5) + i64(1000), wire.OpDelete: i32(-1), wire.OpSetData: data + i32(-1),
		wire.OpSetACL: acl + i32(-1), wire.OpGetACL: "", wire.OpExists: "\x00", wire.OpGetData: "\x00", wire.OpGetChildren: "\x00",
		wire.OpGetChildren2: "\x00", wire.OpSync: "", wire.OpGetAllChildrenNumber: "", wire.OpGetEphemerals: "",
		wire.OpAddWatch: i32(0), wire.OpRemoveWatches: i32(3), wire.OpCheckWatches: i32(3), wire.OpCheck: i32(7),
	}
	add := func(op wire.Op, name, body string) { all = append(all, oddity{op, name, bytesOf(body)}) }
	for op, rest := range rests {
		for kind, p := range paths {
			add(op, kind+" path", p+rest)
		}
		whole := paths["fine"] + rest
		for n := range len(whole) {
			add(op, fmt.Sprintf("cut to %d of %d", n, len(whole)), whole[:n])
		}
		add(op, "more than is needed", whole+"more")
	}
	for _, watched := range []wire.Op{wire.OpExists, wire.OpGetData, wire.OpGetChildren, wire.OpGetChildren2} {
		for _, kind := range []string{"null", "empty", "relative"} {
			add(watched, kind+" path with a watch", paths[kind]+"\x01")
		}
	}
	for _, create := range []wire.Op{wire.OpCreate, wire.OpCreate2} {
		for name, a := range map[string]string{
			"null": null, "empty": i32(0), "null scheme": i32(1) + i32(31) + null + str("x"), "null id": i32(1) + i32(31) + str("world") + null,
			"null id for auth": i32(1) + i32(31) + str("auth") + null, "null id for digest": i32(1) + i32(31) + str("digest") + null,
			"null id for ip": i32(1) + i32(31) + str("ip") + null, "nulls": i32(1) + i32(31) + null + null,
			"negative": i32(-2), "huge": i32(1 << 30), "empty scheme": i32(1) + i32(31) + str("") + str("x"),
		} {
			add(create, name+" ACL", str("/t/new")+data+a+i32(0))
		}
		add(create, "null data", str("/t/new")+null+acl+i32(0))
		add(create, "data of negative length", str("/t/new")+i32(-2)+acl+i32(0))
		add(create, "null path, sequential", null+data+acl+i32(2))
		add(create, "empty path, sequential", str("")+data+acl+i32(2))
	}
	for name, a := range map[string]string{
		"null": null, "empty": i32(0), "null id": i32(1) + i32(31) + str("world") + null, "null scheme": i32(1) + i32(31) + null + str("x"),
	} {
		add(wire.OpSetACL, name+" ACL", str("/t/x")+a+i32(-1))
	}
	add(wire.OpSetData, "null data", str("/t/x")+null+i32(-1))
	lists := map[string]string{
		"null": null, "empty": i32(0), "with null": i32(1) + null, "with empty": i32(1) + str(""), "negative": i32(-2), "huge": i32(1 << 30),
	}
	for name, l := range lists {
		for i := range 5 {
			five := slices.Repeat([]string{i32(0)}, 5)
			five[i] = l
			if i < 3 {
				add(wire.OpSetWatches, fmt.Sprintf("%s list, %d", name, i), i64(0)+strings.Join(five[:3], ""))
			}
			add(wire.OpSetWatches2, fmt.Sprintf("%s list, %d", name, i), i64(0)+strings.Join(five, ""))
		}
	}
	head := func(op wire.Op) string { return i32(int32(op)) + "\x00" + i32(-1) }
	end := i32(-1) + "\x01" + i32(-1)
	failing := head(wire.OpDelete) + str("/t/none") + i32(-1)
	for _, multi := range []wire.Op{wire.OpMulti, wire.OpMultiRead} {
		for kind, p := range paths {
			add(multi, "delete, "+kind, head(wire.OpDelete)+p+i32(-1)+end)
			add(multi, "setData, "+kind, head(wire.OpSetData)+p+data+i32(-1)+end)
			add(multi, "create, "+kind, head(wire.OpCreate)+p+data+acl+i32(0)+end)
			add(multi, "check, "+kind, head(wire.OpCheck)+p+i32(-1)+end)
			add(multi, "getData, "+kind, head(wire.OpGetData)+p+"\x00"+end)
			add(multi, "getChildren, "+kind, head(wire.OpGetChildren)+p+"\x00"+end)
			add(multi, "a failure, then delete, "+kind, failing+head(wire.OpDelete)+p+i32(-1)+end)
			add(multi, "a failure, then create, "+kind, failing+head(wire.OpCreate)+p+data+acl+i32(0)+end)
			add(multi, "a failure, then getData, "+kind, failing+head(wire.OpGetData)+p+"\x00"+end)
			add(multi, "getData, then getData, "+kind, head(wire.OpGetData)+str("/t")+"\x00"+head(wire.OpGetData)+p+"\x00"+end)
		}
		add(multi, "null ACL", head(wire.OpCreate)+str("/t/new")+data+null+i32(0)+end)
		add(multi, "empty ACL", head(wire.OpCreate)+str("/t/new")+data+i32(0)+i32(0)+end)
		add(multi, "a failure, then null ACL", failing+head(wire.OpCreate)+str("/t/new")+data+null+i32(0)+end)
		add(multi, "a failure, then getChildren", failing+head(wire.OpGetChildren)+str("/t")+"\x00"+end)
		add(multi, "a failure, then exists", failing+head(wire.OpExists)+str("/t")+"\x00"+end)
		add(multi, "a failure, then TTL flags", failing+head(wire.OpCreate)+str("/t/new")+data+acl+i32(5)+end)
		add(multi, "a failure, then unknown flags", failing+head(wire.OpCreate)+str("/t/new")+data+acl+i32(77)+end)
		add(multi, "unknown operation", head(99)+end)
		add(multi, "exists", head(wire.OpExists)+str("/t")+"\x00"+end)
		add(multi, "an error", head(-1)+i32(-101)+end)
		add(multi, "getData forbidden", head(wire.OpGetData)+str("/t/secret")+"\x00"+end)
		add(multi, "no operations", end)
		add(multi, "more than is needed", end+"more")
		whole := head(wire.OpDelete) + str("/t/x") + i32(7) + end
		if multi == wire.OpMultiRead {
			whole = head(wire.OpGetData) + str("/t/x") + "\x00" + end
		}
		for n := range len(whole) {
			add(multi, fmt.Sprintf("cut to %d of %d", n, len(whole)), whole[:n])
		}
	}
	for name, body := range map[string]string{
		"digest, null": i32(0) + str("digest") + null, "ip, null": i32(0) + str("ip") + null, "world, null": i32(0) + str("world") + null,
		"null scheme": i32(0) + null + str("a:b"), "empty scheme": i32(0) + str("") + str("a:b"), "nulls": i32(0) + null + null,
		"digest, empty": i32(0) + str("digest") + str(""), "ip, empty": i32(0) + str("ip") + str(""), "sasl": i32(0) + str("sasl") + str("x"),
		"digest, no colon": i32(0) + str("digest") + str("x"), "digest, only a colon": i32(0) + str("digest") + str(":"),
		"digest, negative": i32(0) + str("digest") + i32(-2), "digest, incomplete": i32(0) + str("digest") + i32(9) + "x",
		"more than is needed": i32(0) + str("digest") + str("a:b") + "more", "of another type": i32(7) + str("digest") + str("a:b"),
	} {
		add(wire.OpAuth, name, body)
	}
	whole := i32(0) + str("digest") + str("a:b")
	for n := range len(whole) {
		add(wire.OpAuth, fmt.Sprintf("cut to %d of %d", n, len(whole)), whole[:n])
	}
	for _, op := range []wire.Op{wire.OpPing, wire.OpWhoAmI} {
		add(op, "more than is needed", "more")
	}
	slices.SortFunc(all, func(a, b oddity) int { return cmp.Or(cmp.Compare(a.op, b.op), strings.Compare(a.name, b.name)) })
	return all
}

func TestOddities(t *testing.T) {
	t.Parallel()
	both := bothServers(t)
	secret := world(wire.PermWrite | wire.PermAdmin)
	t.Logf("%d requests", len(alike()))
	for all := alike(); len(all) > 0; {
		n := 1
		for n < len(all) && all[n].op == all[0].op {
			n++
		}
		steps := []step{{who: 1, op: wire.OpCreate, req: &wire.CreateRequest{Path: "/t/secret", ACL: secret}}}
		for _, o := range all[:n] {
			steps = append(steps, step{event: reattach},
				step{who: 1, op: wire.OpCreate, req: &wire.CreateRequest{Path: "/t/x", ACL: world(wire.PermAll)}},
				step{who: 1, op: wire.OpDelete, req: &wire.MultiOp{Op: wire.OpDelete, Path: "/t/new", Version: -1}},
				step{op: o.op, req: o.body})
		}
		all = all[n:]
		if theirs, ours := both(t, steps); theirs != ours {
			t.Errorf("the embedded server differs from Apache (-):\n%s", firstDifference(theirs, ours))
		}
	}
}
