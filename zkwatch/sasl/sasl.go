// Package sasl authenticates a client to a server with SASL: DIGEST-MD5 (RFC 2831) with a user and a
// password, and GSSAPI with Kerberos 5 (RFC 4752, RFC 4121).
//
// A [Mechanism] is an account. For each connection it begins an [Exchange] of tokens, which
// authenticates both sides or returns an error. The connection has no integrity or encryption
// afterwards: use TLS for that.
//
// A [Kerberos] account is a keytab or a ticket cache. It gets a ticket for each server from the
// realm's KDC, and keeps the ticket while it is valid. The messages of Kerberos are from
// github.com/jcmturner/gokrb5. This package adds the client's side of a security context, and
// SASL's choice of no security layer.
//
// The length of data from a server is bounded, and errors quote such data. No error contains a
// password or anything that is computed from a password.
//
//	digest.go       DIGEST-MD5
//	directives.go   the list of names and values in DIGEST-MD5 messages
//	kerberos.go     an account, its tickets, and the meanings of the KDC's errors
//	krb5conf.go     krb5.conf, and the possible principals of a server
//	login.go        the keytab or the ticket cache
//	gssapi.go       the exchange of tokens
package sasl

import (
	"context"
	"errors"
)

// MaxToken bounds a token of a server, in bytes.
const MaxToken = 64 << 10

// A Mechanism is an account and its way to authenticate. Many connections may use it at the
// same time.
type Mechanism interface {
	// Name is the mechanism's registered name.
	Name() string
	// Begin starts an exchange with the server on host. A final error wraps [ErrRejected].
	Begin(ctx context.Context, host string) (Exchange, error)
}

// An Exchange is one authentication. Only one goroutine may use it.
type Exchange interface {
	// Next returns the client's answer to a token of the server. The first token is nil. If done is
	// true, the exchange ends with answer; the client does not send a nil answer.
	Next(token []byte) (answer []byte, done bool, err error)
	// Refused returns the error for an answer that the server refused. The error wraps
	// [ErrRejected].
	Refused() error
}

var (
	// ErrRejected: another attempt with the same account would fail too.
	ErrRejected = errors.New("authentication rejected")
	// ErrUnsupported: the server does not support what the client needs.
	ErrUnsupported = errors.New("not supported by the server")
	// ErrChallenge: the server does not follow the mechanism's rules.
	ErrChallenge = errors.New("invalid challenge")
	// ErrImpostor: the server did not prove its identity.
	ErrImpostor = errors.New("the server did not authenticate itself")
)
