package zkserver

import (
	"encoding/binary"
	"net"
	"sync/atomic"
)

const (
	// readBuffer holds the usual request whole. Each connection has one.
	readBuffer = 512
	// burstBuffer is for what fills that. Requests that are read together are answered
	// together, so a client that pipelines needs fewer system calls.
	burstBuffer = 8 << 10
)

// input reads from a connection, into a small buffer, or a large one as long as its
// peer fills the buffer that there is: thousands of idle connections take little
// memory. One goroutine uses it.
type input struct {
	nc    net.Conn
	s     *Server
	frame atomic.Int64 // bytes read of the present one

	small  [readBuffer]byte
	burst  *[burstBuffer]byte // nil: small is used
	unread []byte             // of the buffer
	filled bool               // by the last read
}

// fill reads once, when nothing is unread.
func (in *input) fill() error {
	buf := in.small[:]
	if in.filled && in.burst == nil {
		in.burst, _ = in.s.bursts.Get().(*[burstBuffer]byte)
		if in.burst == nil {
			in.burst = new([burstBuffer]byte)
		}
	} else if !in.filled && in.burst != nil {
		in.s.bursts.Put(in.burst)
		in.burst = nil
	}
	if in.burst != nil {
		buf = in.burst[:]
	}
	n, err := in.nc.Read(buf)
	in.unread, in.filled = buf[:n], n == len(buf)
	in.frame.Add(int64(n))
	if in.s.grown.Add(int64(n)) > MaxHeld/8 {
		in.s.relieve()
	}
	if n > 0 {
		return nil // an error comes again
	}
	return err
}

// Read implements [io.Reader].
func (in *input) Read(p []byte) (int, error) {
	for len(in.unread) == 0 {
		if err := in.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, in.unread)
	in.unread = in.unread[n:]
	return n, nil
}

// head returns the first bytes of a new connection, a frame's length or a four-letter
// word, which remain unread.
func (in *input) head() (head [4]byte, err error) {
	for n := 0; n < len(head); {
		m, err := in.nc.Read(in.small[n:])
		if n += m; n < len(head) && err != nil {
			return head, err
		}
		in.unread = in.small[:n]
	}
	copy(head[:], in.unread)
	return head, nil
}

// frameUnread reports whether the next frame can be read without blocking.
func (in *input) frameUnread() bool {
	n := len(in.unread)
	return n >= 4 && int64(binary.BigEndian.Uint32(in.unread)) <= int64(n-4)
}
