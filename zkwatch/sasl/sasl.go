// Package sasl authenticates a client to a server with SASL: DIGEST-MD5 (RFC 2831), with
// a user and a password, and GSSAPI with Kerberos 5 (RFC 4752, RFC 4121).
//
// A [Mechanism] is an account. It starts an [Exchange] of tokens for each connection,
// and the exchange ends with both sides convinced of each other, or with an error.
// Nothing is protected afterwards: no mechanism adds integrity or encryption to the
// connection: use TLS for that.
//
// A [Kerberos] account is a keytab or a ticket cache. For each connection it has a ticket
// for the server's principal, which it asks of the realm's KDC and keeps while it is valid.
// Messages of Kerberos are those of github.com/jcmturner/gokrb5; what that library lacks
// is here: the client's side of a security context, and SASL's choice of no security
// layer.
//
// What a server sends is untrusted: it is bounded, and errors show it as quoted text.
// No error holds a password or anything that is computed from it.
//
//	digest.go       DIGEST-MD5
//	directives.go   the list of names and values that DIGEST-MD5 exchanges
//	kerberos.go     an account; tickets, asked of the KDC and kept; what its errors mean
//	krb5conf.go     krb5.conf, and the principals that a server may have
//	login.go        the keytab or the ticket cache
//	gssapi.go       the exchange of tokens
package sasl

import (
	"context"
	"errors"
)

// MaxToken bounds a token of a server, in bytes.
const MaxToken = 64 << 10

// A Mechanism is an account, with the way to show that a client has it. Many
// connections may use it at a time.
type Mechanism interface {
	// Name is the mechanism's registered name.
	Name() string
	// Begin starts an exchange with the server on host. An error that is final
	// wraps [ErrRejected].
	Begin(ctx context.Context, host string) (Exchange, error)
}

// An Exchange is one authentication. It is for one goroutine.
type Exchange interface {
	// Next returns the client's answer to the token of the server; the first token is
	// nil. done says that no further token may change the outcome: with an answer,
	// the server must accept it; without one, the exchange is over.
	Next(token []byte) (answer []byte, done bool, err error)
	// Refused explains that the server refused the last answer. The error
	// wraps [ErrRejected].
	Refused() error
}

var (
	// ErrRejected: another attempt with the same account would end the same way.
	ErrRejected = errors.New("authentication rejected")
	// ErrUnsupported: the server does not offer what is needed.
	ErrUnsupported = errors.New("not supported by the server")
	// ErrChallenge: the server does not follow the mechanism's rules.
	ErrChallenge = errors.New("invalid challenge")
	// ErrImpostor: the server did not show that it knows the account.
	ErrImpostor = errors.New("the server did not authenticate itself")
)
