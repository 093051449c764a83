package zkwatch_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/zkwatch"
)

const (
	bad  = "n_\x010000000007" // a server of 3.4 lets other clients create it
	good = "n_0000000008"

	opExists = 3
)

// oddPeer has an election with a child that no client may ask for.
func oddPeer() *peer {
	stat := func(owner uint64, children uint32) []byte {
		b := make([]byte, 68)
		binary.BigEndian.PutUint64(b, 5) // czxid
		binary.BigEndian.PutUint32(b[36:], children)
		binary.BigEndian.PutUint64(b[44:], owner)
		binary.BigEndian.PutUint32(b[56:], children)
		return b
	}
	names := binary.BigEndian.AppendUint32(nil, 2)
	for _, name := range []string{bad, good} {
		names = binary.BigEndian.AppendUint32(names, uint32(len(name)))
		names = append(names, name...)
	}
	return &peer{answer: func(f frame, reply func(xid, code int32, body []byte), xid int32) bool {
		path := ""
		if len(f.body) > 4 {
			path = string(f.body[4 : 4+binary.BigEndian.Uint32(f.body)])
		}
		child := path == "/election/"+good
		switch {
		case f.opcode == opGetChildren2:
			reply(xid, 0, append(names[:len(names):len(names)], stat(0, 2)...))
		case f.opcode == opGetData && child:
			reply(xid, 0, append([]byte{0, 0, 0, 1, 'x'}, stat(0x77, 0)...))
		case f.opcode == opExists && child:
			reply(xid, 0, stat(0x77, 0))
		case f.opcode == opExists && path == "/election":
			reply(xid, 0, stat(0, 2))
		default:
			return false
		}
		return true
	}}
}

// TestNameThatNobodyMayAskFor must not keep an election from being seen, nor a
// walk from going on.
func TestNameThatNobodyMayAskFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := oddPeer()
		cfg := zkwatch.Config{Servers: zkwatch.ConnectString{Servers: []string{"peer:2181"}}, SessionTimeout: 9 * time.Second, Dial: p.dial}
		w := observe(t, cfg, model.Config{Path: "/election"})
		w.await(t, "the good one", func(s *doctor.State) bool {
			return s.Phase == model.Live && len(s.Queue) == 1 && s.Queue[0].Name == good
		})
		p.mu.Lock()
		before := len(p.frames)
		p.mu.Unlock()
		time.Sleep(time.Minute)
		p.mu.Lock()
		asked := len(p.frames) - before
		p.mu.Unlock()
		if asked > 100 {
			t.Errorf("%d requests in a minute in which nothing happened", asked)
		}

		c := connect(t, cfg)
		waitState(t, c, zkwatch.Connected)
		found, progress := walk(t, c, zkwatch.WalkConfig{Root: "/election"})
		if f, ok := found["/election"]; !ok || f.Contenders != 2 {
			t.Errorf("found %+v, %+v", found, progress)
		}
	})
}

// TestAnErrorThatStays has a server answer everything with an error that says
// nothing of the election: it is not asked fifty times a second for ever.
func TestAnErrorThatStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &peer{answer: func(f frame, reply func(xid, code int32, body []byte), xid int32) bool {
			if f.opcode != opGetChildren2 && f.opcode != opGetData && f.opcode != opExists {
				return false
			}
			reply(xid, -1, nil) // SystemError
			return true
		}}
		cfg := zkwatch.Config{Servers: zkwatch.ConnectString{Servers: []string{"peer:2181"}}, SessionTimeout: 9 * time.Second, Dial: p.dial}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		o := zkwatch.NewObserver(zkwatch.ObserverConfig{Conn: cfg, Path: "/election", Ack: "/ack", Put: func(context.Context, model.Observation) {}})
		if err := o.Run(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if n := count(p.opcodes(0), opExists) + count(p.opcodes(0), opGetData); n > 500 || n < 10 {
			t.Errorf("%d requests in five minutes", n)
		}
	})
}

// TestWalkAmongLongNames: what waits to be visited is bounded in bytes too.
func TestWalkAmongLongNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long := strings.Repeat("x", 200<<10)
		stat := func(children uint32) []byte {
			b := make([]byte, 68)
			binary.BigEndian.PutUint32(b[56:], children)
			return b
		}
		p := &peer{answer: func(f frame, reply func(xid, code int32, body []byte), xid int32) bool {
			if f.opcode != opExists && f.opcode != opGetChildren2 {
				return false
			}
			path := string(f.body[4 : 4+binary.BigEndian.Uint32(f.body)])
			children, name := uint32(0), ""
			switch strings.Count(path, "/") {
			case 1:
				children, name = 20, "d"
			case 2:
				children, name = 10, long
			}
			if f.opcode == opExists {
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
		c := connect(t, zkwatch.Config{Servers: zkwatch.ConnectString{Servers: []string{"peer:2181"}}, SessionTimeout: 9 * time.Second, Dial: p.dial})
		waitState(t, c, zkwatch.Connected)
		found, progress := walk(t, c, zkwatch.WalkConfig{Root: "/root"})
		if len(found) != 0 || progress.Stopped != "nodes" || progress.Visited < 100 || progress.Visited >= 1+20+200 {
			progress.Path = ""
			t.Errorf("%d elections, %+v", len(found), progress)
		}
	})
}
