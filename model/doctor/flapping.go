package doctor

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"electop/model/session"
	"electop/model/units"
)

const (
	// flapMin reigns shorter than flapShort, within flapWindow, are flapping. A
	// rolling restart of five members that lead one after another is not.
	flapMin    = 6
	flapShort  = 20 * time.Second
	flapWindow = 5 * time.Minute
	// flapCalm is how long one has to lead for it to be over.
	flapCalm = time.Minute
	// flapShown is how many handoffs are in the evidence.
	flapShown = 8
	// If at least flapDeletes znodes were deleted and the leader has not led for flapShort,
	// leaders may have flapped before electop's first read.
	flapDeletes = 6

	// A livelock is many handoffs in a few seconds by a few candidates that rejoin again and
	// again: a reset deletes one's znode and creates another.
	livelockMin    = 10
	livelockWindow = 10 * time.Second
	livelockReign  = time.Second
	livelockWait   = 2 * time.Second
)

// flapping finds many short reigns in a row.
func flapping(r *report) {
	s := r.s
	short, again := 0, time.Time{}
	rs := s.Reigns
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
		f.Severity = Info // a lock's holder is expected to release it
	}
}

// youngLeader suspects flapping as long as too little was seen to tell. It is never a finding.
func youngLeader(r *report, short int) {
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
	f.wait = flapShort - led + r.m.suspicions.lasted(r.rule.id+" "+subject, r.at)
}

// resetLivelock finds candidates that delete and create their znodes so fast
// that no candidate can lead for long.
func resetLivelock(r *report) {
	s := r.s
	rs := s.Reigns
	ended, sessions := 0, make(map[uint64]bool)
	last := time.Time{}
	for i := len(rs) - 1; i >= 0; i-- {
		x := &rs[i]
		if x.To.IsZero() {
			if r.at.Sub(x.From) >= livelockReign {
				return
			}
			continue
		}
		if r.at.Sub(x.To) > livelockWindow {
			break
		}
		last = session.Later(last, x.To)
		if x.To.Sub(x.Earliest) >= livelockReign {
			break
		}
		ended++
		sessions[x.Leader.Session] = true
	}
	if ended < livelockMin || len(sessions)*2 > ended || r.s.Dialect.Shares() || r.at.Sub(last) >= livelockReign {
		return
	}
	f := r.find(resets, "")
	f.because("in the last %s, %d reigns of less than a second, by %s that rejoin again and again",
		units.Exact(livelockWindow), ended, units.Count(len(sessions), "session", "sessions"))
	f.Znodes, f.again = []string{s.Path}, last.Add(livelockReign)
	f.Sessions = slices.Sorted(maps.Keys(sessions))
}

const (
	// A lock held abandonedTimes as long as the longest of at least abandonedOf
	// times before, and for abandonedLeast, may have been forgotten.
	abandonedTimes = 20
	abandonedOf    = 10
	abandonedLeast = 5 * time.Minute
)

// abandonedAttempt finds a lock that a live session holds far longer than normal
// while others wait: the program may have given up the attempt without deleting
// its znode. Leaders may lead for months, so this rule is only for locks.
func abandonedAttempt(r *report) {
	s := r.s
	rs := s.Reigns
	if !r.s.Dialect.Shares() || r.s.Dialect.Unknown() || r.dialect() == "solr" || len(rs) <= abandonedOf || s.Leader() == nil {
		return
	}
	head := s.Leader()
	now := &rs[len(rs)-1]
	if !now.To.IsZero() || s.Queue.Len() <= r.holders() {
		return
	}
	longest, n := time.Duration(0), 0
	for i := range rs[:len(rs)-1] {
		if rs[i].FromKnown {
			longest = max(longest, rs[i].To.Sub(rs[i].From))
			n++
		}
	}
	limit := max(abandonedTimes*longest, abandonedLeast)
	if n < abandonedOf {
		return
	}
	held := r.at.Sub(now.From)
	f := r.find(longHeld, safe(head.Name)).about(head)
	f.because("%s has held it since %s UTC", said(head), now.From.UTC().Format(time.DateTime))
	f.because("the longest of %d earlier times was %s; %s", n, units.Took(longest), units.Count(s.Queue.Len()-1, "other waits", "others wait"))
	if x := s.Tracked.Client(head.Session); x.Conn != nil {
		f.Severity = Warning
		f.because("its session is connected to %s", x.Server)
	}
	// Before the limit it is reported all the same, so that its time is waited
	// for, and not raised.
	f.wait, f.ages = max(0, limit-held)+r.m.suspicions.lasted(r.rule.id+" "+f.subject, r.at), true
}
