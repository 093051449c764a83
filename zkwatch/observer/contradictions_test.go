package observer_test

import (
	"context"
	"encoding/binary"
	"testing"
	"testing/synctest"
	"time"

	"electop/model"
	"electop/zkwatch/client"
	"electop/zkwatch/internal/clienttest"
	"electop/zkwatch/observer"
	"electop/zkwatch/wire"
)

// TestContradictoryAnswers: a server whose answers contradict each other gets no more
// requests than one whose election changes all the time.
func TestContradictoryAnswers(t *testing.T) {
	const noNode = -101
	stat := func(prefix int, owner uint64) []byte {
		body := make([]byte, prefix+68)
		binary.BigEndian.PutUint64(body[prefix+44:], owner)
		return body
	}
	for name, answer := range map[string]func(op wire.Op) (code int32, body []byte){
		"no children of a znode that exists": func(op wire.Op) (int32, []byte) {
			if op == wire.OpGetChildren2 {
				return noNode, nil
			}
			return 0, stat(0, 0)
		},
		"no data of a znode that exists": func(op wire.Op) (int32, []byte) {
			if op == wire.OpGetData {
				return noNode, nil
			}
			return 0, stat(0, 1)
		},
		"ephemeral only in a list": func(op wire.Op) (int32, []byte) {
			switch op {
			case wire.OpGetChildren2:
				return 0, stat(4, 1)
			case wire.OpGetData:
				return 0, stat(4, 0)
			}
			return 0, stat(0, 0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				const most = 60 * 50 * 4 // every 20 ms, four requests
				n := 0
				p := &clienttest.Peer{Answer: func(f clienttest.Request, reply func(int32, int32, []byte), xid int32) bool {
					switch f.Opcode {
					case wire.OpGetChildren2, wire.OpGetData, wire.OpExists:
						if n++; n == most {
							t.Errorf("%d requests", n)
							cancel()
						}
						code, body := answer(f.Opcode)
						reply(xid, code, body)
						return true
					}
					return false
				}}
				observer.New(observer.Config{
					Conn: client.Config{Servers: client.ConnectString{Servers: []string{"peer:2181"}}, Dial: p.Dial},
					Path: "/e", ByReads: true, Put: func(context.Context, model.Observation) {},
				}).Run(ctx)
				p.Served.Wait()
			})
		})
	}
}
