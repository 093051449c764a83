// Package detail has three texts about a state: everything about one candidate, the doctor's
// findings, and what the servers report. [Panel] holds the data; its methods format the texts.
package detail

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/leadership"
	"electop/ui/overlay"
	"electop/ui/term"
	"electop/ui/wording"
)

// Panel holds the data that the texts show.
type Panel struct {
	State     *doctor.State
	Row       model.Row // the candidate
	ReadAt    time.Time // when the candidate's data was last read again; zero: not known
	Stale     string    // time of a stale state in words, "" for a current one
	Verifying bool      // the answers to action.Verify are pending
	Why       string    // why the servers cannot be queried, "" if they can
	Recorded  bool      // the state is from a recording
}

type facts []term.Fact

func (x *facts) add(name string, st term.Style, text string) {
	*x = append(*x, term.Fact{Name: name, Style: st, Text: text})
}

func (x *facts) safe(name string, st term.Style, text string) {
	if text = znode.Safe(text, 0); text != "" {
		x.add(name, st, text)
	}
}

// Candidate returns what is known about the candidate, on lines of w cells.
func (v *Panel) Candidate(f *term.Frame, w int) overlay.Text {
	one := cmp.Or(map[bool]string{true: v.State.Words("candidate")}[v.Row.Candidate == nil && v.Row.Member != nil], phrase.RoleOf(v.State).One)
	if v.Row.Ref() == (model.Ref{}) {
		return overlay.Text{Title: wording.Capital(one), Lines: term.FactLines(w, facts{{Style: term.Text, Text: "No " + one + " is selected."}})}
	}
	return overlay.Text{Title: wording.Capital(one) + " " + v.Row.Name(), Lines: term.FactLines(w, v.facts(f, v.Row))}
}

func (v *Panel) facts(f *term.Frame, r model.Row) facts {
	out := make(facts, 0, 24)
	if r.Candidate != nil {
		v.addZnode(&out, f, r)
	} else {
		out.add("znode", term.Trouble, "none")
	}
	if r.Member != nil {
		v.addMember(&out, f, r)
	}
	if r.Candidate != nil {
		v.addData(&out, f, r.Candidate)
	}
	return out
}

func (v *Panel) addZnode(out *facts, f *term.Frame, r model.Row) {
	s, c := v.State, r.Candidate
	out.add("znode", term.Strong, znode.Safe(znode.Join(s.Path, c.Name), 0))
	if wording.Foreign(s) != nil {
		out.add("system", term.Text, s.System())
	}
	out.safe("who", term.Text, c.Who)
	v.addRole(out, r)
	v.addRisk(out, c)
	if of, sure := wording.GhostOf(s, r); sure {
		out.add("ghost", term.Alarm, "of "+of+", which does not know that this znode exists. Once the znode is first, nobody leads until its session ends.")
	}
	for _, x := range wording.About(s, c) {
		st, sign, word := wording.Severity(&f.Theme.Glyph, x.Severity)
		*out = append(*out, term.Fact{Name: sign + " " + word, Label: st, Style: st, Text: znode.Safe(x.Title, 0)})
	}
	if c.Session != 0 {
		out.add("session", term.Text, znode.Hex(c.Session))
	} else if !s.Roleless() {
		out.add("session", term.Trouble, "none: the znode is not ephemeral, or was gone before it could be read")
	}
	v.addClient(out, f, r)
	if !c.Ctime.IsZero() {
		out.add("czxid", term.Text, znode.Zxid(c.Czxid)+map[bool]string{true: "   the fencing token while it " + phrase.RoleOf(s).Has}[s.Dialect.Elects()])
		out.add("created", term.Text, c.Ctime.In(f.Now.Location()).Format("2006-01-02 "+term.StampFormat)+"   by ZooKeeper's clock")
	}
	old, exact := c.Age(f.Calm())
	words := units.Age(old) + "   seen joining"
	if !exact {
		words = "about " + units.Age(old) + "   not seen joining"
	}
	out.add("age", term.Text, words)
	if s.Roleless() {
		return
	}
	st, words := wording.EdgeFact(s, f, r, v.Recorded)
	out.add("watches", st, words)
	out.add("watched by", term.Watch, v.watchersOf(r))
	if words := phrase.Watchers(s); r.Position == 0 && words != "" {
		out.add("", term.Trouble, words)
	}
}

