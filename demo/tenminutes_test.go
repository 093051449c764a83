package demo_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"electop/demo"
	"electop/demo/zktest"
	"electop/model"
	"electop/model/doctor"
)

func TestTenMinutesOfChaos(t *testing.T) {
	t.Parallel()
	seed := zktest.Seed(t)
	c := demo.Chaos{Seed: seed, Rate: 2, Cast: 5}
	t.Logf("%v", c)
	broken := ""
	var lastActs []string
	inWorld(t, worldConfig{
		chaos: &c,
		applied: func(st *doctor.State, _ []model.Event) {
			if b := st.Broken(); len(b) > 0 && broken == "" {
				broken = strings.Join(b, "; ")
				t.Errorf("at %v: invariant broken: %s; members %+v", st.At, broken, members(st))
			}
		},
	}, func(t *testing.T, w *world) {
		must(t, w.sandbox.Prepare(t.Context(), demo.Setup{Cast: c.Cast, Rules: model.Rules{Workers: true, Fenced: true}}))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		acts := 0
		must(t, c.Run(ctx, w.cast, func(a demo.Act) {
			acts++
			if lastActs = append(lastActs, a.String()); len(lastActs) > 20 {
				lastActs = lastActs[1:]
			}
		}))
		if acts < 1000 || acts > 1400 {
			t.Errorf("got %d acts in ten minutes, want 1000 to 1400", acts)
		}
		time.Sleep(timeout) // until repaired members have noticed an expiry
		st := w.await(t, "all candidates are in the queue at the end", func(st *doctor.State) bool {
			return st.Queue.Len() == w.cast.Len() && settled(st)
		})
		if st.Work.Counter.Accepted < 100 || st.Work.Counter.Stale > 0 {
			t.Errorf("fenced workers: got counter %+v, want 100 or more accepted writes, none of them stale", st.Work.Counter)
		}
		t.Logf("%d acts, %d handoffs, work %+v, properties %+v", acts, st.Totals.Handoffs, st.Work.Counter, st.Properties)
		if st.Totals.Handoffs < 30 {
			t.Errorf("got %d handoffs, want 30 or more", st.Totals.Handoffs)
		}
	})
	if t.Failed() {
		t.Logf("the last acts: %q", lastActs)
	}
}
