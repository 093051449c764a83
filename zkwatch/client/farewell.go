package client

import (
	"encoding/binary"
	"net"
	"sync"
	"time"
)

// A farewell is a connection to nobody, which the library gets when a [Conn]
// has ended. It grants a session, swallows every request and answers
// closeSession.
//
// The library's Close wants an answer to closeSession and waits a second for it
// where no connection is up; it also leaves requests behind that it will send
// over the next connection it gets. This is that connection: nothing reaches a
// server any more, and Close is quick.
type farewell struct {
	met func() // called when the library has asked for a session

	mu     sync.Mutex
	more   *sync.Cond
	out    []byte
	asked  bool
	closed bool
}

func newFarewell(met func()) *farewell {
	f := &farewell{met: met}
	f.more = sync.NewCond(&f.mu)
	return f
}

func (f *farewell) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.asked {
		f.asked = true
		var body []byte
		body = binary.BigEndian.AppendUint32(body, 0)      // protocol version
		body = binary.BigEndian.AppendUint32(body, 60_000) // timeout, ms
		body = binary.BigEndian.AppendUint64(body, 1)      // session
		body = binary.BigEndian.AppendUint32(body, 16)     // password
		f.answer(append(body, make([]byte, 16)...))
		f.met()
	} else if xid, opcode, ok := requestHeader(p); ok && opcode == opCloseSession {
		body := binary.BigEndian.AppendUint32(nil, uint32(xid))
		f.answer(append(body, make([]byte, replyHeaderSize-4)...)) // zxid 0, err 0
	}
	return len(p), nil
}

func (f *farewell) answer(body []byte) {
	f.out = binary.BigEndian.AppendUint32(f.out, uint32(len(body)))
	f.out = append(f.out, body...)
	f.more.Broadcast()
}

func (f *farewell) Read(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.out) == 0 && !f.closed {
		f.more.Wait()
	}
	if f.closed {
		return 0, net.ErrClosed
	}
	n := copy(p, f.out)
	f.out = f.out[n:]
	return n, nil
}

func (f *farewell) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.more.Broadcast()
	return nil
}

func (f *farewell) LocalAddr() net.Addr              { return farewellAddr{} }
func (f *farewell) RemoteAddr() net.Addr             { return farewellAddr{} }
func (f *farewell) SetDeadline(time.Time) error      { return nil }
func (f *farewell) SetReadDeadline(time.Time) error  { return nil }
func (f *farewell) SetWriteDeadline(time.Time) error { return nil }

type farewellAddr struct{}

func (farewellAddr) Network() string { return "none" }
func (farewellAddr) String() string  { return "nobody" }

// sayGoodbye has the server end the session and waits for its answer, for at
// most timeout.
func (n *serverConn) sayGoodbye(timeout time.Duration) {
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
	n.sent[xidGoodbye] = request{opcode: opCloseSession, at: time.Now()}
	n.mu.Unlock()
	n.raw.SetWriteDeadline(time.Now().Add(timeout))
	_, err := n.raw.Write(closeFrame())
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
