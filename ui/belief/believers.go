package belief

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/phrase"
	"electop/model/znode"
	"electop/ui/rows"
	"electop/ui/term"
	"electop/ui/wording"
)

// believer is a candidate that believes it leads, or that leads, or whose worker
// still writes.
type believer struct {
	member    *model.Member      // nil: it is not ours
	candidate *dialect.Candidate // its znode; nil: it was deleted
	position  int                // of that, -1 without one
}

// believers are the leader, then those that wrongly believe they lead, then those
// whose workers still write.
func (v *Panel) believers(f *term.Frame) []believer {
	s := v.State
	const most = 4
	var out []believer
	add := func(m *model.Member) {
		if m == nil || slices.ContainsFunc(out, func(b believer) bool { return b.member != nil && b.member.ID == m.ID }) || len(out) >= most {
			return
		}
		b := believer{member: m, position: -1}
		if m.Session != 0 {
			i := s.Queue.Index(func(c *dialect.Candidate) bool { return c.Session == m.Session && (m.Znode == "" || c.Name == m.Znode) })
			if i >= 0 {
				b.candidate, b.position = s.Queue.At(i), i
			}
		}
		out = append(out, b)
	}
	if l := s.Leader(); l != nil {
		if m := s.Member(l); m != nil {
			add(m)
		} else {
			out = append(out, believer{nil, l, 0})
		}
	}
	for _, id := range s.Properties.Believers {
		add(rows.Member(s, id))
	}
	for i := len(s.Work.Last) - 1; i >= 0; i-- {
		t := s.Work.Last[i]
		if f.Picture.Sub(t.At) > writesShown {
			break
		}
		f.At(t.At.Add(writesShown + time.Millisecond))
		add(rows.Member(s, t.Member))
	}
	return out
}

func (b believer) name() string {
	if b.member != nil {
		return znode.Safe(b.member.Name, rows.NameMax)
	}
	return b.candidate.Label()
}

// wrong reports whether it believes that it leads, and does not.
func (b believer) wrong() bool {
	return b.member != nil && b.position != 0 && b.member.Fault != model.Killed && b.member.Belief == model.Leading
}

// addBeliever adds the lines of one: its belief, the truth, and the last writes of its
// worker.
func (v *Panel) addBeliever(f *term.Frame, b believer, nameWidth, w int, add func(...term.Span)) {
	g := &f.Theme.Glyph
	sign, st := " ", term.Text
	switch {
	case b.wrong():
		sign, st = g.LeaderLost, term.Alarm
	case b.position == 0:
		sign, st = g.Leader, term.Lead
	}
	believes := "unknown"
	if b.member != nil {
		believes = znode.Safe(string(b.member.Belief), rows.NameMax)
		if b.member.Belief == model.Leading {
			believes = "leads"
		}
		if fault := wording.FaultGlyph(&f.Theme.Glyph, b.member); fault != "" {
			believes += " " + fault
		}
	}
	truth := term.Span{Style: term.Text}
	switch {
	case b.position == 0:
		truth.Text = "first: " + phrase.Brief(b.candidate)
	case b.position > 0:
		truth.Text = "waits: " + phrase.Brief(b.candidate)
	case b.member.Znode != "":
		truth = term.Span{Style: term.Trouble, Text: wording.ShortZnode(b.member.Znode) + " is deleted"}
	default:
		truth = term.Span{Style: term.Trouble, Text: "has no znode"}
	}
	add(term.Span{Style: st, Text: sign + " " + term.Fitted(b.name(), nameWidth) + "  "}, term.Span{Style: st, Text: term.Fitted(believes, 11)}, truth)
	if b.member == nil {
		return
	}
	counter, token := v.lastWrite(b.member.ID, model.Counter), v.lastWrite(b.member.ID, model.Tokens)
	if counter == nil && token == nil {
		add(term.Span{Style: term.Muted, Text: "  its worker has not written"})
		return
	}
	line := []term.Span{{Style: term.Muted, Text: "  "}}
	if w >= roomyFrom {
		line[0].Text = "  its worker: "
	}
	if counter != nil {
		words := "set " + strconv.FormatInt(counter.Value, 10)
		if counter.Refused {
			words = "set"
		}
		line = append(line, term.Span{Style: term.Text, Text: words + " "}, outcome(&f.Theme.Glyph, counter), term.Span{Style: term.Text, Text: "  "})
	}
	if token != nil {
		line = append(line, term.Span{Style: term.Text, Text: "token " + znode.Zxid(token.Token) + " "}, outcome(&f.Theme.Glyph, token))
	}
	if n := len(line) - 3; counter != nil && token != nil && term.SpansWidth(line) > w {
		line[n].Text = " "
		if term.SpansWidth(line) > w { // the number alone says that it is one
			line[n+1].Text = strings.TrimPrefix(line[n+1].Text, "token ")
		}
	}
	add(line...)
}

// outcome is the result of an attempt, with a sign.
func outcome(g *term.Glyphs, t *model.Tried) term.Span {
	switch {
	case t.Refused:
		return term.Span{Style: term.Trouble, Text: g.Killed + " refused"}
	case t.Stale:
		return term.Span{Style: term.Alarm, Text: g.Yes + " stale"}
	}
	return term.Span{Style: term.Good, Text: g.Yes}
}

// lastWrite is the last attempt of a member's worker to write to a resource, nil if
// none is known.
func (v *Panel) lastWrite(member string, to model.Resource) *model.Tried {
	last := v.State.Work.Last
	for i := len(last) - 1; i >= 0; i-- {
		if last[i].Member == member && last[i].Resource == to {
			return &last[i]
		}
	}
	return nil
}
