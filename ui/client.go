package ui

import (
	"slices"
	"time"

	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/session"
	"electop/model/units"
	"electop/model/znode"
)

// riskFacts adds the risk that r is at, and why one would not be seen in time.
func (d *dashboard) riskFacts(f *frame, r row, add func(string, style, string)) {
	s := d.shown()
	if t, ok := troubleOf(s, r); ok && t.said != nil {
		words := "at risk, " + t.expires(f.busy(), false)
		if why := znode.Safe(t.said.Evidence, 0); why != "" {
			words += ": " + why
		}
		if next := t.said.Next; next != nil && t.said.Leader && holders(s) == 1 {
			words += ". " + next.Label() + " would take over"
		}
		add("risk", styleAlarm, words)
		return
	}
	if why := znode.Safe(s.RiskWatch(r.candidate), 0); why != "" {
		add("risk", styleMuted, "may not be seen in time: "+why)
	}
}

// clientFacts adds what the servers know of r's session.
func (d *dashboard) clientFacts(f *frame, r row, add func(string, style, string)) {
	s := d.shown()
	conn, server, at := s.Client(r.candidate)
	if conn == nil {
		return
	}
	addr := znode.Safe(conn.Addr, 64)
	if server != "" {
		addr += "   connected to " + znode.Safe(server, 64)
	}
	if !at.IsZero() {
		addr += ", as of " + f.clock(at)
	}
	add("client", styleText, addr)
	last := znode.Safe(conn.LastOp, 24)
	if quiet, ok := quietFor(s.Told, server, conn); ok {
		if last != "" {
			last += ", "
		}
		last += "at least " + units.Tenths(quiet) + " before that"
	}
	if last != "" {
		add("last request", styleText, last)
	}
	if conn.Timeout > 0 && (r.member == nil || r.member.Timeout == 0) {
		add("timeout", styleText, units.Exact(conn.Timeout)+"   negotiated for its session")
	}
}

// quietFor returns for how long at least a connection had been quiet when its
// server was asked: since the newest reply to anybody else there.
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

// about returns the findings that are about a candidate.
func about(s *doctor.State, c *dialect.Candidate) []*doctor.Finding {
	path := znodePath(s, c)
	var out []*doctor.Finding
	for _, x := range s.Findings {
		if slices.Contains(x.Znodes, path) || c.Session != 0 && slices.Contains(x.Sessions, c.Session) {
			out = append(out, x)
		}
	}
	return out
}
