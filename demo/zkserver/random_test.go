package zkserver_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/zkwatch/wire"
)

// TestRandomConversations has the same random conversation with the embedded
// server and with Apache and compares what they said, events and zxids
// included.
func TestRandomConversations(t *testing.T) {
	apache := zktest.Apache(t).Addr
	seeds := []uint64{1, 2, 3, 4, uint64(time.Now().UnixNano())}
	for _, seed := range seeds {
		run := func(s *transcript) { converseAtRandom(s, seed) }
		_, addr := zkserver.Start(t, zkserver.Options{})
		ours := converse(t, addr, run)
		theirs := converse(t, apache, run)
		if diff := cmp.Diff(theirs, ours); diff != "" {
			t.Fatalf("seed %d: embedded server differs from Apache (-apache +embedded):\n%s", seed, diff)
		}
	}
}

func converseAtRandom(s *transcript, seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 0))
	speakers := []*speaker{s.connect("a"), s.connect("b"), s.connect("c")}
	born := len(speakers)
	speakers[0].create("/t", "", 0)
	path := func() string {
		p := "/t"
		for range rnd.IntN(4) {
			p += "/" + string(rune('w'+rnd.IntN(3)))
		}
		return p
	}
	// Sequential nodes stay below /t: the root has been counting for others.
	create := func() wire.CreateRequest {
		req := wire.CreateRequest{Path: path(), Flags: []int32{0, 0, 0, 0, 0, eph, seq, eph | seq}[rnd.IntN(8)]}
		if req.Flags&seq != 0 {
			req.Path += "/"
		}
		return req
	}
	version := func() int32 { return int32(rnd.IntN(5)) - 2 }
	acl := func() []wire.ACL {
		switch rnd.IntN(12) {
		case 0:
			return world(int32(rnd.IntN(32)) | wire.PermRead | wire.PermAdmin) // so that it can be removed
		case 1:
			return []wire.ACL{{Perms: wire.PermAll, ID: wire.ID{Scheme: "auth"}}}
		case 2:
			return nil
		}
		return world(wire.PermAll)
	}
	multiOp := func() wire.MultiOp {
		switch rnd.IntN(5) {
		case 0:
			return op(wire.OpCheck, path(), version())
		case 1:
			return op(wire.OpDelete, path(), version())
		case 2:
			return wire.MultiOp{Op: wire.OpSetData, Path: path(), Data: []byte("m"), Version: -1}
		}
		o := wire.MultiOp{Op: wire.OpCreate, Create: create()}
		o.Create.ACL = acl()
		return o
	}
	for i := range 300 {
		at := rnd.IntN(len(speakers))
		sp := speakers[at]
		switch n := rnd.IntN(100); {
		case n < 30:
			req := create()
			req.Data, req.ACL = []byte(fmt.Sprint(i)), acl()
			sp.do(wire.OpCreate, &req, &wire.PathResponse{})
		case n < 40:
			sp.delete(path(), -1)
		case n < 45:
			sp.delete(path(), version())
		case n < 55:
			sp.set(path(), fmt.Sprint(i), version())
		case n < 62:
			sp.get(path(), rnd.IntN(2) == 0)
		case n < 69:
			sp.exists(path(), rnd.IntN(2) == 0)
		case n < 76:
			sp.ls2(path(), rnd.IntN(2) == 0)
		case n < 79:
			sp.do(wire.OpSetACL, &wire.SetACLRequest{Path: path(), ACL: acl(), Version: version()}, &wire.Stat{})
		case n < 81:
			sp.acl(path())
		case n < 91:
			ops := make([]wire.MultiOp, rnd.IntN(4))
			for i := range ops {
				ops[i] = multiOp()
			}
			sp.multi(ops...)
		case n < 93:
			sp.do(wire.OpGetAllChildrenNumber, &wire.PathRequest{Path: path()}, &wire.CountResponse{})
		case n < 95:
			sp.auth("digest", "ann:secret")
		case n < 98:
			sp.sync()
		default:
			sp.close()
			born++
			speakers[at] = s.connect(string(rune('`' + born)))
		}
	}
	for _, sp := range speakers {
		sp.sync()
		sp.close()
	}
}
