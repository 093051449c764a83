package ui

import (
	"cmp"
	"strconv"

	"electop/model"
	"electop/model/session"
	"electop/model/units"
	"electop/model/znode"
)

// partOf names a member's part in the ensemble. The leader of an election is
// another thing, and so is this program, which only observes.
func partOf(m session.Mode) string {
	switch m {
	case session.ModeLeader:
		return "ensemble leader"
	case session.ModeFollower:
		return "follower"
	case session.ModeObserver:
		return "observer server"
	case session.ModeStandalone:
		return "standalone"
	}
	return "-"
}

// topic is something that a server can be asked.
type topic struct {
	name   string
	answer func(*session.Server) *session.Answer
}

var topics = [...]topic{
	{"mode and counts", func(s *session.Server) *session.Answer { return &s.Basic }},
	{"connections", func(s *session.Server) *session.Answer { return &s.Connections }},
	{"sessions", func(s *session.Server) *session.Answer { return &s.Sessions }},
	{"watches", func(s *session.Server) *session.Answer { return &s.Watches }},
}

// holes are what a server did not tell though it was asked: which topics, why,
// and which setting would allow it. Topics with the same reason are one.
func holes(s *session.Server) []span {
	type hole struct {
		what, why, hint string
		refused         bool
	}
	var list []hole
	for _, t := range topics {
		a := t.answer(s)
		if a.State == session.NotAsked || a.State == session.Answered {
			continue
		}
		why := znode.Safe(a.Why, 160)
		if why == "" {
			why = string(a.State)
		}
		hint := znode.Safe(a.Hint, 80)
		if n := len(list); n > 0 && list[n-1].why == why && list[n-1].hint == hint {
			list[n-1].what += ", " + t.name
			continue
		}
		list = append(list, hole{t.name, why, hint, a.State == session.Refused})
	}
	if s.Leftover {
		list = append(list, hole{"the rest", "there is more than is kept", "", false})
	}
	var out []span
	for _, h := range list {
		x := span{style: styleTrouble, text: h.what + ": " + h.why}
		if h.refused {
			x.style = styleMuted // nothing is wrong with the server
		}
		if h.hint != "" {
			x.text += "; " + h.hint + " would allow it"
		}
		out = append(out, x)
	}
	return out
}

// unwhole says why t may not be the whole ensemble.
func unwhole(t *session.Table) string {
	return cmp.Or(znode.Safe(t.Unwhole, 0), "not every member of the ensemble is known")
}

// unanswered says what the servers did not tell.
func unanswered(t *session.Table) []string {
	var out []string
	if !t.Whole {
		out = append(out, "whether something is missing: "+unwhole(t))
	}
	unasked := len(t.Servers) > 0
	on := make(map[string][]string)
	var order []string
	for i := range t.Servers {
		s := &t.Servers[i]
		for _, h := range holes(s) {
			if on[h.text] == nil {
				order = append(order, h.text)
			}
			on[h.text] = append(on[h.text], s.Addr)
		}
		unasked = unasked && s.Watches.State == session.NotAsked
	}
	for _, h := range order {
		out = append(out, names(on[h])+"  "+h)
	}
	if unasked {
		out = append(out, "watches: not asked for yet")
	}
	return out
}

func addresses(t *session.Table) string {
	var out []string
	for i := range t.Servers {
		out = append(out, t.Servers[i].Addr)
	}
	return names(out)
}

// drawServers draws the members of the ensemble: what they are, what they
// hold, and what they did not tell.
func (d *dashboard) drawServers(f *frame) {
	s := d.shown()
	t := s.Told
	const wide = 100
	inside := min(d.w-4, wide) - 4
	var lines [][]span
	prose := func(indent int, st style, text string) {
		for _, l := range wrap(text, inside-indent) {
			lines = append(lines, []span{{text: blanks(indent)}, {style: st, text: l}})
		}
	}
	if t == nil {
		prose(0, styleStrong, "The servers were not asked.")
		lines = append(lines, nil)
		where := znode.Safe(s.Link.Server, 64)
		if where != "" && s.Link.Link == model.Connected {
			prose(0, styleText, "This program is connected to "+where+". What the members of the ensemble know of their clients, and who watches what, only they can tell.")
		}
		if _, why := d.action(Verify); why != "" {
			prose(0, styleMuted, "They cannot be asked: "+why)
		} else {
			prose(0, styleMuted, "v asks them.")
		}
	} else {
		d.serverTable(f, t, inside, func(spans ...span) { lines = append(lines, spans) }, prose)
	}
	d.drawOverlay(f, "Servers", wide, lines)
}

