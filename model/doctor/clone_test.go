package doctor_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"electop/model"
	"electop/model/doctor"
	"electop/model/internal/modeltest"
)

// A clone taken at any moment continues as the journal itself would have, and
// neither knows of the other.
func TestCloneGoesItsOwnWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg, all := modeltest.DrawPast(t)
		cut := rapid.IntRange(0, len(all)).Draw(t, "cut")

		// As it is without any clones.
		alone := doctor.NewJournal(cfg)
		var events []model.Event
		for i, o := range all {
			if es := alone.Apply(o); i >= cut {
				events = append(events, es...)
			}
		}

		j := doctor.NewJournal(cfg)
		for _, o := range all[:cut] {
			j.Apply(o)
			if rapid.IntRange(0, 3).Draw(t, "looked at") == 0 {
				j.State()
			}
		}
		shown := j.State()
		before := modeltest.Text(t, shown)
		clone, other := j.Clone(), j.Clone()
		twice := clone.Clone()

		// Another way: the same observations in another order.
		rest := slices.Clone(all[cut:])
		slices.Reverse(rest)
		for _, o := range append(rest, all...) {
			other.Apply(o)
			other.State()
		}
		for name, x := range map[string]*doctor.Journal{"the clone": clone, "the clone's clone": twice, "the journal": j} {
			var es []model.Event
			for _, o := range all[cut:] {
				es = append(es, x.Apply(o)...)
			}
			if diff := modeltest.Differs(events, es); diff != "" {
				t.Fatalf("from observation %d of %d on, events (-) and those of %s (+):\n%s", cut, len(all), name, diff)
			}
			if diff := modeltest.Differs(alone.State(), x.State()); diff != "" {
				t.Fatalf("from observation %d of %d on, the state (-) and that of %s (+):\n%s", cut, len(all), name, diff)
			}
			due, waits := alone.Deadline()
			if d, w := x.Deadline(); !d.Equal(due) || w != waits {
				t.Fatalf("the journal waits for %v, %v, %s for %v, %v", due, waits, name, d, w)
			}
		}
		if after := modeltest.Text(t, shown); string(after) != string(before) {
			t.Fatalf("a state changed after it was given out:\n%s\n%s", before, after)
		}
	})
}
