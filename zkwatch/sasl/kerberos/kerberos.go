// Package kerberos is SASL's mechanism GSSAPI with Kerberos 5 (RFC 4752, RFC 4121).
//
// An [Account] is a keytab or a ticket cache. For each connection it has a ticket for
// the server's principal, which it asks of the realm's KDC and keeps while it is valid.
// Messages of Kerberos are those of github.com/jcmturner/gokrb5; what that library lacks
// is here: the client's side of a security context, and SASL's choice of no security
// layer.
//
//	config.go     krb5.conf
//	login.go      the keytab or the ticket cache
//	tickets.go    tickets, asked of the KDC and kept
//	service.go    the principals that a server may have
//	failures.go   what the KDC's errors mean
//	exchange.go   the exchange of tokens
//	wrap.go       the tokens that a security context protects
package kerberos

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"

	"electop/zkwatch/sasl"
)

// Options say who the client is, and who the servers are.
type Options struct {
	// Keytab is a file of keys. "" stands for the ticket cache, which KRB5CCNAME names.
	Keytab string
	// Principal is the client's, with or without a realm. "" stands for the first of
	// the keytab, or that of the ticket cache.
	Principal string
	// Service is the servers' principal: NAME, or NAME/HOST where all servers have the
	// same one, each with @REALM where krb5.conf does not say it. "" means zookeeper.
	Service string
	// Getenv is the environment: KRB5_CONFIG and KRB5CCNAME. nil means os.Getenv.
	Getenv func(string) string
	// Resolver looks up canonical host names. nil means net.DefaultResolver.
	Resolver *net.Resolver
}

// An Account is a Kerberos principal with the means to get tickets. It implements
// [sasl.Mechanism].
type Account struct {
	// A pointer, because package fmt prints the address of one where it reaches a
	// field by reflection and cannot call the methods below.
	*account
}

// New returns the account that o describes. It reads krb5.conf and the keytab, or the
// ticket cache, and does not ask the KDC. Errors name the file.
func New(o Options) (*Account, error) {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	conf, cacheName, err := loadConfig(o.Getenv)
	if err != nil {
		return nil, err
	}
	a := &account{conf: conf, tickets: map[string]ticket{}, asking: make(chan struct{}, 1), resolve: o.Resolver}
	if a.resolve == nil {
		a.resolve = net.DefaultResolver
	}
	if a.service, err = parseService(o.Service); err != nil {
		return nil, err
	}
	if o.Keytab != "" {
		a.login, err = loadKeytab(o.Keytab, o.Principal, conf)
	} else {
		a.login, err = findCache(o.Getenv("KRB5CCNAME"), cacheName, o.Principal, conf)
	}
	if err != nil {
		return nil, err
	}
	return &Account{a}, nil
}

// Name implements [sasl.Mechanism].
func (*account) Name() string { return "GSSAPI" }

// String names the account. Nothing in it is secret.
func (a *account) String() string { return "GSSAPI:" + a.login.String() }

// Format implements fmt.Formatter for every verb, so that none prints keys.
func (a *account) Format(f fmt.State, _ rune) { io.WriteString(f, a.String()) }

// LogValue implements slog.LogValuer.
func (a *account) LogValue() slog.Value { return slog.StringValue(a.String()) }

// MarshalText implements encoding.TextMarshaler, which encoding/json uses.
func (a *account) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// Begin implements [sasl.Mechanism]: it gets a ticket for the server on host. The KDC is
// asked in a goroutine that ends by itself, some seconds after ctx at the latest: the
// library bounds each attempt, and takes no context. There is one of them at a time, and
// what it gets late is kept for the next connection.
func (a *account) Begin(ctx context.Context, host string) (sasl.Exchange, error) {
	type result struct {
		t   ticket
		err error
	}
	late := func() error {
		return fmt.Errorf("no ticket for %s on %s from the KDC in time: %w", a.service.name, host, ctx.Err())
	}
	select {
	case a.asking <- struct{}{}:
	case <-ctx.Done():
		return nil, late()
	}
	got := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				r = result{err: errors.New("a message of the KDC, or the ticket cache, is malformed")}
			}
			got <- r
			<-a.asking
		}()
		r.t, r.err = a.ticket(a.service.names(ctx, host, a.conf, a.resolve))
	}()
	select {
	case r := <-got:
		if r.err != nil {
			return nil, r.err
		}
		return newExchange(r.t)
	case <-ctx.Done():
		return nil, late()
	}
}
