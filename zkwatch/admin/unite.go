package admin

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"electop/model"
	"electop/zkwatch"
)

// maxMembers bounds an ensemble: a server's number is one byte.
const maxMembers = 255

// configured is a server.N line of /zookeeper/config.
type configured struct {
	id     int
	host   string // for its peers
	client string // host:port for clients, "" if the line has none
}

// parseEnsemble reads the data of /zookeeper/config. why says what of it is
// not understood.
//
//	server.1=zk1:2888:3888:participant;0.0.0.0:2181
//	server.2=zk2:2888:3888:observer;2181
//	server.3=zk3:2888:3888|zk3b:2888:3888:participant
//	version=100000000
func parseEnsemble(content string) (all []configured, why string) {
	for line := range strings.Lines(content) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "server.")
		if !ok {
			continue
		}
		c, err := parseConfigured(rest)
		switch {
		case err != nil:
			why = fmt.Sprintf("/zookeeper/config has a line that is not understood: %s", model.Safe(strings.TrimSpace(line), 80))
		case len(all) == maxMembers:
			return all, "/zookeeper/config names too many servers"
		case !slices.ContainsFunc(all, func(o configured) bool { return o.id == c.id }):
			all = append(all, c)
		}
	}
	return all, why
}

func parseConfigured(s string) (configured, error) {
	number, spec, _ := strings.Cut(s, "=")
	id, err := strconv.Atoi(number)
	if err != nil || id < 0 {
		return configured{}, errors.New("no number")
	}
	peers, client, hasClient := strings.Cut(spec, ";")
	first, _, _ := strings.Cut(peers, "|")
	host := ""
	if v6, ok := strings.CutPrefix(first, "["); ok {
		host, _, ok = strings.Cut(v6, "]")
		if !ok {
			return configured{}, errors.New("no closing bracket")
		}
	} else {
		host, _, _ = strings.Cut(first, ":")
	}
	c := configured{id: id, host: host}
	if _, err := serverAddr(host, "1"); err != nil {
		return configured{}, err
	}
	if !hasClient || client == "" {
		return c, nil
	}
	clientHost, port := "", client
	if i := strings.LastIndexByte(client, ':'); i >= 0 {
		clientHost, port = strings.Trim(client[:i], "[]"), client[i+1:]
	}
	if wildcard(clientHost) {
		clientHost = host
	}
	c.client, err = serverAddr(clientHost, port)
	return c, err
}

// wildcard tells whether a server listens for clients at all its addresses.
func wildcard(host string) bool {
	switch host {
	case "", "0.0.0.0", "::", "0:0:0:0:0:0:0:0", "*":
		return true
	}
	return false
}

// serverAddr joins what can be the address of a server.
func serverAddr(host, port string) (string, error) {
	cs, err := zkwatch.ParseConnectString(net.JoinHostPort(host, port))
	if err != nil || len(cs.Servers) != 1 || cs.Chroot != "" {
		return "", errors.New("no address")
	}
	return cs.Servers[0], nil
}

// A member is a server to ask.
type member struct {
	addr string
	id   int // 0: not known
}

// An entry is a server of the connect string.
type entry struct {
	member
	failing bool
	alias   bool // it was found to be another entry's member
	several bool // different servers answered there
}

// unite returns the members that the connect string and the configuration name
// together, each once. missing names a configured server that is in neither
// with an address for clients, and says what to do; "" if there is none.
//
// An entry is a configured server if it says so itself, by its number, or else
// by its address. A line without an address for clients takes an entry at the
// same host. A name that stands for several members' addresses, or where several
// answered, is none of them, and connecting to it reaches any: it is left out.
// Other entries that
// are not configured are kept: the configuration may name addresses that
// cannot be reached from here.
func unite(entries []entry, config []configured, sameHost func(a, b string) bool) (members []member, missing string) {
	entries = distinct(entries, sameHost)
	of := make([]int, len(config)) // which entry each is; -1: none
	taken := make([]bool, len(entries))
	for c := range config {
		of[c] = slices.IndexFunc(entries, func(e entry) bool { return e.id > 0 && e.id == config[c].id && !e.several })
		if of[c] >= 0 {
			taken[of[c]] = true
		}
	}
	reaches := func(e entry, c configured) bool { return c.client != "" && c.at(e.addr, sameHost) }
	for i, e := range entries {
		n := 0
		for _, c := range config {
			if reaches(e, c) {
				n++
			}
		}
		taken[i] = taken[i] || n > 1 || e.several && len(config) > 0
	}
	take := func(match func(entry, configured) bool) {
		for c := range config {
			for i, e := range entries {
				if of[c] < 0 && !taken[i] && (e.id == 0 || e.id == config[c].id) && match(e, config[c]) {
					of[c], taken[i] = i, true
				}
			}
		}
	}
	take(reaches)
	take(func(e entry, c configured) bool { return c.client == "" && c.at(e.addr, sameHost) })

	for i, e := range entries {
		if !taken[i] || slices.Contains(of, i) {
			members = append(members, e.member)
		}
	}
	for c, x := range config {
		switch {
		case of[c] >= 0:
		case x.client != "":
			members = append(members, member{addr: x.client, id: x.id})
		case missing == "":
			host := x.host
			if strings.Contains(host, ":") {
				host = "[" + host + "]"
			}
			missing = fmt.Sprintf("server.%d (%s) has no address for clients in /zookeeper/config: add %s:PORT to the connect string",
				x.id, x.host, host)
		}
	}
	return members, missing
}

// at tells whether the configuration has the server at an address, as far as it
// says where it is for clients.
func (c *configured) at(addr string, sameHost func(a, b string) bool) bool {
	if c.client == "" {
		return sameHost(hostOf(addr), c.host)
	}
	return sameServer(addr, c.client, sameHost)
}

// distinct leaves one entry of those that are the same server: the first that
// answers.
func distinct(entries []entry, sameHost func(a, b string) bool) []entry {
	worse := func(a, b entry) bool { // a is
		if a.failing != b.failing {
			return a.failing
		}
		return a.alias && !b.alias
	}
	var out []entry
	for _, e := range entries {
		i := slices.IndexFunc(out, func(o entry) bool {
			if o.id > 0 && e.id > 0 && !o.several && !e.several {
				return o.id == e.id
			}
			return sameServer(o.addr, e.addr, sameHost)
		})
		switch {
		case i < 0:
			out = append(out, e)
		case worse(out[i], e):
			out[i] = e
		}
	}
	return out
}

func sameServer(a, b string, sameHost func(a, b string) bool) bool {
	ha, pa, _ := net.SplitHostPort(a)
	hb, pb, _ := net.SplitHostPort(b)
	return pa == pb && sameHost(ha, hb)
}
