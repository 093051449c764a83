package clienttest

import (
	"encoding/binary"
	"net"
	"sync/atomic"

	"electop/zkwatch/wire"
)

// Counted counts the requests of one kind, and stops a candidate that does
// nothing else.
type Counted struct {
	net.Conn
	Op wire.Op
	N  *atomic.Int64
}

func (c *Counted) Write(b []byte) (int, error) {
	if len(b) >= 12 && wire.Op(binary.BigEndian.Uint32(b[8:])) == c.Op && c.N.Add(1) > 10_000 {
		panic("ten thousand requests: virtual time stands still")
	}
	return c.Conn.Write(b)
}
