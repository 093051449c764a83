package fault

import (
	"context"
	"net"
	"os"
	"sync"
	"time"
)

// lineBuffer bounds lineConn.pending, in bytes.
const lineBuffer = 64 << 10

// A Line is the network between a client and its servers. The zero Line has no partition.
type Line struct{ gate Gate }

// Partition stops all data until Heal, except a write that has already begun on the underlying connection.
func (l *Line) Partition() { l.gate.Freeze() }

// Heal ends a partition.
func (l *Line) Heal() { l.gate.Thaw() }

// An Owner runs the goroutines of a connection.
type Owner struct {
	Life context.Context     // done when the owner ends
	Go   func(f func()) bool // runs f in a goroutine; returns false if the owner has ended
}

// Dial connects with dial. During a partition it waits until the partition ends or ctx is done.
//
// During a partition, a read of the connection waits until its deadline at most, and a write is buffered. A write to a
// full buffer fails. Close drops the buffer, but the underlying connection stays open until the partition or the owner
// ends.
func (l *Line) Dial(
	ctx context.Context, owner Owner, network, addr string, dial func(ctx context.Context, network, addr string) (net.Conn, error),
) (net.Conn, error) {
	if !l.gate.Pass(ctx.Done()) {
		return nil, &net.OpError{Op: "dial", Net: network, Err: os.ErrDeadlineExceeded}
	}
	raw, err := dial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return &lineConn{Conn: raw, owner: owner, gate: &l.gate, closed: make(chan struct{})}, nil
}

type lineConn struct {
	net.Conn
	owner Owner
	gate  *Gate

	once   sync.Once
	closed chan struct{}

	kept    []byte // data received during a partition, for a Read after it
	keptErr error  // read error during a partition; Read returns it with the last bytes of kept

	mu           sync.Mutex
	readDeadline time.Time
	changed      chan struct{} // closed when readDeadline is set; nil until a read waits
	pending      []byte        // written data that is not delivered yet
	delivering   bool
}

func (l *lineConn) Read(p []byte) (int, error) {
	for {
		if err := l.awaitHeal(); err != nil {
			return 0, err
		}
		if len(l.kept) > 0 || l.keptErr != nil {
			n := copy(p, l.kept)
			if l.kept = l.kept[n:]; len(l.kept) > 0 {
				return n, nil
			}
			err := l.keptErr
			l.keptErr = nil
			return n, err
		}
		n, err := l.Conn.Read(p)
		if !l.gate.Frozen() || os.IsTimeout(err) {
			return n, err
		}
		l.kept, l.keptErr = append([]byte(nil), p[:n]...), err
	}
}

func (l *lineConn) Write(p []byte) (int, error) {
	l.mu.Lock()
	if !l.delivering && !l.gate.Frozen() {
		l.mu.Unlock()
		return l.Conn.Write(p)
	}
	defer l.mu.Unlock()
	if len(l.pending) > 0 && len(l.pending)+len(p) > lineBuffer {
		return 0, os.ErrDeadlineExceeded
	}
	l.pending = append(l.pending, p...)
	if !l.delivering {
		l.delivering = l.owner.Go(l.deliver)
	}
	return len(p), nil
}

func (l *lineConn) deliver() {
	for l.gate.Pass(l.closed) {
		l.mu.Lock()
		p := l.pending
		l.pending, l.delivering = nil, len(p) > 0
		l.mu.Unlock()
		if len(p) == 0 {
			return
		}
		l.Conn.Write(p) // Read reports a lost connection
	}
}

func (l *lineConn) Close() error {
	l.once.Do(func() {
		close(l.closed)
		if l.gate.Frozen() {
			l.Conn.SetDeadline(time.Unix(1, 0)) // a deadline in the past makes pending calls return
			if l.owner.Go(func() {
				l.gate.Pass(l.owner.Life.Done())
				l.Conn.Close()
			}) {
				return
			}
		}
		l.Conn.Close()
	})
	return nil
}

func (l *lineConn) SetDeadline(t time.Time) error {
	l.noteReadDeadline(t)
	return l.Conn.SetDeadline(t)
}

func (l *lineConn) SetReadDeadline(t time.Time) error {
	l.noteReadDeadline(t)
	return l.Conn.SetReadDeadline(t)
}

func (l *lineConn) noteReadDeadline(t time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.readDeadline = t
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

func (l *lineConn) awaitHeal() error {
	for {
		select {
		case <-l.closed:
			return net.ErrClosed
		default:
		}
		healed := l.gate.shut()
		if healed == nil {
			return nil
		}
		l.mu.Lock()
		deadline := l.readDeadline
		if l.changed == nil {
			l.changed = make(chan struct{})
		}
		changed := l.changed
		l.mu.Unlock()
		if err := l.waitUntil(deadline, healed, changed); err != nil {
			return err
		}
	}
}

func (l *lineConn) waitUntil(deadline time.Time, healed, changed <-chan struct{}) error {
	var expired <-chan time.Time
	if !deadline.IsZero() {
		timer := time.NewTimer(time.Until(deadline))
		defer timer.Stop()
		expired = timer.C
	}
	select {
	case <-healed:
	case <-changed:
	case <-l.closed:
	case <-expired:
		return os.ErrDeadlineExceeded
	}
	return nil
}
