package tree

import (
	"math"
	"strings"
	"testing"

	"electop/zkwatch/wire"
)

func create(t *testing.T, tr *Tree, path string, flags int32) (string, wire.Code) {
	t.Helper()
	req := wire.CreateRequest{Path: path, ACL: openACL, Flags: flags}
	w := Writer{Who: Identities{{Scheme: "ip", ID: "127.0.0.1"}}, Session: 1}
	ch, code := tr.Check(w, wire.OpCreate, wire.NewDecoder(wire.Append(nil, &req)))
	if code == wire.OK {
		tr.Apply(&ch, Txn{Zxid: int64(tr.Len()) + 100, Now: 1})
	}
	return ch.Path, code
}

func TestCversionWrapsAndSequenceNumberDoesNot(t *testing.T) {
	tr := New()
	create(t, tr, "/e", 0)
	e := tr.Get("/e")
	e.creates = 1<<30 - 1
	steps := []struct {
		path  string
		flags int32
		want  string
		code  wire.Code
		cv    int32
	}{
		{"/e/n_", wire.FlagSequential, "/e/n_1073741823", wire.OK, math.MaxInt32},
		{"/e/n_", wire.FlagSequential, "/e/n_1073741824", wire.OK, math.MinInt32},
		{"/e/n_", wire.FlagSequential, "/e/n_1073741825", wire.OK, math.MinInt32 + 1},
	}
	for _, st := range steps {
		got, code := create(t, tr, st.path, st.flags)
		if got != st.want || code != st.code || e.Stat().Cversion != st.cv {
			t.Errorf("create %s: got %q, %v, cversion %d; want %q, %v, cversion %d", st.path, got, code, e.Stat().Cversion, st.want, st.code, st.cv)
		}
	}

	e.creates = math.MaxInt32 - 1
	if got, code := create(t, tr, "/e/n_", wire.FlagSequential); got != "/e/n_2147483646" || code != wire.OK {
		t.Errorf("number before the last: got %q, %v; want /e/n_2147483646", got, code)
	}
	if got, code := create(t, tr, "/e/n_", wire.FlagSequential); got != "/e/n_2147483647" || code != wire.OK {
		t.Errorf("last number: got %q, %v; want /e/n_2147483647", got, code)
	}
	if e.creates != math.MaxInt32 {
		t.Errorf("creates counter after the last number: got %d, want 2^31-1", e.creates)
	}
	pzxid := e.pzxid
	for range 3 {
		if got, code := create(t, tr, "/e/n_", wire.FlagSequential); code != wire.NodeExists {
			t.Errorf("create after the last number: got %q, %v; want NodeExists", got, code)
		}
	}
	if _, code := create(t, tr, "/e/plain", 0); code != wire.OK || e.creates != math.MaxInt32 || e.pzxid != pzxid {
		t.Errorf("plain create after the last number: got %v, creates counter %d, pzxid %d; want OK, 2^31-1, %d", code, e.creates, e.pzxid, pzxid)
	}
	if got, code := create(t, tr, "/e/other_", wire.FlagSequential); got != "/e/other_2147483647" || code != wire.OK {
		t.Errorf("another prefix after the last number: got %q, %v; want /e/other_2147483647", got, code)
	}
}

func TestNewTree(t *testing.T) {
	tr := New()
	if st := tr.Get("/").Stat(); st != (wire.Stat{Cversion: -1, NumChildren: 1}) {
		t.Errorf("root of a new tree: got %+v, want cversion -1 and one child", st)
	}
	if tr.bytes != 44 || tr.Len() != 4 {
		t.Errorf("new tree: got %d bytes, %d nodes; want 44 and 4 as in Apache", tr.bytes, tr.Len())
	}
}

