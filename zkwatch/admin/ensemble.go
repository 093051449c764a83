package admin

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"electop/model"
)

const (
	configEvery   = time.Minute      // how often /zookeeper/config is read
	configRetry   = 10 * time.Second // after a failure
	configStands  = 3 * time.Minute  // how long an old one counts
	configTimeout = 2 * time.Second
	lookupTimeout = time.Second
	lookupStands  = time.Minute
)

// ensemble is what is known of the members. It belongs to the round under way.
type ensemble struct {
	asker *Asker
	cfg   *Config

	servers map[string]*server // by address

	config      []configured
	configRead  time.Time // zero: never
	configAgain time.Time
	configWhy   string // why it could not be read, or is not all understood

	lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	names  map[string]resolved
}

type resolved struct {
	addrs []netip.Addr
	until time.Time
}

func newEnsemble(a *Asker) *ensemble {
	return &ensemble{
		asker: a, cfg: &a.cfg, servers: make(map[string]*server),
		lookup: func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		},
		names: make(map[string]resolved),
	}
}

// refresh reads /zookeeper/config, now and then, or now: what nobody lists says
// something only if nobody was added meanwhile.
func (e *ensemble) refresh(ctx context.Context, fresh bool) {
	now := time.Now()
	if e.cfg.Ensemble == nil || !fresh && now.Before(e.configAgain) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, configTimeout)
	defer cancel()
	content, err := e.cfg.Ensemble(ctx)
	if err != nil {
		e.configAgain = now.Add(configRetry)
		if now.Sub(e.configRead) > configStands {
			e.configRead, e.configWhy = time.Time{}, "/zookeeper/config cannot be read: "+text(err)
		}
		return
	}
	e.config, e.configWhy = parseEnsemble(content)
	e.configRead, e.configAgain = now, now.Add(configEvery)
}

// members unites the connect string with the configuration, as known now. See
// unite for missing.
func (e *ensemble) members(ctx context.Context) (members []member, missing string) {
	config := e.config
	if e.configRead.IsZero() {
		config = nil
	}
	e.resolve(ctx, config)
	return unite(e.entries(), config, e.sameHost)
}

// entries are the servers of the connect string with what is known of them.
func (e *ensemble) entries() []entry {
	var all []entry
	for _, addr := range e.cfg.Servers {
		x := entry{member: member{addr: addr}}
		if s := e.servers[addr]; s != nil {
			x.id, x.failing, x.alias = s.ident.id, s.fails > 0, s.alias
			x.several = time.Now().Before(s.several)
		}
		all = append(all, x)
	}
	return all
}

// serve returns the servers at the members' addresses, and forgets others.
func (e *ensemble) serve(members []member) []*server {
	var all []*server
	urls := make(map[string]int)
	for _, m := range members {
		s := e.servers[m.addr]
		if s == nil {
			s = newServer(e.asker, m.addr)
			e.servers[m.addr] = s
		}
		urls[s.url]++
		all = append(all, s)
	}
	for _, s := range all {
		s.shared = urls[s.url] > 1
		s.elsewhere = e.elsewhere(s)
	}
	for addr := range e.servers {
		listed := slices.Contains(e.cfg.Servers, addr)
		if !listed && !slices.ContainsFunc(members, func(m member) bool { return m.addr == addr }) {
			delete(e.servers, addr)
		}
	}
	return all
}

// elsewhere tells whether a server is at another address than the configuration
// has it at: it is told by its number only.
func (e *ensemble) elsewhere(s *server) bool {
	if e.configRead.IsZero() || len(e.config) == 0 {
		return false
	}
	return !slices.ContainsFunc(e.config, func(c configured) bool {
		return (s.ident.id == 0 || s.ident.id == c.id) && c.at(s.addr, e.sameHost)
	})
}

// unwhole says why the results are not those of all members; "" if they are.
// missing is from the configuration.
func (e *ensemble) unwhole(results []result, missing string) string {
	switch {
	case len(results) == 1 && results[0].Mode == model.ModeStandalone:
		return "" // that is all there is to it
	case e.cfg.Ensemble == nil:
		return "the ensemble's configuration is not known"
	case e.configRead.IsZero() && e.configWhy != "":
		return e.configWhy
	case e.configRead.IsZero():
		return "/zookeeper/config was not read yet"
	case e.configWhy != "":
		return e.configWhy
	case len(e.config) == 0:
		return "/zookeeper/config names no servers"
	}
	return missing
}

// resolve looks up the names of hosts, at once.
func (e *ensemble) resolve(ctx context.Context, config []configured) {
	if len(e.cfg.Servers)+len(config) < 2 {
		return
	}
	now := time.Now()
	fresh := make(map[string]resolved)
	var want []string
	add := func(host string) {
		if _, err := netip.ParseAddr(host); err == nil || host == "" || slices.Contains(want, host) {
			return
		}
		if r, ok := e.names[host]; ok && now.Before(r.until) {
			fresh[host] = r
			return
		}
		want = append(want, host)
	}
	for _, addr := range e.cfg.Servers {
		add(hostOf(addr))
	}
	for _, c := range config {
		add(hostOf(c.client))
		if c.client == "" {
			add(c.host)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, host := range want {
		all.Go(func() {
			addrs, _ := e.lookup(ctx, host) // none: the name is compared as text
			for i := range addrs {
				addrs[i] = addrs[i].Unmap().WithZone("")
			}
			mu.Lock()
			defer mu.Unlock()
			fresh[host] = resolved{addrs, now.Add(lookupStands)}
		})
	}
	all.Wait()
	e.names = fresh
}

// sameHost tells whether two names of hosts have an address in common.
func (e *ensemble) sameHost(a, b string) bool {
	if strings.EqualFold(a, b) {
		return true
	}
	return slices.ContainsFunc(e.addrs(a), func(x netip.Addr) bool { return slices.Contains(e.addrs(b), x) })
}

func (e *ensemble) addrs(host string) []netip.Addr {
	if ip, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{ip.Unmap().WithZone("")}
	}
	return e.names[host].addrs
}

// hostOf is the host of host:port.
func hostOf(addr string) string {
	host, _, _ := net.SplitHostPort(addr)
	return host
}
