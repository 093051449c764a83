package serverconn

import (
	"errors"
	"io"
	"syscall"

	"github.com/go-zookeeper/zk"
)

// The reasons why a connection ends.
var (
	// ErrNotZooKeeper: another program listens at the address.
	ErrNotZooKeeper = errors.New("not a ZooKeeper server")
	// ErrProtocol: the server broke the protocol.
	ErrProtocol = errors.New("protocol violation")
	// ErrRefused: the server accepted the connection and closed it without an answer.
	ErrRefused = errors.New("closed by the server before it gave a session")
	// ErrReplyTooLarge: a reply was larger than Options.MaxReply.
	ErrReplyTooLarge = errors.New("reply too large")
	// ErrAuthRequired: the server serves no client that has not authenticated with one
	// of the schemes that it demands. It is also a zk.ErrAuthFailed.
	ErrAuthRequired error = Refusal{errors.New("the server requires authentication")}
)

// A Refusal is an error that is also zk.ErrAuthFailed, whose text would add nothing.
type Refusal struct{ Err error }

func (r Refusal) Error() string      { return r.Err.Error() }
func (r Refusal) Unwrap() error      { return r.Err }
func (Refusal) Is(target error) bool { return target == zk.ErrAuthFailed }

// HungUp reports whether err means that the other side closed the connection.
func HungUp(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}
