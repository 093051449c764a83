package detail

import (
	"time"

	"electop/model/session"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/rows"
	"electop/ui/term"
	"electop/ui/wording"
)

// riskFacts adds r's risk, or why a risk may not be seen in time.
func (v *Panel) riskFacts(f *term.Frame, r rows.Row, add func(string, term.Style, string)) {
	s := v.State
	if x := s.Risk(r.Candidate); x != nil {
		words := "at risk"
		if why := znode.Safe(x.Evidence, 0); why != "" {
			words += ": " + why
		}
		if next := x.Next; next != nil && x.Leader && wording.Holders(s) == 1 {
			words += ". " + next.Label() + " would take over"
		}
		add("risk", term.Alarm, words)
		return
	}
	if why := znode.Safe(s.RiskWatch(r.Candidate), 0); why != "" {
		add("risk", term.Muted, "may not be seen in time: "+why)
	}
}

// clientFacts adds what the servers know about r's session.
func (v *Panel) clientFacts(f *term.Frame, r rows.Row, add func(string, term.Style, string)) {
	s := v.State
	conn, server, at := s.Client(r.Candidate)
	if conn == nil {
		return
	}
	addr := znode.Safe(conn.Addr, 64)
	if server != "" {
		addr += "   connected to " + znode.Safe(server, 64)
	}
	if !at.IsZero() {
		addr += ", as of " + f.Clock(at)
	}
	add("client", term.Text, addr)
	last := znode.Safe(conn.LastOp, 24)
	if quiet, ok := quietFor(s.Answers, server, conn); ok {
		if last != "" {
			last += ", "
		}
		last += "at least " + units.Tenths(quiet) + " before that"
	}
	if last != "" {
		add("last request", term.Text, last)
	}
	if conn.Timeout > 0 && (r.Member == nil || r.Member.Timeout == 0) {
		add("timeout", term.Text, units.Exact(conn.Timeout)+"   negotiated for its session")
	}
}

// quietFor returns for how long, at least, a connection had been quiet when its
// server was asked: since the newest reply to any other client there.
func quietFor(t *session.Table, server string, conn *session.Client) (time.Duration, bool) {
	if t == nil || conn.LastResponse == 0 {
		return 0, false
	}
	for i := range t.Servers {
		if v := &t.Servers[i]; v.Addr == server {
			var newest time.Duration
			for _, c := range v.Clients {
				newest = max(newest, c.LastResponse)
			}
			return newest - conn.LastResponse, newest > conn.LastResponse
		}
	}
	return 0, false
}
