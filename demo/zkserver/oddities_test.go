package zkserver_test

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/zkwatch/wire"
)

// An oddity is a request that no well-behaved client makes: null where there
// should be something, nothing, or the beginning of something.
type oddity struct {
	name string
	op   wire.Op
	body []byte
}

// null is how null is written: a string, a buffer or a list of length -1.
const null = "\xff\xff\xff\xff"

func str(s string) string { return string(wire.Append(nil, &wire.PathRequest{Path: s})) }

func i32(n int32) string { return string(wire.Append(nil, &wire.CountResponse{Count: n})) }

func i64(n int64) string { return string(binary.BigEndian.AppendUint64(nil, uint64(n))) }

// oddities are, of each operation, the request with each kind of path and list,
// and each of its beginnings.
func oddities() (all []oddity) {
	acl := i32(1) + i32(31) + str("world") + str("anyone")
	data := str("d")
	paths := map[string]string{"null": null, "empty": str(""), "relative": str("t"), "fine": str("/t/x"), "absent": str("/t/none")}
	// Of each operation the rest after the path, whole.
	rests := map[wire.Op]string{
		wire.OpCreate: data + acl + i32(0), wire.OpCreate2: data + acl + i32(0), wire.OpCreateContainer: data + acl + i32(4),
		wire.OpCreateTTL: data + acl + i32(5) + i64(1000), wire.OpDelete: i32(-1), wire.OpSetData: data + i32(-1),
		wire.OpSetACL: acl + i32(-1), wire.OpGetACL: "", wire.OpExists: "\x00", wire.OpGetData: "\x00", wire.OpGetChildren: "\x00",
		wire.OpGetChildren2: "\x00", wire.OpSync: "", wire.OpGetAllChildrenNumber: "", wire.OpGetEphemerals: "",
		wire.OpAddWatch: i32(0), wire.OpRemoveWatches: i32(3), wire.OpCheckWatches: i32(3), wire.OpCheck: i32(7),
	}
	add := func(op wire.Op, name, body string) { all = append(all, oddity{name, op, []byte(body)}) }
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
	for name, a := range map[string]string{"null": null, "empty": i32(0), "null id": i32(1) + i32(31) + str("world") + null, "null scheme": i32(1) + i32(31) + null + str("x")} {
		add(wire.OpSetACL, name+" ACL", str("/t/x")+a+i32(-1))
	}
	add(wire.OpSetData, "null data", str("/t/x")+null+i32(-1))
	lists := map[string]string{"null": null, "empty": i32(0), "with null": i32(1) + null, "with empty": i32(1) + str(""), "negative": i32(-2), "huge": i32(1 << 30)}
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
		add(multi, "done at once", end)
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
		"digest, negative": i32(0) + str("digest") + i32(-2), "digest, not all there": i32(0) + str("digest") + i32(9) + "x",
		"more than is needed": i32(0) + str("digest") + str("a:b") + "more", "of another type": i32(7) + str("digest") + str("a:b"),
	} {
		add(wire.OpAuth, name, body)
	}
	whole := i32(0) + str("digest") + str("a:b")
	for n := range len(whole) {
		add(wire.OpAuth, fmt.Sprintf("cut to %d of %d", n, len(whole)), whole[:n])
	}
	for _, op := range []wire.Op{wire.OpPing, wire.OpWhoAmI, wire.OpCloseSession} {
		add(op, "more than is needed", "more")
	}
	slices.SortFunc(all, func(a, b oddity) int {
		// A watch on null is felt by what others ask later.
		if last := wire.OpAddWatch; (a.op == last) != (b.op == last) {
			return map[bool]int{true: 1, false: -1}[a.op == last]
		}
		return strings.Compare(fmt.Sprintf("%v %s", a.op, a.name), fmt.Sprintf("%v %s", b.op, b.name))
	})
	return all
}

func (s oddity) String() string { return fmt.Sprintf("%v: %s", s.op, s.name) }

