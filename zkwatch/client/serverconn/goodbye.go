package serverconn

import (
	"time"

	"electop/zkwatch/wire"
)

// xidGoodbye is an xid that the library's own requests do not reach in practice.
const xidGoodbye = 0x7fffffff

// SayGoodbye has the server end the session and waits for its answer, for at
// most timeout.
func (n *Conn) SayGoodbye(timeout time.Duration) {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case n.writing <- struct{}{}:
	case <-timer.C:
		return
	case <-n.closed:
		return
	}
	n.mu.Lock()
	n.sent[xidGoodbye] = request{op: wire.OpCloseSession, at: time.Now()}
	n.mu.Unlock()
	n.Conn.SetWriteDeadline(time.Now().Add(timeout))
	_, err := n.Conn.Write(wire.AppendFrame(nil, &wire.RequestHeader{Xid: xidGoodbye, Op: wire.OpCloseSession}))
	<-n.writing
	if err != nil {
		return
	}
	select {
	case <-n.goodbye:
	case <-timer.C:
	case <-n.closed:
	}
}
