package ui

import (
	"strconv"
	"strings"
	"time"

	"electop/model/doctor"
	"electop/model/session"
	"electop/model/units"
	"electop/model/znode"
)

// begun notes that an action was started whose result comes with a later
// state, and says so.
func (d *dashboard) begun(a Action) {
	switch a.Kind {
	case Verify:
		d.asked = d.o.Now()
		d.say(styleMuted, "asking the servers who watches what")
	case Discover:
		d.say(styleMuted, "looking for elections")
	}
}

// failed forgets what was waited for.
func (d *dashboard) failed(a Action) {
	switch a.Kind {
	case Verify:
		if i := d.viewOf(a.Election); i >= 0 {
			d.views[i].asked = time.Time{}
		}
	case Open:
		if d.opening == a.Target {
			d.opening = ""
		}
	}
}

// heardServers tells what the servers answered to whom it was waited for.
func (d *dashboard) heardServers() {
	for _, v := range d.views {
		if v.asked.IsZero() {
			continue
		}
		if !heard(v.latest.Table, v.asked) {
			if d.o.Now().Sub(v.asked) >= verifyWait {
				v.asked = time.Time{}
				if v == d.view {
					d.say(styleTrouble, "the servers did not tell who watches what")
				}
			}
			continue
		}
		v.asked = time.Time{}
		if v == d.view {
			st, text := verdict(v.latest)
			d.say(st, text)
		}
	}
}

// heard reports whether the watches in t were asked for after since.
func heard(t *session.Table, since time.Time) bool {
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

// verdict says in a line what the servers' tables make of the queue.
func verdict(s *doctor.State) (style, string) {
	counts := make(map[doctor.WatchState]int)
	why := ""
	for i := holders(s); i < len(s.Queue); i++ {
		e := s.Edge(i)
		counts[e.State]++
		if e.State == doctor.Unverified && why == "" {
			why = e.Why
		}
	}
	var parts []string
	st := styleGood
	for _, p := range []struct {
		state doctor.WatchState
		word  string
		st    style
	}{
		{doctor.WrongWatch, "wrong", styleTrouble}, {doctor.MissingWatch, "missing", styleTrouble},
		{doctor.Unverified, "unknown", styleMuted}, {doctor.Verified, "verified", styleGood},
	} {
		if n := counts[p.state]; n > 0 {
			parts = append(parts, strconv.Itoa(n)+" "+p.word)
			if st == styleGood || p.st == styleTrouble {
				st = p.st
			}
		}
	}
	answered, all := watchAnswers(s.Table)
	text := units.Count(answered, "server", "servers") + " answered"
	if answered < all {
		text = strconv.Itoa(answered) + " of " + units.Count(all, "server", "servers") + " answered"
		st = max(st, styleMuted)
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

// watchAnswers counts the servers that told of their watches.
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
