package doctor

import (
	"fmt"
	"strings"
	"time"

	"electop/model/units"
)

const (
	// A rolling restart of five members causes fewer than flapMin short reigns.
	flapMin     = 6
	flapShort   = 20 * time.Second
	flapWindow  = 5 * time.Minute
	flapCalm    = time.Minute
	flapShown   = 8
	flapDeletes = 6
)

func flapping(r *ruleRun) {
	s, rs := r.s, r.s.Reigns
	short, again := 0, time.Time{}
	for i := len(rs) - 1; i >= 0; i-- {
		x := &rs[i]
		if x.To.IsZero() {
			if r.at.Sub(x.From) >= flapCalm {
				return
			}
			continue
		}
		if r.at.Sub(x.To) > flapWindow {
			break
		}
		if i == len(rs)-1 || rs[i+1].To.IsZero() && i == len(rs)-2 {
			again = x.To.Add(flapCalm)
		}
		if x.FromKnown && x.To.Sub(x.From) < flapShort {
			short++
		}
	}
	if short < flapMin || !again.IsZero() && r.at.After(again) {
		youngLeader(r, short)
		return
	}
	f := r.find(shortReigns, "")
	f.because("in the last %s, %d reigns were shorter than %s", units.Exact(flapWindow), short, units.Exact(flapShort))
	var last []string
	for _, x := range s.Handoffs[max(0, len(s.Handoffs)-flapShown):] {
		if x.From != nil {
			last = append(last, fmt.Sprintf("%s until %s (%s)", x.From.Label(), units.Clock(x.At), x.Cause))
		}
	}
	f.because("the last leaders, and how they left: %s", strings.Join(last, ", "))
	f.Znodes, f.again = []string{s.Path}, again
	if r.s.Dialect.Shares() {
		f.Severity = Info // the holder of a lock is expected to release it
	}
}

// youngLeader reports that leaders may flap. Its suspicion never becomes a finding.
func youngLeader(r *ruleRun, short int) {
	l := r.s.Leader()
	creates, ok := r.s.Parent.Creates()
	deletes := int(creates) - int(r.s.Parent.Children)
	if !ok || deletes < flapDeletes || l == nil || l.Ctime.IsZero() || r.s.Dialect.Shares() {
		return
	}
	led := max(0, r.at.Sub(l.Ctime))
	if led >= flapShort {
		return
	}
	const subject = "young"
	f := r.find(shortReigns, subject)
	f.Title = fmt.Sprintf("whether the leader changes often (it has led for at most %s, %d znodes were deleted before, %s)",
		units.Age(led), deletes, units.Count(short, "short reign seen", "short reigns seen"))
	f.wait = flapShort - led + r.d.suspicions.lasted(r.rule.id+" "+subject, r.at)
}
