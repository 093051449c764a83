package wording

import (
	"strings"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/term"
)

// FaultGlyph returns the sign of m's fault, "" for none.
func FaultGlyph(g *term.Glyphs, m *model.Member) string {
	switch {
	case m == nil:
		return ""
	case m.Fault == model.Killed:
		return g.Killed
	case m.Fault == model.Frozen:
		return g.Frozen
	case m.Fault == model.Partitioned:
		return g.Parted
	}
	return ""
}

// FaultTags returns the signs of m's fault and misbehaviour, each after a blank.
func FaultTags(g *term.Glyphs, m *model.Member) []term.Span {
	if m == nil {
		return nil
	}
	var tags []term.Span
	add := func(on bool, st term.Style, sign string) {
		if on {
			tags = append(tags, term.Span{Style: st, Text: " " + sign})
		}
	}
	add(FaultGlyph(g, m) != "", term.Alarm, FaultGlyph(g, m))
	add(m.NoGuid, term.Trouble, g.NoGuid)
	add(m.LosesReply, term.Trouble, g.LosesReply)
	add(m.SlowLead, term.Trouble, g.SlowLead)
	return tags
}

// Misbehaviour describes how m misbehaves, "" if it does not.
func Misbehaviour(m *model.Member) string {
	if m == nil {
		return ""
	}
	var all []string
	add := func(on bool, text string) {
		if on {
			all = append(all, text)
		}
	}
	add(m.LosesReply, "the reply to its create gets lost")
	add(m.NoGuid, "its znodes have no guid")
	add(m.SlowLead, "its leader procedure does not end")
	return strings.Join(all, ", ")
}

// Fate describes what happened to a member without a znode, and what the member believes.
type Fate struct {
	Style term.Style
	// Lost+Words+Truth is one sentence. Lost is how the znode was lost, Truth names the real leader; both may be empty.
	Lost, Words, Truth string
}

// Text returns the fate without Truth.
func (x Fate) Text() string { return x.Lost + x.Words }

// Within returns as much of the fate as fits into fewer than w cells, at least Words.
func (x Fate) Within(w int) string {
	for _, text := range []string{x.Text() + x.Truth, x.Text()} {
		if term.Width(text) < w {
			return text
		}
	}
	return x.Words
}

// FateOf returns the fate of a member without a znode.
func FateOf(s *doctor.State, m *model.Member) Fate {
	truth := "; in truth " + phrase.RoleHolders(s, phrase.Label)
	believes := m.Belief == model.Leading || m.Belief == model.Elected
	belief := znode.Safe(string(m.Belief), znode.NameMax)
	lost := "session expired"
	if s.At.Before(m.ExpiresFrom) {
		lost = "znode deleted" // by another client: the session cannot have expired yet
	}
	for _, x := range []struct {
		so bool
		Fate
	}{
		{m.Fault == model.Frozen && believes, Fate{term.Trouble, "", lost + "; still believes it leads", truth}},
		{m.Fault == model.Partitioned && believes, Fate{term.Trouble, "", lost + ", cut off; still believes it leads", truth}},
		{m.Fault == model.Partitioned, Fate{term.Trouble, "", lost + ", cut off; believes: " + belief, ""}},
		{believes, Fate{term.Trouble, "", "believes it leads", truth}},
		{m.Fault == model.Frozen && m.Znode == "" && s.Roleless(), Fate{term.Trouble, "", "frozen", ""}},
		{m.Fault == model.Frozen && m.Znode != "", Fate{term.Trouble, lost + ", ", "frozen, believes: " + belief, ""}},
		{m.Fault == model.Frozen, Fate{term.Trouble, "", "frozen before it had a znode", ""}},
		{m.Fault == model.Killed, Fate{term.Muted, "", "killed; it has no znode", ""}},
		{m.Belief == model.Lost, Fate{term.Trouble, "", "session expired; this candidacy is over", ""}},
		{m.Belief == model.Resigned, Fate{term.Muted, "", "resigned", ""}},
		{m.Belief == model.Suspended, Fate{term.Trouble, "", "no connection", ""}},
		{m.Belief == model.Waiting && s.Dialect.Elects(), Fate{term.Trouble, "", "believes it waits, but its znode is gone", ""}},
		{Misbehaviour(m) != "", Fate{term.Trouble, "", belief + ", " + Misbehaviour(m), ""}},
	} {
		if x.so {
			return Fate{x.Style, x.Lost, s.Words(x.Words), x.Truth}
		}
	}
	return Fate{term.Muted, "", belief, ""}
}

func ownerOf(s *doctor.State, session uint64) string {
	for _, m := range s.Members {
		if m.Session == session && session != 0 {
			return znode.Safe(m.Name, znode.NameMax)
		}
	}
	for _, c := range s.Queue.All() {
		if c.Session == session && session != 0 {
			return c.Label()
		}
	}
	return "session " + ShortSession(session)
}

