package doctor

import (
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/znode"
)

const (
	ackGrace        = 5 * time.Second
	ackGraceForeign = 4 * time.Minute
	// During beliefGrace, two of electop's candidates may seem to lead: their reports arrive one by one.
	beliefGrace = time.Second
)

// mayBeThirdParty reports whether c may belong to another program that uses electop's naming and does not acknowledge.
func (r *ruleRun) mayBeThirdParty(c *dialect.Candidate) bool {
	d := r.s.Dialect
	return d != nil && !d.Foreign() && r.d.cfg.AckFollows && r.s.Member(c) == nil
}

func ackDisagrees(r *ruleRun) {
	s, a, head := r.s, &r.s.Ack, r.s.First()
	if s.Single || a.Path == "" || a.At.IsZero() || !s.AckExpected || head != nil && s.Pace.Holds(head.Session) {
		return
	}
	path, subject := safe(a.Path), ""
	if head != nil {
		subject = safe(head.Name)
	}
	find := func(t wording, format string, args ...any) *draft {
		f := r.find(t, subject, "{ack}", path)
		f.Znodes = []string{a.Path}
		if head != nil {
			f.about(head)
			f.because("lowest: %s", described(head))
		}
		f.because(format, args...)
		return f
	}
	foreign := s.Dialect != nil && s.Dialect.Foreign()
	switch {
	case a.Presence == model.Present && a.Session == 0 && s.Dialect != nil && !foreign && head != nil && !a.Names(head):
		subject = "persistent"
		find(ackBlocked, "%s exists and belongs to no session", path)
	case a.Presence == model.Absent && head != nil:
		switch {
		case s.NoLeader() == model.NotAcknowledged: // reported by noLeader
		case r.mayBeThirdParty(head):
			find(ackMissingOfThirdParty, "%s existed before, but no longer exists", path)
		case foreign && !r.d.cfg.AckExpected:
			find(ackMissing, "%s does not exist", path).wait = ackGraceForeign
		default:
			find(ackMissing, "%s does not exist", path)
		}
	case a.Names(head) && a.Session != 0 && a.Session != head.Session:
		f := find(ackOwnedByAnother, "%s names the leader, and belongs to session %s", path, znode.Hex(a.Session))
		f.Sessions = append(f.Sessions, a.Session)
	case a.Presence != model.Present || head != nil && (a.Names(head) || a.Session != 0 && a.Session != head.Session):
		// the acknowledgement is correct or unknown, or twoLeaders reports this case
	case head == nil && a.Session == 0:
		find(ackOfNobody, "%s exists and belongs to no session", path)
	case head == nil:
		find(ackOfNobody, "%s exists and belongs to session %s", path, znode.Hex(a.Session))
	case a.Znode != "": // a.Znode is "" if another program wrote the data
		find(ackOfAnother, "%s names %s with the czxid %s", path, safe(a.Znode), znode.Hex(uint64(a.Fence)))
	}
}
