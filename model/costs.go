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

// Notified is how often a session was notified of the deletion of a znode that it
// watched, as far as the server reported.
func (s *State) Notified(session uint64) int { return s.notified[session] }
