package detail

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/session"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/overlay"
	"electop/ui/plain"
	"electop/ui/term"
	"electop/ui/wording"
)

// modes names the modes of servers. An "ensemble leader" is not the election's leader.
var modes = map[session.Mode]string{
	session.ModeLeader: "ensemble leader", session.ModeFollower: "follower", session.ModeObserver: "observer server", session.ModeStandalone: "standalone",
}

// Servers returns a table of the ensemble's servers, and what they did not report, on lines of w cells.
func (v *Panel) Servers(f *term.Frame, w int) overlay.Text {
	s := v.State
	t := s.Answers
	var lines [][]term.Span
	prose := func(indent int, st term.Style, text string) {
		for _, l := range term.Wrap(text, w-indent) {
			lines = append(lines, []term.Span{{Text: term.Blanks(indent)}, {Style: st, Text: l}})
		}
	}
	switch {
	case t != nil:
		v.serverTable(f, t, w, func(spans ...term.Span) { lines = append(lines, spans) }, prose)
	case v.Recorded:
		prose(0, term.Strong, "The recording has no reports of the ensemble.")
	case v.Why == "":
		prose(0, term.Strong, "Waiting for the servers' first answers.")
	default:
		prose(0, term.Strong, "The servers were not queried.")
		lines = append(lines, nil)
		if where := znode.Safe(s.Link.Server, 64); where != "" && s.Link.Link == model.Connected {
			prose(0, term.Text, "This program is connected to "+where+". Only the servers of the ensemble know their clients and who watches what.")
		}
		prose(0, term.Muted, "They cannot be queried: "+v.Why)
	}
	return overlay.Text{Title: "Servers", Lines: lines}
}

func (v *Panel) serverTable(f *term.Frame, t *session.Table, w int, add func(...term.Span), prose func(int, term.Style, string)) {
	s := v.State
	addrWidth := len("server")
	for i := range t.Servers {
		addrWidth = max(addrWidth, term.Width(znode.Safe(t.Servers[i].Addr, 64)))
	}
	addrWidth = min(addrWidth, max(16, w-2-17-9-9-2))
	versionWidth := 0
	if w >= addrWidth+2+17+9+9+9 {
		versionWidth = 9
	}
	right := func(text string, n int) string { return term.Blanks(n-term.Width(text)) + text }
	count := func(n int, known bool) string {
		if !known || n < 0 {
			return "-"
		}
		return strconv.Itoa(n)
	}
	row := func(sign term.Span, st term.Style, name string, mode term.Span, version, clients, watches string) {
		spans := []term.Span{sign, {Style: st, Text: " " + term.Fitted(name, addrWidth)}, {Style: mode.Style, Text: "  " + term.Fitted(mode.Text, 15)}}
		if versionWidth > 0 {
			spans = append(spans, term.Span{Style: term.Muted, Text: "  " + term.Fitted(version, versionWidth-2)})
		}
		add(append(spans, term.Span{Style: st, Text: right(clients, 11) + right(watches, 9)})...)
	}
	row(term.Span{Text: " "}, term.Muted, "server", term.Span{Style: term.Muted, Text: "mode"}, "version", "connected", "watches")
	for i := range t.Servers {
		m := &t.Servers[i]
		sign, mode := term.Span{Text: " "}, term.Span{Style: term.Muted, Text: cmp.Or(modes[m.Mode], "-")}
		if m.Addr == s.Link.Server && s.Link.Link == model.Connected {
			sign = term.Span{Style: term.Good, Text: f.Theme.Glyph.Online}
		}
		if m.Mode == session.ModeLeader {
			mode.Style = term.Text
		}
		known := m.Basic.State == session.Answered
		row(sign, term.Text, znode.Safe(m.Addr, 64), mode, znode.Safe(m.Version, 12),
			count(m.ConnectionCount, known || m.Connections.State == session.Answered), count(m.WatchCount, known))
		if who := v.connectedTo(m); who != "" {
			prose(2, term.Muted, "of this election: "+who)
		}
		for _, u := range plain.Unreported(t.Servers[i : i+1]) {
			st := term.Trouble
			if u.Setting != nil {
				st = term.Muted
			}
			u.Servers = nil // the row above names the server
			prose(2, st, u.String())
		}
	}
	add()
	queried := "queried at " + f.Clock(t.End)
	if ago := f.Picture.Truncate(term.TickCalm).Sub(t.End); ago >= 0 {
		queried += ", " + units.Seconds(f.Calm().Sub(t.End)) + " ago"
	}
	if v.Verifying {
		queried = "being queried now"
	}
	queried += "; connections and sessions "
	switch {
	case t.Every > 0 && t.Cheap:
		queried += "every " + units.Exact(t.Every) + ", while they are few and the servers answer fast"
	case t.Every > 0:
		queried += "every " + units.Exact(t.Every)
	default:
		queried += "only when v requests them"
	}
	prose(2, term.Muted, queried+".")
	if !t.Whole {
		prose(2, term.Trouble, "This may not be the whole ensemble: "+znode.Safe(plain.Unwhole(t), 0))
	}
	if text := wording.RiskWarning(s); text != "" {
		prose(2, term.Trouble, text)
	}
	prose(2, term.Muted, f.Theme.Glyph.Online+" is where this program is connected.")
}

