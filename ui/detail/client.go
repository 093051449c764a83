package detail

import (
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
	x, listed := s.Client(r.Candidate)
	conn, server := x.Conn, x.Server
	if conn == nil {
		return
	}
	addr, state := znode.Safe(conn.Addr, 64), "   connected to "
	if !listed {
		state = "   not connected any longer; last to "
	}
	if server != "" {
		addr += state + znode.Safe(server, 64)
	}
	if !x.At.IsZero() {
		addr += ", as of " + f.Clock(x.At)
	}
	add("client", term.Text, addr)
	if heard := s.Tracked.Heard(r.Candidate.Session); !heard.IsZero() {
		add("heard from", term.Text, "at "+f.Clock(heard)+" or later")
	}
	if last := znode.Safe(conn.LastOp, 24); last != "" {
		add("last request", term.Text, last)
	}
	if conn.Timeout > 0 && (r.Member == nil || r.Member.Timeout == 0) {
		add("timeout", term.Text, units.Exact(conn.Timeout)+"   negotiated for its session")
	}
}
