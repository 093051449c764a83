package kerberos

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"net"
	"slices"
	"strings"

	"github.com/jcmturner/gokrb5/v8/config"
)

// DefaultService is the service name of ZooKeeper's servers.
const DefaultService = "zookeeper"

// A service is the principal of the servers: its parts, of which the host and the realm
// may be left open.
type service struct{ name, host, realm string }

func parseService(text string) (s service, err error) {
	principal, realm, hasRealm := strings.Cut(cmp.Or(text, DefaultService), "@")
	name, host, hasHost := strings.Cut(principal, "/")
	s = service{name, host, realm}
	if name == "" || hasHost && (host == "" || strings.Contains(host, "/")) || hasRealm && (realm == "" || strings.Contains(realm, "@")) {
		return s, fmt.Errorf("service %q: want NAME or NAME/HOST, perhaps with @REALM", text)
	}
	if host == "_HOST" { // as Hadoop's configurations write it
		s.host = ""
	}
	return s, nil
}

// A principal is the name of a service and its realm.
type principal struct{ spn, realm string }

func (p principal) String() string { return p.spn + "@" + p.realm }

// names yields the principals that the server on host may have, the likeliest first:
// with the host as it is given, then with its canonical names, as far as krb5.conf allows
// to ask DNS for them. DNS is asked only if the first is not enough. The realm is empty if
// the client's own counts.
func (s service) names(ctx context.Context, host string, conf *config.Config, resolver *net.Resolver) iter.Seq[principal] {
	return func(yield func(principal) bool) {
		var said []principal
		say := func(h string) bool {
			h = strings.ToLower(strings.TrimSuffix(h, "."))
			p := principal{s.name + "/" + h, cmp.Or(s.realm, conf.ResolveRealm(h))}
			if slices.Contains(said, p) {
				return true
			}
			said = append(said, p)
			return yield(p)
		}
		if s.host != "" {
			say(s.host)
			return
		}
		address := net.ParseIP(host) != nil
		if !address && !say(host) {
			return
		}
		for _, h := range canonical(ctx, host, address, conf, resolver) {
			if !say(h) {
				return
			}
		}
		if len(said) == 0 {
			say(host)
		}
	}
}

// canonical are the names that DNS has for a host, or for an address.
func canonical(ctx context.Context, host string, address bool, conf *config.Config, resolver *net.Resolver) (names []string) {
	if !conf.LibDefaults.DNSCanonicalizeHostname && !address {
		return nil
	}
	addresses := []string{host}
	if !address {
		if name, err := resolver.LookupCNAME(ctx, host); err == nil {
			names = append(names, name)
		}
		addresses, _ = resolver.LookupHost(ctx, host)
	}
	if !conf.LibDefaults.RDNS || len(addresses) == 0 {
		return names
	}
	found, _ := resolver.LookupAddr(ctx, addresses[0])
	return append(names, found...)
}
