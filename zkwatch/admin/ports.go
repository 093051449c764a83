package admin

import (
	"context"
	"fmt"
	"strings"

	"electop/model"
)

// A server can take clients at two ports, with TLS and without (clientPort and
// secureClientPort). The word cons lists the connections to the port that it
// was sent to, while srvr and mntr count those to both. The AdminServer lists
// both. A list that may lack a port must not pass for all there is: whoever
// is connected to the other port would seem to be connected to nobody.

// portsAbout is how often a list is compared with a count before that is given up
// for this round: on a busy server clients come and go between the two.
const portsAbout = 3

// A clients is a list of connections.
type clients struct {
	conns []model.ServerConn
	both  bool // it is of both ports, if there are two
}

// connections asks for the list. It is Answered only if it is known to be of
// all connections; those that are known are in r in any case.
//
// Where the server's configuration does not rule out another port, the list is
// asked for twice, and the count between them. What is in both lists was there
// when it was counted; if that is as many, nobody was connected elsewhere.
func (s *server) connections(ctx context.Context, p plan, r *result) {
	var got clients
	got, r.Connections = ask(ctx, s, &askConnections, p.asked)
	r.conns = got.conns
	if r.Connections.State != model.Answered || got.both || s.onePort(r.Version) {
		return
	}
	listed, counted, short := 0, 0, false
	for range portsAbout {
		b, a := ask(ctx, s, &askBasics, p.asked)
		if a.State != model.Answered {
			break
		}
		before := got.conns
		listed, counted = len(before), b.connections
		if r.Connections.Via == string(viaWords) {
			listed-- // the one that asked is listed, as
		}
		if a.Via == string(viaWords) {
			counted-- // it is counted
		}
		if listed < counted {
			if short { // it was the time before too
				break
			}
			short = true // somebody may have come before the count
		}
		if got, a = ask(ctx, s, &askConnections, p.asked); a.State != model.Answered {
			break
		}
		r.conns, r.Connections = got.conns, a
		if got.both || common(before, got.conns) >= counted {
			return
		}
	}
	r.Connections = model.Answer{State: model.Refused, Via: r.Connections.Via, At: r.Connections.At, Why: s.onlyOnePort(listed, counted)}
	if r.Connections.Via == string(viaWords) {
		if r.Connections.Hint = "admin.enableServer=true"; s.asker.cfg.Mode == FourLetter {
			r.Connections.Hint += " and --admin auto"
		}
	}
}

// onePort tells whether the server is known to have one port for clients.
func (s *server) onePort(version string) bool {
	return s.ident.ports == 1 || strings.HasPrefix(version, "3.4.") // the other came with 3.5
}

func (s *server) onlyOnePort(listed, counted int) string {
	why := "it lists the clients of one port only, and "
	if s.ident.ports > 1 {
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
func common(a, b []model.ServerConn) int {
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
