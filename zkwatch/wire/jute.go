package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// An Appender serialises itself to the end of a byte slice.
type Appender interface {
	Append(b []byte) []byte
}

// A Record can be written and read back.
type Record interface {
	Appender
	// Decode replaces the receiver by what d holds next. Errors are kept by d.
	Decode(d *Decoder)
}

// ErrMalformed is wrapped by every error of a [Decoder]: the bytes are not the
// record they were taken for.
var ErrMalformed = errors.New("wire: malformed record")

// appendBool appends one byte, 0 or 1.
func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

// AppendInt32 appends a 32-bit integer.
func AppendInt32(b []byte, v int32) []byte {
	return binary.BigEndian.AppendUint32(b, uint32(v))
}

// AppendInt64 appends a 64-bit integer.
func AppendInt64(b []byte, v int64) []byte {
	return binary.BigEndian.AppendUint64(b, uint64(v))
}

// AppendBuffer appends a byte buffer; nil becomes null (length -1).
func AppendBuffer(b, v []byte) []byte {
	if v == nil {
		return AppendInt32(b, -1)
	}
	b = AppendInt32(b, int32(len(v)))
	return append(b, v...)
}

// AppendString appends a string, never null.
func AppendString(b []byte, v string) []byte {
	b = AppendInt32(b, int32(len(v)))
	return append(b, v...)
}

// appendStrings appends a vector of strings. An empty one has count 0, never
// -1: some clients allocate by the count.
func appendStrings(b []byte, v []string) []byte {
	b = AppendInt32(b, int32(len(v)))
	for _, s := range v {
		b = AppendString(b, s)
	}
	return b
}

// A Decoder reads jute values from a byte slice. The first failure sticks: it
// is kept for [Decoder.Err] and every later read returns a zero value.
type Decoder struct {
	b   []byte
	err error
}

// NewDecoder returns a decoder of b.
func NewDecoder(b []byte) *Decoder { return &Decoder{b: b} }

// Err returns the first failure, or nil. It wraps [ErrMalformed].
func (d *Decoder) Err() error { return d.err }

// Rest returns the bytes not read yet; none after a failure.
func (d *Decoder) Rest() []byte { return d.b }

func (d *Decoder) fail(what string) {
	if d.err == nil {
		d.err = fmt.Errorf("%w: %s", ErrMalformed, what)
	}
	d.b = nil
}

// take returns the next n bytes, or nil having failed.
func (d *Decoder) take(n int, what string) []byte {
	if n > len(d.b) {
		d.fail(what + " beyond the end")
		return nil
	}
	p := d.b[:n:n]
	d.b = d.b[n:]
	return p
}

// Bool reads one byte; anything but zero is true.
func (d *Decoder) Bool() bool {
	p := d.take(1, "bool")
	return p != nil && p[0] != 0
}

// Int32 reads a 32-bit integer.
func (d *Decoder) Int32() int32 {
	p := d.take(4, "int")
	if p == nil {
		return 0
	}
	return int32(binary.BigEndian.Uint32(p))
}

// Int64 reads a 64-bit integer.
func (d *Decoder) Int64() int64 {
	p := d.take(8, "long")
	if p == nil {
		return 0
	}
	return int64(binary.BigEndian.Uint64(p))
}

// length reads a length, -1 for null and for a failure. It may be longer than
// what is left.
func (d *Decoder) length(what string) int {
	n := d.Int32()
	switch {
	case d.err != nil:
		return -1
	case n < -1:
		d.fail("negative length of " + what)
		return -1
	}
	return int(n)
}

// Buffer reads a byte buffer; null gives nil, an empty one does not. The
// result aliases the decoder's input.
func (d *Decoder) Buffer() []byte {
	n := d.length("buffer")
	if n < 0 {
		return nil
	}
	return d.take(n, "buffer")
}

// String reads a string; null reads as "". The bytes are kept as they are,
// valid UTF-8 or not.
func (d *Decoder) String() string {
	n := d.length("string")
	if n < 0 {
		return ""
	}
	return string(d.take(n, "string"))
}

// null reports whether what comes next is null, for a value that can be.
func (d *Decoder) null() bool {
	return len(d.b) >= 4 && int32(binary.BigEndian.Uint32(d.b)) == -1
}

// Path reads a string that must not be null.
func (d *Decoder) Path() string {
	n := d.length("path")
	if n < 0 {
		if d.err == nil {
			d.fail("null path")
		}
		return ""
	}
	return string(d.take(n, "path"))
}

// count reads the count of a vector whose elements take at least size bytes
// each, so that the count is known to fit into what is left. Null counts 0, and
// so does what is less, as with ZooKeeper's own decoder.
func (d *Decoder) count(size int, what string) int {
	n := d.Int32()
	switch {
	case d.err != nil || n < 0:
		return 0
	case int64(n) > int64(len(d.b)/size):
		d.fail("count of " + what + " beyond the end")
		return 0
	}
	return int(n)
}

// Strings reads a vector of strings; null and empty both give nil.
func (d *Decoder) Strings() []string { return d.vector(d.String) }

// Paths reads a vector of strings that must not be null, and none of them
// either; an empty one gives nil.
func (d *Decoder) Paths() []string { return d.list(d.Path) }

// list reads a vector of strings that must not be null.
func (d *Decoder) list(element func() string) []string {
	if d.null() {
		d.fail("null list")
	}
	return d.vector(element)
}

func (d *Decoder) vector(element func() string) []string {
	n := d.count(4, "strings")
	if n == 0 {
		return nil
	}
	v := make([]string, 0, n)
	for range n {
		v = append(v, element())
	}
	if d.err != nil {
		return nil
	}
	return v
}
