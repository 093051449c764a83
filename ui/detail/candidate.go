// Package detail has the texts that fill the screen on request: everything about one
// candidate, the doctor's findings, and what the members of the ensemble report.
package detail

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"electop/model"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/overlay"
	"electop/ui/recipe"
	"electop/ui/rows"
	"electop/ui/term"
	"electop/ui/wording"
)

// Panel is what the texts are made from.
type Panel struct {
	State  *doctor.State
	Row    rows.Row  // the candidate
	ReadAt time.Time // when its data was read again, zero: it was not
	Stale  string    // how old the picture is, "" for a current one
	Asking bool      // the servers are being asked now
	Why    string    // why they cannot be asked, "" if they can
}

// Candidate is everything that is known of the candidate, the most important first, on lines of w cells.
func (v *Panel) Candidate(f *term.Frame, w int) overlay.Text {
	if v.Row.Ref() == (rows.Ref{}) {
		return overlay.Text{Title: "Candidate", Lines: term.FactLines(w, []term.Fact{{Style: term.Text, Text: "No candidate is selected."}})}
	}
	return overlay.Text{Title: "Candidate " + v.Row.Name(), Lines: term.FactLines(w, v.facts(f, v.Row))}
}

// facts are what is known about a row, the most important first.
func (v *Panel) facts(f *term.Frame, r rows.Row) []term.Fact {
	s := v.State
	out := make([]term.Fact, 0, 20)
	add := func(name string, st term.Style, text string) {
		out = append(out, term.Fact{Name: name, Style: st, Text: text})
	}
	if c := r.Candidate; c != nil {
		add("znode", term.Strong, znode.Safe(wording.ZnodePath(s, c), 0))
		if wording.Foreign(s) != nil {
			add("system", term.Text, wording.System(s))
		}
		if who := znode.Safe(c.Who, 0); who != "" {
			add("who", term.Text, who)
		}
		if n := wording.Holders(s); r.Position < n {
			st, words := term.Lead, phrase.RoleOf(s).Has
			switch {
			case n > 1:
				words += ", one of " + strconv.Itoa(n)
			case s.Lead() != doctor.Leads:
				st, words = term.Trouble, phrase.RoleHolders(s, phrase.Label)
			case wording.Locks(s):
			case s.Acknowledged():
				words += ", acknowledged"
			case s.Ack.Path != "" && s.Ack.Presence == model.Denied:
				words += "; the acknowledgement may not be read"
			}
			add("role", st, words)
			if epoch := s.Epoch(); epoch != "" {
				add("epoch", term.Text, epoch+"   the system's own count of its leaders")
			}
			for _, line := range phrase.Beside(s) {
				add("beside", term.Text, line)
			}
		} else if e := phrase.Standing(s, r.Position); e.Row != "" {
			add("role", wording.Style(e.Severity), e.Row)
		} else if wording.Registry(s) {
			add("role", term.Text, "a member")
		} else {
			add("role", term.Text, fmt.Sprintf("waits at position %d of %d", r.Position+1, s.Queue.Len()))
		}
		v.riskFacts(f, r, add)
		if of, sure := wording.GhostOf(s, r); sure {
			add("ghost", term.Alarm, "of "+of+": its owner does not know that it exists. Once it is first, nobody leads until that session ends.")
		}
		for _, x := range wording.About(s, c) {
			st, sign, word := wording.Severity(&f.Theme.Glyph, x.Severity)
			out = append(out, term.Fact{Name: sign + " " + word, Label: st, Style: st, Text: znode.Safe(x.Title, 0)})
		}
		if c.Session == 0 {
			add("session", term.Trouble, "none: the znode is not ephemeral, or was gone before it could be read")
		} else {
			add("session", term.Text, znode.Hex(c.Session))
		}
		v.clientFacts(f, r, add)
		add("czxid", term.Text, znode.Zxid(c.Czxid)+"   the fencing token while it "+phrase.RoleOf(s).Has)
		if !c.Ctime.IsZero() {
			add("created", term.Text, c.Ctime.In(f.Now.Location()).Format("2006-01-02 "+term.StampFormat)+"   by the server's clock")
		}
		old, exact := c.Age(f.Calm())
		words := units.Age(old)
		if exact {
			words += "   seen joining"
		} else {
			words = "about " + words + "   it existed before electop started"
		}
		add("age", term.Text, words)
		st, words := wording.EdgeFact(s, f, r)
		add("watches", st, words)
		add("watched by", term.Watch, v.watchersOf(r))
		if words := phrase.Watchers(s); r.Position == 0 && words != "" {
			add("", term.Trouble, words)
		}
	} else if r.Member != nil {
		add("znode", term.Trouble, "none")
	}
	if r.Member != nil {
		v.memberFacts(f, r, add)
	}
	if c := r.Candidate; c != nil {
		at := c.SeenAt
		if !v.ReadAt.IsZero() {
			at = v.ReadAt
		}
		asOf := ""
		if !at.IsZero() {
			asOf = ", as of " + f.Clock(at)
		}
		switch {
		case c.Data.Denied:
			add("data", term.Trouble, "the ACL forbids reading it"+asOf)
		case c.Unread:
			add("data", term.Trouble, "gone before it could be read")
		default:
			add("data", term.Muted, units.Count(c.Data.Length, "byte", "bytes")+asOf)
			add("", term.Text, dataText(c.Data))
		}
	}
	return out
}

