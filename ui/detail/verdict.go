package detail

import (
	"strconv"
	"strings"
	"time"

	"electop/model/doctor"
	"electop/model/session"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/term"
	"electop/ui/wording"
)

// Heard reports whether the servers in t were asked for watches after since.
func Heard(t *session.Table, since time.Time) bool {
	if t == nil || t.End.Before(since) {
		return false
	}
	for i := range t.Servers {
		if w := &t.Servers[i].Watches; w.State != session.NotAsked && !w.At.Before(since) || w.State == session.Refused || w.State == session.Failed || w.State == session.TooLarge {
			return true
		}
	}
	return len(t.Servers) == 0
}

// Verdict says in one line what the servers' tables say about the queue's watches.
func Verdict(s *doctor.State) (term.Style, string) {
	counts := make(map[doctor.WatchState]int)
	why := ""
	for i := wording.Holders(s); i < s.Queue.Len(); i++ {
		e := s.Edge(i)
		counts[e.State]++
		if (e.State == doctor.Unverified || e.State == doctor.OtherWatch) && why == "" {
			why = e.Why
		}
	}
	var parts []string
	st := term.Good
	for _, p := range []struct {
		state doctor.WatchState
		word  string
		st    term.Style
	}{
		{doctor.WrongWatch, "wrong", term.Trouble}, {doctor.OtherWatch, "on another znode", term.Trouble}, {doctor.MissingWatch, "missing", term.Trouble},
		{doctor.Unverified, "unknown", term.Muted}, {doctor.Verified, "verified", term.Good},
	} {
		if n := counts[p.state]; n > 0 {
			parts = append(parts, strconv.Itoa(n)+" "+p.word)
			if st == term.Good || p.st == term.Trouble {
				st = p.st
			}
		}
	}
	answered, all := watchAnswers(s.Table)
	text := units.Count(answered, "server", "servers") + " answered"
	if answered < all {
		text = strconv.Itoa(answered) + " of " + units.Count(all, "server", "servers") + " answered"
		st = max(st, term.Muted)
	}
	if len(parts) == 0 {
		parts = append(parts, "nobody waits, so there is no watch to verify")
	}
	text += ": " + strings.Join(parts, ", ")
	if why != "" {
		text += "; " + znode.Safe(why, 0)
	}
	return st, text
}

// watchAnswers counts the servers that reported their watches.
func watchAnswers(t *session.Table) (answered, all int) {
	if t == nil {
		return 0, 0
	}
	for i := range t.Servers {
		if t.Servers[i].Watches.State == session.Answered {
			answered++
		}
	}
	return answered, len(t.Servers)
}
