package client

import (
	"math"
	"net"

	"electop/zkwatch/wire"
)

// farewell returns a connection to nobody, which the library gets when the Conn
// has ended. It grants a session, swallows every request and answers
// closeSession.
//
// The library's Close wants an answer to closeSession and waits a second for it
// where no connection is up; it also leaves requests behind that it will send
// over the next connection it gets. This is that connection: nothing reaches a
// server any more, and Close is quick.
func (c *Conn) farewell() net.Conn {
	library, nobody := net.Pipe()
	c.calls.Go(func() { // until the library closes its end
		defer nobody.Close()
		if _, err := wire.ReadFrame(nobody, math.MaxInt32); err != nil {
			return
		}
		nobody.Write(wire.AppendFrame(nil, &wire.ConnectResponse{Timeout: 60_000, SessionID: 1, Passwd: make([]byte, 16)}))
		c.leave()
		for {
			frame, err := wire.ReadFrame(nobody, math.MaxInt32)
			if err != nil {
				return
			}
			var h wire.RequestHeader
			if h.Fields(wire.NewDecoder(frame)); h.Op == wire.OpCloseSession {
				nobody.Write(wire.AppendFrame(nil, &wire.ReplyHeader{Xid: h.Xid}))
			}
		}
	})
	return library
}
