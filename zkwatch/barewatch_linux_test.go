package zkwatch_test

import (
	"encoding/binary"
	"io"
	"net"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/zkwatch/wire"
)

// A bareWatch is the least that can follow the children of a path: one connection, one
// persistent recursive watch, and one getData for each znode that was created.
type bareWatch struct {
	meter meter
	conn  net.Conn
	seen  chan time.Time // a deletion was reported, or the data of a created znode is here
}

const bareTimeout = 40 * time.Second

func newBareWatch(b *testing.B, addr, path string) *bareWatch {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		b.Fatal(err)
	}
	w := &bareWatch{seen: make(chan time.Time, 1)}
	w.conn = w.meter.over(c)
	w.write(b, &wire.ConnectRequest{Timeout: int32(bareTimeout / time.Millisecond), Passwd: make([]byte, 16)})
	if _, err := wire.ReadFrame(w.conn, 1<<20); err != nil {
		b.Fatal(err)
	}
	w.write(b, &wire.RequestHeader{Xid: 1, Op: wire.OpAddWatch}, &wire.AddWatchRequest{Path: path, Mode: wire.WatchPersistentRecursive})
	if _, err := wire.ReadFrame(w.conn, 1<<20); err != nil {
		b.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.read(b)
	}()
	b.Cleanup(func() {
		w.conn.Close()
		<-ended
	})
	return w
}

func (w *bareWatch) write(b *testing.B, records ...wire.Appender) {
	if _, err := w.conn.Write(wire.AppendFrame(nil, records...)); err != nil {
		b.Error(err)
	}
}

// ping keeps the session.
func (w *bareWatch) ping(b *testing.B) {
	w.write(b, &wire.RequestHeader{Xid: wire.XidPing, Op: wire.OpPing})
}

func (w *bareWatch) read(b *testing.B) {
	const get = 2
	var buf []byte
	for {
		frame, err := wire.ReadFrameInto(w.conn, buf, 1<<20)
		if err != nil {
			if err != io.EOF {
				return // closed
			}
			b.Error("the server closed the connection of the bare client")
			return
		}
		buf = frame[:0]
		switch int32(binary.BigEndian.Uint32(frame)) {
		case get:
			w.seen <- time.Now()
		case wire.XidWatch:
			var header wire.ReplyHeader
			var event wire.WatcherEvent
			d := wire.NewDecoder(frame)
			header.Decode(d)
			event.Decode(d)
			switch zk.EventType(event.Type) {
			case zk.EventNodeDeleted:
				w.seen <- time.Now()
			case zk.EventNodeCreated:
				w.write(b, &wire.RequestHeader{Xid: get, Op: wire.OpGetData}, &wire.PathWatchRequest{Path: event.Path})
			}
		}
	}
}
