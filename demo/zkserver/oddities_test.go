package zkserver_test

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"electop/zkwatch/wire"
)

// null is how null is written: a string, a buffer or a list of length -1.
const null = "\xff\xff\xff\xff"

func str(s string) string { return string(wire.Append(nil, &wire.PathRequest{Path: s})) }

func i32(n int32) string { return string(wire.Append(nil, &wire.CountResponse{Count: n})) }

func i64(n int64) string { return string(binary.BigEndian.AppendUint64(nil, uint64(n))) }

// An oddity is a request that no well-behaved client makes: null instead of a value,
// nothing, or the beginning of something.
type oddity struct {
	op   wire.Op
	name string
	body bytesOf
}

// alike are the oddities that the two servers answer alike.
var alike = sync.OnceValue(func() []oddity {
	return slices.DeleteFunc(oddities(), func(o oddity) bool { return differs.MatchString(fmt.Sprintf("%v: %s", o.op, o.name)) })
})

// differs matches those that they answer differently on purpose, see onPurpose, and
// watches of null: Apache accepts them and fails later, when the connection ends.
var differs = regexp.MustCompile(`^checkWatches: relative path$|: null id( for digest| for ip)? ACL$|^multi: .*, null$|` +
	`^setWatches2: with null list, [34]$|^addWatch: null path$`)

// oddities are, for each operation, the request with each kind of path and list,
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
	for _, op := range []wire.Op{wire.OpPing, wire.OpWhoAmI} {
		add(op, "more than is needed", "more")
	}
	slices.SortFunc(all, func(a, b oddity) int { return cmp.Or(cmp.Compare(a.op, b.op), strings.Compare(a.name, b.name)) })
	return all
}

// TestOddities sends each of them, on a connection of its own, to the embedded server
// and to Apache ZooKeeper, and compares the bytes that come back, whether the connection
// stays, and how many zxids it took.
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
				step{who: 1, op: wire.OpDelete, req: &wire.PathVersionRequest{Path: "/t/new", Version: -1}},
				step{op: o.op, req: o.body})
		}
		all = all[n:]
		if theirs, ours := both(t, steps); theirs != ours || strings.Contains(ours, "FAILED") {
			t.Errorf("the embedded server differs from Apache (-):\n%s", firstDifference(theirs, ours))
		}
	}
}
