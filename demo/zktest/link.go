package zktest

import (
	"context"
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// A Direction of a [Link].
type Direction int

const (
	ToServer   Direction = iota // from who dialed the link to the address behind it
	FromServer                  // the answers
)

// A Link is a network in front of one address: a TCP relay on loopback that
// delays, holds and cuts what passes. It does not limit throughput, and bytes
// arrive in the order in which they were sent. Its methods may be called by
// several goroutines and while connections are open.
type Link struct {
	Addr string // host:port to dial instead of the address behind it

	target   string
	patience time.Duration // for a target that does not listen yet
	// first, if set, reads the first message of a connection and returns what is
	// sent to the target in its place.
	first func(io.Reader) ([]byte, error)

	listener net.Listener
	running  sync.WaitGroup

	mu      sync.Mutex
	latency [2]time.Duration
	held    [2]bool
	refuses bool
	closed  bool
	changed chan struct{} // closed and replaced when held changes
	relays  map[*relay]struct{}
}

// NewLink returns a link to a host:port. It ends with the test, and so do the
// connections over it.
func NewLink(t testing.TB, addr string) *Link {
	t.Helper()
	l, err := newLink(addr)
	if err != nil {
		t.Fatalf("link to %s: %v", addr, err)
	}
	l.start()
	t.Cleanup(l.close)
	return l
}

// newLink returns a link that accepts nobody before start.
func newLink(target string) (*Link, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort(loopback, "0"))
	if err != nil {
		return nil, err
	}
	return &Link{
		Addr:     listener.Addr().String(),
		target:   target,
		listener: listener,
		changed:  make(chan struct{}),
		relays:   make(map[*relay]struct{}),
	}, nil
}

func (l *Link) start() { l.running.Go(l.accept) }

// close ends the link and waits until nothing of it runs.
func (l *Link) close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.listener.Close()
	l.Reset()
	l.running.Wait()
}

// SetLatency delays what is sent from now on in each direction.
func (l *Link) SetLatency(toServer, fromServer time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.latency = [2]time.Duration{toServer, fromServer}
}

// Hold lets nothing pass in the given directions, in both if none is given,
// until Heal. Nothing is lost: what was sent meanwhile arrives afterwards, as
// over a network that drops packets, from which TCP recovers. The end of a
// connection is held too, and neither end learns of it.
//
// While a direction is held no new connection comes about: TCP's handshake
// needs both. A dial succeeds all the same, since it is the link that accepts,
// and has no answer.
func (l *Link) Hold(directions ...Direction) {
	if len(directions) == 0 {
		directions = []Direction{ToServer, FromServer}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range directions {
		l.held[d] = true
	}
	l.change()
}

// Reset resets the connections that are open.
func (l *Link) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for r := range l.relays {
		r.cancel()
	}
}

// Cut resets all connections, and each new one until Heal.
func (l *Link) Cut() {
	l.mu.Lock()
	l.refuses = true
	l.mu.Unlock()
	l.Reset()
}

// Heal ends Hold and Cut. The latency stays.
func (l *Link) Heal() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held, l.refuses = [2]bool{}, false
	l.change()
}

// change wakes the goroutines that wait for a direction that was held. The caller holds l.mu.
func (l *Link) change() {
	close(l.changed)
	l.changed = make(chan struct{})
}

func (l *Link) accept() {
	for {
		client, err := l.listener.Accept()
		if err != nil {
			return
		}
		ctx, cancel := context.WithCancel(context.Background())
		r := &relay{link: l, ctx: ctx, cancel: cancel}
		r.ends[ToServer].source = client.(*net.TCPConn)
		for d := range r.ends {
			r.ends[d].packets = make(chan packet, maxPackets)
		}
		l.mu.Lock()
		l.relays[r] = struct{}{}
		if l.refuses || l.closed {
			cancel()
		}
		l.mu.Unlock()
		l.running.Go(func() {
			r.run()
			l.mu.Lock()
			delete(l.relays, r)
			l.mu.Unlock()
		})
	}
}

// delay is the latency in one direction.
func (l *Link) delay(d Direction) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.latency[d]
}

// pass waits while one of the directions is held.
func (l *Link) pass(ctx context.Context, directions ...Direction) error {
	for {
		l.mu.Lock()
		held, changed := false, l.changed
		for _, d := range directions {
			held = held || l.held[d]
		}
		l.mu.Unlock()
		if !held {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// dial connects to the target as soon as nothing is held. waiting ends when the
// client gives up, which matters only while dial waits: there was no handshake
// then, and the client was never connected. One that goes later was, and what it
// sent has to arrive.
func (l *Link) dial(ctx, waiting context.Context) (*net.TCPConn, error) {
	if err := l.pass(waiting, ToServer, FromServer); err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(l.patience); ; {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", l.target)
		if err == nil {
			return c.(*net.TCPConn), nil
		}
		if !time.Now().Before(deadline) {
			return nil, err
		}
		select {
		case <-time.After(pollInterval):
		case <-waiting.Done():
			return nil, waiting.Err()
		}
	}
}
