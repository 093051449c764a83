package demo_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"electop/demo"
	"electop/model"
	"electop/model/doctor"
	"electop/model/history"
	"electop/zkwatch/feed"
)

// TestTenMinutesOfChaos holds the invariants all the while, with workers, and
// plays the recording again.
func TestTenMinutesOfChaos(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	c := demo.Chaos{Seed: seed, Rate: 2, Cast: 5}
	t.Logf("%v", c)
	broken := ""
	var told []string
	var events []model.Event
	var log []model.Observation
	inWorld(t, worldConfig{
		chaos: c.String(),
		applied: func(st *doctor.State, _ []model.Event) {
			if b := st.Broken(); len(b) > 0 && broken == "" {
				broken = strings.Join(b, "; ")
				t.Errorf("at %v: %s; members %+v", st.At, broken, members(st))
			}
		},
	}, func(t *testing.T, w *world) {
		must(t, w.stage.Set(t.Context(), demo.Scene{Cast: c.Cast, Rules: model.Rules{Workers: true, Fenced: true}}))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		acts := 0
		must(t, c.Run(ctx, w.cast, func(a demo.Act) {
			acts++
			if told = append(told, a.String()); len(told) > 20 {
				told = told[1:]
			}
		}))
		if acts < 1000 || acts > 1400 {
			t.Errorf("%d acts in ten minutes", acts)
		}
		time.Sleep(timeout) // virtual: who was healed at the end finds out what it lost
		st := w.await(t, "all is well at the end", func(st *doctor.State) bool {
			return st.Queue.Len() == w.cast.Len() && settled(st)
		})
		if st.Work.Counter.Accepted < 100 || st.Work.Counter.Stale > 0 {
			t.Errorf("fenced workers: %+v", st.Work.Counter)
		}
		t.Logf("%d acts, %d handoffs, work %+v, properties %+v", acts, st.Totals.Handoffs, st.Work.Counter, st.Properties)
		if st.Totals.Handoffs < 30 {
			t.Errorf("only %d handoffs: the test shows little", st.Totals.Handoffs)
		}
		w.end()
		events, log = w.events, w.log.observations
	})
	if t.Failed() {
		t.Logf("the last acts: %q", told)
		return
	}
	replaysTo(t, log, events)
}

// replaysTo writes a recording, reads it again, and compares what it tells.
func replaysTo(t *testing.T, log []model.Observation, live []model.Event) {
	t.Helper()
	var file bytes.Buffer
	election := model.Config{Path: path, AckPath: ackPath, AckExpected: true}
	e, err := history.NewEncoder(&file, history.NewHeader(election, feed.Now()))
	must(t, err)
	for _, o := range log {
		must(t, e.Encode(o))
	}
	d, header, err := history.NewDecoder(&file)
	must(t, err)
	election, err = header.Config()
	must(t, err)
	j := doctor.NewJournal(election)
	n := 0
	for {
		o, err := d.Decode()
		if err == io.EOF {
			break
		}
		must(t, err)
		for _, again := range j.Apply(o) {
			if n == len(live) {
				t.Fatalf("more events in the replay than live, which had %d", n)
			}
			if a, b := asJSON(t, live[n]), asJSON(t, again); !bytes.Equal(a, b) {
				t.Fatalf("live     %s\nreplayed %s", a, b)
			}
			n++
		}
	}
	if n < len(live) {
		t.Fatalf("%d events live, %d in the replay", len(live), n)
	}
}