func (v *Panel) connectedTo(m *session.Server) string {
	if len(m.Clients) == 0 {
		return ""
	}
	on := make(map[uint64]bool, len(m.Clients))
	for _, c := range m.Clients {
		on[c.Session] = true
	}
	var out []string
	for _, c := range v.State.Queue.All() {
		if c.Session != 0 && on[c.Session] {
			out = append(out, c.Label())
		}
	}
	return phrase.Names(out, 4)
}

// AnswersWatches reports whether t ends the wait for watches that were requested at the time since.
func AnswersWatches(t *session.Table, since time.Time) bool {
	if t == nil || t.End.Before(since) {
		return false
	}
	for i := range t.Servers {
		if w := &t.Servers[i].Watches; w.State != session.NotRequested && !w.At.Before(since) ||
			w.State == session.Refused || w.State == session.Failed || w.State == session.TooLarge {
			return true
		}
	}
	return len(t.Servers) == 0
}

// WatchSummary returns one line about the watches of the waiting candidates.
func WatchSummary(s *doctor.State) (term.Style, string) {
	counts := make(map[doctor.WatchState]int)
	why := ""
	for i := s.Holders(); i < s.Queue.Len(); i++ {
		e := s.Edge(i)
		counts[e.State]++
		if (e.State == doctor.Unverified || e.State == doctor.OtherWatch) && why == "" {
			why = e.Why
		}
	}
	var parts []string
	st := term.Good
	for _, p := range []struct {
		state doctor.WatchState
		word  string
		st    term.Style
	}{
		{doctor.WrongWatch, "wrong", term.Trouble}, {doctor.OtherWatch, "on another znode", term.Trouble}, {doctor.MissingWatch, "missing", term.Trouble},
		{doctor.Unverified, "unknown", term.Muted}, {doctor.Verified, "verified", term.Good},
	} {
		if n := counts[p.state]; n > 0 {
			parts = append(parts, strconv.Itoa(n)+" "+p.word)
			if st == term.Good || p.st == term.Trouble {
				st = p.st
			}
		}
	}
	answered, all := 0, 0
	if t := s.Table; t != nil {
		all = len(t.Servers)
		for _, server := range t.Servers {
			if server.Watches.State == session.Answered {
				answered++
			}
		}
	}
	text := units.Count(all, "server", "servers") + " answered"
	if answered < all {
		text = strconv.Itoa(answered) + " of " + text
		st = max(st, term.Muted)
	}
	if s.Roleless() { // there are no predecessors to watch
		parts, why = []string{phrase.NoLeader(s).Sentence}, ""
	} else if len(parts) == 0 {
		parts = append(parts, "nobody waits, so there is no watch to verify")
	}
	text += ": " + strings.Join(parts, ", ")
	if why != "" {
		text += "; " + znode.Safe(why, 0)
	}
	return st, text
}
