package ui

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"electop/model"
	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
)

// drawInspect draws everything that is known of one candidate.
func (d *dashboard) drawInspect(f *frame) {
	r := d.inspected()
	title, facts := r.name(), d.facts(f, r)
	if r.ref() == (ref{}) {
		title = "gone"
		facts = []fact{{style: styleText, text: "This candidate is gone: its znode was deleted, and it is none of ours."}}
	}
	d.drawFacts(f, "Candidate "+title, facts)
}

// facts are what is known of a row, in the order in which it is asked for.
func (d *dashboard) facts(f *frame, r row) []fact {
	s := d.shown()
	var out []fact
	add := func(name string, st style, text string) { out = append(out, fact{name: name, style: st, text: text}) }
	if c := r.candidate; c != nil {
		add("znode", styleStrong, znode.Safe(znodePath(s, c), 0))
		if foreign(s) != nil {
			add("system", styleText, system(s))
		}
		if who := znode.Safe(c.Who, 0); who != "" {
			add("who", styleText, who)
		}
		if n := holders(s); r.position < n {
			st, words := styleLead, wordsOf(s).has
			switch {
			case n > 1:
				words += ", one of " + strconv.Itoa(n)
			case locks(s):
			case s.Acknowledged():
				words += ", acknowledged"
			case s.Ack.Path != "" && s.Ack.Presence == model.Denied:
				words += "; the acknowledgement may not be read"
			case s.Ack.Path != "":
				st, words = styleTrouble, "elected, not acknowledged"
			}
			if t, ok := troubleOf(s, r); ok && t.faulty() {
				st, words = styleTrouble, "first in the queue, but "+string(t.row.member.Fault)
			}
			add("role", st, words)
		} else {
			add("role", styleText, fmt.Sprintf("waits at position %d of %d", r.position+1, len(s.Queue)))
		}
		d.riskFacts(f, r, add)
		if of, sure := d.ghostOf(r); sure {
			add("ghost", styleAlarm, "of "+of+": the session owns it, and its owner does not know of it. Once it is first, nobody leads until that session ends.")
		}
		for _, x := range about(s, c) {
			st, sign, word := f.severity(x.Severity)
			out = append(out, fact{name: sign + " " + word, label: st, style: st, text: znode.Safe(x.Title, 0)})
		}
		if c.Session == 0 {
			add("session", styleTrouble, "none: the znode is not ephemeral, or was gone before it could be read")
		} else {
			add("session", styleText, znode.Hex(c.Session))
		}
		d.clientFacts(f, r, add)
		add("czxid", styleText, znode.Zxid(c.Czxid)+"   the fencing token while it "+wordsOf(s).has)
		if !c.Ctime.IsZero() {
			add("created", styleText, c.Ctime.In(f.now.Location()).Format("2006-01-02 "+stampFormat)+"   by the server's clock")
		}
		old, exact := c.Age(f.calm())
		words := units.Age(old)
		if exact {
			words += "   seen to come"
		} else {
			words = "about " + words + "   it was there before we looked"
		}
		add("age", styleText, words)
		st, words := d.edgeFact(f, r)
		add("watches", st, words)
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
			add("data", styleMuted, units.Count(c.Data.Length, "byte", "bytes")+asOf)
			add("", styleText, dataText(c.Data))
		}
	}
	return out
}

// watchersOf is who waits for r. Only the inspected row is asked about, so a
// walk over the queue is no matter.
func (d *dashboard) watchersOf(r row) string {
	s := d.shown()
	const most = 5
	n, verified, list := 0, 0, []string{}
	for i := range s.Queue {
		to, ok := s.Recipe.Watches(s.Queue, i)
		if !ok || to != r.position {
			continue
		}
		name := s.Queue[i].Label()
		switch e := s.Edge(i); {
		case wrongEdge(e):
			name += " (should, but does not)"
		case e.State == doctor.Verified:
			verified++
		}
		if n++; n <= most {
			list = append(list, name)
		}
	}
	if n == 0 {
		return "nobody"
	}
	text := strings.Join(list, ", ")
	if n > most {
		text += " and " + strconv.Itoa(n-most) + " more"
	}
	switch verified {
	case n:
		return text + "   verified"
	case 0:
		return text + "   inferred"
	}
	return text + "   " + strconv.Itoa(verified) + " of " + strconv.Itoa(n) + " verified"
}

// memberFacts adds what a member of ours says of itself, against the truth.
func (d *dashboard) memberFacts(f *frame, r row, add func(string, style, string)) {
	s, m := d.shown(), r.member
	who := "one of this program's cast"
	if m.You {
		who = "this program's own candidacy"
	}
	add("ours", styleYou, who+", "+znode.Safe(m.ID, nameMax)+", recipe "+znode.Safe(m.Recipe, nameMax))
	leads := r.candidate != nil && r.position >= 0 && r.position < holders(s)
	believes := m.Belief == model.Leading || m.Belief == model.Elected
	st, words := styleText, znode.Safe(string(m.Belief), nameMax)
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
		if text := stepOnText(m.Step, m.StepOn); text != "" {
			words += ": " + text
		}
		if m.SlowLead && m.Step == model.StepLead && m.Belief == model.Elected {
			words += ": the leader procedure takes its time"
		}
		add("last did", styleText, words)
	}
	if m.Fault != model.NoFault {
		words := string(m.Fault)
		if !m.FaultAt.IsZero() {
			words += " at " + f.stamp(m.FaultAt) + ", " + units.Tenths(f.busy().Sub(m.FaultAt)) + " ago"
		}
		add("fault", styleTrouble, znode.Safe(words, 0))
	}
	if words := toldWrong(m); words != "" {
		add("told to err", styleTrouble, words)
	}
	if m.Ending != model.NoEnding {
		add("ending", styleText, znode.Safe(string(m.Ending), nameMax))
	}
	if m.Session != 0 && r.candidate == nil {
		add("session", styleTrouble, znode.Hex(m.Session)+"   as it believes")
	}
	if m.Timeout > 0 {
		add("timeout", styleText, units.Exact(m.Timeout)+"   negotiated for its session")
	}
	if m.Obstacle != "" {
		add("obstacle", styleTrouble, znode.Safe(m.Obstacle, 0))
	}
	if !m.LeaseEnd.IsZero() {
		add("lease until", styleText, f.stamp(m.LeaseEnd)+"   committed writes prove that its session lives until then")
	}
	if !m.ExpiresFrom.IsZero() {
		words := f.stamp(m.ExpiresFrom) + "   servers that hear each other keep its session until then"
		if t, ok := troubleOf(s, r); ok {
			words += "; " + t.expires(f.busy(), false)
		}
		add("expires from", styleText, words)
	}
	if m.Fence != 0 {
		add("fence", styleText, znode.Zxid(m.Fence)+"   what it would write with")
	}
}

// dataText shows data as text where it is text, else the first lines of a
// hex dump.
func dataText(data znode.Data) string {
	b := data.Bytes
	if len(b) == 0 {
		return ""
	}
	if utf8.Valid(b) && !strings.ContainsFunc(strings.TrimSpace(string(b)), func(r rune) bool { return znode.Unsafe(r) && r != '\n' && r != '\t' }) {
		text := znode.Safe(strings.TrimSpace(string(b)), 0)
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
