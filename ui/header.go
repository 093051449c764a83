package ui

import (
	"fmt"
	"slices"
	"strconv"

	"electop/model"
	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/term"
	"electop/ui/travel"
	"electop/ui/wording"
)

// tooSmall says what size is needed.
func tooSmall(w, h int) string {
	return fmt.Sprintf("electop needs %dx%d, this terminal is %dx%d", minWidth, minHeight, w, h)
}

// drawHeader draws the first line: what is looked at, and how well.
func (d *dashboard) drawHeader(f *term.Frame, r term.Rect) {
	s := d.shown()
	p := f.Area(r).Pen(0)
	p.Text(term.Badge, " electop ")

	right := d.headerRight(f)
	path := znode.Safe(s.Path, 0)
	if path == "" {
		path = "no path"
	}
	count := strconv.Itoa(len(s.Queue))
	words := units.Count(len(s.Queue), "candidate", "candidates")
	if s.Phase != model.Live {
		count, words = "", ""
	}

	at := ""
	if n := len(d.views); n > 1 {
		at = "  (" + strconv.Itoa(slices.Index(d.views, d.view)+1) + "/" + strconv.Itoa(n) + ")"
	}
	whose := ""
	if wording.Foreign(s) != nil {
		most := 20
		if d.w >= wideFrom {
			most = 32
		}
		whose = "  " + term.Cut(wording.System(s), most)
	}

	// The right side gives way until the path has room, and whose it is; but
	// not what matters most of it, as that there is no connection.
	least := min(term.Width(path), 20) + term.Width(at) + 6 + len(count)
	all := right
	right = term.FitSpans(all, p.Room()-least-1-term.Width(whose))
	if telling(right, 6) < telling(all, 6) {
		right, whose = term.FitSpans(all, p.Room()-least-1), ""
	}
	if telling(right, 6) < telling(all, 6) {
		right = term.FitSpans(all, p.Room()-least) // for want of a cell of the path
	}
	if telling(right, 8) < telling(all, 8) {
		right = term.FitSpans(all, p.Room()-least+max(0, min(term.Width(path), 20)-10))
	}
	left := p.Room() - term.SpansWidth(right) - 5
	p.Gap(2)
	if words != "" {
		words, count = "  "+words, "  "+count
	}
	for i, rest := range [][3]string{{at, whose, words}, {at, whose, count}, {at, "", words}, {at, "", count}} {
		n := term.Width(rest[0]) + term.Width(rest[1]) + term.Width(rest[2])
		if shown := term.TailOf(path, left-n); i == 3 || term.Width(shown) >= min(term.Width(path), 20) && (i > 1 || n+term.Width(path) <= left || i == 1 && whose != "") {
			p.Text(term.Strong, shown).Text(term.You, rest[0]).Text(term.Muted, rest[1]+rest[2])
			break
		}
	}
	p.Gap(p.Room() - term.SpansWidth(right) - 1).Spans(right)
}

// telling counts the spans that a line should not be without, from that keep
// on.
func telling(spans []term.Span, keep int) int {
	n := 0
	for _, s := range spans {
		if s.Keep >= keep {
			n++
		}
	}
	return n
}

func (d *dashboard) headerRight(f *term.Frame) []term.Span {
	s := d.shown()
	var out []term.Span
	add := func(keep int, st term.Style, text string) {
		out = append(out, term.Span{Style: st, Text: text, Keep: keep})
	}
	f.Ticks(term.TickCalm)
	now := f.Now.Truncate(term.TickCalm)

	cluster := znode.Safe(d.o.Cluster, 64)
	reel := d.reel()
	switch st, words := d.link(f); {
	case d.past.on && reel != nil:
	case d.past.on:
		add(9, term.BadgeCut, " "+f.Clock(d.since)+"  LIVE -"+units.Counter(now.Sub(d.since.Truncate(term.TickCalm)))+" ")
	case d.paused != nil:
		add(9, term.BadgeCut, " PAUSED "+f.Clock(d.since)+"  -"+units.Counter(now.Sub(d.since))+" ")
		if n := d.waiting(); n > 0 {
			add(8, term.You, "  +"+units.Count(n, "event", "events")+" waiting")
		}
	case st == term.Good:
		add(8, term.Good, f.Theme.Glyph.Online)
		add(2, term.Good, " "+words)
		if cluster != "" {
			add(6, term.Text, " "+cluster)
		}
	default:
		add(8, st, f.Theme.Glyph.Offline+" ")
		add(8, st, words)
		if next := znode.Safe(s.Link.Server, 40); next != "" && !d.ended {
			add(6, st, ", trying "+next)
		}
		if why := znode.Safe(s.Link.Err, 80); why != "" && !d.ended {
			add(5, term.Trouble, ": "+term.Cut(why, 36))
		}
		if cluster != "" {
			add(1, term.Muted, "  "+cluster)
		}
	}
	switch {
	case reel != nil:
		at := f.Now
		if d.past.on {
			at = d.since
		}
		out = append(out, travel.Playback(f, d.o.Mode, reel.Playing(), at, d.past.on)...)
	case d.o.Mode != ModeLive:
		add(7, term.Lead, "  "+znode.Safe(d.o.Mode, 16))
	}
	if d.stopped && reel == nil {
		add(7, term.You, "  stopped")
	}
	if role := role(d.o.Role, s); role != "" {
		add(4, term.Muted, "   "+znode.Safe(role, 32))
	}
	if rtt := s.Link.RTT; rtt > 0 && s.Link.Link == model.Connected && d.paused == nil && !d.ended {
		add(1, term.Muted, "   rtt "+units.Took(rtt))
	}
	if reel == nil {
		add(5, term.Muted, "   "+f.Clock(now))
	}
	return out
}

// link is the state of the connection in words. The style is term.Good while
// there is one.
func (d *dashboard) link(f *term.Frame) (term.Style, string) {
	s := d.shown()
	if d.ended {
		if d.o.Mode == ModeReplay {
			return term.Muted, "the recording has ended"
		}
		return term.Alarm, "ended"
	}
	since := ""
	if !s.DownSince.IsZero() {
		since = " since " + units.Seconds(f.Now.Truncate(term.TickCalm).Sub(s.DownSince))
	}
	switch s.Link.Link {
	case model.Connected:
		return term.Good, "connected"
	case model.Expired:
		return term.Alarm, "session expired" + since
	case model.Connecting:
		if since == "" {
			return term.Alarm, "connecting"
		}
	}
	if since == "" {
		return term.Alarm, "no connection" // there never was one
	}
	return term.Alarm, "reconnecting" + since
}

// asOf says how old a stale picture is, "" for a true one.
func (d *dashboard) asOf(f *term.Frame) string {
	if !d.stale() {
		return ""
	}
	if d.past.on {
		return "as of " + f.Clock(d.shown().DownSince) + ", there is no connection"
	}
	f.Ticks(term.TickCalm)
	return "as of " + f.Clock(f.Picture) + ", " + units.Seconds(f.Now.Truncate(term.TickCalm).Sub(f.Picture)) + " ago"
}

// role is what this program is in the election: at least what it was started
// as, and a candidate while it campaigns.
func role(started string, s *doctor.State) string {
	for _, m := range s.Members {
		if m.You {
			return "candidate"
		}
	}
	return started
}
