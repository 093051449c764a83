package doctor_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"electop/model"
	"electop/model/doctor"
	"electop/model/internal/modeltest"
)

func TestCloneIsIndependent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg, all := modeltest.DrawPast(t)
		cut := rapid.IntRange(0, len(all)).Draw(t, "cut")

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
			if rapid.IntRange(0, 3).Draw(t, "read the state") == 0 {
				j.State()
			}
		}
		shown := j.State()
		before := modeltest.Text(t, shown)
		clone, other := j.Clone(), j.Clone()
		twice := clone.Clone()

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
			if diff := modeltest.Diff(events, es); diff != "" {
				t.Fatalf("from observation %d of %d on, want events (-), got events of %s (+):\n%s", cut, len(all), name, diff)
			}
			if diff := modeltest.Diff(alone.State(), x.State()); diff != "" {
				t.Fatalf("from observation %d of %d on, want state (-), got state of %s (+):\n%s", cut, len(all), name, diff)
			}
			due, waits := alone.Deadline()
			if d, w := x.Deadline(); !d.Equal(due) || w != waits {
				t.Fatalf("deadline of %s: got %v, %v, want %v, %v", name, d, w, due, waits)
			}
		}
		if after := modeltest.Text(t, shown); string(after) != string(before) {
			t.Fatalf("a state changed after it was returned:\n%s\n%s", before, after)
		}
	})
}
