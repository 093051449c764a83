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
	cancel context.CancelFunc // resets it
	ends   [2]stream
}

// A stream is one direction of a relay: an unbounded queue.
type stream struct {
	source *net.TCPConn
	more   chan struct{} // has a token after the queue grew

	mu    sync.Mutex
	queue []packet
	last  time.Time // when the last of the queue is due
}

// A packet is due at a moment. Its end, if not nil, is the end of the
// connection: io.EOF for one in order.
type packet struct {
	due   time.Time
	bytes []byte
	end   error
}

func (s *stream) put(delay time.Duration, b []byte, end error) {
	s.mu.Lock()
	if due := time.Now().Add(delay); due.After(s.last) {
		s.last = due
	}
	s.queue = append(s.queue, packet{s.last, b, end})
	s.mu.Unlock()
	select {
	case s.more <- struct{}{}:
	default:
	}
}

// next takes the first packet, when there is one.
func (s *stream) next(ctx context.Context) (packet, error) {
	for {
		s.mu.Lock()
		if len(s.queue) > 0 {
			p := s.queue[0]
			s.queue = s.queue[1:]
			s.mu.Unlock()
			return p, nil
		}
		s.mu.Unlock()
		select {
		case <-s.more:
		case <-ctx.Done():
			return packet{}, ctx.Err()
		}
	}
}

// run relays until both directions have ended or ctx is done, which resets the
// connection.
func (r *relay) run(ctx context.Context) {
	var readers, writers sync.WaitGroup
	defer readers.Wait()
	ends := func(c *net.TCPConn) {
		if ctx.Err() != nil {
			c.SetLinger(0)
		}
		c.Close()
	}
	client := r.ends[ToServer].source
	defer ends(client)
	defer context.AfterFunc(ctx, func() { ends(client) })()

	waiting, stop := context.WithCancel(ctx)
	defer stop()
	readers.Go(func() {
		r.read(ToServer)
		stop()
	})
	server, err := r.link.dial(ctx, waiting)
	if err != nil {
		r.cancel()
		return
	}
	defer ends(server)
	defer context.AfterFunc(ctx, func() { ends(server) })()
	r.ends[FromServer].source = server
	readers.Go(func() { r.read(FromServer) })
	for d := range Direction(len(r.ends)) {
		writers.Go(func() { r.write(ctx, d) })
	}
	writers.Wait()
}

// read queues what comes from one end, and how that ended.
func (r *relay) read(d Direction) {
	s := &r.ends[d]
	put := func(b []byte, err error) { s.put(r.link.delay(d), b, err) }
	if d == ToServer && r.link.first != nil {
		b, err := r.link.first(s.source)
		put(b, err)
		if err != nil {
			return
		}
	}
	for {
		b := make([]byte, 32<<10)
		n, err := s.source.Read(b)
		put(b[:n:n], err)
		if err != nil {
			return
		}
	}
}

// write hands on what is due and not held, until the end.
func (r *relay) write(ctx context.Context, d Direction) {
	other := &r.ends[1-d]
	for {
		p, err := r.ends[d].next(ctx)
		if err != nil {
			return
		}
		select {
		case <-time.After(time.Until(p.due)):
		case <-ctx.Done():
			return
		}
		if r.link.pass(ctx, d) != nil {
			return
		}
		if _, err := other.source.Write(p.bytes); err != nil && p.end == nil {
			// Whoever sent this hears of it as of anything else from there: when it is
			// due and not held.
			other.put(r.link.delay(1-d), nil, fmt.Errorf("relay to %s: %w", r.link.target, err))
			return
		}
		switch {
		case p.end == nil:
		case errors.Is(p.end, io.EOF):
			other.source.CloseWrite()
			return
		default:
			r.cancel()
			return
		}
	}
}
