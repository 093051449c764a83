package zkserver_test

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"electop/zkwatch/wire"
)

// A step of a random conversation, and how it is drawn.

// roll draws from [0, n) with equal chances: rapid's own integers and samples
// prefer the first, which makes conversations monotonous.
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

// path is one of few, so that clients meet.
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

// oddPaths create nothing outside of /t, which would outlive the conversation
// and change the root.
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
		// Below /t, or the root would count. A slash at the end numbers names that
		// consist of nothing else.
		req.Path = "/t/" + strings.TrimPrefix(req.Path, "/t") + pick(t, []string{"", "/", "n_"})
		req.Path = strings.Replace(req.Path, "//", "/", 1)
		req.Flags |= seq
	}
	return req
}

func createTTL(t *rapid.T) wire.CreateTTLRequest {
	r := wire.CreateTTLRequest{
		CreateRequest: create(t, wire.FlagTTL, wire.FlagTTL, wire.FlagTTLSequential, 0, 7),
		TTL:           pick(t, []int64{1000, 1<<40 - 1, 1 << 40, 0, -1, 1}),
	}
	if r.TTL < 0 && r.Flags != wire.FlagTTL && r.Flags != wire.FlagTTLSequential {
		r.TTL = 0 // see onPurpose
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
		r := createTTL(t)
		return wire.MultiOp{Op: wire.OpCreateTTL, Create: r.CreateRequest, TTL: r.TTL}
	case 8:
		return wire.MultiOp{Op: wire.OpCreate, Create: create(t, wire.FlagContainer, wire.FlagTTL, 77)}
	}
	return wire.MultiOp{Op: wire.OpCreate, Create: create(t, 0, 0, eph, seq, eph|seq)}
}

func paths(t *rapid.T) []string {
	return several(t, 3, readPath)
}

// A kind of step comes up in proportion to its weight.
type kind struct {
	weight int
	op     wire.Op
	event  sessionEvent // instead of op
	req    func(*rapid.T) wire.Record
}

// readPath is a path that may be read and sent back. To servers, the empty
// path is the root; for the others see onPurpose.
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
	// The zxid counts from the beginning of the conversation.
	return wire.SetWatchesRequest{RelativeZxid: int64(roll(t, 200)) - 5,
		Data: paths(t), Exist: paths(t), Child: paths(t)}
}
func nothing(*rapid.T) wire.Record { return nil }

// misplaced puts an operation where it has no place, once in a while.
func misplaced(t *rapid.T, ops []wire.MultiOp, op wire.MultiOp) []wire.MultiOp {
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
		return &wire.PathVersionRequest{Path: p, Version: version(t)}
	}},
	{8, wire.OpSetData, 0, func(t *rapid.T) wire.Record {
		return &wire.SetDataRequest{Path: path(t), Data: data(t), Version: version(t)}
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
		// To no avail: see onPurpose.
		return &wire.PathVersionRequest{Path: path(t), Version: pick(t, []int32{-2, 1000})}
	}},
	{14, wire.OpMulti, 0, func(t *rapid.T) wire.Record {
		return &wire.MultiRequest{Ops: misplaced(t, several(t, 4, multiOp), wire.MultiOp{Op: wire.OpGetData, Path: "/t"})}
	}},
	{3, wire.OpMultiRead, 0, func(t *rapid.T) wire.Record {
		return &wire.MultiRequest{Ops: misplaced(t, several(t, 3, func(t *rapid.T) wire.MultiOp {
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
	{6, 0, 0, nil}, // an odd one
	{3, 0, closeAndReturn, nil},
	{2, 0, reattach, nil},
	{2, 0, moveOver, nil},
	{1, 0, wrongPassword, nil},
	{1, 0, strangersSession, nil},
	{1, 0, expire, nil},
}

// A step is what one client does next.
type step struct {
	who   int
	op    wire.Op
	req   wire.Record
	event sessionEvent // instead of op
	// burst sends the client's next request, if that comes next, without waiting
	// for the reply to this one.
	burst bool
}

func (s step) String() string {
	who := string(rune('a' + s.who))
	if s.event != 0 {
		return who + " " + s.event.String()
	}
	return who + " " + s.op.String() + printed(s.req) + map[bool]string{true: " ..."}[s.burst]
}

func (s step) GoString() string { return s.String() }

// printed is short: what does not count for the operation is left out.
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
	switch r := req.(type) {
	case nil:
		return ""
	case bytesOf:
		return fmt.Sprintf(" %q", string(r))
	case *wire.CreateRequest:
		return " " + create(r)
	case *wire.CreateTTLRequest:
		return fmt.Sprintf(" %s ttl %d", create(&r.CreateRequest), r.TTL)
	case *wire.SetDataRequest:
		return fmt.Sprintf(" %q %s version %d", r.Path, bytes(r.Data), r.Version)
	case *wire.SetACLRequest:
		return fmt.Sprintf(" %q acl %s version %d", r.Path, acls(r.ACL), r.Version)
	case *wire.AuthRequest:
		return fmt.Sprintf(" %s %q", r.Scheme, r.Auth)
	case *wire.MultiRequest:
		var b strings.Builder
		for i := range r.Ops {
			o := &r.Ops[i]
			fmt.Fprintf(&b, "\n      %v ", o.Op)
			switch o.Op {
			case wire.OpCreate, wire.OpCreate2, wire.OpCreateContainer, wire.OpCreateTTL:
				fmt.Fprintf(&b, "%s ttl %d", create(&o.Create), o.TTL)
			case wire.OpSetData:
				fmt.Fprintf(&b, "%q %s version %d", o.Path, bytes(o.Data), o.Version)
			default:
				fmt.Fprintf(&b, "%q version %d watch %t", o.Path, o.Version, o.Watch)
			}
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
		// One in a few of the slow ones.
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
	panic("weights")
})
