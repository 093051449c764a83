package zktest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// A relay is one connection over a link.
type relay struct {
	link   *Link
	ctx    context.Context
	cancel context.CancelFunc // resets it
	ends   [2]stream
}

// A stream is one direction of a relay.
type stream struct {
	source  *net.TCPConn
	packets chan packet
}

// maxPackets bounds a stream, in reads of up to 32 KiB: more than a test sends while
// a direction is held. Then the link reads no more.
const maxPackets = 1000

// A packet is due at a moment. Its end, if not nil, is the end of the
// connection: io.EOF for one in order.
type packet struct {
	due   time.Time
	bytes []byte
	end   error
}

func (r *relay) put(d Direction, b []byte, end error) {
	select {
	case r.ends[d].packets <- packet{time.Now().Add(r.link.delay(d)), b, end}:
	case <-r.ctx.Done():
	}
}

// run relays until both directions have ended or the context is done, which resets
// the connection.
func (r *relay) run() {
	var readers, writers sync.WaitGroup
	defer readers.Wait()
	defer r.cancel() // after the ends are closed, which it would reset
	ends := func(c *net.TCPConn) {
		if r.ctx.Err() != nil {
			c.SetLinger(0)
		}
		c.Close()
	}
	client := r.ends[ToServer].source
	defer ends(client)
	defer context.AfterFunc(r.ctx, func() { ends(client) })()

	waiting, stop := context.WithCancel(r.ctx)
	defer stop()
	readers.Go(func() {
		r.read(ToServer)
		stop()
	})
	server, err := r.link.dial(r.ctx, waiting)
	if err != nil {
		r.cancel()
		return
	}
	defer ends(server)
	defer context.AfterFunc(r.ctx, func() { ends(server) })()
	r.ends[FromServer].source = server
	readers.Go(func() { r.read(FromServer) })
	for d := range Direction(len(r.ends)) {
		writers.Go(func() { r.write(d) })
	}
	writers.Wait()
}

// read queues what comes from one end, and how that ended.
func (r *relay) read(d Direction) {
	source := r.ends[d].source
	if d == ToServer && r.link.first != nil {
		b, err := r.link.first(source)
		r.put(d, b, err)
		if err != nil {
			return
		}
	}
	for {
		b := make([]byte, 32<<10)
		n, err := source.Read(b)
		r.put(d, b[:n:n], err)
		if err != nil {
			return
		}
	}
}

// write hands on what is due and not held, until the end.
func (r *relay) write(d Direction) {
	other := r.ends[1-d].source
	for {
		var p packet
		select {
		case p = <-r.ends[d].packets:
		case <-r.ctx.Done():
			return
		}
		select {
		case <-time.After(time.Until(p.due)):
		case <-r.ctx.Done():
			return
		}
		if r.link.pass(r.ctx, d) != nil {
			return
		}
		if _, err := other.Write(p.bytes); err != nil && p.end == nil {
			// The sender learns of it as of anything else from there: when it is due
			// and not held.
			r.put(1-d, nil, fmt.Errorf("relay to %s: %w", r.link.target, err))
			return
		}
		switch {
		case p.end == nil:
		case errors.Is(p.end, io.EOF):
			other.CloseWrite()
			return
		default:
			r.cancel()
			return
		}
	}
}
