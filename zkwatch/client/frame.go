package client

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"electop/zkwatch/wire"
)

// The few operations that passing traffic is told apart by.
const (
	opGetData      = int32(wire.OpGetData)
	opExists       = int32(wire.OpExists)
	opPing         = int32(wire.OpPing)
	opGetChildren2 = int32(wire.OpGetChildren2)
	opCloseSession = int32(wire.OpCloseSession)
	opAuth         = int32(wire.OpAuth)
	opSetWatches   = int32(wire.OpSetWatches)

	opHello = -128 // none of the protocol's: a ConnectRequest has no opcode

	// xidGoodbye is one that the library gets to after two thousand million
	// requests.
	xidGoodbye = 0x7fffffff
)

const (
	prefixSize = 4

	// headSize is how much of a frame's body is looked at: the whole of a
	// ConnectResponse except for the password, or a ReplyHeader and the count or
	// length that a reply starts with.
	headSize = 20

	replyHeaderSize = 16 // xid, zxid, err

	minConnectResponse = headSize
	maxConnectResponse = 256 // in truth 36 or 37 bytes
)

// A frameReader follows the frames in a stream of bytes and keeps the head of
// the present one.
type frameReader struct {
	prefix [prefixSize]byte
	head   [headSize]byte
	seen   int // bytes of the present frame, prefix included
	size   int // of its body, once the prefix has been seen
}

// feed consumes the bytes of one frame from p, at most, and returns the rest.
// sized is called when the frame's length is known, headed when its head is
// complete and before the frame is; complete tells that the frame ended. Where
// frames are replies their zxid is set to zero in p; the head keeps it.
func (f *frameReader) feed(p []byte, replies bool, sized func(prefix [prefixSize]byte, size int) error, headed func(head []byte, size int) error) (rest []byte, complete bool, err error) {
	if f.seen < prefixSize {
		n := copy(f.prefix[f.seen:], p)
		f.seen += n
		p = p[n:]
		if f.seen < prefixSize {
			return nil, false, nil
		}
		f.size = int(int32(binary.BigEndian.Uint32(f.prefix[:])))
		if err := sized(f.prefix, f.size); err != nil {
			return nil, false, err
		}
	}
	n := min(len(p), prefixSize+f.size-f.seen)
	before := f.seen - prefixSize
	if before < headSize {
		copy(f.head[before:], p[:n])
	}
	f.seen += n
	after := f.seen - prefixSize
	const from, to = 4, 12 // of the zxid, after the xid
	if replies && before < to && after > from {
		clear(p[max(from, before)-before : min(to, after)-before])
	}
	if want := min(headSize, f.size); after >= want && (before < want || want == 0) {
		if err := headed(f.head[:want], f.size); err != nil {
			return nil, false, err
		}
	}
	if after < f.size {
		return nil, false, nil
	}
	f.seen = 0
	return p[n:], true, nil
}

// connectResponseSize checks the length prefix of what should be the answer to
// a ConnectRequest. Whatever else listens there answers with something that
// makes an absurd length.
func connectResponseSize(prefix [prefixSize]byte, size int) error {
	if size >= minConnectResponse && size <= maxConnectResponse {
		return nil
	}
	switch s := string(prefix[:]); {
	case s == "HTTP":
		return fmt.Errorf("%w: it speaks HTTP", ErrNotZooKeeper)
	case strings.HasPrefix(s, "\x15\x03"):
		return fmt.Errorf("%w without TLS: it answers with a TLS alert", ErrNotZooKeeper)
	}
	return fmt.Errorf("%w: its answer starts with %q", ErrNotZooKeeper, prefix[:])
}

// replySize checks the length prefix of a reply or event.
func replySize(size, limit int) error {
	if size < replyHeaderSize {
		return fmt.Errorf("%w: a reply of %d bytes", ErrProtocol, size)
	}
	if size > limit {
		return fmt.Errorf("%w: %d bytes, the limit is %d", ErrReplyTooLarge, size, limit)
	}
	return nil
}

// replyCount checks the count or length that the body of some replies starts
// with. The library believes it and allocates.
func replyCount(opcode int32, head []byte, size int) error {
	if opcode != opGetData && opcode != opGetChildren2 || int32(binary.BigEndian.Uint32(head[12:])) != 0 {
		return nil
	}
	if len(head) < headSize {
		return fmt.Errorf("%w: a reply of %d bytes to a read", ErrProtocol, size)
	}
	room := size - headSize
	if opcode == opGetChildren2 {
		room /= 4 // the least that a name takes
	}
	n := int(int32(binary.BigEndian.Uint32(head[16:])))
	if n > room || n < -1 || n < 0 && opcode == opGetChildren2 {
		return fmt.Errorf("%w: a reply of %d bytes says that it holds %d items", ErrProtocol, size, n)
	}
	return nil
}

// connectRequest is the library's ConnectRequest (int protocolVersion, long
// lastZxidSeen, int timeOut, long sessionId, buffer passwd) with the given
// lastZxidSeen, and the session that it asks for.
func connectRequest(frame []byte, lastZxid int64) (changed []byte, session uint64, ok bool) {
	if len(frame) < prefixSize+24 {
		return nil, 0, false
	}
	return withZxid(frame, prefixSize+4, lastZxid), binary.BigEndian.Uint64(frame[prefixSize+16:]), true
}

// setWatches is the library's SetWatches request (header, long relativeZxid,
// and three lists of paths) with the given relativeZxid.
func setWatches(frame []byte, relativeZxid int64) (changed []byte, ok bool) {
	if len(frame) < prefixSize+16 {
		return nil, false
	}
	return withZxid(frame, prefixSize+8, relativeZxid), true
}

// withZxid is a copy of frame with another zxid at offset at.
func withZxid(frame []byte, at int, zxid int64) []byte {
	changed := slices.Clone(frame)
	binary.BigEndian.PutUint64(changed[at:], uint64(zxid))
	return changed
}

// isRead tells the operations that a server answers by itself and at once.
func isRead(opcode int32) bool {
	return opcode == opExists || opcode == opGetData || opcode == opGetChildren2
}

// requestHeader reads a request's xid and opcode.
func requestHeader(frame []byte) (xid, opcode int32, ok bool) {
	if len(frame) < prefixSize+8 {
		return 0, 0, false
	}
	return int32(binary.BigEndian.Uint32(frame[4:])), int32(binary.BigEndian.Uint32(frame[8:])), true
}

// closeFrame is a closeSession request.
func closeFrame() []byte {
	return requestFrame(xidGoodbye, opCloseSession, nil)
}

// authFrame is an AuthPacket: int type, ustring scheme, buffer auth.
func authFrame(a Auth) []byte {
	b := binary.BigEndian.AppendUint32(nil, 0)
	b = binary.BigEndian.AppendUint32(b, uint32(len(a.Scheme)))
	b = append(b, a.Scheme...)
	b = binary.BigEndian.AppendUint32(b, uint32(len(a.credential())))
	b = append(b, a.credential()...)
	return requestFrame(wire.XidAuth, opAuth, b)
}

func requestFrame(xid, opcode int32, body []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(8+len(body)))
	b = binary.BigEndian.AppendUint32(b, uint32(xid))
	b = binary.BigEndian.AppendUint32(b, uint32(opcode))
	return append(b, body...)
}
