package admin

import (
	"context"
	"time"

	"electop/model"
)

const (
	configEvery   = time.Minute      // how often /zookeeper/config is read
	configRetry   = 10 * time.Second // after a failure
	configStands  = 3 * time.Minute  // how long an old one counts
	configTimeout = 2 * time.Second
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

	hosts *hosts
}

func newEnsemble(a *Asker) *ensemble {
	return &ensemble{asker: a, cfg: &a.cfg, servers: make(map[string]*server), hosts: newHosts()}
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

// configured are the servers of the configuration, if it is known well enough.
func (e *ensemble) configured() []configured {
	if e.configRead.IsZero() {
		return nil
	}
	return e.config
}

// serve returns the servers at the addresses to ask, and forgets others.
func (e *ensemble) serve(ctx context.Context) []*server {
	config := e.configured()
	e.resolve(ctx, config)
	known := e.servers
	e.servers = make(map[string]*server)
	var all []*server
	urls := make(map[string]int)
	for _, addr := range targets(e.cfg.Servers, config, e.hosts.same) {
		s := known[addr]
		if s == nil {
			s = newServer(e.asker, addr)
		}
		e.servers[addr] = s
		urls[s.url]++
		all = append(all, s)
	}
	for _, s := range all {
		s.shared = urls[s.url] > 1
	}
	return all
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
