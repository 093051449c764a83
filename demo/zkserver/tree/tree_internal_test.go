package tree

import (
	"math"
	"testing"

	"electop/zkwatch/wire"
)

// create makes a node by a request, as a client's would.
func create(t *testing.T, tr *Tree, path string, flags int32) (string, wire.Code) {
	t.Helper()
	req := wire.CreateRequest{Path: path, ACL: openACL, Flags: flags}
	ch, code := tr.Check(Writer{Who: From("127.0.0.1"), Session: 1}, wire.OpCreate, wire.NewDecoder(wire.Append(nil, &req)))
	if code == wire.OK {
		tr.Apply(&ch, Txn{Zxid: int64(tr.Len()) + 100, Now: 1})
	}
	return ch.Path, code
}

// The counter of creates cannot be driven to its end through a connection:
// that would take 2^31 requests.
func TestSequenceJam(t *testing.T) {
	tr := New()
	create(t, tr, "/e", 0)
	e := tr.Get("/e")
	e.creates = 1<<30 - 1
	steps := []struct {
		path  string
		flags int32
		want  string
		code  wire.Code
		cv    int32 // afterwards
	}{
		{"/e/n_", wire.FlagSequential, "/e/n_1073741823", wire.OK, math.MaxInt32},     // 2^31 - 1
		{"/e/n_", wire.FlagSequential, "/e/n_1073741824", wire.OK, math.MinInt32},     // wraps
		{"/e/n_", wire.FlagSequential, "/e/n_1073741825", wire.OK, math.MinInt32 + 1}, // goes on
	}
	for _, st := range steps {
		got, code := create(t, tr, st.path, st.flags)
		if got != st.want || code != st.code || e.Stat().Cversion != st.cv {
			t.Errorf("create %s: %q %v, cversion %d; want %q %v, %d", st.path, got, code, e.Stat().Cversion, st.want, st.code, st.cv)
		}
	}

	e.creates = math.MaxInt32 - 1
	if got, code := create(t, tr, "/e/n_", wire.FlagSequential); got != "/e/n_2147483646" || code != wire.OK {
		t.Errorf("last but one: %q %v", got, code)
	}
	if got, code := create(t, tr, "/e/n_", wire.FlagSequential); got != "/e/n_2147483647" || code != wire.OK {
		t.Errorf("last: %q %v", got, code)
	}
	if e.creates != math.MaxInt32 {
		t.Errorf("creates = %d after the last", e.creates)
	}
	pzxid := e.pzxid
	for range 3 {
		if got, code := create(t, tr, "/e/n_", wire.FlagSequential); code != wire.NodeExists {
			t.Errorf("beyond the last: %q %v, want NodeExists", got, code)
		}
	}
	// Others still work, but are neither counted nor seen in pzxid.
	if _, code := create(t, tr, "/e/plain", 0); code != wire.OK || e.creates != math.MaxInt32 || e.pzxid != pzxid {
		t.Errorf("plain create at the jam: %v, creates %d, pzxid %d -> %d", code, e.creates, pzxid, e.pzxid)
	}
	if got, code := create(t, tr, "/e/other_", wire.FlagSequential); got != "/e/other_2147483647" || code != wire.OK {
		t.Errorf("another prefix at the jam: %q %v", got, code)
	}
}

func TestFreshRoot(t *testing.T) {
	tr := New()
	if st := tr.Get("/").Stat(); st != (wire.Stat{Cversion: -1, NumChildren: 1}) {
		t.Errorf("root of a fresh tree: %+v", st)
	}
	if tr.bytes != 44 || tr.descendants("/") != 3 {
		t.Errorf("fresh tree: %d bytes, %d nodes below the root; Apache has 44 and 3", tr.bytes, tr.descendants("/"))
	}
}
