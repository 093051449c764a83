package client_test

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/go-zookeeper/zk"

	"electop/zkwatch/client"
	"electop/zkwatch/fault"
	"electop/zkwatch/internal/clienttest"
	"electop/zkwatch/wire"
)

// A reading is a connection that is read in another way.
type reading struct {
	net.Conn
	io.Reader
}

func (r reading) Read(p []byte) (int, error) { return r.Reader.Read(p) }

// Only the reply to an ephemeral sequential create that succeeded gets lost,
// once, with its connection, however the bytes arrive.
func TestLostReply(t *testing.T) {
	for how, read := range map[string]func(io.Reader) io.Reader{
		"at once":      func(r io.Reader) io.Reader { return r },
		"byte by byte": iotest.OneByteReader,
		"in halves":    iotest.HalfReader,
	} {
		t.Run(how, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &clienttest.Peer{
					Answer: func(f clienttest.Request, reply func(xid, code int32, body []byte), xid int32) bool {
						refused := f.Opcode == wire.OpCreate && string(f.Body[4:6]) == "/x"
						if refused {
							reply(xid, int32(wire.NoNode), nil)
						}
						return refused
					},
					Dialled: func(_ int, c net.Conn) (net.Conn, error) { return reading{c, read(c)}, nil },
				}
				var replies fault.Replies
				c := p.Connect(t, func(cfg *client.Config) { cfg.Replies = &replies })
				p.Connected(t, c, 1)
				create := func(path string, flags int32) error {
					_, err := c.Create(context.Background(), path, nil, flags, clienttest.Open)
					return err
				}
				if err := create("/e/n_", zk.FlagEphemeralSequential); err != nil {
					t.Errorf("none is to be lost: %v", err)
				}
				replies.LoseCreate()
				if err := create("/e/n_", zk.FlagEphemeral); err != nil {
					t.Errorf("a create without a number: %v", err)
				}
				if err := create("/x/n_", zk.FlagEphemeralSequential); !errors.Is(err, zk.ErrNoNode) {
					t.Errorf("a create that failed: %v", err)
				}
				if _, _, err := c.Get(context.Background(), "/e"); err != nil || !replies.Losing() || p.Dials() != 1 {
					t.Errorf("a read: %v; losing is %t, %d connections", err, replies.Losing(), p.Dials())
				}
				err := create("/e/n_", zk.FlagEphemeralSequential)
				if !errors.Is(err, client.ErrUnknownOutcome) || !errors.Is(err, fault.ErrReplyLost) || replies.Losing() {
					t.Errorf("the reply that is to be lost: %v; losing is %t", err, replies.Losing())
				}
				p.Connected(t, c, 2)
				if err := create("/e/n_", zk.FlagEphemeralSequential); err != nil {
					t.Errorf("one is lost only: %v", err)
				}
			})
		})
	}
}
