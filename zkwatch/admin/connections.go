package admin

import (
	"context"
	"fmt"
	"strings"

	"electop/model/session"
	"electop/zkwatch/admin/command"
)

// A server can have two ports for clients, one with TLS and one without
// (secureClientPort and clientPort). The word cons lists the connections to the
// port that it was sent to, while srvr and mntr count those to both ports. The
// AdminServer lists both. A list that may lack a port must not pass for the
// list of all: each client of the other port would seem to have no connection.

// countAttempts is how often a list is compared with a count in one poll. On a
// busy server clients come and go between the two.
const countAttempts = 3

// connections asks for the list. It is Answered only if it is known to have all
// connections; those that are known are in r in any case.
//
// Unless the server's configuration rules out another port, the list is asked
// for twice, and the count in between. What is in both lists was there when it
// was counted; if that is as many, nobody was connected to another port.
func (s *server) connections(ctx context.Context, p plan, r *result) {
	var got command.Connections
	got, r.Connections = ask(ctx, s.access, command.ForConnections(), p.retry)
	r.conns = got.List
	if r.Connections.State != session.Answered || got.BothPorts || s.onePort(r.Version) {
		return
	}
	listed, counted, short := 0, 0, false
	for range countAttempts {
		st, a := ask(ctx, s.access, command.ForStatus(), p.retry)
		if a.State != session.Answered {
			break
		}
		before := got.List
		listed, counted = len(before), st.Connections
		// A word's own connection is listed and counted.
		if r.Connections.Via == string(asWord) {
			listed--
		}
		if a.Via == string(asWord) {
			counted--
		}
		if listed < counted {
			if short { // as in the attempt before
				break
			}
			short = true // somebody may have come before the count
		}
		if got, a = ask(ctx, s.access, command.ForConnections(), p.retry); a.State != session.Answered {
			break
		}
		r.conns, r.Connections = got.List, a
		if got.BothPorts || common(before, got.List) >= counted {
			return
		}
	}
	r.Connections = session.Answer{State: session.Refused, Via: r.Connections.Via, At: r.Connections.At, Why: s.onlyOnePort(listed, counted)}
	if r.Connections.Via == string(asWord) {
		if r.Connections.Hint = "admin.enableServer=true"; s.cfg.Mode == FourLetter {
			r.Connections.Hint += " and --admin auto"
		}
	}
}

// onePort reports whether the server is known to have one port for clients.
func (s *server) onePort(version string) bool {
	return s.identity.Ports == 1 || strings.HasPrefix(version, "3.4.") // 3.5 introduced the other one
}

func (s *server) onlyOnePort(listed, counted int) string {
	why := "it lists the clients of only one port, and the server "
	if s.identity.Ports > 1 {
		why += "has another one (clientPort and secureClientPort)"
	} else {
		why += "may have another one (secureClientPort)"
	}
	if listed = max(listed, 0); counted > listed {
		why += fmt.Sprintf(": %d of %d connections", listed, counted)
	}
	return why
}

// common counts the connections that are in both lists.
func common(a, b []session.Client) int {
	type key struct {
		addr    string
		session uint64
	}
	left := make(map[key]int, len(a))
	for i := range a {
		left[key{a[i].Addr, a[i].Session}]++
	}
	n := 0
	for i := range b {
		if k := (key{b[i].Addr, b[i].Session}); left[k] > 0 {
			left[k]--
			n++
		}
	}
	return n
}
