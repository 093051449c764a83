package sasl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jcmturner/gokrb5/v8/client"
	"github.com/jcmturner/gokrb5/v8/config"
	"github.com/jcmturner/gokrb5/v8/iana/nametype"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/types"
)

// KerberosOptions describes a [Kerberos] account.
type KerberosOptions struct {
	// Keytab is a file of keys. "" means the ticket cache of KRB5CCNAME or krb5.conf, or the default cache.
	Keytab string
	// Principal is the client's principal, with or without a realm. "" means the first
	// principal of the keytab, or the principal of the ticket cache.
	Principal string
	// Service is the servers' principal: NAME, or NAME/HOST if all servers have the same host in their principals.
	// Without @REALM, the realm is the host's realm in krb5.conf, or the client's realm. "" means zookeeper.
	Service string
	// Getenv returns the environment variables KRB5_CONFIG and KRB5CCNAME. nil means os.Getenv.
	Getenv func(string) string
}

// A Kerberos is an account of the mechanism GSSAPI: a principal that can get tickets.
type Kerberos struct {
	conf    *config.Config
	login   login
	service service

	requesting chan struct{} // a semaphore, held while a ticket is requested
	cache      *ticketCache
}

type ticketCache struct {
	mu      sync.Mutex
	tickets map[string]ticket
}

// NewKerberos returns the account that o describes. It sends nothing to the KDC.
func NewKerberos(o KerberosOptions) (*Kerberos, error) {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	conf, cacheName, err := loadConfig(o.Getenv)
	if err != nil {
		return nil, err
	}
	a := &Kerberos{conf: conf, cache: &ticketCache{tickets: map[string]ticket{}}, requesting: make(chan struct{}, 1)}
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
	return a, nil
}

// Name implements [Mechanism].
func (*Kerberos) Name() string { return "GSSAPI" }

// String returns the name of the account. It contains no secret.
func (a *Kerberos) String() string { return "GSSAPI:" + a.login.String() }

// Format implements fmt.Formatter. Every verb prints String, because no verb may print keys.
func (a *Kerberos) Format(f fmt.State, _ rune) { io.WriteString(f, a.String()) }