// serverTable makes the lines of the table and of what is below it.
func (d *dashboard) serverTable(f *frame, t *session.Table, w int, add func(...span), prose func(int, style, string)) {
	s := d.shown()
	addr := len("server")
	for i := range t.Servers {
		addr = max(addr, width(znode.Safe(t.Servers[i].Addr, 64)))
	}
	addr = min(addr, max(16, w-2-17-9-9-2))
	version := 0
	if w >= addr+2+17+9+9+9 {
		version = 9
	}
	right := func(text string, n int) string { return blanks(n-width(text)) + text }
	count := func(n int, known bool) string {
		if !known || n < 0 {
			return "-"
		}
		return strconv.Itoa(n)
	}
	clients, watches := "connected", "watches"
	row := func(sign string, st style, name, mode, version_, clients, watches string, m style) {
		spans := []span{{st, sign + " ", 0}, {styleText, fitted(name, addr), 0}, {m, "  " + fitted(mode, 15), 0}}
		if version > 0 {
			spans = append(spans, span{styleMuted, "  " + fitted(version_, version-2), 0})
		}
		add(append(spans, span{styleText, right(clients, 11) + right(watches, 9), 0})...)
	}
	add(span{styleMuted, "  " + fitted("server", addr) + "  " + fitted("mode", 15), 0},
		span{styleMuted, func() string {
			if version > 0 {
				return "  " + fitted("version", version-2)
			}
			return ""
		}(), 0}, span{styleMuted, right(clients, 11) + right(watches, 9), 0})
	for i := range t.Servers {
		v := &t.Servers[i]
		sign, st := " ", styleText
		if v.Addr == s.Link.Server && s.Link.Link == model.Connected {
			sign, st = f.th.glyph.Online, styleGood
		}
		m := styleMuted
		if v.Mode == session.ModeLeader {
			m = styleText
		}
		known := v.Basic.State == session.Answered
		row(sign, st, znode.Safe(v.Addr, 64), partOf(v.Mode), znode.Safe(v.Version, 12),
			count(v.ConnectionCount, known || v.Connections.State == session.Answered), count(v.WatchCount, known), m)
		if who := d.connectedTo(v); who != "" {
			prose(2, styleMuted, "of this election: "+who)
		}
		for _, h := range holes(v) {
			prose(2, h.style, h.text)
		}
	}
	add()
	asked := "asked at " + f.clock(t.End)
	if ago := f.picture.Truncate(tickCalm).Sub(t.End); ago >= 0 {
		asked += ", " + units.Seconds(f.calm().Sub(t.End)) + " ago"
	}
	if !d.asked.IsZero() {
		asked = "being asked now"
	}
	switch {
	case t.Every > 0:
		asked += "; connections and sessions every " + units.Exact(t.Every)
	default:
		asked += "; connections and sessions only when v asks for them"
	}
	prose(2, styleMuted, asked+".")
	if !t.Whole {
		prose(2, styleTrouble, "This may not be the whole ensemble: "+unwhole(t))
	}
	if text := warned(s); text != "" {
		prose(2, styleTrouble, text)
	}
	prose(2, styleMuted, f.th.glyph.Online+" is where this program is connected.")
}

// connectedTo names the candidates whose sessions are connected to v.
func (d *dashboard) connectedTo(v *session.Server) string {
	if len(v.Clients) == 0 {
		return ""
	}
	on := make(map[uint64]bool, len(v.Clients))
	for _, c := range v.Clients {
		on[c.Session] = true
	}
	var out []string
	for _, c := range d.shown().Queue {
		if c.Session != 0 && on[c.Session] {
			out = append(out, c.Label())
		}
	}
	if len(out) == 0 {
		return ""
	}
	return names(out)
}
