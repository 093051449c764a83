package ui

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"electop/model"
)

// fact is a line of the inspection: what, and how it is.
type fact struct {
	name  string
	style style
	text  string
}

// drawInspect draws everything that is known of one candidate.
func (d *dashboard) drawInspect(f *frame) {
	r := d.inspected()
	title := r.name()
	facts := d.facts(f, r)
	if r.ref() == (ref{}) {
		title = "gone"
		facts = []fact{{"", styleText, "This candidate is gone: its znode was deleted, and it is none of ours."}}
	}
	const names = 12
	wide := min(d.w-4, 96) - 2 - names - 3
	var lines []fact
	for _, ft := range facts {
		for i, line := range strings.Split(ft.text, "\n") {
			for j, part := range append([]string{}, orBlank(wrap(line, wide))...) {
				name := ft.name
				if i > 0 || j > 0 {
					name = ""
				}
				lines = append(lines, fact{name, ft.style, part})
			}
		}
	}
	d.drawOverlay(f, "Candidate "+title, 96, len(lines), func(p *pen, i int) {
		p.gap(1).fit(names, styleMuted, lines[i].name).gap(1).text(lines[i].style, lines[i].text)
	})
}

func orBlank(lines []string) []string {
	if len(lines) == 0 {
		return []string{""}
	}
	return lines
}

// drawOverlay draws n lines in front of the panels, as many as there is room
// for.
func (d *dashboard) drawOverlay(f *frame, title string, w, n int, line func(p *pen, i int)) {
	r := overlay(d.w, d.h, w, n)
	f.blank(r)
	d.over.lines, d.over.pageful = n, r.h-2
	d.over.top = max(0, min(d.over.top, n-d.over.pageful))
	var tail []span
	if n > d.over.pageful {
		tail = append(tail, span{styleMuted, fmt.Sprintf("%d-%d of %d, j k scroll", d.over.top+1, min(n, d.over.top+d.over.pageful), n), 0})
	}
	a := f.box(r, title, true, tail...)
	for i := range min(n-d.over.top, a.height()) {
		line(a.pen(i), d.over.top+i)
	}
}

// facts are what is known of a row, in the order in which it is asked for.
func (d *dashboard) facts(f *frame, r row) []fact {
	s := d.shown()
	var out []fact
	add := func(name string, st style, text string) { out = append(out, fact{name, st, text}) }
	if c := r.candidate; c != nil {
		add("znode", styleStrong, model.Safe(model.Join(s.Path, c.Name), 0))
		if r.position < s.Recipe.Holders(s.Queue) {
			st, words := styleLead, "leads"
			if s.Acknowledged() {
				words += ", acknowledged"
			} else if s.Ack.Path != "" {
				st, words = styleTrouble, "elected, not acknowledged"
			}
			if t, ok := troubleOf(r); ok {
				st, words = styleTrouble, "first in the queue, but "+string(t.row.member.Fault)
			}
			add("role", st, words)
		} else {
			add("role", styleText, fmt.Sprintf("waits at position %d of %d", r.position+1, len(s.Queue)))
		}
		if c.Session == 0 {
			add("session", styleTrouble, "none: the znode is not ephemeral, or was gone before it could be read")
		} else {
			add("session", styleText, model.Hex(c.Session))
		}
		add("czxid", styleText, model.Zxid(c.Czxid)+"   the fencing token while it leads")
		if !c.Ctime.IsZero() {
			add("created", styleText, c.Ctime.In(f.now.Location()).Format("2006-01-02 "+stampFormat)+"   by the server's clock")
		}
		old, exact := c.Age(f.calm())
		words := age(old)
		if exact {
			words += "   seen to come"
		} else {
			words = "about " + words + "   it was there before we looked"
		}
		add("age", styleText, words)
		add("watches", styleWatch, d.watchedBy(r))
		add("watched by", styleWatch, d.watchersOf(r))
	} else if r.member != nil {
		add("znode", styleTrouble, "none")
	}
	if r.member != nil {
		d.memberFacts(f, r, add)
	}
	if c := r.candidate; c != nil {
		at := c.SeenAt
		if !d.over.readAt.IsZero() {
			at = d.over.readAt
		}
		asOf := ""
		if !at.IsZero() {
			asOf = ", as of " + f.clock(at)
		}
		switch {
		case c.Data.Denied:
			add("data", styleTrouble, "the ACL forbids reading it"+asOf)
		case c.Unread:
			add("data", styleTrouble, "gone before it could be read")
		default:
			add("data", styleMuted, plural(c.Data.Length, "byte", "bytes")+asOf)
			add("", styleText, dataText(c.Data))
		}
	}
	return out
}

