package client

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"

	"electop/zkwatch/wire"
)

const (
	prefixSize = 4

	// headSize is the size of a ConnectResponse before its password, and of a ReplyHeader with a count after it.
	headSize = 20

	replyHeaderSize = 16 // xid, zxid, err

	minConnectResponse = headSize
	maxConnectResponse = 256 // servers send 36 or 37 bytes

	// minTimeout is the shortest accepted session timeout of a server. The library would panic at 0 or less.
	minTimeout = 10 * time.Millisecond

	// smallReply bounds, in bytes, the replies to reads whose round trips count for Status.Distance.
	smallReply = 1 << 10
)

// connectResponseSize detects HTTP, TLS and SSH, because their first bytes give an impossible length.
func connectResponseSize(prefix []byte, size int) error {
	if size >= minConnectResponse && size <= maxConnectResponse {
		return nil
	}
	switch s := string(prefix); {
	case s == "HTTP":
		return fmt.Errorf("%w: its answer is HTTP", ErrNotZooKeeper)
	case strings.HasPrefix(s, "\x15\x03"):
		return fmt.Errorf("%w, or a port that needs TLS: its answer is a TLS alert", ErrNotZooKeeper)
	}
	return fmt.Errorf("%w: its answer starts with %q", ErrNotZooKeeper, prefix)
}

func replySize(size, limit int) error {
	if size < replyHeaderSize {
		return fmt.Errorf("%w: a reply of %d bytes", ErrProtocol, size)
	}
	if size > limit {
		return fmt.Errorf("%w: %d bytes, the limit is %d", ErrReplyTooLarge, size, limit)
	}
	return nil
}

// replyCount checks the number of children, or of bytes of data. The library would allocate memory for any number.
func replyCount(op wire.Op, head []byte, size int) error {
	if op != wire.OpGetData && op != wire.OpGetChildren2 || replyCode(head) != wire.OK {
		return nil
	}
	if len(head) < headSize {
		return fmt.Errorf("%w: a reply of %d bytes to a read", ErrProtocol, size)
	}
	room := size - headSize
	if op == wire.OpGetChildren2 {
		room /= 4 // the length of a name has four bytes
	}
	n := int(int32(binary.BigEndian.Uint32(head[16:])))
	if n > room || n < -1 || n < 0 && op == wire.OpGetChildren2 {
		return fmt.Errorf("%w: a reply of %d bytes with a count of %d", ErrProtocol, size, n)
	}
	return nil
}

func replyCode(head []byte) wire.Code { return wire.Code(binary.BigEndian.Uint32(head[12:])) }

func withZxid(frame []byte, offset int, zxid int64) []byte {
	changed := slices.Clone(frame)
	binary.BigEndian.PutUint64(changed[offset:], uint64(zxid))
	return changed
}

func isRead(op wire.Op) bool {
	return op == wire.OpExists || op == wire.OpGetData || op == wire.OpGetChildren2
}

// joins reads the flags, the last field of a create.
func joins(op wire.Op, frame []byte) bool {
	return op == wire.OpCreate && binary.BigEndian.Uint32(frame[len(frame)-4:]) == uint32(wire.FlagEphemeral|wire.FlagSequential)
}

func xidOf(head []byte) int32 { return int32(binary.BigEndian.Uint32(head)) }
