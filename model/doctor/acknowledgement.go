package doctor

import (
	"cmp"
	"slices"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/units"
	"electop/model/znode"
)

const (
	// ackGrace is how long acknowledgement and queue may differ: the leader
	// procedure of electop takes milliseconds, and the znodes of an expired
	// session are deleted in one transaction.
	ackGrace = 5 * time.Second
	// ackGraceForeign is how long a leader may take where the user named an
	// acknowledgement that its system does not have.
	ackGraceForeign = 4 * time.Minute
	// beliefGrace is how long two of our candidates may believe that they lead:
	// their beliefs arrive in two messages.
	beliefGrace = time.Second
)

// twoLeaders finds two candidates that believe they lead.
func twoLeaders(r *report) {
	believers(r)
	uncounted(r)
	s, a := r.s, &r.s.Ack
	head := s.First()
	if s.Single || a.Presence != model.Present || a.Session == 0 || head == nil || a.Names(head) || a.Session == head.Session {
		return
	}
	// The acknowledgement is ephemeral: it exists, so its session is alive.
	f := Finding{
		Severity: atMost(r.ceiling(), Critical),
		Title:    "two leaders: the lowest candidate does not own the acknowledgement",
		Evidence: []string{
			"lowest: " + said(head),
			"the acknowledgement " + znode.Safe(a.Path, 0) + " belongs to session " + znode.Hex(a.Session) + ", which is alive",
		},
		Harm:       "The session that acknowledged believes that it leads, and the lowest candidate may believe it too: two do the work of one leader.",
		Advice:     "Stop the program that owns the acknowledgement's session. Give the leaders' writes a fencing token: the czxid of the leader's znode.",
		Znodes:     []string{r.path(head.Name), a.Path},
		Sessions:   []uint64{head.Session, a.Session},
		References: []string{"CURATOR-620", "CURATOR-653", "CURATOR-696"},
	}
	if was, ok := r.m.former.of(a.Session); ok && r.owners()[a.Session] == nil {
		f.Evidence = append(f.Evidence, "its candidate "+znode.Safe(was.name, 0)+" was deleted at "+units.Clock(was.at))
	}
	r.find(znode.Safe(head.Name, 0), f, hold{wait: ackGrace})
}

// believers finds several of our members that believe they lead where only one can.
func believers(r *report) {
	s := r.s
	holders := r.holders()
	if holders > 1 {
		return
	}
	var all []*model.Member
	for _, m := range s.Members {
		if m.Belief == model.Leading && m.Fault != model.Killed && m.Ending == model.NoEnding {
			all = append(all, m)
		}
	}
	if len(all) < 2 {
		return
	}
	slices.SortFunc(all, func(a, b *model.Member) int { return cmp.Compare(a.ID, b.ID) })
	f := Finding{
		Severity:   Critical,
		Title:      "two leaders: " + units.Count(len(all), "candidate", "candidates") + " of this process believe that they lead",
		Harm:       "All of them do the work of one leader. ZooKeeper refuses the writes of an expired session, but cannot stop what an old leader does elsewhere.",
		Advice:     "Make the resource refuse requests with an older fencing token (the czxid of the leader's znode).",
		References: []string{"CURATOR-620", "CURATOR-653", "CURATOR-696"},
	}
	for _, m := range all {
		text := znode.Safe(m.Name, 0) + ", session " + znode.Hex(m.Session)
		c := r.child(m.Znode)
		switch {
		case c != nil && c.Session == m.Session:
			text += ": its znode exists"
		default:
			text += ": its znode is gone"
		}
		if m.Fault == model.Frozen {
			text += "; it is frozen and cannot notice"
		}
		f.Evidence = append(f.Evidence, text)
		if m.Znode != "" {
			f.Znodes = append(f.Znodes, r.path(m.Znode))
		}
		f.Sessions = append(f.Sessions, m.Session)
	}
	r.find("believed", f, hold{wait: beliefGrace})
}

