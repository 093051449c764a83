package model

import (
	"slices"
	"time"

	"electop/model/dialect"
)

// Costs are handoffs that show what a rule costs, newest first, at most [CostsMax] of
// each: with the predecessor rule, and with the herd.
type Costs struct{ Chain, Herd []*Woken }

// CostsMax is how many handoffs of each rule are remembered for [State.Costs], however
// many deletions there were since: when all candidates change to another rule, a znode
// of each is deleted.
const CostsMax = 6

// Costs returns the last handoffs of each rule, since a moment, whose effects the server
// counted.
func (s *State) Costs(since time.Time) (c Costs) {
	for _, list := range [][]*Woken{s.Wakes, s.kept} {
		for _, w := range slices.Backward(list) {
			if w.Deleted.Before(since) || !w.tells() || w.Contenders == 2 && s.Queue.Len() > 2 {
				// With one waiting candidate both rules are the same: this says nothing
				// about a longer queue.
				continue
			}
			to := &c.Chain
			if w.Herd() {
				to = &c.Herd
			}
			if len(*to) < CostsMax {
				*to = append(*to, w)
			}
		}
	}
	return c
}

// Herd reports whether everybody watched the leader by the rule of then.
func (w *Woken) Herd() bool { return w.Recipe == dialect.Herd().Name() }

// Others counts who was notified besides the owner of the deleted znode: a leader
// watches its own znode, and is notified when it resigns.
func (w *Woken) Others() int {
	n := len(w.Notified)
	if w.Candidate != nil && w.Candidate.Session != 0 && slices.Contains(w.Notified, w.Candidate.Session) {
		n--
	}
	return n
}

// tells reports whether it is a handoff that shows what its rule costs.
func (w *Woken) tells() bool {
	if !w.Leader || w.Contenders < 2 || !w.Herd() && w.Recipe != dialect.Election().Name() {
		return false // with one contender, nobody could be notified
	}
	// When the rule has just changed, they still watch by the old one, or do not watch
	// yet.
	n := w.Others()
	return n > 0 && (w.Contenders == 2 || n > 1 == w.Herd())
}

// keepCost adds a deletion that is no longer in [State.Wakes] to those that are kept
// for [State.Costs], at most [CostsMax] of each rule. States share the old ones.
func keepCost(kept []*Woken, w *Woken) []*Woken {
	if !w.tells() {
		return kept
	}
	same := func(x *Woken) bool { return x.Herd() == w.Herd() }
	next := append(make([]*Woken, 0, len(kept)+1), kept...)
	n := 0
	for _, x := range kept {
		if same(x) {
			n++
		}
	}
	if n == CostsMax {
		i := slices.IndexFunc(next, same)
		next = slices.Delete(next, i, i+1)
	}
	return append(next, w)
}