func FuzzWrites(f *testing.F) {
	request := func(session byte, op wire.Op, req wire.Record) []byte {
		body := wire.Append(nil, req)
		return append([]byte{session, byte(op), byte(len(body) >> 8), byte(len(body))}, body...)
	}
	creation := func(path string, flags int32) *wire.CreateRequest {
		return &wire.CreateRequest{Path: path, Data: []byte("data"), ACL: openACL, Flags: flags}
	}
	var requests []byte
	for _, b := range [][]byte{
		request(1, wire.OpCreate, creation("/a", 0)),
		request(1, wire.OpCreate, creation("/a/n_", wire.FlagEphemeral|wire.FlagSequential)),
		request(2, wire.OpCreateContainer, creation("/box", wire.FlagContainer)),
		request(1, wire.OpSetData, &wire.MultiOp{Op: wire.OpSetData, Path: "/a", Data: []byte("more"), Version: -1}),
		request(2, wire.OpSetACL, &wire.SetACLRequest{Path: "/a", ACL: readACL, Version: -1}),
		request(0, wire.OpMulti, &wire.MultiRequest{Ops: []wire.MultiOp{{Op: wire.OpCheck, Path: "/", Version: -1},
			{Op: wire.OpCreate, Create: *creation("/m", 0)}, {Op: wire.OpDelete, Path: "/m", Version: -1}}}),
		request(2, wire.OpDelete, &wire.MultiOp{Op: wire.OpDelete, Path: "/box", Version: -1}),
	} {
		requests = append(requests, b...)
		f.Add(requests)
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		tr, x := New(), Txn{}
		for len(stream) >= 4 {
			session, op := stream[0], wire.Op(stream[1])
			n := min(int(stream[2])<<8|int(stream[3]), len(stream)-4)
			d := wire.NewDecoder(stream[4 : 4+n])
			stream = stream[4+n:]
			x.Zxid++
			x.Now += 3
			w := Writer{Who: Identities{{Scheme: "ip", ID: "127.0.0.1"}}, Session: int64(session%3) + 1}
			var changes []Change
			if op == wire.OpMulti {
				var req wire.MultiRequest
				if req.Fields(d); d.Err() == nil {
					m, _ := tr.CheckMulti(w, req.Ops)
					changes = m.Changes
				}
			} else if ch, code := tr.Check(w, op, d); code == wire.OK && ch.Op != 0 {
				changes = append(changes, ch)
			}
			for i := range changes {
				tr.Apply(&changes[i], x)
			}
		}
		checkInvariants(t, tr)
		for _, path := range tr.Due() {
			ch := Change{Op: wire.OpDelete, Path: path}
			tr.Apply(&ch, x)
		}
		for id := range tr.ephemerals {
			for _, path := range tr.EphemeralsOf(id) {
				ch := Change{Op: wire.OpDelete, Path: path}
				tr.Apply(&ch, x)
			}
		}
		checkInvariants(t, tr)
		if tr.Ephemerals() != 0 {
			t.Errorf("got %d ephemeral nodes after the end of all sessions, want none", tr.Ephemerals())
		}
	})
}

func checkInvariants(t *testing.T, tr *Tree) {
	t.Helper()
	bytes := int64(0)
	children := 0
	for path, n := range tr.nodes {
		bytes += int64(len(path) + len(n.data))
		children += len(n.children)
		for i, name := range n.children {
			if n.index[name] != i {
				t.Errorf("%s: child %s: got index %d, want %d", path, name, n.index[name], i)
			}
			child := tr.nodes[strings.TrimSuffix(path, "/")+"/"+name]
			if child == nil {
				t.Errorf("%s: child %s has no node", path, name)
			}
		}
		if len(n.index) != len(n.children) {
			t.Errorf("%s: %d children, %d in the index", path, len(n.children), len(n.index))
		}
		if path != "/" && wire.ValidatePath(path) != nil {
			t.Errorf("node with the invalid path %q", path)
		}
		if isSession(n.owner) {
			if _, ok := tr.ephemerals[n.owner][path]; !ok {
				t.Errorf("%s is missing in the list of its session %#x", path, n.owner)
			}
		}
		if _, ok := tr.containers[path]; ok != (n.owner != 0 && !isSession(n.owner)) {
			t.Errorf("%s: owner %#x: is a container: got %t, want %t", path, n.owner, ok, !ok)
		}
	}
	if bytes != tr.bytes || children != len(tr.nodes)-1 {
		t.Errorf("got byte counter %d, want %d; got %d children, want %d", tr.bytes, bytes, children, len(tr.nodes)-1)
	}
	for id, paths := range tr.ephemerals {
		for path := range paths {
			if n := tr.nodes[path]; n == nil || n.owner != id {
				t.Errorf("session %#x lists %s, but does not own it", id, path)
			}
		}
	}
}
