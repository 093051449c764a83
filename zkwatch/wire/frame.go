package wire

import (
	"encoding/binary"
	"fmt"
	"io"
)

// MaxFrame is the largest frame, in bytes without its length prefix, that a
// server takes from a client unless configured otherwise (jute.maxbuffer).
// Replies may be larger.
const MaxFrame = 0xfffff

// firstChunk bounds what a length prefix alone can make ReadFrame allocate.
const firstChunk = 4 << 10

// A FrameSizeError reports a length prefix outside [0, Max].
type FrameSizeError struct {
	Size int32 // as announced; negative when the top bit was set
	Max  int   // the limit in force
}

func (e *FrameSizeError) Error() string {
	return fmt.Sprintf("wire: frame of %d bytes announced, limit %d", e.Size, e.Max)
}

// ReadFrame reads one frame of at most max bytes and returns its contents
// without the length prefix. It returns io.EOF when r ends before the first
// byte of a frame, io.ErrUnexpectedEOF when it ends inside one, and a
// *FrameSizeError, having read the prefix only, when the announced length is
// negative or above max. Memory grows with what arrives, not with what is
// announced.
func ReadFrame(r io.Reader, max int) ([]byte, error) {
	return ReadFrameInto(r, nil, max)
}

// ReadFrameInto is [ReadFrame] using the capacity of buf where it suffices. The
// result aliases buf in that case.
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
			if err == io.EOF && n > 0 {
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

// BeginFrame appends a placeholder for a length prefix and returns the slice
// together with the place to hand to [EndFrame].
func BeginFrame(b []byte) (out []byte, at int) {
	return append(b, 0, 0, 0, 0), len(b)
}

// EndFrame fills in the length prefix of the frame that began at at and
// reaches to the end of b.
func EndFrame(b []byte, at int) {
	binary.BigEndian.PutUint32(b[at:], uint32(len(b)-at-4))
}

// AppendFrame appends one frame that holds the given records in order.
func AppendFrame(b []byte, records ...Appender) []byte {
	b, at := BeginFrame(b)
	for _, r := range records {
		b = r.Append(b)
	}
	EndFrame(b, at)
	return b
}
