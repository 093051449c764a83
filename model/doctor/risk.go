package doctor

import (
	"slices"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/session"
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
	Queueless     bool               // Next is not known: who waits is not in the queue

	said      bool      // an event reported it
	announced time.Time // the bound in the last event; zero: none
}

// RiskChanged is a risk that was raised, or that is over because the contender is
// back or gone. It is raised again when a bound becomes known, is withdrawn, or
// moves to a later time.
type RiskChanged struct {
	Risk   Risk
	Raised bool
	// Gone says that it is over because the contender's znode was deleted. Cause is
	// why, as far as it is known: of one that led, and of electop's own.
	Gone  bool
	Cause model.Cause
}

func (RiskChanged) EventBody() {}

// risks are the contenders at risk.
type risks struct {
	byID map[dialect.ID]*Risk
	// view and order are shared by states: they are replaced, never written.
	view   map[dialect.ID]*Risk
	order  []*Risk
	rounds int // of the tracker that were assessed
}

// assess brings the risks up to date with what the tracker knows, and returns what
// that raises or clears.
func (k *risks) assess(at time.Time, queue dialect.Queue, recipe dialect.Recipe, j *model.Journal) (events []model.EventBody) {
	sessions := j.Sessions()
	if len(k.byID) == 0 && sessions.Rounds() == k.rounds {
		return nil
	}
	holders := recipe.Holders(queue)
	if sessions.Rounds() != k.rounds {
		k.rounds = sessions.Rounds()
		for i, c := range queue.All() {
			if sessions.Danger(c.Session, at) != nil && k.byID[c.ID()] == nil {
				r := &Risk{Candidate: c, Since: at}
				place(r, recipe, queue, i, holders)
				k.set(r)
			}
		}
	}
	for _, old := range k.list(recipe) {
		i, stands := model.Position(recipe, queue, old.Candidate)
		danger := sessions.Danger(old.Candidate.Session, at)
		if !stands || danger == nil {
			delete(k.byID, old.Candidate.ID())
			k.view = nil
			e := RiskChanged{Risk: *old, Gone: !stands}
			if e.Gone {
				e.Cause = j.EndOf(old.Candidate)
			}
			events = append(events, e)
			continue
		}
		r := *old
		r.By, r.NotBefore, r.Epoch, r.Evidence = danger.By, danger.NotBefore, danger.Epoch, danger.Evidence
		place(&r, recipe, queue, i, holders)
		if !r.said || r.moved() {
			r.said, r.announced = true, r.By
			events = append(events, RiskChanged{Risk: r, Raised: true})
		}
		if r != *old {
			k.set(&r)
		}
	}
	return events
}

// moved reports whether the bound differs from the last one published and is
// not lower.
func (r *Risk) moved() bool { return r.announced.IsZero() != r.By.IsZero() || r.By.After(r.announced) }

func (k *risks) set(r *Risk) {
	if k.byID == nil {
		k.byID = make(map[dialect.ID]*Risk)
	}
	k.byID[r.Candidate.ID()], k.view = r, nil
}

// place sets whether the contender at position i holds the role, and who is next.
func place(r *Risk, recipe dialect.Recipe, queue dialect.Queue, i, holders int) {
	r.Leader, r.Next, r.Queueless = i < holders, nil, dialect.Queueless(recipe)
	if r.Leader && holders < queue.Len() {
		r.Next = queue.At(holders)
	}
}

// due returns when the first risk is given up; zero: there is none.
func (k *risks) due(sessions *session.Tracker) (due time.Time) {
	for _, r := range k.byID {
		danger := session.Danger{By: r.By, Since: r.Since}
		if over := danger.Over(sessions.Heard()); due.IsZero() || over.Before(due) {
			due = over
		}
	}
	return due
}

// list returns the risks in queue order, and makes the view of them that
// states share.
func (k *risks) list(recipe dialect.Recipe) []*Risk {
	if len(k.byID) == 0 {
		k.view, k.order = nil, nil
		return nil
	}
	if k.view == nil {
		k.view = make(map[dialect.ID]*Risk, len(k.byID))
		k.order = make([]*Risk, 0, len(k.byID))
		for id, r := range k.byID {
			k.view[id] = r
			k.order = append(k.order, r)
		}
		slices.SortFunc(k.order, func(a, b *Risk) int { return dialect.Compare(recipe, a.Candidate, b.Candidate) })
	}
	return k.order
}
