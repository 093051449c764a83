package doctor

import (
	"time"

	"electop/model/units"
)

const (
	abandonedTimes  = 20
	abandonedReigns = 10
	abandonedLeast  = 5 * time.Minute
)

// abandonedAttempt checks only roles that may be locks, because a leader may lead for months.
func abandonedAttempt(r *ruleRun) {
	s, rs := r.s, r.s.Reigns
	if !r.s.Dialect.Shares() || r.s.Dialect.Unknown() || r.dialect() == "solr" || len(rs) <= abandonedReigns || s.Leader() == nil {
		return
	}
	head := s.Leader()
	now := &rs[len(rs)-1]
	if !now.To.IsZero() || s.Queue.Len() <= r.holders() {
		return
	}
	longest, n := time.Duration(0), 0
	for i := range rs[:len(rs)-1] {
		if rs[i].FromKnown && rs[i+1].FromKnown { // otherwise its beginning or its end is unknown
			longest = max(longest, rs[i].To.Sub(rs[i].From))
			n++
		}
	}
	limit := max(abandonedTimes*longest, abandonedLeast)
	if n < abandonedReigns {
		return
	}
	held := r.at.Sub(now.From)
	f := r.find(longHeld, safe(head.Name)).about(head)
	f.because("%s has held the lock since %s UTC%s", described(head), now.From.UTC().Format(time.DateTime), map[bool]string{false: " or earlier"}[now.FromKnown])
	f.because("the longest of %d earlier holds was %s; %s", n, units.Took(longest), units.Count(s.Queue.Len()-r.holders(), "other waits", "others wait"))
	if x := s.Tracked.Client(head.Session); x.Conn != nil {
		f.Severity = Warning
		f.because("its session is connected to %s", x.Server)
	}
	// The lock is already suspected before the limit, so that the rules run again at the limit.
	f.wait, f.quiet = max(0, limit-held)+r.d.suspicions.lasted(r.rule.id+" "+f.subject, r.at), true
}
