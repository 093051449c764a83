package belief

import (
	"strconv"
	"strings"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/term"
	"electop/ui/wording"
)

// properties are those of the moment that the picture shows. The state's own end at
// its last observation, after which nothing changed. vacant is for how long no
// candidate that is awake leads, zero if one does.
func (v *Panel) properties(f *term.Frame) (p model.Properties, vacant time.Duration) {
	s := v.State
	p = s.Properties
	counts := s.Phase == model.Live && s.Link.Link == model.Connected
	if more := f.Calm().Sub(s.At); more > 0 && !f.Held && counts && p.Observed > 0 {
		p.Observed += more
		if p.VacantSince.IsZero() {
			p.Working += more
		}
	}
	if !p.VacantSince.IsZero() && counts {
		vacant = max(0, f.Busy().Sub(p.VacantSince))
		p.LongestVacancy = max(p.LongestVacancy, vacant)
	}
	return p, vacant
}

// visible says whose beliefs are known: candidates that are not electop's say
// nothing of theirs. A leader among them may believe that it leads long after its
// session expired.
type visible int

const (
	allBeliefs  visible = iota
	ourBeliefs          // there are others
	noneVisible         // no candidate is electop's
)

func visibleIn(s *doctor.State) visible {
	if len(s.Members) == 0 {
		// Those that were killed may have left their znodes, or an empty queue.
		if s.Member(s.Leader()) != nil || s.Queue.Len() == 0 && len(s.Steps) > 0 {
			return allBeliefs
		}
		return noneVisible
	}
	for _, c := range s.Queue.All() {
		if s.Member(c) == nil {
			return ourBeliefs
		}
	}
	return allBeliefs
}

// watched reports whether there is something to say of safety and liveness: from
// the first leader on.
func watched(s *doctor.State) bool { return s.Properties.Observed > 0 }

// stale is how many writes of former leaders were accepted.
func stale(s *doctor.State) int { return s.Work.Counter.Stale + s.Work.Tokens.Stale }

// safety is the sign of whether two believed at once that they lead: a cross if both were
// awake, or if a write of a former leader was accepted.
func safety(g *term.Glyphs, s *doctor.State) term.Span {
	if p := s.Properties; p.Doubles > 0 && p.AwakeDoubles == 0 && stale(s) == 0 {
		st, sign, _ := wording.Severity(g, doctor.Warning)
		return term.Span{Style: st, Text: sign, Keep: 8}
	}
	return verdictSign(g, s.Properties.Doubles == 0 && stale(s) == 0)
}

// verdictSign is a check mark or a cross.
func verdictSign(g *term.Glyphs, good bool) term.Span {
	if good {
		return term.Span{Style: term.Good, Text: g.Yes, Keep: 8}
	}
	return term.Span{Style: term.Alarm, Text: g.Killed, Keep: 8}
}

// PropertySpans are safety and liveness for a panel's title, nil if they are unknown.
// With random faults the invariants take the place of safety. Of third-party
// candidates only the queue is known.
func (v *Panel) PropertySpans(f *term.Frame) []term.Span {
	s := v.State
	if !watched(s) {
		return nil
	}
	p, vacant := v.properties(f)
	out := make([]term.Span, 0, 4)
	add := func(keep int, st term.Style, text string) {
		out = append(out, term.Span{Style: st, Text: text, Keep: keep})
	}
	seen, led := visibleIn(s), "   liveness "
	if seen == noneVisible {
		led = "   liveness by the queue "
		if s.Dialect != nil && s.Dialect.Foreign() && s.AckPath() != "" {
			led = "   liveness by ack "
		}
	}
	if chaos := s.Work.Rules.Chaos; chaos != "" {
		add(3, term.Trouble, "   chaos "+znode.Safe(chaos, 24))
		out = append(out, v.invariantSpans(f)...)
	} else if seen == noneVisible {
		add(6, term.Muted, "   beliefs not visible")
	} else {
		add(8, term.Muted, "   safety ")
		out = append(out, safety(&f.Theme.Glyph, s))
		words := ""
		if n := s.Work.Counter.Accepted + s.Work.Tokens.Accepted; n > 0 {
			words = " " + strconv.Itoa(stale(s)) + " stale,"
		}
		add(3, term.Text, words+" "+units.Count(p.Doubles, "double", "doubles"))
		if seen == ourBeliefs {
			add(1, term.Muted, " of electop's")
		}
		if p.AwakeDoubles > 0 {
			add(4, term.Alarm, ", "+strconv.Itoa(p.AwakeDoubles)+" awake")
		}
	}
	add(7, term.Text, led+wording.Share(p.Working, p.Observed))
	add(2, term.Muted, ", longest gap "+gap(p.LongestVacancy))
	if vacant > 0 {
		add(4, term.Trouble, ", now "+units.Tenths(vacant))
	}
	return out
}

// invariantSpans are what must always hold, and whether it does.
func (v *Panel) invariantSpans(f *term.Frame) []term.Span {
	s := v.State
	broken := s.Broken()
	if len(broken) > 0 {
		return []term.Span{{Style: term.Muted, Text: "  ", Keep: 8}, verdictSign(&f.Theme.Glyph, false), {Style: term.Alarm, Text: " " + znode.Safe(strings.Join(broken, ", "), 80), Keep: 8}}
	}
	if !v.Wide {
		return []term.Span{{Style: term.Muted, Text: "  invariants ", Keep: 8}, verdictSign(&f.Theme.Glyph, true)}
	}
	var out []term.Span
	for _, what := range []string{"one leader ", "nothing lost ", "no ghost "} {
		out = append(out, term.Span{Style: term.Muted, Text: "  " + what, Keep: 8}, verdictSign(&f.Theme.Glyph, true))
	}
	return out
}

// gap formats the longest time without a leader.
func gap(d time.Duration) string {
	if d == 0 {
		return "none"
	}
	return units.Took(d.Round(time.Millisecond))
}
