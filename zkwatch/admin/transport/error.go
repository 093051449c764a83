// Package transport sends a command to one address, over HTTP or as a
// four-letter word, and returns the reply unparsed. It knows neither which
// server it should ask nor what a reply means, beyond a refusal.
package transport

import (
	"context"
	"errors"
	"fmt"
	"net"

	"electop/model/znode"
)

// ErrNoAnswer is the error of a request that took too long.
var ErrNoAnswer = errors.New("no answer in time")

// A Refusal is the error of a server that is configured not to answer.
type Refusal struct {
	Why  string
	Hint string // the setting that would allow it, "" if not known
}

func (r *Refusal) Error() string { return r.Why }

// cause is err without the address, and without what could hold a credential.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) {
		return ErrNoAnswer
	}
	if op := (*net.OpError)(nil); errors.As(err, &op) {
		if op.Timeout() {
			return ErrNoAnswer
		}
		return fmt.Errorf("%s: %w", op.Op, op.Err)
	}
	return err
}

// quoted is a short piece of a reply for a message.
func quoted(s string) string { return fmt.Sprintf("%q", znode.Safe(s, 40)) }
