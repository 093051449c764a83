package ui

import (
	"strconv"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
)

// wallColumns are the widths of the table of elections, each but the first
// with two blanks before it. A zero column is not shown.
type wallColumns struct {
	path, system, leader, waiting, reign, state int
}

// wallGutter is the marker and the number of an election.
const wallGutter = 5

func wallColumnsFor(w int) wallColumns {
	c := wallColumns{leader: 12, waiting: 4, reign: 7, state: 8}
	switch {
	case w >= 110:
		c.system, c.leader, c.waiting, c.state = 22, 18, 7, 22
	case w >= 90:
		c.system, c.leader, c.waiting, c.state = 16, 14, 7, 11
	case w >= 76:
		c.system = 12
	}
	c.path = w - wallGutter - 1
	for _, n := range []int{c.system, c.leader, c.waiting, c.reign, c.state} {
		if n > 0 {
			c.path -= n + 2
		}
	}
	return c
}

// drawElections draws the screen of elections in place of the panels.
func (d *dashboard) drawElections(f *frame, r rect) {
	d.wallRows()
	w := &d.wall
	a := f.box(r, "Elections", true, d.wallTail()...)
	c := wallColumnsFor(a.width())
	p := a.pen(0).gap(wallGutter).fit(c.path, styleMuted, "path")
	if c.system > 0 {
		p.gap(2).fit(c.system, styleMuted, "system")
	}
	waiting := "waiting"
	if c.waiting < len(waiting) {
		waiting = "wait"
	}
	p.gap(2).fit(c.leader, styleMuted, "  leader").gap(2).right(c.waiting, styleMuted, waiting).gap(2).right(c.reign, styleMuted, "reign").gap(2).text(styleMuted, "state")

	// Lines are the rows and, between the two parts, what the search says.
	watched := 0
	for watched < len(w.rows) && w.rows[watched].view != nil {
		watched++
	}
	story := d.wallStory(f, a.width()-wallGutter-2)
	between := len(story) + 1
	line := func(i int) int { // of row i
		if i >= watched {
			return i + between
		}
		return i
	}
	lines := len(w.rows) + between
	avail := a.height() - 1
	at := line(w.index)
	w.page = max(1, avail-between)
	w.top = max(min(w.top, at), at-avail+1)
	if w.index == watched && w.top > watched {
		w.top = max(watched, at-avail+1) // with what the search says above it
	}
	w.top = max(0, min(w.top, lines-avail))
	for y := range min(avail, lines-w.top) {
		p := a.pen(1 + y)
		switch i := w.top + y; {
		case i < watched:
			d.drawElection(f, p, c, i)
		case i == watched:
		case i < watched+between:
			s := story[i-watched-1]
			p.gap(wallGutter).text(s.style, s.text)
		default:
			d.drawElection(f, p, c, i-between)
		}
	}
}

func (d *dashboard) wallTail() []span {
	var out []span
	if d.wall.filter != "" {
		out = append(out, span{styleYou, "/" + znode.Safe(d.wall.filter, filterMax) + "  ", 7})
	}
	text := strconv.Itoa(len(d.views)) + " watched"
	if d.walk != nil {
		text += ", " + strconv.Itoa(len(d.walk.Found)) + " found"
	}
	return append(out, span{styleMuted, text, 8})
}

// wallStory says how the search goes or went, and what could come of another.
func (d *dashboard) wallStory(f *frame, w int) []span {
	var out []span
	say := func(st style, text string) {
		for _, line := range wrap(text, w) {
			out = append(out, span{st, line, 0})
		}
	}
	k := d.walk
	_, why := d.action(Discover)
	if k == nil {
		text := "Nobody has looked for other elections yet: r does."
		if why != "" {
			text = "Other elections cannot be looked for: " + why
		}
		say(styleMuted, text)
		return out
	}
	root := znode.Safe(k.Root, 0)
	read := units.Count(k.Visited, "znode", "znodes") + " read"
	if k.Denied > 0 {
		read += ", " + strconv.Itoa(k.Denied) + " denied"
	}
	if k.Skipped > 0 {
		read += ", " + strconv.Itoa(k.Skipped) + " not looked into"
	}
	switch {
	case k.Running:
		say(styleText, "looking below "+root+"   "+read)
	case k.Err != "":
		say(styleTrouble, "the search below "+root+" failed: "+znode.Safe(k.Err, 0)+"   "+read)
	case len(k.Found) == 0:
		say(styleMuted, "no election below "+root+"   "+read)
	default:
		say(styleMuted, "found below "+root+"   "+read)
	}
	if k.Stopped != "" {
		say(styleTrouble, "The search stopped early: "+znode.Safe(k.Stopped, 0)+". There may be more.")
	}
	return out
}

