package model_test

import (
	"testing"

	"pgregory.net/rapid"

	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/internal/modeltest"
)

// In each state of each past a contender is found as by a walk through the queue, and one
// that has left is not.
func TestCandidateIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg, all := modeltest.DrawPast(t)
		j := doctor.NewJournal(cfg)
		ever := map[dialect.ID]bool{{Name: "n_0000000000", Czxid: -1}: true}
		for n, o := range all {
			j.Apply(o)
			s := j.State()
			at := map[dialect.ID]int{}
			for i, c := range s.Queue.All() {
				at[c.ID()], ever[c.ID()] = i, true
			}
			for id := range ever {
				want, there := at[id]
				if !there {
					want = -1
				}
				if c, i := s.Candidate(id); i != want || (c != nil) != there || there && c != s.Queue.At(i) {
					t.Fatalf("after observation %d %v is found at %d (%v), want %d", n, id, i, c, want)
				}
			}
		}
	})
}