func (v *Panel) addRole(out *facts, r model.Row) {
	s := v.State
	e, n := phrase.Standing(s, r.Position), s.Holders()
	switch {
	case r.Position < n:
	case e.Row != "":
		out.add("role", wording.Style(e.Severity), e.Row)
		return
	default:
		waits := fmt.Sprintf("waits at position %d of %d", r.Position+1, s.Queue.Len())
		out.add("role", term.Text, map[bool]string{true: phrase.RoleOf(s).One, false: waits}[s.Roleless()])
		return
	}
	st, words := term.Lead, phrase.RoleOf(s).Has
	switch {
	case n > 1:
		words += ", one of " + strconv.Itoa(n)
	case s.Lead() != doctor.Leads:
		st, words = term.Trouble, phrase.RoleHolders(s, phrase.Label)
	case s.Dialect.Locks():
	case s.Acknowledged():
		words += ", acknowledged"
	case s.Ack.Path != "" && s.Ack.Presence == model.Denied:
		words += "; the ACL forbids reading the acknowledgement"
	}
	out.add("role", st, words)
	if words := phrase.Release(s, r.Candidate); words != "" {
		out.add("", term.Trouble, words)
	}
	if epoch := s.Epoch(); epoch != "" {
		out.add("epoch", term.Text, epoch+"   the system's own count of its leaders")
	}
	for _, line := range phrase.OutsideZnodes(s) {
		out.add("other znodes", term.Text, line)
	}
}

func (v *Panel) addRisk(out *facts, c *dialect.Candidate) {
	s := v.State
	x := s.Risk(c)
	if x == nil {
		if why := znode.Safe(s.RiskUnseen(c), 0); why != "" && !v.Recorded && c.Session != 0 {
			out.add("risk", term.Muted, "could be noticed too late: "+why)
		}
		return
	}
	words := strings.TrimSuffix("at risk: "+znode.Safe(x.Evidence, 0), ": ")
	if x.Next != nil && x.Leader && s.Holders() == 1 {
		words += ". " + phrase.NextWords(s) + " would take over"
	}
	out.add("risk", term.Alarm, words)
}

func (v *Panel) addClient(out *facts, f *term.Frame, r model.Row) {
	s := v.State
	x, listed := s.Client(r.Candidate)
	conn := x.Conn
	if conn == nil {
		return
	}
	addr, state := znode.Safe(conn.Addr, 64), "   connected to "
	if !listed {
		state = "   not connected any longer; last server "
	}
	if x.Server != "" {
		addr += state + znode.Safe(x.Server, 64)
	}
	if !x.At.IsZero() {
		addr += ", as of " + f.Clock(x.At)
	}
	out.add("client", term.Text, addr)
	if heard := s.Tracked.AliveAfter(r.Candidate.Session); !heard.IsZero() {
		out.add("last contact", term.Text, "at "+f.Clock(heard)+" or later")
	}
	out.safe("last request", term.Text, znode.Safe(conn.LastOp, 24))
	if conn.Timeout > 0 && (r.Member == nil || r.Member.Timeout == 0) {
		out.add("timeout", term.Text, units.Exact(conn.Timeout)+"   negotiated for its session")
	}
}

