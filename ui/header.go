package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"electop/model"
	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
)

// tooSmall says what size is needed.
func tooSmall(w, h int) string {
	return fmt.Sprintf("electop needs %dx%d, this terminal is %dx%d", minWidth, minHeight, w, h)
}

// drawHeader draws the first line: what is looked at, and how well.
func (d *dashboard) drawHeader(f *frame, r rect) {
	s := d.shown()
	p := area{f.canvas, r}.pen(0)
	p.text(styleBadge, " electop ")

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
	if foreign(s) != nil {
		most := 20
		if d.w >= wideFrom {
			most = 32
		}
		whose = "  " + cut(system(s), most)
	}

	// The right side gives way until the path has room, and whose it is; but
	// not what matters most of it, as that there is no connection.
	least := min(width(path), 20) + width(at) + 6 + len(count)
	all := right
	right = fitSpans(all, p.room()-least-1-width(whose))
	if telling(right, 6) < telling(all, 6) {
		right, whose = fitSpans(all, p.room()-least-1), ""
	}
	if telling(right, 6) < telling(all, 6) {
		right = fitSpans(all, p.room()-least) // for want of a cell of the path
	}
	if telling(right, 8) < telling(all, 8) {
		right = fitSpans(all, p.room()-least+max(0, min(width(path), 20)-10))
	}
	left := p.room() - spansWidth(right) - 5
	p.gap(2)
	if words != "" {
		words, count = "  "+words, "  "+count
	}
	for i, rest := range [][3]string{{at, whose, words}, {at, whose, count}, {at, "", words}, {at, "", count}} {
		n := width(rest[0]) + width(rest[1]) + width(rest[2])
		if shown := tailOf(path, left-n); i == 3 || width(shown) >= min(width(path), 20) && (i > 1 || n+width(path) <= left || i == 1 && whose != "") {
			p.text(styleStrong, shown).text(styleYou, rest[0]).text(styleMuted, rest[1]+rest[2])
			break
		}
	}
	p.gap(p.room() - spansWidth(right) - 1).spans(right)
}

// telling counts the spans that a line should not be without, from that keep
// on.
func telling(spans []span, keep int) int {
	n := 0
	for _, s := range spans {
		if s.keep >= keep {
			n++
		}
	}
	return n
}

// tailOf shortens a path from the left: its end tells more.
func tailOf(path string, w int) string {
	n := width(path)
	if n <= w || w < 2 {
		return cut(path, w)
	}
	s := ansi.TruncateLeft(path, n-w+1, "…")
	if width(s) > w { // a wide character lies across the cut
		s = ansi.TruncateLeft(path, n-w+2, "…")
	}
	return s
}

func (d *dashboard) headerRight(f *frame) []span {
	s := d.shown()
	var out []span
	add := func(keep int, st style, text string) { out = append(out, span{st, text, keep}) }
	f.ticks(tickCalm)
	now := f.now.Truncate(tickCalm)

	cluster := znode.Safe(d.o.Cluster, 64)
	reel := d.reel()
	switch st, words := d.link(f); {
	case d.past.on && reel != nil:
	case d.past.on:
		add(9, styleBadgeCut, " "+f.clock(d.since)+"  LIVE -"+units.Counter(now.Sub(d.since.Truncate(tickCalm)))+" ")
	case d.paused != nil:
		add(9, styleBadgeCut, " PAUSED "+f.clock(d.since)+"  -"+units.Counter(now.Sub(d.since))+" ")
		if n := d.waiting(); n > 0 {
			add(8, styleYou, "  +"+units.Count(n, "event", "events")+" waiting")
		}
	case st == styleGood:
		add(8, styleGood, f.th.glyph.Online)
		add(2, styleGood, " "+words)
		if cluster != "" {
			add(6, styleText, " "+cluster)
		}
	default:
		add(8, st, f.th.glyph.Offline+" ")
		add(8, st, words)
		if next := znode.Safe(s.Link.Server, 40); next != "" && !d.ended {
			add(6, st, ", trying "+next)
		}
		if why := znode.Safe(s.Link.Err, 80); why != "" && !d.ended {
			add(5, styleTrouble, ": "+cut(why, 36))
		}
		if cluster != "" {
			add(1, styleMuted, "  "+cluster)
		}
	}
	switch {
	case reel != nil:
		out = append(out, d.reelSpans(f, reel.Playing())...)
	case d.o.Mode != ModeLive:
		add(7, styleLead, "  "+znode.Safe(d.o.Mode, 16))
	}
	if d.stopped && reel == nil {
		add(7, styleYou, "  stopped")
	}
	if role := role(d.o.Role, s); role != "" {
		add(4, styleMuted, "   "+znode.Safe(role, 32))
	}
	if rtt := s.Link.RTT; rtt > 0 && s.Link.Link == model.Connected && d.paused == nil && !d.ended {
		add(1, styleMuted, "   rtt "+units.Took(rtt))
	}
	if reel == nil {
		add(5, styleMuted, "   "+f.clock(now))
	}
	return out
}

