package connect

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"electop/ui/cli/exit"
	"electop/zkwatch/client"
)

// lookupLimit bounds the look-up of host names. A slow name server is no reason to fail.
const lookupLimit = time.Second

// Known refuses a cluster of which no host exists: it would be tried until the limit. A
// cluster with one host that exists is tried.
func (o *Options) Known(ctx context.Context, servers client.ConnectString) error {
	unknown := unknownHosts(ctx, servers)
	for _, server := range servers.Servers {
		if host, _, _ := net.SplitHostPort(server); !slices.Contains(unknown, host) {
			return nil
		}
	}
	return exit.Error{Code: exit.NoServer, Err: fmt.Errorf("no server of %s: %s: check %s", servers, noSuchHost(unknown), o.called("servers"))}
}

func noSuchHost(hosts []string) string { return "no such host: " + strings.Join(hosts, ", ") }

// unknownHosts are the hosts that do not exist, as a name server says, each once.
func unknownHosts(ctx context.Context, servers client.ConnectString) []string {
	ctx, cancel := context.WithTimeout(ctx, lookupLimit)
	defer cancel()
	unknown := make([]string, len(servers.Servers))
	var lookups sync.WaitGroup
	for i, server := range servers.Servers {
		host, _, err := net.SplitHostPort(server)
		if err != nil || net.ParseIP(host) != nil {
			continue
		}
		lookups.Go(func() {
			_, err := net.DefaultResolver.LookupHost(ctx, host)
			if notFound(err) {
				unknown[i] = host
			}
		})
	}
	lookups.Wait()
	slices.Sort(unknown)
	return slices.DeleteFunc(slices.Compact(unknown), func(host string) bool { return host == "" })
}

// notFound reports whether err says that a host does not exist.
func notFound(err error) bool {
	var e *net.DNSError
	return errors.As(err, &e) && e.IsNotFound
}