// drawElection draws one row.
func (d *dashboard) drawElection(f *frame, p *pen, c wallColumns, i int) {
	r := &d.wall.rows[i]
	mark := " "
	if i == d.wall.index {
		mark = f.th.glyph.Selected
		p.choose()
	}
	p.text(styleStrong, mark)
	number, name := "", styleText
	if r.view != nil {
		number = strconv.Itoa(r.number)
		if r.view == d.view {
			name = styleStrong
		}
	}
	p.right(2, styleMuted, number).gap(2)
	p.fit(c.path, name, tailOf(znode.Safe(r.path, 0), c.path))
	if r.view != nil {
		d.drawWatched(f, p, c, r.view.shown())
		return
	}
	e := r.found
	if c.system > 0 {
		p.gap(2).fit(c.system, styleMuted, znode.Safe(e.System, 40))
	}
	p.gap(2)
	if e.Leader == "" {
		p.fit(c.leader, styleMuted, "  nobody")
	} else {
		p.text(styleLead, f.th.glyph.Leader+" ").fit(c.leader-2, styleText, znode.Safe(e.Leader, nameMax))
	}
	reign := "-"
	if e.ReignKnown {
		reign = f.th.glyph.Inferred + units.Age(e.Reign)
	}
	p.gap(2).right(c.waiting, styleMuted, strconv.Itoa(e.Waiting)).gap(2).right(c.reign, styleMuted, reign).gap(2)
	if e.Findings > 0 {
		f.drawCount(p, e.Findings, e.Worst)
	}
}

// drawWatched draws what is so now in an election that is watched.
func (d *dashboard) drawWatched(f *frame, p *pen, c wallColumns, s *doctor.State) {
	g := &f.th.glyph
	// The clock of an election without a connection stands.
	now := f.picture
	down := !s.DownSince.IsZero() && s.Link.Link != model.Connected
	if down {
		now = s.DownSince
	} else if d.paused == nil && !d.ended {
		now = f.now
	}
	f.ticks(tickCalm)
	calm := now.Truncate(tickCalm)

	if c.system > 0 {
		p.gap(2).fit(c.system, styleMuted, system(s))
	}
	p.gap(2)
	l := s.Leader()
	var t trouble
	troubled := false
	reign := "-"
	if l == nil {
		words := map[model.Phase]string{model.Unseen: "not read yet", model.NoParent: "absent", model.Forbidden: "not allowed"}[s.Phase]
		st := styleMuted
		if words == "" {
			words, st = "nobody", styleTrouble
		}
		p.fit(c.leader, st, "  "+words)
	} else {
		t, troubled = troubleOf(s, row{l, s.Member(l), 0})
		sign, st := g.Leader, styleLead
		switch {
		case troubled:
			sign, st = g.LeaderLost, styleAlarm
		case down:
			st = styleFaint
		}
		p.text(st, sign+" ").fit(c.leader-2, st, l.Label())
		if n := len(s.Reigns); n > 0 && s.Reigns[n-1].To.IsZero() {
			reign = units.Age(calm.Sub(s.Reigns[n-1].From))
			if !s.Reigns[n-1].FromKnown {
				reign = g.Inferred + reign
			}
		}
	}
	p.gap(2).right(c.waiting, styleText, strconv.Itoa(len(s.Queue)-holders(s))).
		gap(2).right(c.reign, styleMuted, reign).gap(2)

	switch {
	case down:
		words := "stale " + units.Age(f.now.Truncate(tickCalm).Sub(s.DownSince))
		if c.state < width(words) {
			words = "stale"
		}
		p.text(styleAlarm, words)
		return
	case troubled:
		p.text(styleAlarm, t.risk(f.wallBusy(now), c.state < 11))
		p.gap(2)
		if p.room() < 9 {
			return
		}
	case len(s.Risks) > 0:
		p.text(styleTrouble, strconv.Itoa(len(s.Risks))+" at risk").gap(2)
	}
	if len(s.Findings) > 0 {
		f.drawCount(p, len(s.Findings), doctor.Worst(s.Findings))
	}
}

// wallBusy is busy for a time that is not the picture's.
func (f *frame) wallBusy(now time.Time) time.Time {
	f.ticks(tickBusy)
	return now.Truncate(tickBusy)
}

// drawCount draws how many findings there are and how grave the worst is.
func (f *frame) drawCount(p *pen, n int, worst doctor.Severity) {
	st, sign, word := f.severity(worst)
	p.text(st, sign+" ")
	if text := units.Count(n, "finding", "findings"); p.room() >= width(text)+width(word)+2 {
		p.text(st, text)
		if worst == doctor.Critical {
			p.text(st, ", "+word)
		}
	} else {
		p.text(st, strconv.Itoa(n))
	}
}
