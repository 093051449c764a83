package client

import (
	"errors"
	"fmt"
	"io"
	"syscall"

	"github.com/go-zookeeper/zk"

	"electop/zkwatch/wire"
)

// The reasons why a connection or a [Conn] ended, or why a request failed. Most errors of
// servers are errors of package zk, such as zk.ErrNoNode.
var (
	// ErrReplyTooLarge: a reply was larger than Config.MaxReply. A retry fails too; connect again
	// with a higher limit.
	ErrReplyTooLarge = errors.New("reply too large")
	// ErrNotZooKeeper: another program listens at the address.
	ErrNotZooKeeper = errors.New("not a ZooKeeper server")
	// ErrProtocol: a server broke the protocol.
	ErrProtocol = errors.New("protocol violation")
	// ErrRefused: a server accepted a connection and closed it without an answer.
	ErrRefused = errors.New("closed by the server before it gave a session")
	// ErrAuthRequired: the server demands authentication with one of its schemes. The error is also
	// a zk.ErrAuthFailed.
	ErrAuthRequired error = refusal{errors.New("the server requires authentication")}

	// ErrNotConnected: there is no connection. The request was not sent.
	ErrNotConnected = errors.New("not connected")
	// ErrUnknownOutcome: a write has no valid answer. The server may have executed the write.
	ErrUnknownOutcome = errors.New("outcome unknown")
	// ErrFenced: a write was refused because its guard znode does not exist.
	ErrFenced = errors.New("fenced")
	// ErrRequestTooLarge: a request does not fit in Config.BufferSize.
	ErrRequestTooLarge = errors.New("request too large")
	// ErrNoSession: for a long time no server granted or continued a session. Connect again.
	ErrNoSession = errors.New("no session")
	// ErrTimeoutTooShort: the session's timeout leaves no room for a lease.
	ErrTimeoutTooShort = errors.New("the session timeout is too short for a leader's lease")
	// ErrTwoAccounts: a connection can use only one SASL account.
	ErrTwoAccounts = errors.New("more than one account for SASL")
	// ErrClosed: Close was called.
	ErrClosed = errors.New("closed")
	// ErrCut: Cut was called.
	ErrCut = errors.New("connection cut")
	// ErrQuota: a write exceeds the quota of the znode or of a znode above it.
	ErrQuota = errors.New("quota exceeded")
)

// A refusal is an error for which errors.Is also matches zk.ErrAuthFailed.
type refusal struct{ error }

func (r refusal) Unwrap() error      { return r.error }
func (refusal) Is(target error) bool { return target == zk.ErrAuthFailed }

func hungUp(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// Unanswered reports whether err means that the connection or the session ended before an answer,
// or that the outcome of a write is unknown. ErrReplyTooLarge is an answer.
func Unanswered(err error) bool {
	if errors.Is(err, ErrReplyTooLarge) {
		return false
	}
	return errors.Is(err, ErrNotConnected) || errors.Is(err, ErrUnknownOutcome) ||
		errors.Is(err, zk.ErrConnectionClosed) || errors.Is(err, zk.ErrClosing) || errors.Is(err, zk.ErrSessionExpired)
}

// The library's error for an exceeded quota has no name.
func named(err error) error {
	if err.Error() == fmt.Sprintf("unknown error: %d", int32(wire.QuotaExceeded)) {
		return ErrQuota
	}
	return err
}
