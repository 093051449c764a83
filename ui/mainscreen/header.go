package mainscreen

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/term"
	"electop/ui/travel"
	"electop/ui/wording"
)

// Bar is the header, the first line of the screen.
type Bar struct {
	State   *doctor.State
	Number  int // number of this election in the list, from 1
	Watched int
	W, H    int

	Cluster string
	Role    string // role with which this program was started
	Badge   string // Demo, Replay, "" for a live cluster

	TimeShown TimeShown
	Since     time.Time       // the moment on the screen, unless TimeShown is Live
	Waiting   int             // number of events since the pause
	Playing   *travel.Playing // playback of a recording, nil if there is none
	Ended     bool            // no newer state will come
}

// Values of [Bar.Badge].
const (
	Demo   = "DEMO"
	Replay = "REPLAY"
)

func (v *Bar) wide() bool { return v.W >= WideFrom }

// TimeShown names the time that the screen shows.
type TimeShown int

const (
	Live   TimeShown = iota // the present
	Paused                  // the beginning of a pause
	Past                    // the moment of time travel
)

func (v *Bar) Draw(f *term.Frame, r term.Rect) {
	s := v.State
	p := f.Area(r).Pen(0)
	p.Text(term.Badge, " electop ")

	right := v.right(f)
	path := cmp.Or(znode.Safe(s.Path, 0), "no path")
	short, long := strconv.Itoa(s.Queue.Len()), phrase.Count(s)
	if s.Phase != model.Live {
		short, long = "", ""
	}

	number := ""
	if v.Watched > 1 {
		number = "  (" + strconv.Itoa(v.Number) + "/" + strconv.Itoa(v.Watched) + ")"
	}
	system := ""
	if content := phrase.Content(s); content != "" {
		system, short, long = "  "+s.Kind().String(), long, content
	} else if wording.Foreign(s) != nil {
		most := 20
		if v.wide() {
			most = 32
		}
		system = "  " + term.Cut(s.System(), most)
	}

	// An important span, such as a lost connection, may take the room of the system's name, and some of the path's.
	least := min(term.Width(path), 20) + term.Width(number) + 6 + len(short)
	all := right
	right = term.FitSpans(all, p.Room()-least-1-term.Width(system))
	if countKept(right, 6) < countKept(all, 6) {
		right, system = term.FitSpans(all, p.Room()-least-1), ""
	}
	if countKept(right, 6) < countKept(all, 6) {
		right = term.FitSpans(all, p.Room()-least)
	}
	if countKept(right, 8) < countKept(all, 8) {
		right = term.FitSpans(all, p.Room()-least+max(0, min(term.Width(path), 20)-10))
	}
	left := p.Room() - term.SpansWidth(right) - 5
	p.Gap(2)
	if long != "" {
		long, short = "  "+long, "  "+short
	}
	for i, rest := range [][3]string{{number, system, long}, {number, system, short}, {number, "", long}, {number, "", short}} {
		n := term.Width(rest[0]) + term.Width(rest[1]) + term.Width(rest[2])
		shown, whole := term.TailOf(path, left-n), n+term.Width(path) <= left
		if i == 3 || term.Width(shown) >= min(term.Width(path), 20) && (whole || i > 1 || i == 1 && system != "") {
			p.Text(term.Strong, shown).Text(term.You, rest[0]).Text(term.Muted, rest[1]+rest[2])
			break
		}
	}
	p.Gap(p.Room() - term.SpansWidth(right) - 1).Spans(right)
}

func countKept(spans []term.Span, keep int) int {
	n := 0
	for _, s := range spans {
		if s.Keep >= keep {
			n++
		}
	}
	return n
}

func (v *Bar) right(f *term.Frame) []term.Span {
	s := v.State
	out := make([]term.Span, 0, 8)
	add := func(keep int, st term.Style, text string) {
		out = append(out, term.Span{Style: st, Text: text, Keep: keep})
	}
	f.Ticks(term.TickCalm)
	now := f.Now.Truncate(term.TickCalm)

	cluster := znode.Safe(v.Cluster, 64)
	switch st, words := v.link(f); {
	case v.TimeShown == Past && v.Playing != nil:
	case v.TimeShown == Past:
		add(9, term.BadgeHeld, " "+f.Clock(v.Since)+"  LIVE -"+units.Counter(now.Sub(v.Since.Truncate(term.TickCalm)))+" ")
	case v.TimeShown == Paused:
		add(9, term.BadgeHeld, " PAUSED "+f.Clock(v.Since)+"  -"+units.Counter(now.Sub(v.Since))+" ")
		if n := v.Waiting; n > 0 {
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
		if next := znode.Safe(s.Link.Server, 40); next != "" && !v.Ended {
			add(6, st, ", trying "+next)
		}
		if why := znode.Safe(s.Link.Err, 80); why != "" && !v.Ended {
			add(5, term.Trouble, ": "+term.Cut(why, 36))
		}
		if cluster != "" {
			add(1, term.Muted, "  "+cluster)
		}
	}
	switch {
	case v.Playing != nil:
		at := f.Now
		if v.TimeShown == Past {
			at = v.Since
		}
		out = append(out, travel.Playback(f, v.Badge, *v.Playing, at, v.TimeShown == Past)...)
	case v.Badge != "":
		add(7, term.Lead, "  "+znode.Safe(v.Badge, 16))
	}
	role := v.Role
	if slices.ContainsFunc(s.Members, func(m *model.Member) bool { return m.You }) {
		role = "candidate"
	}
	if role != "" {
		add(4, term.Muted, "   "+znode.Safe(role, 32))
	}
	if by := wording.Followed(s.Follow); by != "" && s.Link.Link == model.Connected && (v.W >= ThirdColumnFrom || s.Follow.By != model.ByWatch) {
		add(0, term.Muted, "   by "+by)
	}
	if rtt := s.Link.RTT; rtt > 0 && s.Link.Link == model.Connected && v.TimeShown == Live && !v.Ended {
		add(1, term.Muted, "   rtt "+units.Took(rtt))
	}
	if v.Playing == nil {
		add(5, term.Muted, "   "+f.Clock(now))
	}
	return out
}

// link describes the connection. The style is term.Good only if electop is connected.
func (v *Bar) link(f *term.Frame) (term.Style, string) {
	s := v.State
	if v.Ended {
		if v.Badge == Replay {
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
		return term.Alarm, "no connection"
	}
	return term.Alarm, "reconnecting" + since
}
