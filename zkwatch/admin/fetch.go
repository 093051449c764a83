package admin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	"electop/model"
)

// What went wrong with a request, beyond that it failed.
var (
	errNotServing = errors.New("the server is not serving requests (it has no quorum, or is starting)")
	errServerSays = errors.New("the AdminServer says")
	errTooLarge   = errors.New("the reply is too large")
	errNoAnswer   = errors.New("no answer in time")
)

// A refusal is the error of a server that was told not to answer.
type refusal struct{ why, hint string }

func (r *refusal) Error() string { return r.why }

// A limit bounds a reply: in bytes as it comes, and before it is taken apart in
// entries (lines, objects, lists) and in further values, as a byte of a hostile
// reply can become fifty in memory.
type limit struct{ bytes, entries, values int }

var (
	cheapReply = limit{1 << 20, 100_000, 100_000}
	// Fifty thousand watches are some six megabytes; a session id that is listed
	// has 18 bytes with its comma.
	dearReply  = limit{16 << 20, 500_000, 1_000_000}
	heavyReply = limit{256 << 20, 8_000_000, 16_000_000}
)

// read drains r at once; see the package's comment on cost.
func (l limit) read(r io.Reader) ([]byte, error) {
	var b bytes.Buffer
	if _, err := b.ReadFrom(io.LimitReader(r, int64(l.bytes)+1)); err != nil {
		return nil, err
	}
	if b.Len() > l.bytes {
		return nil, fmt.Errorf("%w: more than %d bytes", errTooLarge, l.bytes)
	}
	entries, values := 0, 0
	for _, c := range b.Bytes() {
		switch c {
		case '\n', '[', '{':
			entries++
		case ',':
			values++
		}
	}
	if entries > l.entries {
		return nil, fmt.Errorf("%w: more than %d entries", errTooLarge, l.entries)
	}
	if values > l.values {
		return nil, fmt.Errorf("%w: more than %d values", errTooLarge, l.values)
	}
	return b.Bytes(), nil
}

// cause is err without what repeats the address or could hold a credential.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) {
		return errNoAnswer
	}
	if op := (*net.OpError)(nil); errors.As(err, &op) {
		if op.Timeout() {
			return errNoAnswer
		}
		return fmt.Errorf("%s: %w", op.Op, op.Err)
	}
	return err
}

// text is err for people.
func text(err error) string { return model.Safe(err.Error(), 0) }
