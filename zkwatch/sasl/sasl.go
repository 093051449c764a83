// Package sasl authenticates a client to a server with SASL: DIGEST-MD5 (RFC 2831) with a user and a
// password, and GSSAPI with Kerberos 5 (RFC 4752, RFC 4121).
//
// A [Mechanism] is an account. For each connection it begins an [Exchange] of tokens, which
// authenticates both sides or returns an error. SASL does not protect the later messages: use TLS
// for that.
//
// A [Kerberos] account is a keytab or a ticket cache. It gets a ticket for each server from the
// realm's KDC, and keeps the ticket while the ticket is valid. Package github.com/jcmturner/gokrb5
// reads and writes the messages of Kerberos. This package adds the client's side of a GSSAPI
// security context, without a SASL security layer.
//
// The length of data from a server is bounded, also in errors. No error contains a password or
// anything that is computed from a password.
//
//	digest.go       DIGEST-MD5
//	directives.go   the names and values in DIGEST-MD5 messages
//	kerberos.go     a Kerberos account, its tickets, and the meanings of the KDC's errors
//	krb5conf.go     krb5.conf, and the possible principals of a server
//	login.go        the keytab or the ticket cache
//	gssapi.go       the exchange of GSSAPI tokens
package sasl

import (
	"context"
	"errors"
)

// MaxToken bounds a token of a server, in bytes.
const MaxToken = 64 << 10

// A Mechanism is an account that authenticates with one SASL mechanism. Many connections may use it
// at the same time.
type Mechanism interface {
	// Name returns the mechanism's registered name.
	Name() string
	// Begin starts an exchange with the server on host. If the error wraps [ErrRejected], a retry
	// would fail too.
	Begin(ctx context.Context, host string) (Exchange, error)
}

// An Exchange is one authentication. Only one goroutine may use it.
type Exchange interface {
	// Next returns the client's answer to a token of the server. The first token is nil. If done is
	// true, the exchange ends after answer. The client does not send a nil answer.
	Next(token []byte) (answer []byte, done bool, err error)
	// Refused returns the error for an answer that the server refused. The error wraps
	// [ErrRejected].
	Refused() error
}

var (
	// ErrRejected means that another attempt with the same account would fail too.
	ErrRejected = errors.New("authentication rejected")
	// ErrUnsupported means that the server does not support what the client needs.
	ErrUnsupported = errors.New("not supported by the server")
	// ErrChallenge means that a token of the server breaks the mechanism's rules.
	ErrChallenge = errors.New("invalid challenge")
	// ErrImpostor means that the server did not prove its identity.
	ErrImpostor = errors.New("the server did not authenticate itself")
)
