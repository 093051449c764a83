package candidates

import (
	"strings"
	"time"

	"electop/model"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/rows"
	"electop/ui/term"
	"electop/ui/wording"
)

// worst returns the trouble to explain: the leader's, else the selected row's,
// else the first one's.
func (v *Panel) worst() (wording.Expiry, bool) {
	s := v.State
	if l := s.Leader(); l != nil {
		if t, ok := wording.ExpiryOf(s, rows.Leader(s)); ok {
			return t, true
		}
	}
	if t, ok := wording.ExpiryOf(s, v.Rows.At(v.Index)); ok {
		return t, true
	}
	for _, m := range s.Members {
		if m.Fault == model.NoFault || m.Session == 0 {
			continue
		}
		for i, c := range s.Queue.All() {
			if c.Session == m.Session {
				return wording.ExpiryOf(s, rows.Row{Candidate: c, Member: m, Position: i})
			}
		}
	}
	for _, x := range s.Risks {
		if c, i := s.Candidate(x.Candidate.ID()); c != nil {
			return wording.ExpiryOf(s, rows.Row{Candidate: c, Member: s.Member(c), Position: i})
		}
	}
	return wording.Expiry{}, false
}

// expirySentence says what happened to it, in w cells if that can be.
func expirySentence(f *term.Frame, t wording.Expiry, w int) string {
	name := t.Row.Name()
	if !t.Faulty() {
		why := ": " + znode.Safe(t.Found.Evidence, 0)
		if long := name + " is at risk" + why; term.Width(long) <= w {
			return long
		}
		return name + why
	}
	m := t.Row.Member
	ago := ""
	if !m.FaultAt.IsZero() {
		ago = " " + units.Tenths(f.Busy().Sub(m.FaultAt)) + " ago"
	}
	x := map[model.Fault][3]string{
		model.Killed:      {"killed", "Its znode stays until its session expires:", "its znode stays:"},
		model.Frozen:      {"frozen", "Unless it thaws in time, its session expires:", "unless it thaws:"},
		model.Partitioned: {"cut off", "Unless that heals in time, its session expires:", "unless healed:"},
	}[m.Fault]
	long, short := name+" was "+x[0]+ago+". "+x[1], name+" was "+x[0]+ago+"; "+x[2]
	if term.Width(long) > w {
		return short
	}
	return long
}

// drawExpiry draws the sentence and, below it, the bar.
func drawExpiry(f *term.Frame, a term.Area, y int, t wording.Expiry) {
	a.Pen(y).Gap(4).Fit(a.Width()-5, term.Text, expirySentence(f, t, a.Width()-5))
	if !t.Known() {
		return
	}

	p := a.Pen(y + 1).Gap(4)
	now := f.Busy()
	words := t.Expires(now, false)
	label := words
	if now.Before(t.Sure) {
		least, most := units.Seconds(t.Sure.Sub(now)), units.AtMost(t.Latest.Sub(now))
		if strings.HasSuffix(most, " s") {
			least = strings.TrimSuffix(least, " s")
		}
		label = "expires in " + least + " to " + most
	}
	if t.Faulty() {
		label = "session timeout " + units.Exact(t.Row.Member.Timeout) + ", " + label
	}
	if a.Width() < 64 {
		label = words
	}
	n := max(8, min(40, p.Room()-term.Width(label)-4))
	cells := func(until time.Time) int {
		if !until.After(t.Start) || !t.Latest.After(t.Start) {
			return 0
		}
		return min(n, int(int64(n)*int64(until.Sub(t.Start))/int64(t.Latest.Sub(t.Start))))
	}
	done, sure := cells(now), cells(t.Sure)
	for i := range n {
		switch {
		case i < done:
			p.Text(term.Trouble, f.Theme.Glyph.BarDone)
		case i < sure:
			p.Text(term.Trouble, f.Theme.Glyph.BarSure)
		default:
			p.Text(term.Trouble, f.Theme.Glyph.BarMaybe)
		}
	}
	p.Gap(2).Text(term.Muted, label)
}
