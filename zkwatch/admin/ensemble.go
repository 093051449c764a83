package admin

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"electop/model/session"
	"electop/model/znode"
	"electop/zkwatch/client"
)

const (
	configInterval = time.Minute      // time from a read of /zookeeper/config to the next regular one
	configRetry    = 10 * time.Second // time from a failed read to the next one
	configValid    = 3 * time.Minute  // how long the last configuration is used while reads fail
	configTimeout  = 2 * time.Second
	maxMembers     = 255 // ZooKeeper documents the numbers 1 to 255
)

type ensemble struct {
	cfg     *Config
	request *requester

	servers map[string]*server // by address

	config     []configuredServer // empty if unknown
	configRead time.Time          // zero: never
	configNext time.Time
	configWhy  string // why config is unknown or incomplete, or ""
}

func newEnsemble(cfg *Config) *ensemble {
	return &ensemble{
		cfg:       cfg,
		request:   newRequester(cfg),
		servers:   make(map[string]*server),
		configWhy: "/zookeeper/config was not read yet",
	}
}

func (e *ensemble) poll(ctx context.Context, p plan, elections []*Election) (session.Table, []result) {
	defer e.request.client.CloseIdleConnections()
	t := session.Table{At: e.cfg.Now()}
	e.readConfig(ctx, p.retry || p.tables())
	servers := e.targets()
	results := make([]result, len(servers))
	var all sync.WaitGroup
	for i, s := range servers {
		all.Go(func() { results[i] = s.poll(ctx, p) })
	}
	all.Wait()
	results, missing := e.members(results)
	if missing == "" && p.Sessions && ctx.Err() == nil && candidateUnlisted(results, e.cfg.Chroot, elections) {
		relist(ctx, p, e.servers, results)
	}
	t.End = e.cfg.Now()
	t.Whole, t.Unwhole = missing == "", missing
	return t, results
}

// readConfig is forced by polls for tables, because a new member may have connections.
func (e *ensemble) readConfig(ctx context.Context, force bool) {
	began := time.Now()
	if e.cfg.Ensemble == nil || !force && began.Before(e.configNext) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, configTimeout)
	defer cancel()
	content, err := e.cfg.Ensemble(ctx)
	if err != nil {
		e.configNext = began.Add(configRetry)
		if began.Sub(e.configRead) > configValid {
			e.config, e.configWhy = nil, "/zookeeper/config cannot be read: "+text(err)
		}
		return
	}
	e.config, e.configWhy = parseEnsemble(content)
	e.configRead, e.configNext = began, began.Add(configInterval)
}

// targets skips unconfigured addresses of a server that answered at its configured address.
func (e *ensemble) targets() []*server {
	known := e.servers
	e.servers = make(map[string]*server)
	var all []*server
	urls := make(map[string]int)
	add := func(addr string) {
		if addr == "" || e.servers[addr] != nil {
			return
		}
		s := known[addr]
		if s == nil {
			s = newServer(e.cfg, e.request, addr)
		}
		s.anyServer = len(e.config) > 0 && !slices.ContainsFunc(e.config, func(c configuredServer) bool { return c.at(addr) })
		e.servers[addr] = s
		if s.anyServer && slices.ContainsFunc(e.config, func(c configuredServer) bool {
			own := known[c.client]
			return own != nil && own.failures == 0 && own.identity.number > 0 && own.identity.number == s.identity.number
		}) {
			return
		}
		urls[s.url]++
		all = append(all, s)
	}
	for _, addr := range e.cfg.Servers {
		add(addr)
	}
	for _, c := range e.config {
		add(c.client)
	}
	for _, s := range all {
		s.sharedURL = urls[s.url] > 1
	}
	return all
}

// members keeps one result of each known server number. missing is why a member may be absent, or "".
func (e *ensemble) members(results []result) (kept []result, missing string) {
	own := make([]bool, len(results))
	for _, c := range e.config {
		i := slices.IndexFunc(results, func(r result) bool { return c.at(r.Addr) && c.is(&r) })
		if i >= 0 && !own[i] {
			own[i] = true
		} else if missing == "" {
			missing = c.absent(results)
		}
	}
	better := func(i, j int) bool {
		return own[i] && !own[j] || own[i] == own[j] && results[i].answered() && !results[j].answered()
	}
	best := make(map[int]int) // by number: the index of the result to keep
	numbers := make([]int, len(results))
	leaders := 0
	for i := range results {
		r := &results[i]
		numbers[i] = r.number
		if c := slices.IndexFunc(e.config, func(c configuredServer) bool { return c.client == r.Addr }); c >= 0 && r.number == 0 {
			numbers[i] = e.config[c].id
		}
		if j, ok := best[numbers[i]]; !ok || better(i, j) {
			best[numbers[i]] = i
		}
		if r.Mode == session.ModeLeader {
			leaders++
		}
	}
	for i, n := range numbers {
		r := results[i]
		if n > 0 && best[n] != i {
			continue
		}
		// One leader may have answered at two addresses, so a result with anyServer loses its mode.
		if leaders > 1 && r.anyServer && slices.ContainsFunc(e.config, func(c configuredServer) bool { return c.id == n }) {
			r.Mode = session.ModeUnknown
		}
		kept = append(kept, r)
	}
	switch {
	case len(results) == 1 && results[0].Mode == session.ModeStandalone:
		return kept, "" // a standalone server has no other members
	case e.cfg.Ensemble == nil:
		return kept, "the ensemble's configuration is not known"
	case e.configWhy != "":
		return kept, e.configWhy
	case len(e.config) == 0:
		return kept, "/zookeeper/config names no servers"
	}
	return kept, missing
}

