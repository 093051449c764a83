// Package wire implements the messages of ZooKeeper's client protocol: the frames, the records inside
// them, the operation codes and the error codes.
//
// # Messages
//
// A message is a frame: four bytes of big-endian length, then that many bytes. The first messages are
// a [ConnectRequest] and a [ConnectResponse], without headers. Each later request is a
// [RequestHeader] and the arguments of its [Op]. A reply is a [ReplyHeader] and, if its Err is OK,
// the result. An event is a ReplyHeader with [XidWatch] and a [WatcherEvent].
//
// # Encoding
//
// The encoding is jute: big-endian integers, one byte for a boolean, and a signed 32-bit length
// before strings, buffers and vectors. Length -1 stands for null. A [Record] lists its fields once,
// in order: a [Coder] writes them or reads them. A Coder that reads checks each length against the rest of
// the input before it allocates. The byte slices that it reads alias the input.
//
// Field order, operation codes and error codes are from ZooKeeper 3.8
// (zookeeper.jute, ZooDefs.OpCode, KeeperException.Code).
package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// A Record is a sequence of values in a frame.
type Record interface {
	// Fields passes a pointer to each value to c, in the order of the protocol.
	Fields(c *Coder)
}

// ErrMalformed means that bytes are not the expected record. Every error of a [Coder] wraps it.
var ErrMalformed = errors.New("wire: malformed record")

// A Coder codes values. A Coder that reads keeps the first failure for [Coder.Err], and sets all later values
// to zero. So records need no error handling.
type Coder struct {
	b       []byte
	reading bool
	err     error
}

// Append appends a record to b.
func Append(b []byte, r Record) []byte {
	c := Coder{b: b}
	r.Fields(&c)
	return c.b
}

// NewDecoder returns a coder that reads from b.
func NewDecoder(b []byte) *Coder { return &Coder{b: b, reading: true} }

// Err returns the first failure to read, or nil.
func (c *Coder) Err() error { return c.err }

// Rest returns the bytes that are not read yet. After a failure there are none.
func (c *Coder) Rest() []byte { return c.b }

func (c *Coder) fail(what string) {
	if !c.reading {
		return
	}
	if c.err == nil {
		c.err = fmt.Errorf("%w: %s", ErrMalformed, what)
	}
	c.b = nil
}

func (c *Coder) take(n int, what string) []byte {
	if n > len(c.b) {
		c.fail(what + " beyond the end")
		return nil
	}
	p := c.b[:n:n]
	c.b = c.b[n:]
	return p
}

// Raw codes bytes without a length. It reads all bytes that are left.
func (c *Coder) Raw(v *[]byte) {
	if c.reading {
		*v = c.take(len(c.b), "bytes")
	} else {
		c.b = append(c.b, *v...)
	}
}

// Bool codes a boolean as one byte. It writes 0 or 1, and reads all values except 0 as true.
func (c *Coder) Bool(v *bool) {
	switch {
	case c.reading:
		p := c.take(1, "bool")
		*v = p != nil && p[0] != 0
	case *v:
		c.b = append(c.b, 1)
	default:
		c.b = append(c.b, 0)
	}
}

// Int32 codes a 32-bit integer.
func (c *Coder) Int32(v *int32) {
	if !c.reading {
		c.b = binary.BigEndian.AppendUint32(c.b, uint32(*v))
		return
	}
	*v = 0
	if p := c.take(4, "int"); p != nil {
		*v = int32(binary.BigEndian.Uint32(p))
	}
}

// Int64 codes a 64-bit integer.
func (c *Coder) Int64(v *int64) {
	if !c.reading {
		c.b = binary.BigEndian.AppendUint64(c.b, uint64(*v))
		return
	}
	*v = 0
	if p := c.take(8, "long"); p != nil {
		*v = int64(binary.BigEndian.Uint64(p))
	}
}

// length reads -1 for null and after a failure. The result may exceed the rest of the input.
func (c *Coder) length(n int, what string) int {
	v := int32(n)
	c.Int32(&v)
	if c.err != nil || v < -1 {
		c.fail("negative length of " + what)
		return -1
	}
	return int(v)
}

// Buffer codes a byte buffer. A nil buffer is null, an empty buffer is not.
func (c *Coder) Buffer(v *[]byte) {
	n := -1
	if *v != nil {
		n = len(*v)
	}
	n = c.length(n, "buffer")
	switch {
	case !c.reading:
		c.b = append(c.b, *v...)
	case n < 0:
		*v = nil
	default:
		*v = c.take(n, "buffer")
	}
}

// String codes a string. It never writes null, and reads null as "". The bytes need not be valid UTF-8.
func (c *Coder) String(v *string) {
	n := c.length(len(*v), "string")
	if !c.reading {
		c.b = append(c.b, *v...)
		return
	}
	*v = string(c.take(max(n, 0), "string"))
}

