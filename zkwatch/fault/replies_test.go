package fault_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"testing"
	"testing/iotest"

	"electop/zkwatch/fault"
	"electop/zkwatch/wire"
)

// frame is a body behind its length.
func frame(body ...byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

func connectRequest() []byte {
	// A zxid of epoch 1: where other frames have their opcode this one has that
	// of a create.
	r := wire.ConnectRequest{LastZxidSeen: 1<<32 | 7, Passwd: []byte{0, 0, 0, 3}}
	return frame(r.Append(nil)...)
}

func create(xid, flags int32) []byte {
	b := wire.AppendInt32(nil, xid)
	b = wire.AppendInt32(b, int32(wire.OpCreate))
	r := wire.CreateRequest{Path: "/e/n_", Flags: flags}
	return frame(r.Append(b)...)
}

func reply(xid int32, code wire.Code) []byte {
	b := wire.AppendInt64(wire.AppendInt32(nil, xid), 9)
	return frame(append(wire.AppendInt32(b, int32(code)), "some result"...)...)
}

// A script is a peer whose replies are known beforehand.
type script struct {
	net.Conn // nil: the rest of it is not used
	io.Reader
	closed bool
}

func (s *script) Read(p []byte) (int, error)  { return s.Reader.Read(p) }
func (s *script) Write(p []byte) (int, error) { return len(p), nil }
func (s *script) Close() error                { s.closed = true; return nil }

func TestLostReply(t *testing.T) {
	hello := frame(make([]byte, 36)...)
	for _, c := range []struct {
		name    string
		lose    bool
		replies [][]byte
		passes  int // of these
	}{
		{"none is to be lost", false, [][]byte{hello, reply(1, wire.OK), reply(2, wire.OK), reply(3, wire.OK)}, 4},
		{"that of an ephemeral sequential create", true, [][]byte{hello, reply(1, wire.OK), reply(2, wire.OK), reply(3, wire.OK)}, 2},
		{"not that of a create that failed", true, [][]byte{hello, reply(1, wire.OK), reply(2, wire.NoNode), reply(3, wire.OK)}, 3},
		{"nor of any other", true, [][]byte{hello, reply(1, wire.OK), reply(-2, wire.OK), reply(-1, wire.OK)}, 4},
	} {
		for how, read := range map[string]func(io.Reader) io.Reader{
			"at once":      func(r io.Reader) io.Reader { return r },
			"byte by byte": iotest.OneByteReader,
			"in halves":    iotest.HalfReader,
		} {
			t.Run(c.name+" "+how, func(t *testing.T) {
				var replies fault.Replies
				peer := &script{Reader: read(bytes.NewReader(bytes.Join(c.replies, nil)))}
				conn := replies.Over(peer)
				for _, b := range [][]byte{connectRequest(), create(1, 1), create(2, 3), create(3, 3)} {
					if _, err := conn.Write(b); err != nil {
						t.Fatal(err)
					}
				}
				if c.lose {
					replies.LoseCreate()
				}
				got, err := io.ReadAll(conn)
				// The beginning of the lost one may pass, and is no reply.
				want := bytes.Join(c.replies[:c.passes], nil)
				lost := c.passes < len(c.replies)
				if !bytes.HasPrefix(got, want) || len(got) >= len(want)+20 || !lost && len(got) > len(want) {
					t.Errorf("%d bytes passed, want %d", len(got), len(want))
				}
				if (err != nil) != lost || peer.closed != lost {
					t.Errorf("error %v, closed %t; lost should be %t", err, peer.closed, lost)
				}
				if still := c.lose && !lost; replies.Losing() != still {
					t.Errorf("losing is %t afterwards", !still)
				}
			})
		}
	}
}
