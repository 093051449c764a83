package client

import (
	"errors"
	"fmt"
	"io"
	"syscall"

	"github.com/go-zookeeper/zk"

	"electop/zkwatch/wire"
)

// Most errors that servers return are errors of package zk, such as zk.ErrNoNode.
var (
	// ErrReplyTooLarge means that a reply was larger than Config.MaxReply.
	ErrReplyTooLarge = errors.New("reply too large")
	// ErrNotZooKeeper means that another program listens at the address, or that only one side uses TLS.
	ErrNotZooKeeper = errors.New("not a ZooKeeper server")
	// ErrProtocol means that a server broke the protocol.
	ErrProtocol = errors.New("protocol violation")
	// ErrRefused means that a server accepted a connection, but closed the connection without granting a session.
	ErrRefused = errors.New("closed by the server before it gave a session")
	// ErrAuthRequired means that the server requires authentication. errors.Is also matches zk.ErrAuthFailed.
	ErrAuthRequired error = refusal{errors.New("the server requires authentication")}

	// ErrNotConnected means that there was no connection, or that the connection was lost before the request was sent.
	ErrNotConnected = errors.New("not connected")
	// ErrUnknownOutcome means that a write got no valid answer. The server may have executed the write.
	ErrUnknownOutcome = errors.New("outcome unknown")
	// ErrFenced means that SetFenced wrote nothing, because the guard does not exist.
	ErrFenced = errors.New("fenced")
	// ErrRequestTooLarge means that a request does not fit in Config.BufferSize.
	ErrRequestTooLarge = errors.New("request too large")
	// ErrNoSession means that the Conn ended because it had no connection for too long.
	ErrNoSession = errors.New("no session")
	// ErrTimeoutTooShort means that the session's timeout leaves no room for a lease.
	ErrTimeoutTooShort = errors.New("the session timeout is too short for a leader's lease")
	// ErrTwoAccounts means that a Config has more than one SASL account.
	ErrTwoAccounts = errors.New("more than one account for SASL")
	// ErrClosed means that Close was called.
	ErrClosed = errors.New("closed")
	// ErrCut means that Cut was called.
	ErrCut = errors.New("connection cut")
	// ErrQuota means that a write exceeds the quota of the znode or of a znode above it.
	ErrQuota = errors.New("quota exceeded")
)

type refusal struct{ error }

func (r refusal) Unwrap() error      { return r.error }
func (refusal) Is(target error) bool { return target == zk.ErrAuthFailed }

func hungUp(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// Unanswered reports whether err wraps ErrUnknownOutcome, or means that there was no connection, or that
// the connection or session ended before the answer. It returns false if err wraps ErrReplyTooLarge, even of another
// request: the large reply would probably come again.
func Unanswered(err error) bool {
	if errors.Is(err, ErrReplyTooLarge) {
		return false
	}
	return errors.Is(err, ErrNotConnected) || errors.Is(err, ErrUnknownOutcome) ||
		errors.Is(err, zk.ErrConnectionClosed) || errors.Is(err, zk.ErrClosing) || errors.Is(err, zk.ErrSessionExpired)
}

func nameQuotaError(err error) error {
	if err.Error() == fmt.Sprintf("unknown error: %d", int32(wire.QuotaExceeded)) {
		return ErrQuota
	}
	return err
}