// Begin implements [Mechanism]. The library takes no context, so a goroutine requests the ticket.
// The request may end after ctx is done.
func (a *Kerberos) Begin(ctx context.Context, host string) (Exchange, error) {
	type result struct {
		t   ticket
		err error
	}
	late := func() error {
		return fmt.Errorf("the KDC gave no ticket for %s on %s in time: %w", a.service.name, host, ctx.Err())
	}
	select {
	case a.requesting <- struct{}{}:
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
			<-a.requesting
		}()
		r.t, r.err = a.ticket(a.service.names(ctx, host, a.conf))
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

const (
	minRemaining     = time.Minute
	maxCachedTickets = 64
)

func (a *Kerberos) ticket(services iter.Seq[principal]) (ticket, error) {
	cl := client.NewWithKeytab(a.login.user, a.login.realm, a.login.keytab, a.conf)
	defer cl.Destroy()
	var unknown []string
	for s := range services {
		s.realm = cmp.Or(s.realm, a.login.realm)
		t, err := a.forService(cl, s)
		if err == nil {
			return t, nil
		}
		if codeOf(err) != serviceUnknown {
			return ticket{}, err
		}
		unknown = append(unknown, s.String())
	}
	return ticket{}, fmt.Errorf("the KDC does not know the server as %s: check the server's service name, host name and realm", strings.Join(unknown, " or "))
}

func (a *Kerberos) forService(cl *client.Client, s principal) (ticket, error) {
	return a.cached(s, func() (ticket, error) {
		realm := a.login.realm
		granting, err := a.grantingTicket(cl)
		if err == nil && s.realm != realm { // the KDC of a realm accepts only granting tickets for that realm
			granting, err = a.cached(principal{"krbtgt/" + s.realm, realm}, func() (ticket, error) {
				return a.request(cl, granting, principal{"krbtgt/" + s.realm, realm}, nametype.KRB_NT_SRV_INST)
			})
			realm = s.realm
		}
		if err != nil {
			return ticket{}, err
		}
		return a.request(cl, granting, principal{s.spn, realm}, nametype.KRB_NT_PRINCIPAL)
	})
}

func (a *Kerberos) grantingTicket(cl *client.Client) (ticket, error) {
	if a.login.keytab == nil {
		return a.login.grantingTicket()
	}
	return a.cached(principal{"krbtgt/" + a.login.realm, a.login.realm}, func() (ticket, error) {
		request, err := messages.NewASReqForTGT(a.login.realm, a.conf, cl.Credentials.CName())
		if err != nil {
			return ticket{}, fmt.Errorf("request for a ticket: %w", err)
		}
		reply, err := cl.ASExchange(a.login.realm, request, 0)
		if err != nil {
			return ticket{}, fmt.Errorf("log in to Kerberos as %s: %w", a.login, explained(err))
		}
		return ticket{ticket: reply.Ticket, key: reply.DecryptedEncPart.Key, end: reply.DecryptedEncPart.EndTime}, nil
	})
}

func (a *Kerberos) request(cl *client.Client, granting ticket, s principal, kind int32) (ticket, error) {
	_, reply, err := cl.TGSREQGenerateAndExchange(types.NewPrincipalName(kind, s.spn), s.realm, granting.ticket, granting.key, false)
	if err != nil {
		return ticket{}, fmt.Errorf("get a ticket for %s as %s: %w", s, a.login, explained(err))
	}
	return ticket{ticket: reply.Ticket, key: reply.DecryptedEncPart.Key, end: reply.DecryptedEncPart.EndTime, service: s}, nil
}

func (a *Kerberos) cached(name principal, get func() (ticket, error)) (ticket, error) {
	id := name.String()
	a.cache.mu.Lock()
	t, ok := a.cache.tickets[id]
	a.cache.mu.Unlock()
	if ok && time.Until(t.end) > minRemaining {
		return t, nil
	}
	t, err := get()
	if err != nil {
		return t, err
	}
	if !time.Now().Before(t.end) {
		return t, fmt.Errorf("%w: the KDC's ticket for %s has already expired: do the clocks agree?", ErrRejected, name)
	}
	t.user, t.realm = a.login.user, a.login.realm
	t.drop = func() {
		a.cache.mu.Lock()
		defer a.cache.mu.Unlock()
		clear(a.cache.tickets)
	}
	a.cache.mu.Lock()
	defer a.cache.mu.Unlock()
	if len(a.cache.tickets) >= maxCachedTickets {
		clear(a.cache.tickets)
	}
	a.cache.tickets[id] = t
	return t, nil
}

// These codes are errors of Kerberos (RFC 4120, 7.5.9).
const (
	serviceUnknown = 7
	badPreauth     = 24
	unavailable    = 29
	clockSkew      = 37
)

var meanings = map[int]string{
	6:              "the KDC does not know this principal",
	serviceUnknown: "the KDC does not know this service",
	10:             "the clocks of this machine and the KDC differ too much",
	14:             "the KDC supports none of the encryption types",
	18:             "the account is locked or has expired",
	23:             "the password, and so the keytab, has expired",
	badPreauth:     "the key is wrong for this principal: was the password changed after the keytab was made?",
	unavailable:    "the KDC is not available",
	31:             "the key is wrong for this principal: was the password changed after the keytab was made?",
	32:             "the ticket has expired: run kinit",
	33:             "the ticket is not valid yet: do the clocks agree?",
	clockSkew:      "the clocks of this machine and the KDC or the server differ too much",
}

type failure struct {
	code int
	err  error
}

func (f failure) Error() string { return f.err.Error() }
func (f failure) Unwrap() error { return f.err }

func codeOf(err error) int {
	var f failure
	errors.As(err, &f)
	return f.code
}

// kerberosError finds the code in an error's text: the library returns the KDC's code only there.
var kerberosError = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`KRB Error: \((\d+)\) (.*)`) })

// explained does not wrap ErrRejected for serviceUnknown and unavailable, because another attempt may succeed.
func explained(err error) error {
	m := kerberosError().FindStringSubmatch(err.Error())
	if m == nil {
		switch text := err.Error(); {
		case strings.Contains(text, "clock skew"):
			return failure{clockSkew, rejected(meanings[clockSkew])}
		case strings.Contains(text, "Decrypting_Error"), strings.Contains(text, "key not found in keytab"), strings.Contains(text, "matching key not found"):
			return failure{badPreauth, rejected(meanings[badPreauth])}
		case strings.Contains(text, "Networking_Error"):
			return fmt.Errorf("cannot reach the KDC: %w", err)
		}
		return err
	}
	code, _ := strconv.Atoi(m[1])
	why := cmp.Or(meanings[code], fmt.Sprintf("%.200s", m[2]))
	if code == serviceUnknown || code == unavailable {
		return failure{code, fmt.Errorf("%s (code %d)", why, code)}
	}
	return failure{code, rejected(fmt.Sprintf("%s (code %d)", why, code))}
}

func rejected(why string) error { return fmt.Errorf("%w: %s", ErrRejected, why) }