// LeaderSign returns a leader's sign. It is hollow if alarm is set, or if r is first and s.Lead() is not Leads.
func LeaderSign(g *term.Glyphs, s *doctor.State, r model.Row, alarm bool) (term.Style, string) {
	switch {
	case alarm:
		return term.Alarm, g.LeaderLost
	case r.Position == 0 && s.Lead() != doctor.Leads:
		return term.Lead, g.LeaderLost
	}
	return term.Lead, g.Leader
}

// Pointed returns a lesson's pointer if mark is blank and at is the ID of the row's member, otherwise mark.
func Pointed(g *term.Glyphs, r model.Row, at, mark string) (term.Style, string) {
	if r.Member != nil && r.Member.ID == at && strings.TrimSpace(mark) == "" {
		return term.Lead, g.Pointed
	}
	return term.Strong, mark
}

// GhostOf returns [doctor.State.GhostOf] for a row's znode, safe to show.
func GhostOf(s *doctor.State, r model.Row) (of string, sure bool) {
	of, sure = s.GhostOf(r.Candidate)
	return znode.Safe(of, znode.NameMax), sure
}

// Expiry is a candidate whose session may expire soon while its znode still exists: a member
// with a fault, or a candidate from which the servers receive nothing.
type Expiry struct {
	Row    model.Row
	Found  *doctor.Risk // the risk according to the servers' tables, nil for none
	Latest time.Time    // upper bound of the expiry; zero: not known
}

// ExpiryOf returns the expiry of r's session, false for none.
func ExpiryOf(s *doctor.State, r model.Row) (Expiry, bool) {
	if r.Candidate == nil {
		return Expiry{}, false
	}
	t := Expiry{Row: r}
	if len(s.Risks) > 0 {
		t.Found = s.Risk(r.Candidate)
	}
	m := r.Member
	if m == nil || m.Fault == model.NoFault {
		if t.Found == nil {
			return Expiry{}, false
		}
		t.Latest = t.Found.By
		return t, true
	}
	if s.Pace.Holds(m.Session) {
		return t, true // the bound is unknown
	}
	if m.Timeout > 0 && !m.FaultAt.IsZero() {
		tick := tickOf(s, m)
		// The server counts the timeout from the last frame that it received, which was before the fault.
		t.Latest = m.FaultAt.Add(m.Timeout + tick + tick/2 + expiryCommit)
	}
	if t.Found != nil && !t.Found.By.IsZero() && (t.Latest.IsZero() || t.Found.By.Before(t.Latest)) {
		t.Latest = t.Found.By
	}
	return t, true
}

const expiryCommit = time.Second // bound for the time until the ensemble commits the closeSession of an expired session

// tickOf returns the longest tick that the servers reported, otherwise half of m's timeout: by
// default the least timeout is two ticks. A server rounds an expiry up to the tick. The ensemble's
// leader learns of a session's activity up to half a tick late.
func tickOf(s *doctor.State, m *model.Member) (tick time.Duration) {
	if s.Answers != nil {
		for i := range s.Answers.Servers {
			tick = max(tick, s.Answers.Servers[i].Tick)
		}
	}
	if tick == 0 {
		tick = m.Timeout / 2
	}
	return tick
}

// Faulty reports whether the candidate is a member of electop with a fault.
func (t Expiry) Faulty() bool { return t.Row.Member != nil && t.Row.Member.Fault != model.NoFault }

// AtRisk describes the risk. It adds the time until t.Latest if t.Latest is known and not yet reached.
func (t Expiry) AtRisk(now time.Time, short bool) string {
	switch {
	case !t.Known() || !now.Before(t.Latest):
		return "at risk"
	case short:
		return "risk ≤" + strings.ReplaceAll(units.AtMost(t.Latest.Sub(now)), " ", "")
	}
	return "at risk ≤ " + units.AtMost(t.Latest.Sub(now))
}

// Known reports whether t.Latest is known.
func (t Expiry) Known() bool { return !t.Latest.IsZero() }

// Expires describes when the session expires.
func (t Expiry) Expires(now time.Time) string {
	switch {
	case !t.Known():
		return "expires with its session"
	case !now.Before(t.Latest):
		return "overdue"
	}
	return "expires ≤ " + units.AtMost(t.Latest.Sub(now))
}

// Brief returns [Expiry.Expires] for a member with a fault, otherwise a risk, in w cells if possible.
func (t Expiry) Brief(now time.Time, w int) string {
	if t.Faulty() {
		return t.Expires(now)
	}
	if text := "at risk, " + t.Expires(now); term.Width(text) <= w {
		return text
	}
	return t.AtRisk(now, false)
}
