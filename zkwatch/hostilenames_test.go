package zkwatch_test

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/zkwatch/client"
	"electop/zkwatch/discover"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/observer"
	"electop/zkwatch/wire"
)

const (
	bad  = "n_\x010000000007" // the client refuses to request this name
	good = "n_0000000008"
)

func hostilePeer() *electiontest.Peer {
	stat := func(owner uint64, children uint32) []byte {
		b := make([]byte, 68)
		binary.BigEndian.PutUint64(b, 5) // czxid
		if children > 0 {
			binary.BigEndian.PutUint32(b[36:], 2*9-children) // cversion after nine creates, see DataNode.copyStat
		}
		binary.BigEndian.PutUint64(b[44:], owner)
		binary.BigEndian.PutUint32(b[56:], children)
		return b
	}
	names := binary.BigEndian.AppendUint32(nil, 2)
	for _, name := range []string{bad, good} {
		names = binary.BigEndian.AppendUint32(names, uint32(len(name)))
		names = append(names, name...)
	}
	return &electiontest.Peer{Answer: func(f electiontest.Request, reply func(xid, code int32, body []byte), xid int32) bool {
		path := ""
		if len(f.Body) > 4 {
			path = string(f.Body[4 : 4+binary.BigEndian.Uint32(f.Body)])
		}
		child := path == "/election/"+good
		switch {
		case f.Opcode == wire.OpGetChildren2:
			reply(xid, 0, append(names[:len(names):len(names)], stat(0, 2)...))
		case f.Opcode == wire.OpGetData && child:
			reply(xid, 0, append([]byte{0, 0, 0, 1, 'x'}, stat(0x77, 0)...))
		case f.Opcode == wire.OpExists && child:
			reply(xid, 0, stat(0x77, 0))
		case f.Opcode == wire.OpExists && path == "/election":
			reply(xid, 0, stat(0, 2))
		default:
			return false
		}
		return true
	}}
}

func TestNameThatTheClientRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := hostilePeer()
		cfg := client.Config{Servers: client.ConnectString{Servers: []string{"peer:2181"}}, SessionTimeout: 9 * time.Second, Dial: p.Dial}
		w := electiontest.Observe(t, cfg, model.Config{Path: "/election"})
		w.Await(t, "the good candidate", func(s *doctor.State) bool {
			return s.Phase == model.Live && s.Queue.Len() == 1 && s.Queue.At(0).Name == good
		})
		before := len(p.Received(0))
		time.Sleep(time.Minute)
		if n := len(p.Received(0)) - before; n > 100 {
			t.Errorf("got %d requests in a minute without a change, want at most 100", n)
		}

		c := electiontest.Connected(t, cfg)
		found := make(map[string]discover.Found)
		progress, err := discover.Walk(t.Context(), c, discover.Config{Root: "/election", Found: func(f discover.Found) { found[f.Path] = f }})
		if err != nil {
			t.Fatal(err)
		}
		if f, ok := found["/election"]; !ok || f.Contenders != 2 {
			t.Errorf("got elections %+v, progress %+v; want /election with 2 contenders", found, progress)
		}
	})
}

func TestSystemErrorForEveryRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &electiontest.Peer{Answer: func(f electiontest.Request, reply func(xid, code int32, body []byte), xid int32) bool {
			if f.Opcode != wire.OpGetChildren2 && f.Opcode != wire.OpGetData && f.Opcode != wire.OpExists {
				return false
			}
			reply(xid, -1, nil)
			return true
		}}
		cfg := client.Config{Servers: client.ConnectString{Servers: []string{"peer:2181"}}, SessionTimeout: 9 * time.Second, Dial: p.Dial}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		put := func(context.Context, model.Observation) {}
		o := observer.New(observer.Config{Conn: cfg, Path: "/election", Beside: observer.Beside{Acks: []string{"/ack"}}, Put: put})
		if err := o.Run(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Run: got error %v, want %v", err, context.DeadlineExceeded)
		}
		if n := electiontest.Count(p.Opcodes(0), wire.OpExists) + electiontest.Count(p.Opcodes(0), wire.OpGetData); n > 500 || n < 10 {
			t.Errorf("got %d exists and getData requests in five minutes, want 10 to 500", n)
		}
	})
}
