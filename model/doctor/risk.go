package doctor

import (
	"slices"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/session"
	"electop/model/units"
)

// Risk says that a contender's session is about to expire.
type Risk struct {
	Candidate *dialect.Candidate
	// By, NotBefore, Epoch and Evidence are as in [session.Danger].
	By, NotBefore time.Time
	Epoch         int64
	Evidence      string
	Since         time.Time
	Leader        bool               // it holds the role
	Next          *dialect.Candidate // would take over, nil for none

	said      bool      // an event reported it
	announced time.Time // the bound in the last event; zero: none
}

// RiskChanged is a risk that was raised, or that is over because the contender is
// back or gone. It is raised again when a bound becomes known, is withdrawn, or
// moves to a later time.
type RiskChanged struct {
	Risk   Risk
	Raised bool
}

func (RiskChanged) EventBody() {}

// Risk returns the known risk of the contender, nil for none.
func (s *State) Risk(c *dialect.Candidate) *Risk {
	if c == nil {
		return nil
	}
	return s.risks[c.ID()]
}

// RiskWatch says why electop would not see a risk of the contender in time, "" if
// it would.
func (s *State) RiskWatch(c *dialect.Candidate) string {
	t := s.Answers
	if t == nil {
		return "the servers were not asked (v)"
	}
	if t.Every <= 0 {
		return "the servers are asked for connections and sessions only on request (v)"
	}
	refused, deadlines := "", false
	for i := range t.Servers {
		x := &t.Servers[i]
		if a := x.Connections.State; refused == "" && a != session.Answered && a != session.NotAsked {
			refused = x.Unanswered("connections", x.Connections)
		}
		deadlines = deadlines || x.Sessions.State == session.Answered && len(x.Deadlines) > 0
	}
	if refused == "" && !t.Whole {
		refused = "not all members of the ensemble are known"
	}
	if refused != "" && !deadlines {
		return refused
	}
	if c == nil {
		return ""
	}
	to := s.Tracked.Timeout(c.Session)
	if m := s.Member(c); to == 0 && m != nil {
		to = m.Timeout
	}
	if to <= 0 {
		return "its session's timeout is unknown"
	}
	// A stopped client is silent for a third of its timeout as healthy ones
	// are; two rounds later it shows, and it has to before its session expires.
	if left := (to - to/3 - session.Slack) / 2; t.Every > left {
		return "the servers are asked every " + units.Exact(t.Every) + ", too rarely for a session timeout of " + units.Exact(to)
	}
	return ""
}

// assess brings the risks up to date with what the tracker knows.
func (d *Doctor) assess(at time.Time, j *model.Journal) {
	queue, recipe := j.Queue()
	sessions, holders := j.Sessions(), recipe.Holders(queue)
	if sessions.Rounds() != d.assessed {
		d.assessed = sessions.Rounds()
		for i, c := range queue {
			if sessions.Danger(c.Session, at) != nil && d.risks[c.ID()] == nil {
				r := &Risk{Candidate: c, Since: at}
				place(r, queue, i, holders)
				d.set(r)
			}
		}
	}
	for _, old := range d.riskList(recipe) {
		i, stands := model.Position(recipe, queue, old.Candidate)
		danger := sessions.Danger(old.Candidate.Session, at)
		if !stands || danger == nil {
			d.unrisk(old)
			continue
		}
		r := *old
		r.By, r.NotBefore, r.Epoch, r.Evidence = danger.By, danger.NotBefore, danger.Epoch, danger.Evidence
		place(&r, queue, i, holders)
		if !r.said || r.moved() {
			r.said, r.announced = true, r.By
			d.emit(RiskChanged{r, true})
		}
		if r != *old {
			d.set(&r)
		}
	}
}

// moved reports whether the bound differs from the last one published and is
// not lower.
func (r *Risk) moved() bool { return r.announced.IsZero() != r.By.IsZero() || r.By.After(r.announced) }

func (d *Doctor) set(r *Risk) {
	if d.risks == nil {
		d.risks = make(map[dialect.ID]*Risk)
	}
	d.risks[r.Candidate.ID()], d.riskView = r, nil
}

// place sets whether the contender at position i holds the role, and who is next.
func place(r *Risk, queue []*dialect.Candidate, i, holders int) {
	r.Leader, r.Next = i < holders, nil
	if r.Leader && holders < len(queue) {
		r.Next = queue[holders]
	}
}

// unrisk clears a risk.
func (d *Doctor) unrisk(r *Risk) {
	delete(d.risks, r.Candidate.ID())
	d.riskView = nil
	d.emit(RiskChanged{*r, false})
}

// risksDue returns when the first risk is given up; zero: there is none.
func (d *Doctor) risksDue(sessions *session.Tracker) (due time.Time) {
	for _, r := range d.risks {
		danger := session.Danger{By: r.By, Since: r.Since}
		if over := danger.Over(sessions.Heard()); due.IsZero() || over.Before(due) {
			due = over
		}
	}
	return due
}

// riskList returns the risks in queue order, and makes the view of them that
// states share.
func (d *Doctor) riskList(recipe dialect.Recipe) []*Risk {
	if len(d.risks) == 0 {
		d.riskView, d.riskOrder = nil, nil
		return nil
	}
	if d.riskView == nil {
		d.riskView = make(map[dialect.ID]*Risk, len(d.risks))
		d.riskOrder = make([]*Risk, 0, len(d.risks))
		for id, r := range d.risks {
			d.riskView[id] = r
			d.riskOrder = append(d.riskOrder, r)
		}
		slices.SortFunc(d.riskOrder, func(a, b *Risk) int {
			switch x, y := a.Candidate, b.Candidate; {
			case x == y:
				return 0
			case recipe.Before(x, y):
				return -1
			case recipe.Before(y, x):
				return 1
			}
			return 0
		})
	}
	return d.riskOrder
}