// link is the state of the connection in words. The style is styleGood while
// there is one.
func (d *dashboard) link(f *frame) (style, string) {
	s := d.shown()
	if d.ended {
		if d.o.Mode == ModeReplay {
			return styleMuted, "the recording has ended"
		}
		return styleAlarm, "ended"
	}
	since := ""
	if !s.DownSince.IsZero() {
		since = " since " + units.Seconds(f.now.Truncate(tickCalm).Sub(s.DownSince))
	}
	switch s.Link.Link {
	case model.Connected:
		return styleGood, "connected"
	case model.Expired:
		return styleAlarm, "session expired" + since
	case model.Connecting:
		if since == "" {
			return styleAlarm, "connecting"
		}
	}
	if since == "" {
		return styleAlarm, "no connection" // there never was one
	}
	return styleAlarm, "reconnecting" + since
}

// asOf says how old a stale picture is, "" for a true one.
func (d *dashboard) asOf(f *frame) string {
	if !d.stale() {
		return ""
	}
	if d.past.on {
		return "as of " + f.clock(d.shown().DownSince) + ", there is no connection"
	}
	f.ticks(tickCalm)
	return "as of " + f.clock(f.picture) + ", " + units.Seconds(f.now.Truncate(tickCalm).Sub(f.picture)) + " ago"
}

// explain says in words why there is no queue to show: what is missing, what
// is waited for, and what to do. The first line is a heading.
func (d *dashboard) explain(f *frame) []string {
	s := d.shown()
	path := znode.Safe(s.Path, 0)
	where := znode.Safe(d.o.Cluster, 64)
	if where == "" {
		where = "the cluster"
	}
	switch {
	case s.Phase == model.Unseen && s.Link.Link != model.Connected:
		lines := []string{"Not connected yet",
			"Waiting for " + where + ". The election appears as soon as a server answers."}
		if why := znode.Safe(s.Link.Err, 0); why != "" {
			lines = append(lines, "Last attempt: "+why)
		}
		return append(lines, "What to do: check the address and that the server runs. With no server at hand, the demo brings its own.")
	case s.Phase == model.Unseen:
		return []string{"Connected, reading " + path,
			"The candidates appear as soon as the server has answered."}
	case s.Phase == model.NoParent:
		return []string{path + " does not exist",
			"An election is a znode whose children are the candidates, and this one is absent.",
			"Waiting for somebody to create it: its candidates appear here at that moment.",
			"What to do: check the path, start a candidate, or create it with --create."}
	case s.Phase == model.Forbidden:
		lines := []string{"Not allowed to list " + path,
			"Its ACL forbids this connection to read the children, so nobody can be seen.",
			"Waiting for the ACL to change.",
			"What to do: connect with credentials that have READ on " + path + "."}
		if n := len(s.Queue); n > 0 {
			lines = append(lines, "Until "+f.clock(s.ReadAt)+" there were "+units.Count(n, "candidate", "candidates")+".")
		}
		return lines
	case len(s.Queue) == 0 && single(s):
		return []string{"Nobody leads",
			"There is no queue here: " + path + " is the leader's own znode, and it is not there.",
			"Whoever creates it next leads. Who wants to cannot be seen."}
	case len(s.Queue) == 0:
		lines := []string{"Nobody stands for election"}
		if locks(s) {
			lines[0] = "Nobody holds the lock, and nobody waits"
		}
		if s.NextSequenceKnown {
			lines = append(lines, fmt.Sprintf("The next volunteer gets the number %d and leads at once: there is nobody to wait for.", s.NextSequence))
		} else {
			lines = append(lines, "The next volunteer leads at once: there is nobody to wait for.")
		}
		var keys []string
		if _, why := d.action(Spawn); why == "" {
			keys = append(keys, "s spawns a candidate")
		}
		if _, why := d.action(Campaign); why == "" {
			keys = append(keys, "c makes this program one")
		}
		if len(keys) > 0 {
			lines = append(lines, "What to do: "+strings.Join(keys, ", ")+".")
		}
		return lines
	}
	return nil
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
