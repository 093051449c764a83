package ui

import (
	"slices"
	"strings"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
)

// trouble is a contender whose session is about to expire while its znode
// still stands: a member of ours that was killed or frozen, or anybody of whom
// the servers say so.
type trouble struct {
	row  row
	said *doctor.Risk // what the servers' tables make of it, nil for nothing
	// The session's expiry is known as bounds only. start is when the server
	// last heard of it for certain; from sure on it can be expired, and at
	// latest it has been.
	start, sure, latest time.Time
}

// troubleOf returns the trouble that r is in.
//
// The server counts from the last frame it got, which is no earlier than the
// one it answered last (ExpiresFrom is that plus the timeout) and no later than
// the fault. It looks for expired sessions once a tick and rounds up to it;
// the tick is at most half the shortest timeout it grants, so at most half of
// this one.
func troubleOf(s *doctor.State, r row) (trouble, bool) {
	if r.candidate == nil {
		return trouble{}, false
	}
	t := trouble{row: r}
	if len(s.Risks) > 0 {
		t.said = s.Risk(r.candidate)
	}
	m := r.member
	if m == nil || m.Fault == model.NoFault {
		if t.said == nil {
			return trouble{}, false
		}
		t.start, t.sure, t.latest = t.said.Since, t.said.NotBefore, t.said.By
		return t, true
	}
	if heldBack(s, m.Session) {
		return t, true // its deadline does not come nearer, and nobody knows how far it is
	}
	if m.Timeout > 0 && !m.FaultAt.IsZero() {
		tick := tickOf(s, m)
		t.latest = m.FaultAt.Add(m.Timeout + tick + tick/2 + expiryCommit)
		t.start, t.sure = m.FaultAt, m.FaultAt.Add(m.Timeout)
		if !m.ExpiresFrom.IsZero() {
			t.start, t.sure = m.ExpiresFrom.Add(-m.Timeout), m.ExpiresFrom
		}
	}
	if t.said != nil && !t.said.By.IsZero() && (t.latest.IsZero() || t.said.By.Before(t.latest)) {
		t.latest = t.said.By
	}
	if t.sure.After(t.latest) {
		t.sure = t.latest
	}
	return t, true
}

// expiryCommit is how long the end of an expired session takes to be agreed on.
const expiryCommit = time.Second

// tickOf is the tick of the servers, to which they round a session's expiry up
// and half of which a touch takes to the ensemble leader. Where they did not
// tell it, it is at most half of what they granted, unless they are set to grant
// less than two ticks.
func tickOf(s *doctor.State, m *model.Member) (tick time.Duration) {
	if s.Told != nil {
		for i := range s.Told.Servers {
			tick = max(tick, s.Told.Servers[i].Tick)
		}
	}
	if tick == 0 {
		tick = m.Timeout / 2
	}
	return tick
}

// heldBack reports whether the server, which speaks slowly, holds something back
// that is for a session.
func heldBack(s *doctor.State, session uint64) bool {
	return s.Pace != nil && slices.ContainsFunc(s.Pace.Held, func(m model.Message) bool { return m.Session == session })
}

// faulty reports a member of ours to which something was done.
func (t trouble) faulty() bool { return t.row.member != nil && t.row.member.Fault != model.NoFault }

// risk says that the contender is at risk, and how long at most it has.
func (t trouble) risk(now time.Time, short bool) string {
	switch {
	case !t.known() || !now.Before(t.latest):
		return "at risk"
	case short:
		return "risk ≤" + strings.ReplaceAll(units.AtMost(t.latest.Sub(now)), " ", "")
	}
	return "at risk ≤ " + units.AtMost(t.latest.Sub(now))
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
		return "expires ≤ " + units.AtMost(t.latest.Sub(now))
	}
	return "expires in at most " + units.AtMost(t.latest.Sub(now))
}

// words is that for w cells of a row. What was not done by us is called a
// risk: the servers have only not heard from it.
func (t trouble) words(now time.Time, w int) string {
	if t.faulty() {
		return t.expires(now, w < 24)
	}
	for _, short := range []bool{false, true} {
		if text := "at risk, " + t.expires(now, short); width(text) <= w {
			return text
		}
	}
	return t.risk(now, false)
}

// worst returns the trouble to explain: the leader's, else the selected row's,
// else the first one's.
func (d *dashboard) worst() (trouble, bool) {
	s := d.shown()
	if l := s.Leader(); l != nil {
		if t, ok := troubleOf(s, row{l, s.Member(l), 0}); ok {
			return t, true
		}
	}
	if t, ok := troubleOf(s, d.rows.at(d.index)); ok {
		return t, true
	}
	for _, m := range s.Members {
		if m.Fault == model.NoFault || m.Session == 0 {
			continue
		}
		for i, c := range s.Queue {
			if c.Session == m.Session {
				return troubleOf(s, row{c, m, i})
			}
		}
	}
	for _, x := range s.Risks {
		if c, i := s.Candidate(x.Candidate.ID()); c != nil {
			return troubleOf(s, row{c, s.Member(c), i})
		}
	}
	return trouble{}, false
}

// sentence says what happened to it, in w cells if that can be.
func (t trouble) sentence(f *frame, w int) string {
	name := t.row.name()
	if !t.faulty() {
		why := ": " + znode.Safe(t.said.Evidence, 0)
		if long := name + " is at risk" + why; width(long) <= w {
			return long
		}
		return name + why
	}
	m := t.row.member
	ago := ""
	if !m.FaultAt.IsZero() {
		ago = " " + units.Tenths(f.busy().Sub(m.FaultAt)) + " ago"
	}
	long := name + " was killed" + ago + ". Its znode lives as long as its session:"
	short := name + " was killed" + ago + "; its znode lives on:"
	if m.Fault == model.Frozen {
		long = name + " was frozen" + ago + ". Unless it thaws in time, its session expires:"
		short = name + " was frozen" + ago + "; unless it thaws:"
	} else if m.Fault == model.Partitioned {
		long = name + " was cut off" + ago + ". Unless that heals in time, its session expires:"
		short = name + " was cut off" + ago + "; unless healed:"
	}
	if width(long) > w {
		return short
	}
	return long
}

// drawTrouble draws the sentence and, below it, the bar.
func (f *frame) drawTrouble(a area, y int, t trouble) {
	a.pen(y).gap(4).fit(a.width()-5, styleText, t.sentence(f, a.width()-5))
	if !t.known() {
		return
	}

	p := a.pen(y + 1).gap(4)
	now := f.busy()
	words := t.expires(now, false)
	label := words
	if now.Before(t.sure) {
		least, most := units.Seconds(t.sure.Sub(now)), units.AtMost(t.latest.Sub(now))
		if strings.HasSuffix(most, " s") {
			least = strings.TrimSuffix(least, " s")
		}
		label = "expires in " + least + " to " + most
	}
	if t.faulty() {
		label = "session timeout " + units.Exact(t.row.member.Timeout) + ", " + label
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
