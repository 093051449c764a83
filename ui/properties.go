package ui

import (
	"strconv"
	"strings"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
)

// properties are those of the moment that the picture shows: the state's end
// with its last observation, and what is so now goes on. vacant is for how
// long nobody awake leads by now, zero while somebody does.
func (d *dashboard) properties(f *frame) (p model.Properties, vacant time.Duration) {
	s := d.shown()
	p = s.Properties
	counts := s.Phase == model.Live && s.Link.Link == model.Connected
	if more := f.calm().Sub(s.At); more > 0 && !f.held && counts && p.Observed > 0 {
		p.Observed += more
		if p.VacantSince.IsZero() {
			p.Working += more
		}
	}
	if !p.VacantSince.IsZero() && counts {
		vacant = max(0, f.busy().Sub(p.VacantSince))
		p.LongestVacancy = max(p.LongestVacancy, vacant)
	}
	return p, vacant
}

// watchesOver reports whether there is anything to say of the two properties:
// they are those of candidates of our own, from their first leader on.
func watchesOver(s *doctor.State) bool { return s.Properties.Observed > 0 }

// stale is how many writes were accepted of leaders that were none any more.
func stale(s *doctor.State) int { return s.Work.Counter.Stale + s.Work.Tokens.Stale }

// safe reports whether there never were two leaders awake, nor a write of a
// deposed one accepted.
func safe(s *doctor.State) bool { return s.Properties.AwakeDoubles == 0 && stale(s) == 0 }

// verdictSign is a check mark or a cross.
func (f *frame) verdictSign(good bool) span {
	if good {
		return span{styleGood, f.th.glyph.Yes, 8}
	}
	return span{styleAlarm, f.th.glyph.Killed, 8}
}

// propertySpans are the two indicators for a panel's title, nil where there is
// nothing to say. While trouble is made at random, they are its invariants.
func (d *dashboard) propertySpans(f *frame) []span {
	s := d.shown()
	if !watchesOver(s) {
		return nil
	}
	p, vacant := d.properties(f)
	var out []span
	add := func(keep int, st style, text string) { out = append(out, span{st, text, keep}) }
	if chaos := s.Work.Rules.Chaos; chaos != "" {
		add(3, styleTrouble, "   chaos "+znode.Safe(chaos, 24))
		out = append(out, d.invariantSpans(f)...)
	} else {
		add(8, styleMuted, "   safety ")
		out = append(out, f.verdictSign(safe(s)))
		words := ""
		if n := s.Work.Counter.Accepted + s.Work.Tokens.Accepted; n > 0 {
			words = " " + strconv.Itoa(stale(s)) + " stale,"
		}
		add(3, styleText, words+" "+units.Count(p.Doubles, "double", "doubles"))
		if p.AwakeDoubles > 0 {
			add(4, styleAlarm, ", "+strconv.Itoa(p.AwakeDoubles)+" awake")
		}
	}
	add(7, styleText, "   liveness "+share(p.Working, p.Observed))
	add(2, styleMuted, ", longest gap "+gap(p.LongestVacancy))
	if vacant > 0 {
		add(4, styleTrouble, ", now "+units.Tenths(vacant))
	}
	return out
}

// invariantSpans say what must hold whatever happens, and whether it does.
func (d *dashboard) invariantSpans(f *frame) []span {
	s := d.shown()
	broken := s.Broken()
	if len(broken) > 0 {
		return []span{{styleMuted, "  ", 8}, f.verdictSign(false), {styleAlarm, " " + znode.Safe(strings.Join(broken, ", "), 80), 8}}
	}
	if d.w < wideFrom {
		return []span{{styleMuted, "  invariants ", 8}, f.verdictSign(true)}
	}
	var out []span
	for _, what := range []string{"one leader ", "nothing lost ", "no ghost "} {
		out = append(out, span{styleMuted, "  " + what, 8}, f.verdictSign(true))
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
