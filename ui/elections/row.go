package elections

import (
	"strconv"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/plain"
	"electop/ui/rows"
	"electop/ui/term"
	"electop/ui/wording"
)

// Watched is an election that is watched.
type Watched struct {
	Path  string
	State *doctor.State // the one to be shown
	Front bool          // it is the election of the main screen
}

// A Row is an election in the list: one that is watched, with its number among
// them, or one that was found.
type Row struct {
	Path    string
	Watched *Watched
	number  int
	Found   *plain.Found
}

// columns are the widths of the table of elections, each but the first
// with two blanks before it. A zero column is not shown.
type columns struct {
	path, system, leader, waiting, reign, state int
}

// gutter is the marker, the number and the sign of an election.
const gutter = 6

func columnsFor(w int) columns {
	c := columns{leader: 12, waiting: 4, reign: 7, state: 8}
	switch {
	case w >= 110:
		c.system, c.leader, c.waiting, c.state = 22, 18, 7, 14
	case w >= 90:
		c.system, c.leader, c.waiting, c.state = 16, 14, 7, 11
	case w < 66:
		c.reign = 0
	}
	c.path = w - gutter - 1
	for _, n := range []int{c.system, c.leader, c.waiting, c.reign, c.state} {
		if n > 0 {
			c.path -= n + 2
		}
	}
	return c
}

// draw draws the row. running says that the clocks of the elections run.
func (r *Row) draw(f *term.Frame, p *term.Pen, c columns, selected, running bool) {
	mark := " "
	if selected {
		mark = f.Theme.Glyph.Selected
		p.Choose()
	}
	p.Text(term.Strong, mark)
	number, name := "", term.Text
	if r.Watched != nil {
		number = strconv.Itoa(r.number)
		if r.Watched.Front {
			name = term.Strong
		}
	}
	p.Right(2, term.Muted, number).Gap(1)
	sign := " "
	if grave := r.trouble(); grave != "" {
		name, sign, _ = wording.Severity(&f.Theme.Glyph, grave)
	}
	p.Text(name, sign).Gap(1)
	p.Fit(c.path, name, term.MiddleOf(znode.Safe(r.Path, 0), c.path))
	count := "?"
	if n := waiting(*r); n >= 0 {
		count = strconv.Itoa(n)
	}
	drawState(f, p, c, r.State(), count, running)
}

// drawState draws the state of an election, in which so many wait.
func drawState(f *term.Frame, p *term.Pen, c columns, s *doctor.State, waiting string, running bool) {
	g := &f.Theme.Glyph
	// The clock of an election without a connection stands.
	now := f.Picture
	down := stale(s)
	if down {
		now = s.DownSince
	} else if running {
		now = f.Now
	}
	f.Ticks(term.TickCalm)
	calm := now.Truncate(term.TickCalm)

	if c.system > 0 {
		p.Gap(2).Fit(c.system, term.Muted, wording.System(s))
	}
	p.Gap(2)
	l := s.Leader()
	var t wording.Expiry
	troubled := false
	reign := "-"
	if l == nil {
		words := map[model.Phase]string{model.Unseen: "not read yet", model.NoParent: "absent", model.Forbidden: "not allowed"}[s.Phase]
		st := term.Muted
		if words == "" {
			e := phrase.NoLeader(s)
			st, words = wording.Style(e.Severity), e.Cell
		}
		p.Fit(c.leader, st, "  "+words)
	} else {
		t, troubled = wording.ExpiryOf(s, rows.Leader(s))
		sign, st := g.Leader, term.Lead
		switch {
		case troubled:
			sign, st = g.LeaderLost, term.Alarm
		case s.Lead() != doctor.Leads:
			sign = g.LeaderLost
		case down:
			st = term.Faint
		}
		p.Text(st, sign+" ").Fit(c.leader-2, st, l.Label())
		if r, ok := s.Reign(); ok {
			reign = phrase.LedCell(r, calm, "≤")
		}
	}
	p.Gap(2).Right(c.waiting, term.Text, waiting).Gap(2)
	if c.reign > 0 {
		p.Right(c.reign, term.Muted, reign).Gap(2)
	}
	switch {
	case down:
		words := "stale " + units.Age(f.Now.Truncate(term.TickCalm).Sub(s.DownSince))
		if c.state < term.Width(words) {
			words = "stale"
		}
		p.Text(term.Alarm, words)
		return
	case troubled:
		p.Text(term.Alarm, t.AtRisk(busy(f, now), c.state < 11))
		p.Gap(2)
		if p.Room() < 9 {
			return
		}
	case len(s.Risks) > 0:
		p.Text(term.Trouble, strconv.Itoa(len(s.Risks))+" at risk").Gap(2)
	}
	if len(s.Findings) > 0 {
		drawFindings(f, p, len(s.Findings), doctor.Worst(s.Findings))
	}
}

// busy is busy for a time that is not the picture's.
func busy(f *term.Frame, now time.Time) time.Time {
	f.Ticks(term.TickBusy)
	return now.Truncate(term.TickBusy)
}

// drawFindings draws how many findings there are and how grave the worst is.
func drawFindings(f *term.Frame, p *term.Pen, n int, worst doctor.Severity) {
	st, sign, word := wording.Severity(&f.Theme.Glyph, worst)
	p.Text(st, sign+" ")
	if text := units.Count(n, "finding", "findings"); p.Room() >= term.Width(text)+term.Width(word)+2 {
		p.Text(st, text)
		if worst == doctor.Critical {
			p.Text(st, ", "+word)
		}
	} else {
		p.Text(st, strconv.Itoa(n))
	}
}
