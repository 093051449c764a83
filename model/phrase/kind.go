package phrase

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/units"
)

// Role has the words for a kind of children. Has, have and Holder are "" for a kind without a leader or holder.
type Role struct {
	One, Many string // "candidate", "candidates"
	Has       string // "leads"
	have      string // "lead"
	Holder    string // "leader"
}

var roles = map[dialect.Kind]Role{
	dialect.KindElection: {"candidate", "candidates", "leads", "lead", "leader"},
	dialect.KindLock:     {"contender", "contenders", "holds", "hold", "holder"},
	dialect.KindShared:   {"contender", "contenders", "holds", "hold", "holder"},
	dialect.KindGroup:    {One: "member", Many: "members"},
	dialect.KindBarrier:  {One: "session", Many: "sessions"},
	dialect.KindDouble:   {One: "participant", Many: "participants"},
	dialect.KindQueue:    {One: "item", Many: "items"},
	dialect.KindCommit:   {One: "site", Many: "sites"},
	dialect.KindUnknown:  {One: "child", Many: "children"},
}

// RoleOf returns the words for the children of s.
func RoleOf(s *doctor.State) Role {
	if r, ok := roles[s.Kind()]; ok && (s.Kind() != dialect.KindUnknown || s.Roleless() || Unclear(s)) {
		return r
	}
	return roles[dialect.KindElection]
}

// Unclear reports whether the path is [model.Live] and nothing shows its purpose.
func Unclear(s *doctor.State) bool {
	return s.Phase == model.Live && s.Dialect == nil && !s.Single && !s.AckExpected &&
		s.Queue.Len()+len(s.Ignored)+len(s.Members)+s.Totals.Joined+len(s.Reigns) == 0
}

// Open reports whether s is a barrier whose znode does not exist: nobody has to wait.
func Open(s *doctor.State) bool {
	return s.Phase == model.NoParent && s.Kind() == dialect.KindBarrier
}

// Count counts the contenders of s, or the sessions that wait for a barrier.
func Count(s *doctor.State) string {
	r := RoleOf(s)
	return units.Count(s.Queue.Len()+len(s.Waiters()), r.One, r.Many)
}

// Content describes all contenders or waiting sessions: "3 members, newest 2m05s"; "" if it has no words for them.
func Content(s *doctor.State) string {
	n, count := s.Queue.Len(), Count(s)
	age := func(i int) string {
		existed, _ := s.Queue.At(i).Age(s.At)
		return units.Seconds(existed)
	}
	switch s.Kind() {
	case dialect.KindGroup:
		if n == 0 {
			return count
		}
		return count + ", newest " + age(n-1)
	case dialect.KindBarrier:
		if n = len(s.Waiters()); n == 0 {
			return map[bool]string{false: "no session waits for its deletion", true: "open, nobody has to wait"}[Open(s)]
		}
		if slices.ContainsFunc(s.Waiters(), func(id uint64) bool { return !s.Ours(id) }) { // a watch does not show its purpose
			return units.Count(n, "session watches", "sessions watch") + " the znode (inferred: for its deletion)"
		}
		return units.Count(n, "session waits", "sessions wait") + " for its deletion"
	case dialect.KindDouble:
		switch ready := len(s.Ignored) > 0; {
		case n == 0:
			return "nobody inside"
		case s.Leaving:
			return fmt.Sprint(n, " still inside, leaving")
		case ready:
			return fmt.Sprint(n, " inside, ready")
		}
		return fmt.Sprint(n, " inside, waiting for ready")
	case dialect.KindQueue:
		if n == 0 {
			return count + rate(s)
		}
		first, oldest := s.Queue.At(0), ", oldest "
		if first.Who != s.Queue.At(n-1).Who { // the order is by priority
			count, oldest = count+", first: "+first.Who, ", "
		}
		if first.Joined || !first.Ctime.IsZero() {
			count += oldest + age(0)
		}
		return count + rate(s)
	case dialect.KindCommit:
		votes := map[string]int{}
		for _, c := range s.Queue.All() {
			votes[c.Vote()]++
		}
		if votes["abort"] > 0 {
			return fmt.Sprintf("%d of %d voted abort", votes["abort"], n)
		}
		return fmt.Sprintf("%d of %d voted commit", votes["commit"], n)
	case dialect.KindUnknown:
		if s.Dialect.Vague() {
			return units.Count(n, "member", "members") + " of a group, or participants of a double barrier"
		}
	case dialect.KindShared:
		if s.Leader() != nil {
			holds := clients(s.Queue.Slice()[:s.Holders()], "hold")
			return strings.TrimSuffix(holds+", "+clients(s.Queue.Slice()[s.Holders():], "wait"), ", ")
		}
	}
	return ""
}

func rate(s *doctor.State) string {
	created, taken, ok := s.PerMinute()
	if !ok {
		return ""
	}
	return fmt.Sprintf(", +%d / -%d a minute", created, taken)
}

func clients(all []*dialect.Candidate, verb string) string {
	readers := 0
	for _, c := range all {
		if c.Reads() {
			readers++
		}
	}
	words := units.Count(readers, "reader", "readers") + " and " + units.Count(len(all)-readers, "writer", "writers")
	words = strings.TrimSuffix(strings.TrimPrefix(words, "0 readers and "), " and 0 writers")
	switch len(all) {
	case 0:
		return ""
	case 1:
		verb += "s"
	}
	return words + " " + verb
}

// Release describes when another client requested the lock from c, "" for no request.
func Release(s *doctor.State, c *dialect.Candidate) string {
	if c == nil || !c.Revoked {
		return ""
	}
	return "release requested " + units.Seconds(max(0, s.At.Sub(cmp.Or(c.Mtime, c.SeenAt)))) + " ago"
}

// NextWords names who gets the role next: "delta", "delta and echo", "delta and 2 others"; "" for nobody.
func NextWords(s *doctor.State) string {
	switch next := s.Next(); len(next) {
	case 0:
		return ""
	case 1:
		return next[0].Label()
	case 2:
		return next[0].Label() + " and " + next[1].Label()
	default:
		return next[0].Label() + " and " + units.Count(len(next)-1, "other", "others")
	}
}
