package doctor

import (
	"slices"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/session"
)

// Risk is a contender whose session may expire soon.
type Risk struct {
	Candidate *dialect.Candidate
	session.Danger
	Leader    bool               // the contender leads or holds the lock, according to its position
	Lock      bool               // the role is a lock
	Next      *dialect.Candidate // the first waiting contender if Leader is true, nil for none
	Queueless bool               // waiting clients are not in a queue, so Next is unknown

	published bool
	lastBound time.Time // [session.Danger.By] in the last RiskChanged
}

// RiskChanged reports that a risk was raised or is over. A risk is raised again when its upper bound (By) becomes known
// or unknown, or moves to a later time.
type RiskChanged struct {
	Risk   Risk
	Raised bool
	Gone   bool        // the risk is over because the contender left the queue
	Cause  model.Cause // why the contender left; known only for leaders and for electop's candidates
}

func (RiskChanged) EventBody() {}

type risks struct {
	all    []*Risk // in queue order; states share it, so assess makes a new slice
	rounds int     // [session.Tracker.Rounds] at the last assessment
}

func riskOf(all []*Risk, recipe dialect.Recipe, c *dialect.Candidate) *Risk {
	i, found := slices.BinarySearchFunc(all, c, func(r *Risk, c *dialect.Candidate) int { return dialect.Compare(recipe, r.Candidate, c) })
	if !found || all[i].Candidate.ID() != c.ID() {
		return nil
	}
	return all[i]
}

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
		i, queued := model.Position(recipe, queue, old.Candidate)
		danger := sessions.Danger(old.Candidate.Session, at)
		if !queued || danger == nil {
			e := RiskChanged{Risk: *old, Gone: !queued}
			if e.Gone {
				e.Cause = j.EndOf(old.Candidate)
			}
			events = append(events, e)
			continue
		}
		r := *old
		r.Danger, r.Since = *danger, old.Since
		r.Leader, r.Lock, r.Next, r.Queueless = i < holders, j.Locks(), nil, dialect.Queueless(recipe)
		if r.Leader && holders < queue.Len() {
			r.Next = queue.At(holders)
		}
		if moved := r.lastBound.IsZero() != r.By.IsZero() || r.By.After(r.lastBound); !r.published || moved {
			r.published, r.lastBound = true, r.By
			events = append(events, RiskChanged{Risk: r, Raised: true})
		}
		k.all = append(k.all, &r)
	}
	return events
}

func (k *risks) due(sessions *session.Tracker) (due time.Time) {
	for _, r := range k.all {
		if over := r.Over(sessions.LastRound()); due.IsZero() || over.Before(due) {
			due = over
		}
	}
	return due
}
