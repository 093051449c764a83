package modeltest

import (
	"bytes"
	"errors"
	"io"
	"reflect"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"electop/model"
	"electop/model/doctor"
	"electop/model/history"
)

// Replayed records the observations, reads the recording and applies it. It
// returns all events and the last state.
func Replayed(t rapid.TB, cfg model.Config, all []model.Observation) (events []model.Event, s *doctor.State) {
	t.Helper()
	var b bytes.Buffer
	enc, err := history.NewEncoder(&b, history.NewHeader(cfg, Start))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range all {
		if err := enc.Encode(o); err != nil {
			t.Fatal(err)
		}
	}
	dec, h, err := history.NewDecoder(&b)
	if err != nil {
		t.Fatal(err)
	}
	recorded, err := h.Config()
	if err != nil {
		t.Fatal(err)
	}
	j := doctor.NewJournal(recorded)
	for i := 0; ; i++ {
		o, err := dec.Decode()
		if errors.Is(err, io.EOF) {
			if i != len(all) {
				t.Fatalf("%d observations of %d", i, len(all))
			}
			return events, j.State()
		}
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(all[i], o) {
			if diff := cmp.Diff(all[i], o, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("observation %d made (-) and read (+):\n%s", i, diff)
			}
		}
		events = append(events, j.Apply(o)...)
	}
}

// Replays checks that a recording of the observations gives the same events and
// the same last state.
func Replays(t rapid.TB, cfg model.Config, all []model.Observation, events []model.Event, s *doctor.State) {
	t.Helper()
	again, last := Replayed(t, cfg, all)
	if diff := Differs(events, again); diff != "" {
		t.Fatalf("events (-) and those of the replay (+):\n%s", diff)
	}
	if diff := Differs(s, last); diff != "" {
		t.Fatalf("state (-) and that of the replay (+):\n%s", diff)
	}
}
