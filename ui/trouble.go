package ui

import (
	"time"

	"electop/model"
)

// trouble is a member of ours that was killed or frozen while its session, and
// with it its znode, still stands.
type trouble struct {
	row row
	// The session's expiry is known as bounds only. start is when the server
	// last heard of it for certain; from sure on it can be expired, and at
	// latest it has been.
	start, sure, latest time.Time
}

// troubleOf returns the trouble that r is in.
//
// The server counts from the last frame it got, which is no earlier than the
// one it answered last (LeaseEnd is that plus the timeout) and no later than
// the fault. It looks for expired sessions once a tick and rounds up to it;
// the tick is at most half the shortest timeout it grants, so at most half of
// this one.
func troubleOf(r row) (trouble, bool) {
	m := r.member
	if m == nil || r.candidate == nil || m.Fault == model.NoFault {
		return trouble{}, false
	}
	t := trouble{row: r}
	if m.Timeout > 0 && !m.FaultAt.IsZero() {
		t.latest = m.FaultAt.Add(m.Timeout + m.Timeout/2)
		t.start, t.sure = m.FaultAt, m.FaultAt.Add(m.Timeout)
		if !m.LeaseEnd.IsZero() {
			t.start, t.sure = m.LeaseEnd.Add(-m.Timeout), m.LeaseEnd
		}
		if t.sure.After(t.latest) {
			t.sure = t.latest
		}
	}
	return t, true
}

// known reports whether there are bounds.
func (t trouble) known() bool { return !t.latest.IsZero() }

// expires says when, as far as known at now. The short form fits a row.
func (t trouble) expires(now time.Time, short bool) string {
	switch {
	case !t.known():
		return "expires with its session"
	case !now.Before(t.latest):
		return "overdue"
	case short:
		return "expires ≤ " + secondsUp(t.latest.Sub(now))
	}
	return "expires in at most " + secondsUp(t.latest.Sub(now))
}

// worst returns the trouble to explain: the leader's, else the selected row's,
// else the first one's.
func (d *dashboard) worst() (trouble, bool) {
	s := d.shown()
	if l := s.Leader(); l != nil {
		if t, ok := troubleOf(row{l, s.Member(l), 0}); ok {
			return t, true
		}
	}
	if t, ok := troubleOf(d.rows.at(d.index)); ok {
		return t, true
	}
	for _, m := range s.Members {
		if m.Fault == model.NoFault || m.Session == 0 {
			continue
		}
		for i, c := range s.Queue {
			if c.Session == m.Session {
				return troubleOf(row{c, m, i})
			}
		}
	}
	return trouble{}, false
}

// drawTrouble draws the sentence and, below it, the bar.
func (f *frame) drawTrouble(a area, y int, t trouble) {
	m := t.row.member
	now := f.busy()
	name := t.row.name()
	ago := ""
	if !m.FaultAt.IsZero() {
		ago = " " + tenths(now.Sub(m.FaultAt)) + " ago"
	}
	long := name + " was killed" + ago + ". Its znode lives as long as its session:"
	short := name + " was killed" + ago + "; its znode lives on:"
	if m.Fault == model.Frozen {
		long = name + " was frozen" + ago + ". Unless it thaws in time, its session expires:"
		short = name + " was frozen" + ago + "; unless it thaws:"
	}
	text := long
	if width(long) > a.width()-5 {
		text = short
	}
	a.pen(y).gap(4).fit(a.width()-5, styleText, text)
	if !t.known() {
		return
	}

	p := a.pen(y + 1).gap(4)
	words := t.expires(now, false)
	label := "session timeout " + limit(m.Timeout) + ", " + words
	if now.Before(t.sure) {
		label = "session timeout " + limit(m.Timeout) + ", expires in " + secondsDown(t.sure.Sub(now)) + " to " + secondsUp(t.latest.Sub(now))
	}
	if a.width() < 64 {
		label = words
	}
	n := max(8, min(40, p.room()-width(label)-4))
	cells := func(until time.Time) int {
		if !until.After(t.start) || !t.latest.After(t.start) {
			return 0
		}
		return min(n, int(int64(n)*int64(until.Sub(t.start))/int64(t.latest.Sub(t.start))))
	}
	done, sure := cells(now), cells(t.sure)
	for i := range n {
		switch {
		case i < done:
			p.text(styleTrouble, f.th.glyph.BarDone)
		case i < sure:
			p.text(styleTrouble, f.th.glyph.BarSure)
		default:
			p.text(styleTrouble, f.th.glyph.BarMaybe)
		}
	}
	p.gap(2).text(styleMuted, label)
}
