package admin

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	lookupTimeout = time.Second
	lookupValid   = time.Minute
)

// hosts knows which names are names of the same host.
type hosts struct {
	lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	names  map[string]resolved
}

type resolved struct {
	addrs []netip.Addr
	until time.Time
}

func newHosts() *hosts {
	return &hosts{lookup: func(ctx context.Context, host string) ([]netip.Addr, error) {
		return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	}}
}

// resolve looks up the names of hosts, all at once, and forgets all others.
func (h *hosts) resolve(ctx context.Context, names []string) {
	now := time.Now()
	fresh := make(map[string]resolved)
	var want []string
	for _, host := range names {
		if _, err := netip.ParseAddr(host); err == nil || host == "" || slices.Contains(want, host) {
			continue
		}
		if r, ok := h.names[host]; ok && now.Before(r.until) {
			fresh[host] = r
			continue
		}
		want = append(want, host)
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, host := range want {
		all.Go(func() {
			addrs, _ := h.lookup(ctx, host) // none: the name is compared as text
			for i := range addrs {
				addrs[i] = addrs[i].Unmap().WithZone("")
			}
			mu.Lock()
			defer mu.Unlock()
			fresh[host] = resolved{addrs, now.Add(lookupValid)}
		})
	}
	all.Wait()
	h.names = fresh
}

// same reports whether two names of hosts have an address in common.
func (h *hosts) same(a, b string) bool {
	if strings.EqualFold(a, b) {
		return true
	}
	return slices.ContainsFunc(h.addrs(a), func(x netip.Addr) bool { return slices.Contains(h.addrs(b), x) })
}

func (h *hosts) addrs(host string) []netip.Addr {
	if ip, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{ip.Unmap().WithZone("")}
	}
	return h.names[host].addrs
}
