package clienttest

import (
	"errors"
	"net"
)

// A FailingConn is a connection whose writes fail after the first few.
type FailingConn struct {
	net.Conn
	Writes int
}

func (c *FailingConn) Write(p []byte) (int, error) {
	if c.Writes--; c.Writes < 0 {
		return 0, errors.New("no write today")
	}
	return c.Conn.Write(p)
}
