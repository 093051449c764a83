package kerberos

import (
	"cmp"
	"fmt"
	"iter"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/jcmturner/gokrb5/v8/client"
	"github.com/jcmturner/gokrb5/v8/config"
	"github.com/jcmturner/gokrb5/v8/iana/nametype"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/types"

	"electop/zkwatch/sasl"
)

// spare is how long a kept ticket must still be valid.
const spare = time.Minute

// maxTickets bounds how many tickets are kept: one for each server, and one to get them.
const maxTickets = 64

// account is what is behind an [Account].
type account struct {
	conf    *config.Config
	login   login
	service service
	resolve *net.Resolver

	asking chan struct{} // holds a token while the KDC is asked

	mu      sync.Mutex
	tickets map[string]ticket
}

// ticket returns a ticket for the first of the services that the KDC knows.
func (a *account) ticket(services iter.Seq[principal]) (ticket, error) {
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
	return ticket{}, fmt.Errorf("the KDC does not know the server as %s: is it another service, host name or realm?", strings.Join(unknown, " or "))
}

// forService returns a ticket for a service, a kept one if possible.
func (a *account) forService(cl *client.Client, s principal) (ticket, error) {
	return a.kept(s, func() (ticket, error) {
		realm := a.login.realm
		granting, err := a.granting(cl)
		if err == nil && s.realm != realm { // its KDC takes only tickets of its own realm
			granting, err = a.kept(principal{"krbtgt/" + s.realm, realm}, func() (ticket, error) {
				return a.issued(cl, granting, principal{"krbtgt/" + s.realm, realm}, nametype.KRB_NT_SRV_INST)
			})
			realm = s.realm
		}
		if err != nil {
			return ticket{}, err
		}
		return a.issued(cl, granting, principal{s.spn, realm}, nametype.KRB_NT_PRINCIPAL)
	})
}

// granting returns the client's ticket-granting ticket.
func (a *account) granting(cl *client.Client) (ticket, error) {
	if a.login.keytab == nil {
		return a.login.granting()
	}
	return a.kept(principal{"krbtgt/" + a.login.realm, a.login.realm}, func() (ticket, error) {
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

// issued asks the KDC of a realm for a ticket.
func (a *account) issued(cl *client.Client, granting ticket, s principal, kind int32) (ticket, error) {
	_, reply, err := cl.TGSREQGenerateAndExchange(types.NewPrincipalName(kind, s.spn), s.realm, granting.ticket, granting.key, false)
	if err != nil {
		return ticket{}, fmt.Errorf("get a ticket for %s as %s: %w", s, a.login, explained(err))
	}
	return ticket{ticket: reply.Ticket, key: reply.DecryptedEncPart.Key, end: reply.DecryptedEncPart.EndTime, service: s}, nil
}

// kept returns the ticket that is kept under a name, or gets another one.
func (a *account) kept(name principal, get func() (ticket, error)) (ticket, error) {
	id := name.String()
	a.mu.Lock()
	t, ok := a.tickets[id]
	a.mu.Unlock()
	if ok && time.Until(t.end) > spare {
		return t, nil
	}
	t, err := get()
	if err != nil {
		return t, err
	}
	if !time.Now().Before(t.end) {
		return t, fmt.Errorf("%w: the KDC issued a ticket for %s that has expired: do the clocks agree?", sasl.ErrRejected, name)
	}
	t.user, t.realm = a.login.user, a.login.realm
	t.drop = func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		clear(a.tickets)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.tickets) >= maxTickets {
		clear(a.tickets)
	}
	a.tickets[id] = t
	return t, nil
}
