package ui

import (
	"strconv"
	"strings"

	"electop/model/doctor"
	"electop/model/session"
	"electop/model/units"
	"electop/model/znode"
)

// severity is how a finding of that gravity looks: never by colour alone.
func (f *frame) severity(v doctor.Severity) (st style, sign, word string) {
	g := &f.th.glyph
	switch v {
	case doctor.Critical:
		return styleAlarm, g.Critical, "critical"
	case doctor.Warning:
		return styleTrouble, g.Warning, "warning"
	}
	return styleText, g.Info, "info"
}

// findingsBadge says how many findings there are, "" for none.
func findingsBadge(s *doctor.State) string {
	if len(s.Findings) == 0 {
		return ""
	}
	critical := 0
	for _, x := range s.Findings {
		if x.Severity == doctor.Critical {
			critical++
		}
	}
	text := units.Count(len(s.Findings), "finding", "findings")
	if critical > 0 {
		text += " (" + strconv.Itoa(critical) + " critical)"
	}
	return text
}

// drawDoctor draws the findings of the election, and what was not checked.
func (d *dashboard) drawDoctor(f *frame) {
	title := "Doctor"
	if badge := findingsBadge(d.shown()); badge != "" {
		title += "  " + badge
	}
	d.drawFacts(f, title, d.diagnosis(f))
}

// diagnosis is what the doctor has to say.
func (d *dashboard) diagnosis(f *frame) []fact {
	s := d.shown()
	var out []fact
	add := func(name string, st style, text string) { out = append(out, fact{name: name, style: st, text: text}) }
	if old := d.asOf(f); old != "" {
		out = append(out, fact{name: "stale", label: styleAlarm, style: styleTrouble, text: old}, fact{})
	}
	for i, x := range s.Findings {
		if i > 0 {
			add("", styleText, "")
		}
		out = append(out, f.finding(s.Path, x)...)
	}
	if len(s.Findings) > 0 {
		add("", styleText, "")
	} else {
		out = append(out, fact{name: f.th.glyph.Yes, label: styleGood, style: styleStrong, text: "Nothing found."})
		add("", styleText, "")
		add("checked", styleText, checked(s))
	}
	if t := s.Told; t == nil {
		_, why := d.action(Verify)
		text := "Watches, connections and sessions: the servers were not asked. So watches are inferred from the recipe, and a lost connection is not seen before its znode goes."
		if why == "" {
			text += " v asks them."
		} else {
			text += " They cannot be: " + why
		}
		add("not checked", styleText, text)
	} else {
		holes := unanswered(t)
		if len(holes) == 0 {
			add("servers", styleText, "all that were asked answered: "+addresses(t))
		}
		for i, text := range holes {
			name := "not checked"
			if i > 0 {
				name = ""
			}
			add(name, styleText, text)
		}
	}
	if text := warned(s); text != "" && s.Told != nil {
		add("risk", styleText, text)
	}
	return out
}

// finding is one finding, as it is read at three in the morning: what, by what
// it is known, what it does, what to do.
func (f *frame) finding(path string, x *doctor.Finding) []fact {
	st, sign, word := f.severity(x.Severity)
	since := ""
	if !x.Since.IsZero() {
		since = "   since " + f.clock(x.Since)
	}
	out := []fact{{name: sign + " " + word, label: st, style: styleStrong, text: znode.Safe(x.Title, 0) + since}}
	for i, e := range x.Evidence {
		name := "seen"
		if i > 0 {
			name = ""
		}
		out = append(out, fact{name: name, style: styleText, text: znode.Safe(e, 0)})
	}
	add := func(name, text string) {
		if text != "" {
			out = append(out, fact{name: name, style: styleText, text: text})
		}
	}
	add("harm", znode.Safe(x.Harm, 0))
	add("do", znode.Safe(x.Advice, 0))
	if len(x.Znodes) > 0 {
		short := make([]string, 0, len(x.Znodes))
		for _, z := range x.Znodes { // those of this election by their names
			short = append(short, strings.TrimPrefix(z, path+"/"))
		}
		out = append(out, fact{name: "znodes", style: styleMuted, text: names(short)})
	}
	if len(x.Sessions) > 0 {
		var ids []string
		for _, id := range x.Sessions {
			ids = append(ids, znode.Hex(id))
		}
		out = append(out, fact{name: "sessions", style: styleMuted, text: names(ids)})
	}
	if len(x.References) > 0 {
		out = append(out, fact{name: "see", style: styleMuted, text: znode.Safe(strings.Join(x.References, ", "), 0)})
	}
	return out
}

// checked says what an empty list of findings rests on.
func checked(s *doctor.State) string {
	parts := []string{"the queue and its history"}
	if s.Ack.Path != "" {
		parts = append(parts, "the acknowledgement")
	}
	if s.Told != nil {
		// Topics that as many servers told of are said together.
		all := len(s.Told.Servers)
		told := make(map[int][]string)
		for _, t := range topics[1:] {
			n := 0
			for i := range s.Told.Servers {
				if t.answer(&s.Told.Servers[i]).State == session.Answered {
					n++
				}
			}
			told[n] = append(told[n], t.name)
		}
		for n := all; n > 0; n-- {
			if told[n] != nil {
				parts = append(parts, strings.Join(told[n], " and ")+" on "+strconv.Itoa(n)+" of "+units.Count(all, "server", "servers"))
			}
		}
	}
	return strings.Join(parts, ", ")
}

// warned says why a leader's end would not be seen in time, "" where it would
// be, or there is none.
func warned(s *doctor.State) string {
	l := s.Leader()
	if l == nil {
		return ""
	}
	if why := s.RiskWatch(l); why != "" {
		return "The end of " + l.Label() + " may not be seen before its znode goes: " + znode.Safe(why, 0)
	}
	return ""
}
