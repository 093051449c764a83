package admin

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"electop/model/znode"
	"electop/zkwatch/client"
)

// maxMembers bounds an ensemble: a server's number is one byte.
const maxMembers = 255

// configured is a server.N line of /zookeeper/config.
type configured struct {
	id     int
	host   string // for its peers
	client string // host:port for clients, "" if the line has none
}

// parseEnsemble reads the data of /zookeeper/config. why says which part of it
// is not understood.
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
			why = fmt.Sprintf("/zookeeper/config has a line that is not understood: %s", znode.Safe(strings.TrimSpace(line), 80))
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

// wildcard reports whether a server listens for clients at all its addresses.
func wildcard(host string) bool {
	switch host {
	case "", "0.0.0.0", "::", "0:0:0:0:0:0:0:0", "*":
		return true
	}
	return false
}

// serverAddr returns host:port if that can be the address of a server.
func serverAddr(host, port string) (string, error) {
	cs, err := client.ParseConnectString(net.JoinHostPort(host, port))
	if err != nil || len(cs.Servers) != 1 || cs.Chroot != "" {
		return "", errors.New("no address")
	}
	return cs.Servers[0], nil
}

// at reports whether the configuration has the server at an address: at its
// address for clients, or else at its host, whatever the port.
func (c *configured) at(addr string, sameHost func(a, b string) bool) bool {
	if c.client == "" {
		return sameHost(hostOf(addr), c.host)
	}
	return sameServer(addr, c.client, sameHost)
}

func sameServer(a, b string, sameHost func(a, b string) bool) bool {
	ha, pa, _ := net.SplitHostPort(a)
	hb, pb, _ := net.SplitHostPort(b)
	return pa == pb && sameHost(ha, hb)
}

// hostOf is the host of host:port.
func hostOf(addr string) string {
	host, _, _ := net.SplitHostPort(addr)
	return host
}