// guest reports whether a contender may be of a program that follows electop's
// naming, which is that of the recipe, and acknowledges nothing.
func (r *report) guest(c *dialect.Candidate) bool {
	d := r.s.Dialect
	return d != nil && !d.Foreign() && r.m.cfg.AckFollows && r.s.Member(c) == nil
}

// ackDisagrees finds an acknowledgement that does not match the queue, or is
// missing.
func ackDisagrees(r *report) {
	s, a := r.s, &r.s.Ack
	if s.Single || a.Path == "" || a.At.IsZero() || !s.AckExpected {
		return
	}
	f := Finding{
		Severity:   atMost(r.ceiling(), Warning),
		Znodes:     []string{a.Path},
		References: []string{"SOLR-18301"},
	}
	head := s.First()
	h := hold{wait: ackGrace}
	subject := ""
	if head != nil {
		subject = znode.Safe(head.Name, 0)
		f.Znodes = append(f.Znodes, r.path(head.Name))
		f.Sessions = append(f.Sessions, head.Session)
		f.Evidence = append(f.Evidence, "lowest: "+said(head))
	}
	switch d := s.Dialect; {
	case a.Presence == model.Present && a.Session == 0 && d != nil && !d.Foreign() && head != nil && !a.Names(head):
		f.Severity = atMost(r.ceiling(), Critical)
		f.Title = "nobody can acknowledge: a persistent znode is in the way"
		f.Evidence = append(f.Evidence, znode.Safe(a.Path, 0)+" exists and belongs to no session")
		f.Harm = "An acknowledgement must end with its leader. This znode stays, so the lowest candidate is elected but never leads."
		f.Advice = "Delete " + znode.Safe(a.Path, 0) + ", or use another acknowledgement (--ack)."
		subject = "persistent"
	case a.Presence == model.Absent && head != nil:
		if s.NoLeader() == model.NotAcknowledged {
			return // see noLeader
		}
		if d := s.Dialect; d != nil && d.Foreign() && !r.m.cfg.AckExpected {
			h.wait = ackGraceForeign
		}
		if r.guest(head) {
			f.Severity = Info
			f.Title = "the first candidate has not acknowledged"
			f.Evidence = append(f.Evidence, znode.Safe(a.Path, 0)+" does not exist, and did before")
			f.Harm = "None if its program makes no acknowledgement: the recipe needs none. A candidate of electop would be elected and not do a leader's work."
			f.Advice = "Nothing, if its program makes no acknowledgement. If it is a candidate of electop, read its log."
			break
		}
		f.Title = "the leader did not acknowledge"
		f.Evidence = append(f.Evidence, znode.Safe(a.Path, 0)+" does not exist")
		f.Harm = "The candidate is elected, but does not do a leader's work: its leader procedure failed or is slow, or it does not know that it leads."
		f.Advice = "Read the log of the leader. If it does not recover, restart it: the next candidate takes over."
	case a.Presence != model.Present || head != nil && (a.Names(head) || a.Session != 0 && a.Session != head.Session):
		return // in order, not known, or two leaders
	case head == nil:
		f.Title = "acknowledged, but the queue is empty"
		f.Evidence = append(f.Evidence, znode.Safe(a.Path, 0)+" exists and belongs to session "+znode.Hex(a.Session))
		f.Harm = "Clients that read the acknowledgement use a leader that was not elected."
		f.Advice = "Find out whether that program leads without a candidate's znode. If not, delete the acknowledgement."
		if a.Session == 0 {
			f.Evidence[len(f.Evidence)-1] = znode.Safe(a.Path, 0) + " exists and belongs to no session"
		}
	case a.Znode == "":
		return // it has a text of its own, and belongs to the leader or to no session
	default:
		f.Title = "the acknowledgement names a znode that is not the leader's"
		f.Evidence = append(f.Evidence, znode.Safe(a.Path, 0)+" names "+znode.Safe(a.Znode, 0)+" with the czxid "+znode.Hex(uint64(a.Fence)))
		f.Harm = "Clients that read the acknowledgement find the wrong leader and use the wrong fencing token."
		f.Advice = "Make the acknowledgement ephemeral; each leader must create its own."
	}
	r.find(subject, f, h)
}
