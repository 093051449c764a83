package demo_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"electop/demo"
	"electop/demo/zkserver"
	"electop/model"
	"electop/model/doctor"
	"electop/model/znode"
)

func (w *world) paces(from int) (out []*model.Pace) {
	for _, o := range w.since(from) {
		if p, ok := o.(*model.Pace); ok {
			out = append(out, p)
		}
	}
	return out
}

func TestDeletionReportsArePublished(t *testing.T) {
	inWorld(t, worldConfig{}, func(t *testing.T, w *world) {
		w.spawn(t, 4)
		st := w.feed.State()
		old, next := st.Queue.At(0), st.Queue.At(1)
		from := w.observed()
		must(t, w.cast.Fault("amber", demo.Kill, true))
		w.awaitOtherLeader(t, "amber")
		time.Sleep(time.Minute)
		var last *model.DeletionReport
		reacted := false // birch has listed the candidates again
		for _, o := range w.since(from) {
			switch o := o.(type) {
			case *model.DeletionReport:
				if o.Znode != old.Name || o.Zxid <= old.Czxid || last != nil && o.Zxid != last.Zxid {
					t.Errorf("report after the deletion of %s: got %+v, want this name and the zxid of the deletion", old.Name, o)
				}
				if last == nil && reacted {
					t.Error("birch reacted to the deletion before the report was published")
				}
				if last = o; o.At.IsZero() || o.At.Location() != time.UTC || o.Deleted.Location() != time.UTC {
					t.Errorf("times of a report: got %v and %v, want UTC", o.At, o.Deleted)
				}
			case *model.Cast:
				reacted = reacted || o.Member.ID == "birch" && o.Member.Step >= model.StepListAgain
			}
		}
		if last == nil || !reacted {
			t.Fatalf("last report %+v, birch reacted: %t; want a report and a reaction", last, reacted)
		}
		// birch sends getChildren, then getData, create and getData for the acknowledgement.
		if !slices.Equal(last.Notified, []uint64{next.Session}) || last.Requests != 4 || last.BytesIn == 0 || last.BytesOut == 0 || !last.Settled {
			t.Errorf("last report: got %+v, want only birch notified, four requests, and settled", last)
		}
	})
}

func TestPaceIsPublished(t *testing.T) {
	inWorld(t, worldConfig{}, func(t *testing.T, w *world) {
		w.spawn(t, 4)
		st := w.feed.State()
		birch, old := st.Queue.At(1), st.Queue.At(0)
		synctest.Wait()
		w.sandbox.SetPace(zkserver.Pace{Steps: true})
		must(t, w.cast.Fault("amber", demo.Resign, true))
		st = w.await(t, "birch's notification is held", func(st *doctor.State) bool {
			return st.Pace != nil && st.Pace.Steps && slices.ContainsFunc(st.Pace.Held, func(m model.Message) bool { return m.Session == birch.Session })
		})
		// The server does not hold amber's notification about its own znode.
		var got []string
		for _, m := range st.Pace.Held {
			if m.Op == "notification" && m.Path != znode.Join(path, old.Name) || m.Since.IsZero() || m.Err != "" {
				t.Errorf("held message %+v: unexpected path, time or error", m)
			}
			who := map[uint64]string{old.Session: "amber", birch.Session: "birch"}[m.Session]
			got = append(got, who+" "+m.Op+" "+m.Event)
		}
		slices.Sort(got)
		want := []string{"amber closeSession ", "birch notification deleted"}
		if !slices.Equal(got, want) || st.Pace.Waiting != len(want) {
			t.Errorf("held messages: got %q in %+v, want %q", got, st.Pace, want)
		}
		from := w.observed()
		for range 100 {
			for _, p := range []zkserver.Pace{{}, {Delay: time.Second}, {Steps: true}} {
				w.sandbox.SetPace(p)
			}
			time.Sleep(time.Millisecond)
		}
		w.sandbox.SetPace(zkserver.Pace{Delay: 250 * time.Millisecond})
		time.Sleep(time.Minute)
		paces := w.paces(from)
		if len(paces) == 0 {
			t.Fatal("no pace was published")
		}
		for i := 1; i < len(paces); i++ {
			if d := paces[i].At.Sub(paces[i-1].At); d < 20*time.Millisecond {
				t.Errorf("two observations of the pace within %v, want at least 20ms", d)
			}
		}
		last := paces[len(paces)-1]
		if last.Delay != 250*time.Millisecond || last.Steps || last.Waiting != 0 {
			t.Errorf("last observation of the pace: got %+v, want a delay of 250ms and no held message", last)
		}
	})
}

func TestRulesArePublished(t *testing.T) {
	inWorld(t, worldConfig{chaos: &demo.Chaos{Seed: 9, Rate: 1}}, func(t *testing.T, w *world) {
		want := model.Rules{Workers: true, NoGuid: true, Chaos: "seed 9, 1/s"}
		w.sandbox.SetRules(model.Rules{Workers: true, NoGuid: true, Chaos: "none"})
		st := w.await(t, "the rules are published", func(st *doctor.State) bool { return st.Work.Rules.Workers })
		got := st.Work.Rules
		if want.At = got.At; got != want || got != w.sandbox.Rules() {
			t.Errorf("got rules %+v, from the sandbox %+v; want %+v", got, w.sandbox.Rules(), want)
		}
	})
}
