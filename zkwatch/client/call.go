package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-zookeeper/zk"
)

// A call is one request.
type call struct {
	op, path   string
	write      bool // it changes something
	sequential bool // the path is only the beginning of one
	absolute   bool // the path is not below the chroot
	size       int  // of the request, beyond its path, in bytes
}

// failed wraps err with what was tried.
func (k call) failed(err error) error { return fmt.Errorf("%s %s: %w", k.op, k.path, err) }

// unanswered is the error of a call that was sent, perhaps, and not answered.
func (k call) unanswered(cause error) error {
	if k.write {
		return k.failed(fmt.Errorf("%w: %w", ErrUnknownOutcome, cause))
	}
	return k.failed(cause)
}

// do runs request, which blocks in the library, and waits for it until ctx is done
// or the connection is lost. The library stops for neither; an abandoned request
// ends with the Conn at the latest.
func do[T any](ctx context.Context, c *Conn, k call, request func(full string) (T, error)) (T, error) {
	p, err := begin(ctx, c, k, request)
	if err != nil {
		return p.value, err
	}
	return p.wait(ctx)
}

// A pending is a call that has begun. A call that begins later is sent later.
type pending[T any] struct {
	c       *Conn
	k       call
	lost    <-chan struct{}
	began   time.Time
	results <-chan result[T]
	value   T // none
}

type result[T any] struct {
	value T
	err   error
}

// begin starts a call. After an error nothing has been sent.
func begin[T any](ctx context.Context, c *Conn, k call, request func(full string) (T, error)) (p pending[T], err error) {
	path := k.path
	if k.sequential {
		path += "0" // a sequential path may end in a slash
	}
	if err := ValidatePath(path); err != nil {
		return p, k.failed(fmt.Errorf("%w: %w", zk.ErrInvalidPath, err))
	}
	full := k.path
	if !k.absolute {
		full = c.cfg.Servers.full(k.path)
	}
	if size := requestOverhead + len(full) + k.size; size > c.cfg.BufferSize {
		return p, k.failed(fmt.Errorf("%w: %d bytes, the limit is %d", ErrRequestTooLarge, size, c.cfg.BufferSize))
	}
	if err := ctx.Err(); err != nil {
		return p, k.failed(fmt.Errorf("%w: not sent", err))
	}
	lost, h, err := c.admit(ctx)
	if err != nil {
		return p, k.failed(err)
	}
	began := time.Now()
	results := make(chan result[T], 1)
	go func() {
		defer c.calls.Done()
		value, err := request(full)
		c.taken(h) // in case it was never written
		results <- result[T]{value, err}
	}()
	return pending[T]{c: c, k: k, lost: lost, began: began, results: results}, nil
}

// wait waits for the answer.
func (p *pending[T]) wait(ctx context.Context) (T, error) {
	var r result[T]
	select {
	case r = <-p.results:
	case <-ctx.Done():
		return p.value, p.k.unanswered(ctx.Err())
	case <-p.lost:
		select {
		case r = <-p.results: // it arrived just before
		default:
			return p.value, p.k.unanswered(p.c.lostErr())
		}
	}
	switch {
	case r.err == nil:
		if p.k.write {
			p.c.committed(p.lost, p.began)
		}
		return r.value, nil
	case errors.Is(r.err, zk.ErrNoServer):
		return p.value, p.k.failed(fmt.Errorf("%w: %w", ErrNotConnected, r.err))
	case errors.Is(r.err, zk.ErrConnectionClosed), errors.Is(r.err, zk.ErrClosing):
		return p.value, p.k.unanswered(p.c.lostErr())
	case errors.Is(r.err, zk.ErrShortBuffer):
		return p.value, p.k.unanswered(fmt.Errorf("%w: %w", ErrProtocol, r.err))
	}
	return p.value, p.k.failed(named(r.err))
}

// admit waits for a call's turn and starts it if there is a connection; lost is
// closed when that is lost. After an error nothing has been sent.
func (c *Conn) admit(ctx context.Context) (lost <-chan struct{}, h uint64, err error) {
	c.mu.Lock()
	lost = c.lost
	c.mu.Unlock()
	myTurn := false
	if lost != nil {
		select {
		case c.turn <- struct{}{}:
			myTurn = true
		case <-lost:
		case <-ctx.Done():
			return nil, 0, fmt.Errorf("%w: not sent", ctx.Err())
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !myTurn || c.lost != lost {
		if myTurn {
			<-c.turn
		}
		return nil, 0, c.notConnected()
	}
	c.admitted++
	c.handed.Store(c.admitted)
	c.calls.Add(1)
	return lost, c.admitted, nil
}

// notConnected says why no request can be made. The caller holds c.mu.
func (c *Conn) notConnected() error {
	if c.status.State == Connected {
		return fmt.Errorf("%w: the connection was lost and replaced", ErrNotConnected)
	}
	if c.status.Err != nil {
		return fmt.Errorf("%w: %s: %w", ErrNotConnected, c.status.State, c.status.Err)
	}
	return fmt.Errorf("%w: %s", ErrNotConnected, c.status.State)
}

// lostErr says why an admitted call was not answered: the reason why the last
// connection ended, as there may be another one by now.
func (c *Conn) lostErr() error {
	c.mu.Lock()
	err := c.lostBy
	c.mu.Unlock()
	if err != nil {
		return fmt.Errorf("%w: %w", zk.ErrConnectionClosed, err)
	}
	return zk.ErrConnectionClosed
}
