package zktest

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"electop/zkwatch/fault"
)

// A Direction of a [Link].
type Direction int

const (
	ToServer   Direction = iota // from the client to the address behind the link
	FromServer                  // from the address behind the link to the client
)

// A Link is a TCP relay that can delay, hold and cut its connections.
type Link struct {
	Addr string // host:port that clients dial

	target   string
	patience time.Duration // time to retry a target that does not listen
	// first replaces a client's first message; nil: no replacement.
	first func(io.Reader) ([]byte, error)

	listener net.Listener
	running  sync.WaitGroup
	held     [2]fault.Gate

	mu      sync.Mutex
	latency [2]time.Duration
	life    context.Context // when done, old and new connections are reset
	reset   context.CancelFunc
}

// NewLink returns a link to a host:port. The link and its connections end with the test.
func NewLink(t testing.TB, addr string) *Link {
	t.Helper()
	l := newLink(t, addr)
	l.running.Go(l.accept)
	return l
}

// The link does not accept yet.
func newLink(t testing.TB, target string) *Link {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort(loopback, "0"))
	if err != nil {
		t.Fatalf("link to %s: %v", target, err)
	}
	l := &Link{Addr: listener.Addr().String(), target: target, listener: listener}
	l.life, l.reset = context.WithCancel(context.Background())
	t.Cleanup(l.close)
	return l
}

func (l *Link) close() {
	l.listener.Close()
	l.Cut()
	l.running.Wait()
}

// SetLatency sets the delay in each direction.
func (l *Link) SetLatency(toServer, fromServer time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.latency = [2]time.Duration{toServer, fromServer}
}

// Hold holds everything in the given directions, by default in both, until Heal.
// During a hold, the link accepts connections but does not connect to the address.
func (l *Link) Hold(directions ...Direction) {
	if len(directions) == 0 {
		directions = []Direction{ToServer, FromServer}
	}
	for _, d := range directions {
		l.held[d].Freeze()
	}
}

// Cut resets all connections, and each new connection until Heal.
func (l *Link) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reset()
}

// Heal ends Hold and Cut. The latency stays.
func (l *Link) Heal() {
	for d := range l.held {
		l.held[d].Thaw()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.life.Err() != nil {
		l.life, l.reset = context.WithCancel(context.Background())
	}
}

func (l *Link) accept() {
	for {
		client, err := l.listener.Accept()
		if err != nil {
			return
		}
		l.mu.Lock()
		life := l.life
		l.mu.Unlock()
		l.running.Go(func() { l.relay(life, client.(*net.TCPConn)) })
	}
}

func (l *Link) relay(ctx context.Context, client *net.TCPConn) {
	ctx, reset := context.WithCancel(ctx)
	var readers, writers sync.WaitGroup
	defer readers.Wait()
	defer reset() // runs after both hangUps, which would otherwise reset the connections
	hangUp := func(c *net.TCPConn) {
		if ctx.Err() != nil {
			c.SetLinger(0)
		}
		c.Close()
	}
	defer hangUp(client)
	defer context.AfterFunc(ctx, func() { hangUp(client) })()

	waiting, stop := context.WithCancel(ctx)
	defer stop()
	requests, replies := make(chan packet, maxPackets), make(chan packet, maxPackets)
	readers.Go(func() {
		l.read(ctx, ToServer, client, requests)
		stop()
	})
	server, err := l.dial(ctx, waiting)
	if err != nil {
		reset()
		return
	}
	defer hangUp(server)
	defer context.AfterFunc(ctx, func() { hangUp(server) })()
	readers.Go(func() { l.read(ctx, FromServer, server, replies) })
	for d, to := range []*net.TCPConn{server, client} {
		writers.Go(func() {
			if l.write(ctx, Direction(d), to, []chan packet{requests, replies}[d]) != nil {
				reset()
			}
		})
	}
	writers.Wait()
}

// More packets wait only if a test sends a lot during a hold.
const maxPackets = 1000

type packet struct {
	due   time.Time
	bytes []byte
	end   error // error that ended the connection; io.EOF after an ordinary close
}

func (l *Link) read(ctx context.Context, d Direction, from net.Conn, packets chan packet) {
	for first := l.first; ; first = nil {
		p := packet{bytes: make([]byte, 32<<10)}
		if first != nil && d == ToServer {
			p.bytes, p.end = first(from)
		} else {
			var n int
			n, p.end = from.Read(p.bytes)
			p.bytes = p.bytes[:n]
		}
		l.mu.Lock()
		p.due = time.Now().Add(l.latency[d])
		l.mu.Unlock()
		select {
		case packets <- p:
		case <-ctx.Done():
			return
		}
		if p.end != nil {
			return
		}
	}
}

// An error means that the connection must be reset.
func (l *Link) write(ctx context.Context, d Direction, to *net.TCPConn, packets chan packet) error {
	for {
		var p packet
		select {
		case p = <-packets:
		case <-ctx.Done():
			return ctx.Err()
		}
		select {
		case <-time.After(time.Until(p.due)):
		case <-ctx.Done():
			return ctx.Err()
		}
		if !l.held[d].Pass(ctx.Done()) {
			return ctx.Err()
		}
		if _, err := to.Write(p.bytes); err != nil && p.end == nil {
			return nil // l.read, which reads from this side, reports the end of the connection
		}
		if errors.Is(p.end, io.EOF) {
			to.CloseWrite()
			return nil
		} else if p.end != nil {
			return p.end
		}
	}
}

// waiting ends when the client disconnects.
// Without a client, dial gives up: a real handshake would not pass the hold.
func (l *Link) dial(ctx, waiting context.Context) (*net.TCPConn, error) {
	if !l.held[ToServer].Pass(waiting.Done()) || !l.held[FromServer].Pass(waiting.Done()) {
		return nil, waiting.Err()
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