type configuredServer struct {
	id     int
	host   string // for connections of the other members
	client string // host:port for clients, "" if the line has none
}

func (c *configuredServer) at(addr string) bool {
	if c.client == "" {
		host, _, _ := net.SplitHostPort(addr)
		return host == c.host
	}
	return addr == c.client
}

// is needs the number if c has no address for clients, because one host can have several servers.
func (c *configuredServer) is(r *result) bool {
	return r.answered() && (r.number == c.id || r.number == 0 && c.client != "")
}

func (c *configuredServer) absent(results []result) string {
	for i := range results {
		switch r := &results[i]; {
		case !c.at(r.Addr):
		case !r.answered() && (r.number == 0 || r.number == c.id):
			return fmt.Sprintf("server.%d did not answer (%s)", c.id, r.Addr)
		case c.client == "" && r.number == 0:
			return r.Addr + " does not report which server it is (admin.enableServer=true, or the four-letter word conf, would allow it)"
		case c.client != "" && r.number > 0 && r.number != c.id:
			return fmt.Sprintf("%s answers as server.%d, but /zookeeper/config has server.%d at that address", r.Addr, r.number, c.id)
		}
	}
	if c.client == "" {
		return fmt.Sprintf("server.%d (%s) has no address for clients in /zookeeper/config: add %s to the connect string",
			c.id, c.host, net.JoinHostPort(c.host, "PORT"))
	}
	return fmt.Sprintf("server.%d has no address of its own in /zookeeper/config (%s)", c.id, c.client)
}

// parseEnsemble parses the data of /zookeeper/config:
//
//	server.1=zk1:2888:3888:participant;0.0.0.0:2181
//	server.2=zk2:2888:3888:observer;2181
//	server.3=zk3:2888:3888|zk3b:2888:3888:participant
//	version=100000000
func parseEnsemble(content string) (all []configuredServer, why string) {
	for line := range strings.Lines(content) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "server.")
		if !ok {
			continue
		}
		c, err := parseConfigured(rest)
		switch {
		case err != nil:
			why = fmt.Sprintf("/zookeeper/config has a line that is not understood: %s", znode.Safe(strings.TrimSpace(line), 80))
		case len(all) == maxMembers:
			return all, fmt.Sprintf("/zookeeper/config names more than %d servers", maxMembers)
		case !slices.ContainsFunc(all, func(o configuredServer) bool { return o.id == c.id }):
			all = append(all, c)
		}
	}
	return all, why
}

func parseConfigured(s string) (configuredServer, error) {
	number, spec, _ := strings.Cut(s, "=")
	id, err := strconv.Atoi(number)
	if err != nil || id < 0 {
		return configuredServer{}, errors.New("no number")
	}
	peers, client, _ := strings.Cut(spec, ";")
	first, _, _ := strings.Cut(peers, "|")
	host := ""
	if v6, ok := strings.CutPrefix(first, "["); ok {
		host, _, ok = strings.Cut(v6, "]")
		if !ok {
			return configuredServer{}, errors.New("no closing bracket")
		}
	} else {
		host, _, _ = strings.Cut(first, ":")
	}
	c := configuredServer{id: id, host: host}
	if _, err := serverAddr(host, "1"); err != nil || client == "" {
		return c, err
	}
	clientHost, port := "", client
	if i := strings.LastIndexByte(client, ':'); i >= 0 {
		clientHost, port = strings.Trim(client[:i], "[]"), client[i+1:]
	}
	switch clientHost {
	case "", "0.0.0.0", "::", "0:0:0:0:0:0:0:0", "*": // all addresses of the host
		clientHost = host
	}
	c.client, err = serverAddr(clientHost, port)
	return c, err
}

func serverAddr(host, port string) (string, error) {
	cs, err := client.ParseConnectString(net.JoinHostPort(host, port))
	if err != nil || len(cs.Servers) != 1 || cs.Chroot != "" {
		return "", errors.New("no address")
	}
	return cs.Servers[0], nil
}
