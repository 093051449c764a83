package wording

import (
	"strings"

	"electop/model"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/znode"
	"electop/ui/rows"
	"electop/ui/term"
)

// FaultGlyph is the sign of m's fault, "" for none.
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

// FaultTags are the signs of m's fault and of its misbehaviour.
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

// Misbehaviour says which faults are set for m, "" for none.
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

// A Fate is what became of a member without a znode, and what it believes.
type Fate struct {
	Style term.Style
	// Lost, Words and Truth make one sentence. Lost, what became of its session, and
	// Truth, what is true instead, may be left out.
	Lost, Words, Truth string
}

// Text is the fate without what is true instead.
func (x Fate) Text() string { return x.Lost + x.Words }

// Within is as much of the fate as fits in w cells; at least Words.
func (x Fate) Within(w int) string {
	for _, text := range []string{x.Text() + x.Truth, x.Text()} {
		if term.Width(text) < w {
			return text
		}
	}
	return x.Words // what it believes tells more than what it lost
}

// FateOf returns the fate of a member without a znode.
func FateOf(s *doctor.State, m *model.Member) Fate {
	truth := "; in truth " + phrase.RoleHolders(s, phrase.Label)
	believes := m.Belief == model.Leading || m.Belief == model.Elected
	belief := znode.Safe(string(m.Belief), rows.NameMax)
	for _, x := range []struct {
		so bool
		Fate
	}{
		{m.Fault == model.Frozen && believes, Fate{term.Trouble, "", "session expired; still believes it leads", truth}},
		{m.Fault == model.Partitioned && believes, Fate{term.Trouble, "", "session expired, cut off; still believes it leads", truth}},
		{m.Fault == model.Partitioned, Fate{term.Trouble, "", "session expired, cut off; believes: " + belief, ""}},
		{believes, Fate{term.Trouble, "", "believes it leads", truth}},
		{m.Fault == model.Frozen && m.Session != 0, Fate{term.Trouble, "session lost, ", "frozen, believes: " + belief, ""}},
		{m.Fault == model.Frozen, Fate{term.Trouble, "", "frozen before it had a znode", ""}},
		{m.Fault == model.Killed, Fate{term.Muted, "", "killed; its session is gone", ""}},
		{m.Belief == model.Lost, Fate{term.Trouble, "", "session expired; this candidacy is over", ""}},
		{m.Belief == model.Resigned, Fate{term.Muted, "", "resigned", ""}},
		{m.Belief == model.Suspended, Fate{term.Trouble, "", "no connection", ""}},
		{m.Belief == model.Waiting, Fate{term.Trouble, "", "believes it waits, but its znode is gone", ""}},
		{Misbehaviour(m) != "", Fate{term.Trouble, "", belief + ", " + Misbehaviour(m), ""}},
	} {
		if x.so {
			return x.Fate
		}
	}
	return Fate{term.Muted, "", belief, ""}
}

// whose names the owner of a session.
func whose(s *doctor.State, session uint64) string {
	for _, m := range s.Members {
		if m.Session == session && session != 0 {
			return znode.Safe(m.Name, rows.NameMax)
		}
	}
	for _, c := range s.Queue.All() {
		if c.Session == session && session != 0 {
			return c.Label()
		}
	}
	return "session " + ShortSession(session)
}