// Path codes a string. It never writes null, and fails if it reads null.
func (c *Coder) Path(v *string) {
	if c.null() {
		c.fail("null path")
	}
	c.String(v)
}

// Nullable codes a string or, if *null is true, null. Null reads as "".
func (c *Coder) Nullable(v *string, null *bool) {
	if c.reading {
		*null = c.null()
	} else if *null {
		c.length(-1, "string")
		return
	}
	c.String(v)
}

func (c *Coder) null() bool {
	return c.reading && len(c.b) >= 4 && int32(binary.BigEndian.Uint32(c.b)) == -1
}

// Strings codes a vector of strings. It never writes null. Null and empty vectors both read as nil.
func (c *Coder) Strings(v *[]string) { vector(c, v, 4, c.String) }

// Paths codes a vector of strings. It fails if it reads null for the vector or for a string.
func (c *Coder) Paths(v *[]string) { c.list(v, c.Path) }

func (c *Coder) list(v *[]string, element func(*string)) {
	if c.null() {
		c.fail("null list")
	}
	vector(c, v, 4, element)
}

// vector reads a negative count as 0, as in ZooKeeper. Each element has minSize bytes or more.
func vector[T any](c *Coder, v *[]T, minSize int, element func(*T)) {
	n := int32(len(*v))
	c.Int32(&n)
	if c.reading {
		*v = nil
		if int(n) > len(c.b)/minSize {
			c.fail("count of elements beyond the end")
		}
		if n <= 0 || c.err != nil {
			return
		}
		*v = make([]T, n)
	}
	for i := range *v {
		element(&(*v)[i])
	}
	if c.err != nil {
		*v = nil
	}
}

// MaxFrame is the largest frame that a server accepts from a client by default
// (jute.maxbuffer), in bytes without the length prefix. Replies may be larger.
const MaxFrame = 0xfffff

const firstChunk = 4 << 10

// A FrameSizeError reports a length prefix outside [0, Max].
type FrameSizeError struct {
	Size int32 // the announced length
	Max  int
}

func (e *FrameSizeError) Error() string {
	return fmt.Sprintf("wire: frame of %d bytes announced, limit %d", e.Size, e.Max)
}

// ReadFrame reads one frame of at most max bytes and returns its contents without the length prefix.
// It returns io.EOF if r ends before a frame, io.ErrUnexpectedEOF if r ends inside a frame, and a *FrameSizeError if
// the length is negative or above max. Memory grows with the bytes that arrive, not with the length prefix.
func ReadFrame(r io.Reader, max int) ([]byte, error) {
	return ReadFrameInto(r, nil, max)
}

// ReadFrameInto reads a frame like [ReadFrame]. If the capacity of buf is at least 4 and enough for
// the frame, the result aliases buf.
func ReadFrameInto(r io.Reader, buf []byte, max int) ([]byte, error) {
	if cap(buf) < 4 {
		buf = make([]byte, 0, 256)
	}
	if _, err := io.ReadFull(r, buf[:4]); err != nil {
		return nil, err
	}
	size := int32(binary.BigEndian.Uint32(buf[:4]))
	if size < 0 || int64(size) > int64(max) {
		return nil, &FrameSizeError{Size: size, Max: max}
	}
	n := int(size)
	if n > cap(buf) {
		buf = make([]byte, min(n, firstChunk))
	}
	read := 0
	for {
		end := min(n, cap(buf))
		m, err := io.ReadFull(r, buf[read:end])
		read += m
		if err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		if read == n {
			return buf[:n], nil
		}
		grown := make([]byte, min(n, 2*cap(buf)))
		copy(grown, buf[:read])
		buf = grown
	}
}

// AppendFrame appends one frame with the given records. It skips nil records.
func AppendFrame(b []byte, records ...Record) []byte {
	at := len(b)
	b = append(b, 0, 0, 0, 0)
	for _, r := range records {
		if r != nil {
			b = Append(b, r)
		}
	}
	binary.BigEndian.PutUint32(b[at:], uint32(len(b)-at-4))
	return b
}

// ValidatePath returns why path cannot be the path of a znode according to ZooKeeper's PathUtils, or
// nil. Java has surrogates for characters above U+FFFF, and PathUtils refuses surrogates.
func ValidatePath(path string) error {
	switch {
	case path == "":
		return errors.New("path is empty")
	case path[0] != '/':
		return errors.New("path does not start with /")
	case path == "/":
		return nil
	case !utf8.ValidString(path):
		return errors.New("path is not valid UTF-8")
	}
	for name := range strings.SplitSeq(path[1:], "/") {
		switch name {
		case "":
			return errors.New("path has an empty name")
		case ".", "..":
			return fmt.Errorf("path has the relative name %q", name)
		}
	}
	for _, r := range path {
		if r <= 0x1f || r >= 0x7f && r <= 0x9f || r >= 0xd800 && r <= 0xf8ff || r >= 0xfff0 {
			return fmt.Errorf("path has the character %U", r)
		}
	}
	return nil
}
