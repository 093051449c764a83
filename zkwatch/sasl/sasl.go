// Package sasl authenticates a client to a server with SASL: DIGEST-MD5 (RFC 2831) with a user and a
// password, and GSSAPI with Kerberos 5 (RFC 4752, RFC 4121).
//
// A [Mechanism] is an account. For each connection it begins an [Exchange] of tokens, which
// authenticates both sides or returns an error. The later messages are not protected: use TLS.
//
// A [Kerberos] account logs in with a keytab or a ticket cache. It gets a ticket for each server from the KDC of
// the server's realm, and keeps the ticket in memory. Package github.com/jcmturner/gokrb5 reads and writes the
// messages of Kerberos. This package adds the client's side of a GSSAPI security context.
//
// An error must contain neither a password nor a value that is computed from one.
//
//	digest.go       DIGEST-MD5
//	directives.go   the names and values in DIGEST-MD5 messages
//	kerberos.go     a Kerberos account, its tickets, and the meanings of Kerberos errors
//	krb5conf.go     krb5.conf, and the possible principals of a server
//	login.go        the keytab or the ticket cache
//	gssapi.go       the exchange of GSSAPI tokens
package sasl

import (
	"context"
	"errors"
)

// MaxToken is the largest size of a server's token, in bytes.
const MaxToken = 64 << 10

// A Mechanism is an account that authenticates with one SASL mechanism. Many connections may use it at the same time.
type Mechanism interface {
	// Name returns the mechanism's registered name.
	Name() string
	// Begin starts an exchange with the server on host.
	Begin(ctx context.Context, host string) (Exchange, error)
}

// An Exchange is one authentication. Only one goroutine may use it.
type Exchange interface {
	// Next returns the client's answer to a server's token. The first token is nil. Send an empty
	// answer, but not a nil answer. If done is true, do not call Next again.
	Next(token []byte) (answer []byte, done bool, err error)
	// Refused returns the error for a refused answer. The error wraps [ErrRejected].
	Refused() error
}

var (
	// ErrRejected means that the server or the KDC refuses the account or the mechanism, or that a ticket is
	// missing or unusable.
	ErrRejected = errors.New("authentication rejected")
	// ErrUnsupported means that the server does not support what the client needs.
	ErrUnsupported = errors.New("not supported by the server")
	// ErrChallenge means that the server's tokens break the mechanism's rules, or that the exchange exceeds a limit.
	ErrChallenge = errors.New("invalid challenge")
	// ErrImpostor means that the server did not prove its identity.
	ErrImpostor = errors.New("the server did not authenticate itself")
)
