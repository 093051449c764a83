package admin

import (
	"context"
	"sync"
	"time"

	"electop/model/session"
	"electop/zkwatch/admin/transport"
)

const (
	configInterval = time.Minute      // how often /zookeeper/config is read
	configRetry    = 10 * time.Second // after a failure
	configValid    = 3 * time.Minute  // how long an old one counts
	configTimeout  = 2 * time.Second
)

// ensemble is what is known of the members. It belongs to the poll under way.
type ensemble struct {
	cfg   *Config
	http  *transport.HTTP
	words *transport.Words
	hosts *hosts

	servers map[string]*server // by address

	config     []configured
	configRead time.Time // zero: never
	configNext time.Time
	configWhy  string // why it could not be read, or is not all understood
}

func newEnsemble(cfg *Config) *ensemble {
	return &ensemble{
		cfg:     cfg,
		http:    transport.NewHTTP(cfg.Dial, cfg.DialTLS, requestTimeout),
		words:   &transport.Words{Dial: cfg.Dial, TLS: cfg.DialTLS},
		hosts:   newHosts(),
		servers: make(map[string]*server),
	}
}

// poll asks all servers at once. The table has no servers yet: they are in the
// results. elections returns those who will get it, once p.read is closed.
func (e *ensemble) poll(ctx context.Context, p plan, elections func() []*Election) (session.Table, []result) {
	defer e.http.Close()
	t := session.Table{At: e.cfg.Now()}
	e.readConfig(ctx, p.retry || p.tables())
	servers := e.targets(ctx)
	results := make([]result, len(servers))
	var all sync.WaitGroup
	for i, s := range servers {
		all.Go(func() { results[i] = s.poll(ctx, p) })
	}
	all.Wait()
	results, missing := members(results, e.configured(), e.hosts.same)
	if p.Sessions && p.awaitRead(ctx) && unlisted(results, e.cfg.Chroot, elections()) {
		relist(ctx, p, e.servers, results)
	}
	for i := range results {
		t.Anchors = widen(t.Anchors, results[i].anchors)
	}
	t.End = e.cfg.Now()
	t.Unwhole = e.unwhole(results, missing)
	t.Whole = t.Unwhole == ""
	return t, results
}

// readConfig reads /zookeeper/config if it is due, or now: an absence from all lists
// proves something only if no server was added meanwhile.
func (e *ensemble) readConfig(ctx context.Context, now bool) {
	began := time.Now()
	if e.cfg.Ensemble == nil || !now && began.Before(e.configNext) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, configTimeout)
	defer cancel()
	content, err := e.cfg.Ensemble(ctx)
	if err != nil {
		e.configNext = began.Add(configRetry)
		if began.Sub(e.configRead) > configValid {
			e.configRead, e.configWhy = time.Time{}, "/zookeeper/config cannot be read: "+text(err)
		}
		return
	}
	e.config, e.configWhy = parseEnsemble(content)
	e.configRead, e.configNext = began, began.Add(configInterval)
}

// configured are the servers of the configuration; none if it is not known.
func (e *ensemble) configured() []configured {
	if e.configRead.IsZero() {
		return nil
	}
	return e.config
}

// targets returns the servers at the addresses to ask, and forgets others.
func (e *ensemble) targets(ctx context.Context) []*server {
	config := e.configured()
	e.resolve(ctx, config)
	known := e.servers
	e.servers = make(map[string]*server)
	var all []*server
	urls := make(map[string]int)
	for _, addr := range targets(e.cfg.Servers, config, e.hosts.same) {
		s := known[addr]
		if s == nil {
			s = newServer(e.cfg, e.http, e.words, addr)
		}
		e.servers[addr] = s
		urls[s.url]++
		all = append(all, s)
	}
	for _, s := range all {
		s.sharedURL = urls[s.url] > 1
	}
	return all
}

// resolve looks up the names of hosts that are compared.
func (e *ensemble) resolve(ctx context.Context, config []configured) {
	if len(e.cfg.Servers)+len(config) < 2 {
		return
	}
	var names []string
	for _, addr := range e.cfg.Servers {
		names = append(names, hostOf(addr))
	}
	for _, c := range config {
		if c.client != "" {
			names = append(names, hostOf(c.client))
		} else {
			names = append(names, c.host)
		}
	}
	e.hosts.resolve(ctx, names)
}

// unwhole says why the results may not be those of all members; "" if they are.
// missing is what the configuration says of them.
func (e *ensemble) unwhole(results []result, missing string) string {
	switch {
	case len(results) == 1 && results[0].Mode == session.ModeStandalone:
		return "" // it is the only server
	case e.cfg.Ensemble == nil:
		return "the ensemble's configuration is not known"
	case e.configWhy != "":
		return e.configWhy
	case e.configRead.IsZero():
		return "/zookeeper/config was not read yet"
	case len(e.config) == 0:
		return "/zookeeper/config names no servers"
	}
	return missing
}
