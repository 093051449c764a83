package discover_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"electop/zkwatch/client"
	"electop/zkwatch/discover"
	"electop/zkwatch/internal/clienttest"
	"electop/zkwatch/wire"
)

// TestWalkAmongLongNames: what waits to be visited is bounded in bytes too.
func TestWalkAmongLongNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long := strings.Repeat("x", 200<<10)
		stat := func(children uint32) []byte {
			b := make([]byte, 68)
			binary.BigEndian.PutUint32(b[56:], children)
			return b
		}
		p := &clienttest.Peer{Answer: func(f clienttest.Request, reply func(xid, code int32, body []byte), xid int32) bool {
			if f.Opcode != wire.OpExists && f.Opcode != wire.OpGetChildren2 {
				return false
			}
			path := string(f.Body[4 : 4+binary.BigEndian.Uint32(f.Body)])
			children, name := uint32(0), ""
			switch strings.Count(path, "/") {
			case 1:
				children, name = 20, "d"
			case 2:
				children, name = 10, long
			}
			if f.Opcode == wire.OpExists {
				reply(xid, 0, stat(children))
				return true
			}
			names := binary.BigEndian.AppendUint32(nil, children)
			for i := range children {
				s := fmt.Sprintf("%s%c", name, 'a'+i)
				names = append(binary.BigEndian.AppendUint32(names, uint32(len(s))), s...)
			}
			reply(xid, 0, append(names, stat(children)...))
			return true
		}}
		c := clienttest.Connected(t, client.Config{Servers: client.ConnectString{Servers: []string{"peer:2181"}}, SessionTimeout: 9 * time.Second, Dial: p.Dial})
		found, progress := walk(t, c, discover.Config{Root: "/root"})
		if len(found) != 0 || progress.Stopped != "nodes" || progress.Visited < 100 || progress.Visited >= 1+20+200 {
			progress.Path = ""
			t.Errorf("%d elections, %+v", len(found), progress)
		}
	})
}