// scanMax is the longest queue of which each frame looks at all watches.
const scanMax = 1000

// watchersOf lists the candidates that watch r: by the servers' answers, or else by the
// recipe. In a long queue it looks only at those that watch r by the recipe.
func (v *Panel) watchersOf(r rows.Row) string {
	s := v.State
	verified, list := 0, []string{}
	from, left := 0, s.Queue.Len()
	if left > scanMax {
		from, left = r.Position+1, s.Recipe.Notified(s.Queue, r.Position)
	}
	for i := from; i < s.Queue.Len() && left > 0; i++ {
		to, ok := s.Recipe.Watches(s.Queue, i)
		if from == 0 || ok && to == r.Position {
			left--
		}
		switch e, name := s.Edge(i), s.Queue.At(i).Label(); {
		case i != r.Position && slices.Contains(e.Watched, r.Candidate.Name):
			verified++
			list = append(list, name)
		case ok && to == r.Position && wording.WrongEdge(e):
			list = append(list, name+" (should, but does not)")
		case ok && to == r.Position:
			list = append(list, name)
		}
	}
	text, itself := phrase.Names(list, 5), "itself   verified"
	switch n, own := len(list), s.Edge(r.Position).Own; {
	case n == 0 && own:
		return itself
	case n == 0:
		return "nobody"
	case verified == n:
		text += "   verified"
	case verified == 0:
		text += "   inferred"
	default:
		text += fmt.Sprintf("   %d of %d verified", verified, n)
	}
	if s.Edge(r.Position).Own {
		text += "; " + itself
	}
	return text
}

