package fault

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// A Direction is one of the two directions of a [Link].
type Direction int

const (
	ToServer   Direction = iota // from the client to the address behind the link
	FromServer                  // from the address behind the link to the client
)

// A Link is a TCP relay that can delay, hold and cut its connections.
type Link struct {
	Addr string // host:port that clients dial

	opts     LinkOptions
	target   string
	listener net.Listener
	running  sync.WaitGroup
	held     [2]Gate

	mu      sync.Mutex
	latency [2]time.Duration
	life    context.Context // when done, old and new connections are reset
	reset   context.CancelFunc
}

// LinkOptions configure a [Link].
type LinkOptions struct {
	Patience time.Duration // time to retry a target that does not listen
	// Open, if set, is called for each connection. It returns a function for each [Direction], nil for
	// a direction that is only relayed. The function reads, and returns the bytes to relay; the link
	// drops the others. The function may wait, and may call the Link's methods, except Close.
	Open func() [2]func(io.Reader) ([]byte, error)
}

// Listen returns a link to a host:port. It listens on a free loopback port, but accepts no connection
// before [Link.Start].
func Listen(target string, opts LinkOptions) (*Link, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("link to %s: %w", target, err)
	}
	l := &Link{Addr: listener.Addr().String(), opts: opts, target: target, listener: listener}
	l.life, l.reset = context.WithCancel(context.Background())
	return l, nil
}

// Start accepts connections until [Link.Close].
func (l *Link) Start() { l.running.Go(l.accept) }

// Close ends the link and its connections, and waits for its goroutines.
func (l *Link) Close() {
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
	var next [2]func(io.Reader) ([]byte, error)
	if l.opts.Open != nil {
		next = l.opts.Open()
	}
	readers.Go(func() {
		l.read(ctx, ToServer, client, next[ToServer], requests)
		stop()
	})
	server, err := l.dial(ctx, waiting)
	if err != nil {
		reset()
		return
	}
	defer hangUp(server)
	defer context.AfterFunc(ctx, func() { hangUp(server) })()
	readers.Go(func() { l.read(ctx, FromServer, server, next[FromServer], replies) })
	for d, to := range []*net.TCPConn{server, client} {
		writers.Go(func() {
			if l.write(ctx, Direction(d), to, []chan packet{requests, replies}[d]) != nil {
				reset()
			}
		})
	}
	writers.Wait()
}

// maxPackets bounds the packets that wait in one direction.
const maxPackets = 1000

type packet struct {
	due   time.Time
	bytes []byte
	end   error // error that ended the connection; io.EOF after an ordinary close
}

func (l *Link) read(ctx context.Context, d Direction, from net.Conn, next func(io.Reader) ([]byte, error), packets chan packet) {
	if next == nil {
		next = Some
	}
	for {
		var p packet
		p.bytes, p.end = next(from)
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

// Some reads what has arrived, at most 32 KiB.
func Some(from io.Reader) ([]byte, error) {
	b := make([]byte, 32<<10)
	n, err := from.Read(b)
	return b[:n], err
}

// write returns an error if the connection must be reset.
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

// dial waits for the end of a hold. It gives up when the client disconnects, which ends waiting.
func (l *Link) dial(ctx, waiting context.Context) (*net.TCPConn, error) {
	if !l.held[ToServer].Pass(waiting.Done()) || !l.held[FromServer].Pass(waiting.Done()) {
		return nil, waiting.Err()
	}
	for deadline := time.Now().Add(l.opts.Patience); ; {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", l.target)
		if err == nil {
			return c.(*net.TCPConn), nil
		}
		if !time.Now().Before(deadline) {
			return nil, err
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-waiting.Done():
			return nil, waiting.Err()
		}
	}
}
