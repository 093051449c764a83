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

	// A livelock is many handoffs in a few seconds by a few candidates that rejoin and
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
		ceiling = Info // a lock's holder is expected to release it
	}
	r.find("", Finding{
		Severity:   atMost(r.ceiling(), ceiling),
		Title:      "the leader changes very often",
		Evidence:   []string{fmt.Sprintf("in the last %s, %d reigns were shorter than %s", units.Exact(flapWindow), short, units.Exact(flapShort))},
		Harm:       "In each handoff nobody leads for some time, and leaders with short reigns get little done.",
		Advice:     "Find out why the leaders leave: sessions that expire under load or in long pauses (raise the timeout), a leader procedure that fails, or a restart loop.",
		Znodes:     []string{s.Path},
		References: []string{"ZooKeeper administrator's guide: maxSessionTimeout"},
	}, hold{again: again})
}

// resetLivelock finds candidates that delete and create their znodes so fast
// so that no candidate can lead for long.
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
		Title:      "candidates keep resetting: nobody leads long enough",
		Evidence:   []string{fmt.Sprintf("in the last %s, %d reigns of less than a second, by %s that rejoin again and again", units.Exact(livelockWindow), ended, units.Count(len(sessions), "session", "sessions"))},
		Harm:       "Each reset deletes the znode that another candidate watches, so that candidate resets too. This may never end.",
		Advice:     "Stop all candidates but one, then start the others one by one. Upgrade Curator if the issues name its version.",
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

// abandonedAttempt finds a lock that a live session holds far longer than normal
// while others wait: the program may have given up the attempt without deleting
// its znode. Leaders may lead for months, so this rule is only for locks.
func abandonedAttempt(r *report) {
	s := r.s
	rs := s.Reigns
	if !r.sharing() || r.guessed() || r.dialect() == "solr" || len(rs) <= abandonedOf || s.Leader() == nil {
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
	f := Finding{
		Severity: Info,
		Title:    "the lock is held far longer than ever before",
		Evidence: []string{
			said(head) + " has held it since " + now.From.UTC().Format(time.DateTime) + " UTC",
			fmt.Sprintf("the longest of %d earlier times was %s; %s", n, units.Took(longest), units.Count(s.Queue.Len()-1, "other waits", "others wait")),
		},
		Harm:       "If its program gave up waiting for the lock but left the znode, the lock stays held until the session ends.",
		Advice:     "Check whether its program believes that it holds the lock. If it does not, delete the znode.",
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
