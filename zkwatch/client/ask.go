package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-zookeeper/zk"

	"electop/zkwatch/client/serverconn"
	"electop/zkwatch/wire"
)

// ErrUnsupported: the server does not know the request. Before it is 3.6 it also
// closes the connection.
var ErrUnsupported = errors.New("the server does not know this request")

// ask makes a request that the library lacks, over the connection of f, and decodes its
// reply; reply is nil if there is none. seen is the number of the last event before the
// reply.
func (f *Following) ask(ctx context.Context, k call, op wire.Op, request wire.Appender, reply wire.Record) (seen uint64, err error) {
	cfg := &f.conn.cfg
	if size := requestOverhead + len(cfg.Servers.full(k.path)); size > cfg.BufferSize {
		return 0, k.failed(fmt.Errorf("%w: %d bytes, the limit is %d", ErrRequestTooLarge, size, cfg.BufferSize))
	}
	if err := ctx.Err(); err != nil {
		return 0, k.failed(fmt.Errorf("%w: not sent", err))
	}
	a, err := f.over.Ask(ctx, f.lost, op, request)
	switch {
	case errors.Is(err, serverconn.ErrEnded):
		return 0, k.failed(fmt.Errorf("%w: %w", ErrNotConnected, ErrClosed))
	case errors.Is(err, serverconn.ErrLost):
		return 0, k.unanswered(f.conn.lostErr())
	case err != nil:
		return 0, k.unanswered(err)
	}
	return a.Seen, k.decode(&a, reply)
}

func (k call) decode(a *serverconn.Answer, reply wire.Record) error {
	switch a.Code {
	case wire.OK:
	case wire.NoNode:
		return k.failed(zk.ErrNoNode)
	case wire.NoAuth:
		return k.failed(zk.ErrNoAuth)
	case wire.BadArguments:
		return k.failed(zk.ErrInvalidPath)
	case wire.Unimplemented:
		return k.failed(ErrUnsupported)
	default:
		return k.failed(a.Code)
	}
	if reply == nil {
		return nil
	}
	d := wire.NewDecoder(a.Body)
	if reply.Decode(d); d.Err() != nil {
		return k.failed(fmt.Errorf("%w: %w", ErrProtocol, d.Err()))
	}
	return nil
}
