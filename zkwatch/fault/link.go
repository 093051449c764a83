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
	ToServer   Direction = iota // from the client to the link's target
	FromServer                  // from the link's target to the client
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
	life    context.Context // done from Cut until Heal
	reset   context.CancelFunc
}

// LinkOptions configure a [Link].
type LinkOptions struct {
	Patience time.Duration // how long to retry a failed dial of the target
	// Open, if set, is called for each connection. It returns a function for each [Direction]; nil means
	// [ReadOnce]. The function reads from the sender and returns the bytes to relay. Open and the functions
	// must not call Link.Close, which waits for them.
	Open func() [2]func(io.Reader) ([]byte, error)
}

// Listen returns a link to target, a host:port. The link relays nothing before [Link.Start].
func Listen(target string, opts LinkOptions) (*Link, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("link to %s: %w", target, err)
	}
	l := &Link{Addr: listener.Addr().String(), opts: opts, target: target, listener: listener}
	l.life, l.reset = context.WithCancel(context.Background())
	return l, nil
}

// Start relays connections until [Link.Close].
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

// Hold holds all data in the given directions, by default in both, until Heal.
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
	defer reset() // runs after the deferred hangUps, which reset the connections if ctx is done
	hangUp := func(c *net.TCPConn) {
		if ctx.Err() != nil {
			c.SetLinger(0)
		}
		c.Close()
	}
	defer hangUp(client)
	defer context.AfterFunc(ctx, func() { hangUp(client) })()

	clientLife, clientGone := context.WithCancel(ctx)
	defer clientGone()
	requests, replies := make(chan packet, maxPackets), make(chan packet, maxPackets)
	var next [2]func(io.Reader) ([]byte, error)
	if l.opts.Open != nil {
		next = l.opts.Open()
	}
	readers.Go(func() {
		l.read(ctx, ToServer, client, next[ToServer], requests)
		clientGone()
	})
	server, err := l.dial(ctx, clientLife)
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

const maxPackets = 1000

type packet struct {
	due   time.Time
	bytes []byte
	end   error // why read ended; io.EOF: the sender closed at least its half; nil: read goes on
}

func (l *Link) read(ctx context.Context, d Direction, from net.Conn, next func(io.Reader) ([]byte, error), packets chan packet) {
	if next == nil {
		next = ReadOnce
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

// ReadOnce calls Read once, for at most 32 KiB.
func ReadOnce(from io.Reader) ([]byte, error) {
	b := make([]byte, 32<<10)
	n, err := from.Read(b)
	return b[:n], err
}

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
			return nil // to is lost, so a read from it ends, too
		}
		if errors.Is(p.end, io.EOF) {
			to.CloseWrite()
			return nil
		} else if p.end != nil {
			return p.end
		}
	}
}

func (l *Link) dial(ctx, clientLife context.Context) (*net.TCPConn, error) {
	if !l.held[ToServer].Pass(clientLife.Done()) || !l.held[FromServer].Pass(clientLife.Done()) {
		return nil, clientLife.Err()
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
		case <-clientLife.Done():
			return nil, clientLife.Err()
		}
	}
}
