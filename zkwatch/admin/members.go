package admin

import (
	"fmt"
	"slices"
	"strings"

	"electop/model/session"
)

// targets returns the addresses to ask: those of the connect string and those
// that the configuration has for clients, each once. A name in the connect
// string that stands for the addresses of several configured servers is left
// out: a connection to it reaches any of them.
func targets(servers []string, config []configured, sameHost func(a, b string) bool) []string {
	var all []string
	add := func(addr string) {
		if !slices.ContainsFunc(all, func(other string) bool { return sameServer(addr, other, sameHost) }) {
			all = append(all, addr)
		}
	}
	for _, addr := range servers {
		n := 0
		for _, c := range config {
			if c.client != "" && c.at(addr, sameHost) {
				n++
			}
		}
		if n <= 1 {
			add(addr)
		}
	}
	for _, c := range config {
		if c.client != "" {
			add(c.client)
		}
	}
	return all
}

// members returns the results with each server once, and says which configured
// server may be missing among them; missing is "" if none is.
//
// A result is that of a configured server if it came from the server's address
// for clients, or from its host where the configuration has no such address,
// and if the server there gives no other number. A number alone proves nothing:
// behind a load balancer one server gives the number and another one the lists.
//
// The number is enough to show a server once. If the configuration's addresses
// cannot be reached from here, the results from other addresses are shown.
func members(results []result, config []configured, sameHost func(a, b string) bool) (kept []result, missing string) {
	of := match(results, config, sameHost)
	reached := slices.ContainsFunc(of, func(i int) bool { return i >= 0 && (results[i].answered() || results[i].number > 0) })
	best := make(map[int]int) // by number: the result to keep
	rank := func(i int) int {
		switch own := slices.Contains(of, i); {
		case own && reached:
			return 3
		case results[i].answered():
			return 2
		case results[i].number > 0:
			return 1
		}
		return 0
	}
	numbers := make([]int, len(results))
	for i := range results {
		n := results[i].number
		if c := slices.Index(of, i); c >= 0 {
			n = config[c].id
		}
		if old, ok := best[n]; n > 0 && (!ok || rank(i) > rank(old)) {
			best[n] = i
		}
		numbers[i] = n
	}
	for i, n := range numbers {
		if n <= 0 || best[n] == i {
			r := results[i]
			r.unsure = len(config) > 0 && !slices.Contains(of, i)
			kept = append(kept, r)
		}
	}
	for c := range config {
		i, ok := best[config[c].id]
		switch {
		case missing != "" || of[c] >= 0 && (!ok || of[c] == i):
		case ok:
			missing = fmt.Sprintf("%s answers as server.%d, which has another address in /zookeeper/config (%s): only that address proves which server answers",
				results[i].Addr, config[c].id, config[c].place())
		default:
			missing = config[c].absent(results, sameHost)
		}
	}
	discountUnsure(kept, config)
	return kept, missing
}

// discountUnsure removes from results at unsure addresses what is true only if all of
// a result is from one server.
func discountUnsure(results []result, config []configured) {
	leaders := 0
	for i := range results {
		if results[i].Mode == session.ModeLeader {
			leaders++
		}
	}
	for i := range results {
		r := &results[i]
		if !r.unsure {
			continue
		}
		r.anchors = otherServer(r.anchors, r.conns)
		// Two addresses may have reached the same leader.
		if leaders > 1 && r.Mode == session.ModeLeader && slices.ContainsFunc(config, func(c configured) bool { return c.id == r.number }) {
			r.Mode = session.ModeUnknown
		}
	}
}

// match returns for each configured server which result is its own, -1 for
// none.
func match(results []result, config []configured, sameHost func(a, b string) bool) []int {
	of := slices.Repeat([]int{-1}, len(config))
	take := func(fits func(r *result, c *configured) bool) {
		for c := range config {
			for i := range results {
				if of[c] < 0 && !slices.Contains(of, i) && config[c].at(results[i].Addr, sameHost) && fits(&results[i], &config[c]) {
					of[c] = i
				}
			}
		}
	}
	take(func(r *result, c *configured) bool { return c.client != "" && (r.number == 0 || r.number == c.id) })
	// Several servers can be on one host: first those that gave their number.
	take(func(r *result, c *configured) bool { return c.client == "" && r.number == c.id })
	take(func(r *result, c *configured) bool { return c.client == "" && r.number == 0 })
	return of
}

// place is where the configuration has the server.
func (c *configured) place() string {
	if c.client != "" {
		return c.client
	}
	return c.host
}

// absent says why a configured server has no result.
func (c *configured) absent(results []result, sameHost func(a, b string) bool) string {
	if c.client == "" {
		host := c.host
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		return fmt.Sprintf("server.%d (%s) has no address for clients in /zookeeper/config: add %s:PORT to the connect string", c.id, c.host, host)
	}
	for i := range results {
		if r := &results[i]; c.at(r.Addr, sameHost) && r.number > 0 && r.number != c.id {
			return fmt.Sprintf("%s answers as server.%d, but /zookeeper/config has server.%d at that address", r.Addr, r.number, c.id)
		}
	}
	return fmt.Sprintf("server.%d has no address of its own in /zookeeper/config (%s)", c.id, c.client)
}