// watchedBy is whom r waits for.
func (d *dashboard) watchedBy(r row) string {
	s := d.shown()
	i, ok := s.Recipe.Watches(s.Queue, r.position)
	if !ok || i < 0 || i >= len(s.Queue) {
		return "nobody: there is nobody before it"
	}
	how := "   inferred from the recipe"
	if r.member != nil && r.member.Watches == s.Queue[i].Name {
		how = "   by its own account"
	}
	return s.Queue[i].Label() + "  " + brief(s.Queue[i]) + how
}

// watchersOf is who waits for r. Only the inspected row is asked about, so a
// walk over the queue is no matter.
func (d *dashboard) watchersOf(r row) string {
	s := d.shown()
	const most = 5
	n, names := 0, []string{}
	for i := range s.Queue {
		if to, ok := s.Recipe.Watches(s.Queue, i); ok && to == r.position {
			if n++; n <= most {
				names = append(names, s.Queue[i].Label())
			}
		}
	}
	switch {
	case n == 0:
		return "nobody"
	case n > most:
		return strings.Join(names, ", ") + " and " + strconv.Itoa(n-most) + " more   inferred"
	}
	return strings.Join(names, ", ") + "   inferred"
}

// memberFacts adds what a member of ours says of itself, against the truth.
func (d *dashboard) memberFacts(f *frame, r row, add func(string, style, string)) {
	s, m := d.shown(), r.member
	who := "one of this program's cast"
	if m.You {
		who = "this program's own candidacy"
	}
	add("ours", styleYou, who+", "+model.Safe(m.ID, nameMax)+", recipe "+model.Safe(m.Recipe, nameMax))
	leads := r.candidate != nil && r.position >= 0 && r.position < s.Recipe.Holders(s.Queue)
	believes := m.Belief == model.Leading || m.Belief == model.Elected
	st, words := styleText, model.Safe(string(m.Belief), nameMax)
	switch {
	case r.candidate == nil:
		var truth string
		st, words, truth = fate(s, m)
		words += truth
	case believes && !leads:
		st, words = styleTrouble, words+", but it is not first in the queue"
	case leads && (m.Belief == model.Waiting || m.Belief == model.Volunteering):
		st, words = styleTrouble, words+", and does not know that it is first in the queue"
	}
	add("believes", st, words)
	if m.Step != model.StepNone {
		words := "step " + strconv.Itoa(int(m.Step))
		if m.Detail != "" {
			words += ": " + model.Safe(m.Detail, 0)
		}
		add("last did", styleText, words)
	}
	if m.Fault != model.NoFault {
		words := string(m.Fault)
		if !m.FaultAt.IsZero() {
			words += " at " + f.stamp(m.FaultAt) + ", " + tenths(f.busy().Sub(m.FaultAt)) + " ago"
		}
		add("fault", styleTrouble, model.Safe(words, 0))
	}
	if m.Ending != model.NoEnding {
		add("ending", styleText, model.Safe(string(m.Ending), nameMax))
	}
	if m.Session != 0 && r.candidate == nil {
		add("session", styleTrouble, model.Hex(m.Session)+"   as it believes")
	}
	if m.Timeout > 0 {
		add("timeout", styleText, limit(m.Timeout)+"   negotiated for its session")
	}
	if !m.LeaseEnd.IsZero() {
		words := f.stamp(m.LeaseEnd) + "   the server can expire its session from then on"
		if t, ok := troubleOf(r); ok {
			words += "; " + t.expires(f.busy(), false)
		}
		add("lease until", styleText, words)
	}
	if m.Fence != 0 {
		add("fence", styleText, model.Zxid(m.Fence)+"   what it would write with")
	}
}

// dataText shows data as text where it is text, else the first lines of a
// hex dump.
func dataText(data model.Data) string {
	b := data.Bytes
	if len(b) == 0 {
		return ""
	}
	if utf8.Valid(b) && !strings.ContainsFunc(strings.TrimSpace(string(b)), func(r rune) bool { return model.Unsafe(r) && r != '\n' && r != '\t' }) {
		text := model.Safe(strings.TrimSpace(string(b)), 0)
		if data.Truncated() && !strings.HasSuffix(text, "…") {
			text += "…"
		}
		return text
	}
	const dumpMax = 8 * 16
	dump := strings.TrimRight(hex.Dump(b[:min(len(b), dumpMax)]), "\n")
	if data.Length > dumpMax {
		dump += "\n…"
	}
	return dump
}
