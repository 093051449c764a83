package command

import (
	"bytes"
	"fmt"
	"io"
)

// A Limit bounds a reply: in bytes as they come, and, before the reply is parsed, in
// entries (lines, objects, lists) and in further values, as a byte of a hostile reply can
// become fifty bytes in memory.
type Limit struct{ bytes, entries, values int }

// Small is for an answer that is not a table.
func Small() Limit { return Limit{1 << 20, 100_000, 100_000} }

// Large is for a table. Fifty thousand watches are some six megabytes; a session id in a
// list has 18 bytes with its comma.
func Large() Limit { return Limit{16 << 20, 500_000, 1_000_000} }

// Huge is for a table that the user wants at any cost.
func Huge() Limit { return Limit{256 << 20, 8_000_000, 16_000_000} }

// Read reads r to its end at once: while a server writes a table it may hold a
// lock that its requests need. The reply is parsed later.
func (l Limit) Read(r io.Reader) ([]byte, error) {
	var b bytes.Buffer
	if _, err := b.ReadFrom(io.LimitReader(r, int64(l.bytes)+1)); err != nil {
		return nil, err
	}
	if b.Len() > l.bytes {
		return nil, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, l.bytes)
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
		return nil, fmt.Errorf("%w: more than %d entries", ErrTooLarge, l.entries)
	}
	if values > l.values {
		return nil, fmt.Errorf("%w: more than %d values", ErrTooLarge, l.values)
	}
	return b.Bytes(), nil
}
