package doctor

import (
	"fmt"
	"time"

	"electop/model/session"
	"electop/model/units"
	"electop/model/znode"
)

const (
	// flapMin reigns shorter than flapShort, within flapWindow, are flapping. A
	// rolling restart of five members that lead one after another is not.
	flapMin    = 6
	flapShort  = 20 * time.Second
	flapWindow = 5 * time.Minute
	// flapCalm is how long one has to lead for it to be over.
	flapCalm = time.Minute

	// A livelock is many handoffs in a few seconds by few, who come again and
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
		return
	}
	ceiling := Warning
	if r.sharing() {
		ceiling = Info // who holds a lock is meant to let go of it
	}
	r.find("", Finding{
		Severity:   atMost(r.ceiling(), ceiling),
		Title:      "the leader changes all the time",
		Evidence:   []string{fmt.Sprintf("%d reigns of the last %s were shorter than %s", short, units.Exact(flapWindow), units.Exact(flapShort))},
		Harm:       "Each handoff costs time in which nobody leads, and leaders that do not last get little done.",
		Advice:     "See why the leaders go: sessions that expire under load or long pauses (raise the timeout), a leader procedure that fails, or a restart loop.",
		Znodes:     []string{s.Path},
		References: []string{"ZooKeeper administrator's guide: maxSessionTimeout"},
	}, hold{again: again})
}

// resetLivelock finds candidates that delete and create their znodes so fast
// that nobody gets to lead.
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
		if x.To.Sub(x.From) >= livelockReign {
			break
		}
		ended++
		sessions[x.Leader.Session] = true
	}
	if ended < livelockMin || len(sessions)*2 > ended || r.sharing() || r.at.Sub(last) >= livelockReign {
		return
	}
	f := Finding{
		Severity:   Critical,
		Title:      "candidates keep resetting: nobody leads for long enough",
		Evidence:   []string{fmt.Sprintf("%d reigns in the last %s, none of a second, by %s that come again and again", ended, units.Exact(livelockWindow), units.Count(len(sessions), "session", "sessions"))},
		Harm:       "Each reset deletes the znode that another one waits for, which resets in turn. It may go on for ever.",
		Advice:     "Stop all but one of the candidates, and start them one after another. Upgrade Curator where it is one of the versions concerned.",
		Znodes:     []string{s.Path},
		References: []string{"CURATOR-644", "CURATOR-645"},
	}
	for session := range sessions {
		f.Sessions = append(f.Sessions, session)
	}
	sortSessions(&f)
	r.find("", f, hold{wait: livelockWait, again: last.Add(livelockReign)})
}

const (
	// A lock held abandonedTimes as long as the longest of at least abandonedOf
	// times before, and for abandonedLeast, may have been forgotten.
	abandonedTimes = 20
	abandonedOf    = 10
	abandonedLeast = 5 * time.Minute
)

// abandonedAttempt finds a lock whose holder lives and has had it for far longer
// than is normal, while others wait: an attempt that was given up without its
// znode being deleted looks like this. Leaders may lead for months, so it is
// about locks only.
func abandonedAttempt(r *report) {
	s := r.s
	rs := s.Reigns
	if !r.sharing() || r.guessed() || r.dialect() == "solr" || len(rs) <= abandonedOf || s.Leader() == nil {
		return
	}
	head := s.Leader()
	now := &rs[len(rs)-1]
	if !now.To.IsZero() || len(s.Queue) <= r.holders() {
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
	f := Finding{
		Severity: Info,
		Title:    "the lock is held for far longer than ever before",
		Evidence: []string{
			said(head) + " has it since " + now.From.UTC().Format(time.DateTime) + " UTC",
			fmt.Sprintf("the longest of %d times before was %s; %s", n, units.Took(longest), units.Count(len(s.Queue)-1, "other waits", "others wait")),
		},
		Harm:       "If its program gave up waiting for the lock and left the znode, nobody will let go of it while its session lives.",
		Advice:     "Ask its program whether it believes to hold the lock. If it does not, delete the znode.",
		Znodes:     []string{r.path(head.Name)},
		Sessions:   []uint64{head.Session},
		References: []string{"kazoo#429", "CURATOR-462"},
	}
	if x := s.Tracked.Client(head.Session); x.Conn != nil {
		f.Severity = Warning
		f.Evidence = append(f.Evidence, "its session is connected to "+x.Server)
	}
	// Before the limit it is reported all the same, so that its time is waited
	// for, and not raised.
	r.find(znode.Safe(head.Name, 0), f, hold{wait: max(0, limit-held) + r.lasted(znode.Safe(head.Name, 0)), ages: true})
}