// memberFacts adds what a member of ours reports about itself, compared with the truth.
func (v *Panel) memberFacts(f *term.Frame, r rows.Row, add func(string, term.Style, string)) {
	s, m := v.State, r.Member
	who := "one of electop's candidates"
	if m.You {
		who = "electop's own candidacy"
	}
	add("ours", term.You, who+", "+znode.Safe(m.ID, rows.NameMax)+", recipe "+znode.Safe(m.Recipe, rows.NameMax))
	leads := r.Candidate != nil && r.Position >= 0 && r.Position < wording.Holders(s)
	believes := m.Belief == model.Leading || m.Belief == model.Elected
	st, words := term.Text, znode.Safe(string(m.Belief), rows.NameMax)
	switch {
	case r.Candidate == nil:
		fate := wording.FateOf(s, m)
		st, words = fate.Style, fate.Text()+fate.Truth
	case believes && !leads:
		st, words = term.Trouble, words+", but it is not first in the queue"
	case leads && (m.Belief == model.Waiting || m.Belief == model.Volunteering):
		st, words = term.Trouble, words+", and does not know that it is first in the queue"
	}
	add("believes", st, words)
	if m.Step != model.StepNone {
		words := "step " + strconv.Itoa(int(m.Step))
		if text := recipe.Line(m.Step, m.StepOn); text != "" {
			words += ": " + text
		}
		if m.SlowLead && m.Step == model.StepLead && m.Belief == model.Elected {
			words += ": the leader procedure is slow"
		}
		add("last did", term.Text, words)
	}
	if m.Fault != model.NoFault {
		words := string(m.Fault)
		if !m.FaultAt.IsZero() {
			words += " at " + f.Stamp(m.FaultAt) + ", " + units.Tenths(f.Busy().Sub(m.FaultAt)) + " ago"
		}
		add("fault", term.Trouble, znode.Safe(words, 0))
	}
	if words := wording.Misbehaviour(m); words != "" {
		add("misbehaves", term.Trouble, words)
	}
	if m.Ending != model.NoEnding {
		add("ending", term.Text, znode.Safe(string(m.Ending), rows.NameMax))
	}
	if m.Session != 0 && r.Candidate == nil {
		add("session", term.Trouble, znode.Hex(m.Session)+"   as it believes")
	}
	if m.Timeout > 0 {
		add("timeout", term.Text, units.Exact(m.Timeout)+"   negotiated for its session")
	}
	if m.Obstacle != "" {
		add("obstacle", term.Trouble, znode.Safe(m.Obstacle, 0))
	}
	switch {
	case m.LeaseEnd.IsZero():
	case m.Fault == model.NoFault:
		// It renews the lease many times a second, reports only what else changes,
		// and reports at once that the lease is over: no time is up to date here.
		add("lease", term.Text, "held: committed writes prove that its session lives; without them it stops leading")
	default:
		add("lease until", term.Text, f.Stamp(m.LeaseEnd)+"   as last reported: committed writes proved its session until then")
	}
	if m.Fence != 0 {
		add("token", term.Text, znode.Zxid(m.Fence)+"   the fencing token that it would write with")
	}
}

// dataText is data as text if it is text, else the first lines of a hex dump.
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

// riskFacts adds r's risk, or why a risk may not be seen in time.
func (v *Panel) riskFacts(f *term.Frame, r rows.Row, add func(string, term.Style, string)) {
	s := v.State
	if x := s.Risk(r.Candidate); x != nil {
		words := "at risk"
		if why := znode.Safe(x.Evidence, 0); why != "" {
			words += ": " + why
		}
		if next := x.Next; next != nil && x.Leader && wording.Holders(s) == 1 {
			words += ". " + next.Label() + " would take over"
		}
		add("risk", term.Alarm, words)
		return
	}
	if why := znode.Safe(s.RiskWatch(r.Candidate), 0); why != "" {
		add("risk", term.Muted, "may not be seen in time: "+why)
	}
}

// clientFacts adds what the servers know about r's session.
func (v *Panel) clientFacts(f *term.Frame, r rows.Row, add func(string, term.Style, string)) {
	s := v.State
	x, listed := s.Client(r.Candidate)
	conn, server := x.Conn, x.Server
	if conn == nil {
		return
	}
	addr, state := znode.Safe(conn.Addr, 64), "   connected to "
	if !listed {
		state = "   not connected any longer; last to "
	}
	if server != "" {
		addr += state + znode.Safe(server, 64)
	}
	if !x.At.IsZero() {
		addr += ", as of " + f.Clock(x.At)
	}
	add("client", term.Text, addr)
	if heard := s.Tracked.Heard(r.Candidate.Session); !heard.IsZero() {
		add("heard from", term.Text, "at "+f.Clock(heard)+" or later")
	}
	if last := znode.Safe(conn.LastOp, 24); last != "" {
		add("last request", term.Text, last)
	}
	if conn.Timeout > 0 && (r.Member == nil || r.Member.Timeout == 0) {
		add("timeout", term.Text, units.Exact(conn.Timeout)+"   negotiated for its session")
	}
}