func (v *Panel) addData(out *facts, f *term.Frame, c *dialect.Candidate) {
	asOf := ""
	if at := cmp.Or(v.ReadAt, c.SeenAt); !at.IsZero() {
		asOf = ", as of " + f.Clock(at)
	}
	switch {
	case v.State.Kind() == dialect.KindQueue:
		out.add("data", term.Muted, units.Count(c.Data.Length, "byte", "bytes")+", never read")
	case c.Data.Denied:
		out.add("data", term.Trouble, "the ACL forbids reading it"+asOf)
	case c.Unread:
		out.add("data", term.Trouble, "gone before it could be read")
	default:
		out.add("data", term.Muted, units.Count(c.Data.Length, "byte", "bytes")+asOf)
		out.add("", term.Text, dataText(c.Data))
	}
}

const scanMax = 1000

func (v *Panel) watchersOf(r model.Row) string {
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
	text, itself, own := phrase.Names(list, 5), "itself   verified", s.Edge(r.Position).OwnZnode
	switch n := len(list); {
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
	if own {
		text += "; " + itself
	}
	return text
}

func (v *Panel) addMember(out *facts, f *term.Frame, r model.Row) {
	s, m := v.State, r.Member
	who := map[bool]string{false: s.Words("one of electop's candidates"), true: "electop's own candidacy"}[m.You]
	out.add("ours", term.You, who+", "+znode.Safe(m.ID, znode.NameMax)+", recipe "+znode.Safe(m.Recipe, znode.NameMax))
	first := r.Position == 0 && s.NoLeader() == model.MixedClients // the first leads, but a client of another library may lead too
	leads := r.Candidate != nil && r.Position >= 0 && (r.Position < s.Holders() || first)
	believes := m.Belief == model.Leading || m.Belief == model.Elected
	st, words := term.Text, s.Words(znode.Safe(string(m.Belief), znode.NameMax))
	switch {
	case r.Candidate == nil:
		fate := wording.FateOf(s, m)
		st, words = fate.Style, fate.Text()+fate.Truth
	case believes && !leads:
		st, words = term.Trouble, words+", but it is not first in the queue"
	case leads && (m.Belief == model.Waiting || m.Belief == model.Volunteering):
		st, words = term.Trouble, words+", and does not know that it is first in the queue"
	}
	out.add("believes", st, words)
	if m.Step != model.StepNone {
		words := "step " + strconv.Itoa(int(m.Step))
		if text := leadership.StepLine(s, m.Step, m.StepOn); text != "" {
			words += ": " + text
		}
		if m.SlowLead && m.Step == model.StepLead && m.Belief == model.Elected {
			words += ": the leader procedure is slow"
		}
		out.add("last did", term.Text, words)
	}
	if m.Fault != model.NoFault {
		words := string(m.Fault)
		if !m.FaultAt.IsZero() {
			words += " at " + f.Stamp(m.FaultAt) + ", " + units.Tenths(f.Busy().Sub(m.FaultAt)) + " ago"
		}
		out.safe("fault", term.Trouble, words)
	}
	out.safe("misbehaves", term.Trouble, wording.Misbehaviour(m))
	out.safe("ending", term.Text, string(m.Ending))
	if m.Session != 0 && r.Candidate == nil {
		out.add("session", term.Trouble, znode.Hex(m.Session)+"   as it believes")
	}
	if m.Timeout > 0 {
		out.add("timeout", term.Text, units.Exact(m.Timeout)+"   negotiated for its session")
	}
	out.safe("obstacle", term.Trouble, m.Obstacle)
	switch {
	case m.LeaseEnd.IsZero():
	case m.Fault == model.NoFault:
		// Renewals alone are not reported, so the lease may end later than m.LeaseEnd.
		out.add("lease", term.Text, "held: committed writes prove that its session lives; without them it stops leading")
	default:
		out.add("lease until", term.Text, f.Stamp(m.LeaseEnd)+"   as last reported: committed writes proved its session until then")
	}
	if m.Fence != 0 {
		out.add("token", term.Text, znode.Zxid(m.Fence)+"   the fencing token for its writes")
	}
}

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
