package doctor

import (
	"cmp"
	"slices"
	"time"

	"electop/model"
	"electop/model/units"
	"electop/model/znode"
)

const (
	// ackGrace is how long acknowledgement and queue may differ: the leader
	// procedure of electop takes milliseconds, and the znodes of an expired
	// session go in one transaction.
	ackGrace = 5 * time.Second
	// ackGraceForeign is how long a leader of another system may take for its
	// procedure: Solr waits three minutes for the other replicas of a shard
	// (leaderVoteWait).
	ackGraceForeign = 4 * time.Minute
	// beliefGrace is how long two of our own may believe to lead: what they
	// believe comes to us in two messages.
	beliefGrace = time.Second
)

// twoLeaders finds two that believe to lead.
func twoLeaders(r *report) {
	believers(r)
	s, a := r.s, &r.s.Ack
	head := s.Leader()
	if s.Single || a.Presence != model.Present || a.Session == 0 || head == nil || a.Names(head) || a.Session == head.Session {
		return
	}
	// The acknowledgement is ephemeral: it stands, so its session lives.
	f := Finding{
		Severity: atMost(r.ceiling(), Critical),
		Title:    "two leaders: the acknowledgement is not of the lowest candidate",
		Evidence: []string{
			"lowest: " + said(head),
			"the acknowledgement " + znode.Safe(a.Path, 0) + " is owned by session " + znode.Hex(a.Session) + ", which lives",
		},
		Harm:       "The session that acknowledged believes that it leads, and so may the lowest candidate: both do the work of one.",
		Advice:     "Stop the program of the session that owns the acknowledgement. Let what the leaders write be fenced by the czxid of the leader's znode.",
		Znodes:     []string{r.path(head.Name), a.Path},
		Sessions:   []uint64{head.Session, a.Session},
		References: []string{"CURATOR-620", "CURATOR-653", "CURATOR-696"},
	}
	if was, ok := r.d.former.sessions[a.Session]; ok && r.owners()[a.Session] == nil {
		f.Evidence = append(f.Evidence, "its candidate "+znode.Safe(was.name, 0)+" is gone since "+units.Clock(was.at))
	}
	r.find(znode.Safe(head.Name, 0), f, hold{wait: ackGrace})
}

// believers finds members of ours that believe to lead when one only can.
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
		Harm:       "All of them do the work of one. ZooKeeper refuses the writes of an expired session; it does not stop what a deposed leader does elsewhere.",
		Advice:     "Let the resource refuse who comes with an older fencing token (the czxid of the leader's znode).",
		References: []string{"CURATOR-620", "CURATOR-653", "CURATOR-696"},
	}
	for _, m := range all {
		text := znode.Safe(m.Name, 0) + ", session " + znode.Hex(m.Session)
		c := r.child(m.Znode)
		switch {
		case c != nil && c.Session == m.Session:
			text += ": its znode stands"
		default:
			text += ": its znode is gone"
		}
		if m.Fault == model.Frozen {
			text += "; it is frozen, and does not know"
		}
		f.Evidence = append(f.Evidence, text)
		if m.Znode != "" {
			f.Znodes = append(f.Znodes, r.path(m.Znode))
		}
		f.Sessions = append(f.Sessions, m.Session)
	}
	r.find("believed", f, hold{wait: beliefGrace})
}

// ackDisagrees finds an acknowledgement that does not go with the queue, or is
// not there.
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
	head := s.Leader()
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
		f.Evidence = append(f.Evidence, znode.Safe(a.Path, 0)+" is there, of no session")
		f.Harm = "An acknowledgement goes with its leader. This znode stays, so the lowest candidate is elected and never leads."
		f.Advice = "Delete " + znode.Safe(a.Path, 0) + ", or give the candidates another acknowledgement (--ack)."
		subject = "persistent"
	case a.Presence == model.Absent && head != nil:
		if d := s.Dialect; d != nil && d.Foreign() && !r.d.cfg.AckExpected {
			h.wait = ackGraceForeign
		}
		f.Title = "the leader did not acknowledge"
		f.Evidence = append(f.Evidence, znode.Safe(a.Path, 0)+" is not there")
		f.Harm = "The candidate holds the role and does not do its work: its leader procedure failed, or takes very long, or it does not know that it leads."
		f.Advice = "Look at the log of the leader. If it does not come on, restart it: the next one takes over."
	case a.Presence != model.Present || head != nil && (a.Names(head) || a.Session != 0 && a.Session != head.Session):
		return // in order, not known, or two leaders
	case head == nil:
		f.Title = "somebody acknowledged, and nobody stands"
		f.Evidence = append(f.Evidence, znode.Safe(a.Path, 0)+" is there, of session "+znode.Hex(a.Session))
		f.Harm = "Who relies on the acknowledgement goes to a leader that was not elected."
		f.Advice = "Find out whether that program leads without standing. If not, delete the acknowledgement."
		if a.Session == 0 {
			f.Evidence[len(f.Evidence)-1] = znode.Safe(a.Path, 0) + " is there, of no session"
		}
	case a.Znode == "":
		return // a text of its own, owned by the leader or by nobody
	default:
		f.Title = "the acknowledgement names another than the leader"
		f.Evidence = append(f.Evidence, znode.Safe(a.Path, 0)+" names "+znode.Safe(a.Znode, 0)+" with the czxid "+znode.Hex(uint64(a.Fence)))
		f.Harm = "Who goes by the acknowledgement finds the wrong leader, and fences by the wrong token."
		f.Advice = "Let the acknowledgement be ephemeral, and let each leader create it anew."
	}
	r.find(subject, f, h)
}
