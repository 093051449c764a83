package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/zkwatch/wire"
)

type call struct {
	op, path   string
	write      bool // the servers commit a transaction
	sequential bool // the server appends a number to the path
	absolute   bool // the chroot does not apply to the path
	size       int  // bytes of the request, without its path and requestOverhead
}

func (k call) failed(err error) error { return fmt.Errorf("%s %s: %w", k.op, k.path, err) }

func (k call) unanswered(cause error) error {
	if k.write {
		return k.failed(fmt.Errorf("%w: %w", ErrUnknownOutcome, cause))
	}
	return k.failed(cause)
}

// do sends a request and waits until it is answered, the connection is lost, or ctx is done.
func do[T any](ctx context.Context, c *Conn, k call, request func(full string) (T, error)) (none T, err error) {
	full, err := c.check(ctx, k)
	if err != nil {
		return none, err
	}
	lost, number, err := c.admit(ctx)
	if err != nil {
		return none, k.failed(err)
	}
	began := time.Now()
	type result struct {
		value T
		err   error
	}
	results := make(chan result, 1)
	go func() {
		defer c.background.Done()
		value, err := request(full)
		c.dequeued(number) // necessary if the library never wrote the request
		results <- result{value, err}
	}()
	got, err := await(ctx, c, k, lost, results)
	if err != nil {
		return none, err
	}
	switch err = got.err; {
	case err == nil:
		if k.write {
			c.committed(lost, began)
		}
		return got.value, nil
	case errors.Is(err, zk.ErrConnectionClosed), errors.Is(err, zk.ErrClosing):
		return none, k.unanswered(c.lostErr())
	case errors.Is(err, zk.ErrShortBuffer):
		return none, k.unanswered(fmt.Errorf("%w: %w", ErrProtocol, err))
	}
	return none, k.failed(nameQuotaError(err))
}

func (c *Conn) check(ctx context.Context, k call) (full string, err error) {
	path := k.path
	if k.sequential {
		path += "0" // the server appends digits, so the path may end in a slash
	}
	if err := wire.ValidatePath(path); err != nil {
		return "", k.failed(fmt.Errorf("%w: %w", zk.ErrInvalidPath, err))
	}
	full = k.path
	if !k.absolute {
		full = c.cfg.Servers.full(k.path)
	}
	if size := requestOverhead + len(full) + k.size; size > c.cfg.BufferSize {
		return "", k.failed(fmt.Errorf("%w: %d bytes, the limit is %d", ErrRequestTooLarge, size, c.cfg.BufferSize))
	}
	if err := ctx.Err(); err != nil {
		return "", k.failed(fmt.Errorf("%w: not sent", err))
	}
	return full, nil
}

func await[T any](ctx context.Context, c *Conn, k call, lost <-chan struct{}, answers <-chan T) (a T, err error) {
	select {
	case a = <-answers:
		return a, nil
	case <-ctx.Done():
		return a, k.unanswered(ctx.Err())
	case <-lost:
		select {
		case a = <-answers: // the answer may have arrived before the loss
			return a, nil
		default:
			return a, k.unanswered(c.lostErr())
		}
	}
}

// admit waits until the library's queue is empty. An error means that nothing was sent.
func (c *Conn) admit(ctx context.Context) (lost <-chan struct{}, number uint64, err error) {
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
	c.queued.Store(c.admitted)
	c.background.Add(1)
	return lost, c.admitted, nil
}

// notConnected requires that the caller holds c.mu.
func (c *Conn) notConnected() error {
	if c.status.State == Connected {
		return fmt.Errorf("%w: the connection was lost and replaced", ErrNotConnected)
	}
	if c.status.Err != nil {
		return fmt.Errorf("%w: %s: %w", ErrNotConnected, c.status.State, c.status.Err)
	}
	return fmt.Errorf("%w: %s", ErrNotConnected, c.status.State)
}

func (c *Conn) lostErr() error {
	c.mu.Lock()
	err := c.lostBy
	c.mu.Unlock()
	if err != nil {
		return fmt.Errorf("%w: %w", zk.ErrConnectionClosed, err)
	}
	return zk.ErrConnectionClosed
}
