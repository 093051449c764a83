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
	session.Danger
	Leader    bool               // it holds the role
	Next      *dialect.Candidate // would take over, nil for none
	Queueless bool               // Next is unknown: those that wait are not in the queue

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
	all    []*Risk // in queue order; states share it: it is replaced, never written
	rounds int     // of the tracker that were assessed
}

// riskOf returns the risk of a contender, nil for none.
func riskOf(all []*Risk, recipe dialect.Recipe, c *dialect.Candidate) *Risk {
	i, found := slices.BinarySearchFunc(all, c, func(r *Risk, c *dialect.Candidate) int { return dialect.Compare(recipe, r.Candidate, c) })
	if !found || all[i].Candidate.ID() != c.ID() {
		return nil
	}
	return all[i]
}

// assess brings the risks up to date with what the tracker knows, and returns what
// that raises or clears.
func (k *risks) assess(at time.Time, queue dialect.Queue, recipe dialect.Recipe, j *model.Journal) (events []model.EventBody) {
	sessions := j.Sessions()
	if len(k.all) == 0 && sessions.Rounds() == k.rounds {
		return nil
	}
	inOrder := func(a, b *Risk) int { return dialect.Compare(recipe, a.Candidate, b.Candidate) }
	all := slices.SortedFunc(slices.Values(k.all), inOrder)
	if sessions.Rounds() != k.rounds {
		k.rounds = sessions.Rounds()
		known := all
		for _, c := range queue.All() {
			if sessions.Danger(c.Session, at) != nil && riskOf(known, recipe, c) == nil {
				all = append(all, &Risk{Candidate: c, Danger: session.Danger{Since: at}})
			}
		}
		slices.SortFunc(all, inOrder)
	}
	holders := recipe.Holders(queue)
	k.all = nil
	for _, old := range all {
		i, stands := model.Position(recipe, queue, old.Candidate)
		danger := sessions.Danger(old.Candidate.Session, at)
		if !stands || danger == nil {
			e := RiskChanged{Risk: *old, Gone: !stands}
			if e.Gone {
				e.Cause = j.EndOf(old.Candidate)
			}
			events = append(events, e)
			continue
		}
		r := *old
		r.Danger, r.Since = *danger, old.Since
		r.Leader, r.Next, r.Queueless = i < holders, nil, dialect.Queueless(recipe)
		if r.Leader && holders < queue.Len() {
			r.Next = queue.At(holders)
		}
		if moved := r.announced.IsZero() != r.By.IsZero() || r.By.After(r.announced); !r.said || moved {
			r.said, r.announced = true, r.By
			events = append(events, RiskChanged{Risk: r, Raised: true})
		}
		k.all = append(k.all, &r)
	}
	return events
}

// due returns when the first risk is given up; zero: there is none.
func (k *risks) due(sessions *session.Tracker) (due time.Time) {
	for _, r := range k.all {
		if over := r.Over(sessions.Heard()); due.IsZero() || over.Before(due) {
			due = over
		}
	}
	return due
}
