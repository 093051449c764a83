package client

import (
	"errors"
	"fmt"

	"github.com/go-zookeeper/zk"

	"electop/zkwatch/wire"
)

// Why a connection or a [Conn] ended, or a request failed. The errors of the
// servers are those of package zk, such as zk.ErrNoNode.
var (
	// ErrNotConnected: there is no connection. The request was not sent.
	ErrNotConnected = errors.New("not connected")
	// ErrUnknownOutcome: the connection was lost, or waiting was given up, after
	// a write had been sent off: it may or may not have happened.
	ErrUnknownOutcome = errors.New("outcome unknown")
	// ErrFenced: a write was refused because the znode that guards it is gone.
	ErrFenced = errors.New("fenced")
	// ErrReplyTooLarge: a reply was larger than Config.MaxReply. Asking again
	// ends the connection again: connect anew with twice as much.
	ErrReplyTooLarge = errors.New("reply too large")
	// ErrRequestTooLarge: a request does not fit in Config.BufferSize.
	ErrRequestTooLarge = errors.New("request too large")
	// ErrNotZooKeeper: something else listens at the address.
	ErrNotZooKeeper = errors.New("not a ZooKeeper server")
	// ErrProtocol: a server broke the protocol.
	ErrProtocol = errors.New("protocol violation")
	// ErrRefused: a server accepted a connection and closed it without a word.
	ErrRefused = errors.New("closed by the server before it gave a session")
	// ErrNoSession: no server gave or kept up a session for so long that it is
	// better to start anew.
	ErrNoSession = errors.New("no session")
	// ErrTimeoutTooShort: the session's timeout leaves no room for a lease.
	ErrTimeoutTooShort = errors.New("the session timeout is too short for a leader's lease")
	// ErrClosed: Close was called.
	ErrClosed = errors.New("closed")
	// ErrCut: Cut was called.
	ErrCut = errors.New("connection cut")
	// ErrQuota: the quota of the znode, or of one above it, is used up.
	ErrQuota = errors.New("quota exceeded")
)

// Unanswered tells the errors after which the session may go on from those that
// are the server's answer. ErrReplyTooLarge is an answer: it would be so again.
func Unanswered(err error) bool {
	if errors.Is(err, ErrReplyTooLarge) {
		return false
	}
	return errors.Is(err, ErrNotConnected) || errors.Is(err, ErrUnknownOutcome) ||
		errors.Is(err, zk.ErrConnectionClosed) || errors.Is(err, zk.ErrNoServer) ||
		errors.Is(err, zk.ErrClosing) || errors.Is(err, zk.ErrSessionExpired)
}

// named returns a server's error that the library knows by its number only
// under a name of ours.
func named(err error) error {
	if err.Error() == fmt.Sprintf("unknown error: %d", int32(wire.QuotaExceeded)) {
		return ErrQuota
	}
	return err
}