// put sends it on a connection of its own, with a whoAmI and a delete behind it,
// and tells what came of it.
func (s oddity) put(t testing.TB, addr string, base func() int64) (answer string) {
	c := dialRaw(t, addr)
	defer c.nc.Close()
	before := base()
	xid := int32(1)
	if s.op == wire.OpAuth {
		xid = wire.XidAuth
	}
	frames := wire.AppendFrame(nil, &wire.RequestHeader{Xid: xid, Op: s.op}, bytesOf(string(s.body)))
	if s.op != wire.OpCloseSession { // behind which it is chance whether Apache answers
		frames = wire.AppendFrame(frames, &wire.RequestHeader{Xid: 2, Op: wire.OpWhoAmI})
		frames = wire.AppendFrame(frames, &wire.RequestHeader{Xid: 3, Op: wire.OpDelete}, &wire.PathVersionRequest{Path: "/t/none"})
	}
	c.nc.SetDeadline(time.Now().Add(patience))
	if _, err := c.nc.Write(frames); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for {
		frame, err := wire.ReadFrame(c.in, 1<<20)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			out.WriteString("silence")
			break
		}
		if err != nil {
			out.WriteString("closed")
			break
		}
		d := wire.NewDecoder(frame)
		var h wire.ReplyHeader
		h.Fields(d)
		if h.Xid == 2 {
			fmt.Fprintf(&out, "%d identities, ", int8(d.Rest()[3]))
			continue
		}
		if h.Xid == 3 {
			fmt.Fprintf(&out, "connected, then +%d", h.Zxid-before)
			break
		}
		body := d.Rest()
		text := hex.EncodeToString(body)
		if len(body) > 20 {
			text = fmt.Sprintf("%d bytes", len(body)) // with a Stat
		}
		zxid := fmt.Sprint(h.Zxid)
		if h.Zxid >= before {
			zxid = fmt.Sprintf("+%d", h.Zxid-before)
		}
		fmt.Fprintf(&out, "xid %d zxid %s %v [%s]; ", h.Xid, zxid, h.Err, text)
	}
	if c.conn.SessionID != 0 {
		if again, err := net.DialTimeout("tcp", addr, patience); err == nil {
			c.nc.Close()
			a := connectRaw(t, again, wire.ConnectRequest{SessionID: c.conn.SessionID, Passwd: c.conn.Passwd})
			if a.conn.SessionID != 0 {
				a.send(wire.OpCloseSession, nil)
				a.closed()
			}
			again.Close()
		}
	}
	return out.String()
}

// meantToDiffer are the oddities that the two answer differently on purpose, by
// the entry of onPurpose that says why.
var meantToDiffer = map[string][]string{
	"checkWatches of a path without a slash while anybody has a recursive watch, or of any kind": {"checkWatches: relative path"},
	"null as the identity of an ACL": {
		"create: null id ACL", "create: null id for digest ACL", "create: null id for ip ACL",
		"create2: null id ACL", "create2: null id for digest ACL", "create2: null id for ip ACL", "setACL: null id ACL",
	},
	"null in place of a path in a multi": {
		"multi: a failure, then create, null", "multi: a failure, then delete, null", "multi: check, null", "multi: create, null",
		"multi: delete, null", "multi: getChildren, null", "multi: getData, null", "multi: getData, then getData, null", "multi: setData, null",
	},
}

// TestOddities puts each of them to the embedded server and to Apache ZooKeeper,
// and compares the bytes that come back, whether the connection stays, and what
// it cost in zxids.
func TestOddities(t *testing.T) {
	t.Parallel()
	meant := make(map[string]bool)
	for what, list := range meantToDiffer {
		if !slices.ContainsFunc(onPurpose, func(d difference) bool { return d.what == what }) {
			t.Errorf("%q is not among the differences", what)
		}
		for _, s := range list {
			meant[s] = true
		}
	}

	apache := zktest.NewApache(t).Addr
	_, here := zkserver.Start(t, zkserver.Options{})
	addrs := []string{apache, here}
	control := make([]*rawClient, 2)
	for i, addr := range addrs {
		control[i] = dialRaw(t, addr)
	}
	all := oddities()
	t.Logf("%d requests", len(all))
	for _, s := range all {
		var answers [2]string
		for i, addr := range addrs {
			k := control[i]
			k.nc.SetDeadline(time.Now().Add(time.Minute))
			removeAll(k, "/t")
			for _, p := range []string{"/t", "/t/x"} {
				k.create(p, 0)
			}
			k.must(wire.OpCreate, &wire.CreateRequest{Path: "/t/secret", ACL: world(wire.PermWrite | wire.PermAdmin)}, &wire.PathResponse{})
			answers[i] = s.put(t, addr, func() int64 { return k.call(wire.OpPing, nil, nil).Zxid })
		}
		if differ := answers[0] != answers[1]; differ != meant[s.String()] {
			t.Errorf("%v: differ %t\n\tapache: %s\n\there:   %s", s, differ, answers[0], answers[1])
		}
		delete(meant, s.String())
	}
	for s := range meant {
		t.Errorf("%s: there is no such oddity", s)
	}
}
