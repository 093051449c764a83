package demo_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"electop/demo"
	"electop/demo/zkserver"
	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
)

func (w *world) stepUntil(t *testing.T, holds func(did demo.Step) bool) (all []demo.Step) {
	t.Helper()
	for range 500 {
		synctest.Wait()
		did, err := w.sandbox.Step()
		must(t, err)
		all = append(all, did)
		if holds(did) {
			return all
		}
	}
	t.Fatalf("no such step within 500 steps: %+v", all)
	panic("not reached")
}

func nothingToDo(did demo.Step) bool { return did == demo.Step{} }

func skipped(did demo.Step) bool { return did.Skipped != "" }

func TestStep(t *testing.T) {
	inWorld(t, worldConfig{}, func(t *testing.T, w *world) {
		w.spawn(t, 3)
		did, err := w.sandbox.Step()
		must(t, err)
		if did != (demo.Step{Began: true}) || w.sandbox.Pace() != (zkserver.Pace{Steps: true}) {
			t.Errorf("the first Step: got %+v and pace %+v, want only the start of stepping", did, w.sandbox.Pace())
		}
		if all := w.stepUntil(t, func(demo.Step) bool { return true }); !nothingToDo(all[0]) {
			t.Errorf("Step without a held message: got %+v, want a zero Step", all)
		}

		amber, birch := w.memberNow(t, "amber"), w.memberNow(t, "birch")
		must(t, w.cast.Fault("amber", demo.Kill, true))
		time.Sleep(time.Second)
		all := w.stepUntil(t, nothingToDo)
		if first := all[0]; first.Skipped != "amber" || first.Wait <= 0 {
			t.Errorf("the first Step after the kill: got %+v, want the wait for amber's expiry skipped", first)
		}
		var released []model.Message
		for _, did := range all[1 : len(all)-1] {
			m := *did.Released
			if m.Session != birch.Session {
				t.Errorf("message to a session other than birch's: %+v", m)
			}
			m.Session, m.N, m.Since = 0, 0, time.Time{}
			released = append(released, m)
		}
		want := []model.Message{
			{Op: "notification", Event: "deleted", Path: path + "/" + amber.Znode}, {Op: "getChildren", Path: path},
			{Op: "getData", Path: ackPath, Err: "NoNode"}, {Op: "create", Path: ackPath}, {Op: "getData", Path: ackPath},
		}
		if !slices.Equal(released, want) {
			t.Errorf("the handoff has the messages %+v, want %+v", released, want)
		}
		st := w.await(t, "birch leads", func(st *doctor.State) bool {
			m, _ := byID(st, "birch")
			return m.Belief == model.Leading && st.Queue.Len() == 2 && st.Pace.Waiting == 0
		})
		if !st.Pace.Steps {
			t.Errorf("got pace %+v, want steps", st.Pace)
		}
	})
}

func TestStepSkipsToTheFirstExpiry(t *testing.T) {
	var l leaders
	inWorld(t, worldConfig{cast: l.record}, func(t *testing.T, w *world) {
		w.spawn(t, 3)
		must(t, w.cast.Fault("cedar", demo.Freeze, true))
		time.Sleep(2 * time.Second) // so that cedar's session expires first
		must(t, w.cast.Fault("amber", demo.Partition, true))
		must(t, func() error { _, err := w.sandbox.Step(); return err }())
		all := w.stepUntil(t, skipped)
		if got := all[len(all)-1].Skipped; got != "cedar" {
			t.Errorf("the first skipped wait: got session of %q, want cedar", got)
		}
		if m := w.memberNow(t, "amber"); m.Belief != model.Leading {
			t.Fatalf("partitioned amber: got belief %s, want leading", m.Belief)
		}
		all = w.stepUntil(t, skipped)
		if got := all[len(all)-1].Skipped; got != "amber" {
			t.Errorf("the second skipped wait: got session of %q, want amber", got)
		}
		if m := w.memberNow(t, "amber"); m.Belief == model.Leading {
			t.Error("amber's session has ended, and amber still believes that it leads")
		}
		w.stepUntil(t, nothingToDo)
		w.awaitOtherLeader(t, "amber")
		must(t, w.cast.Fault("amber", demo.Partition, false))
		must(t, w.cast.Fault("cedar", demo.Freeze, false))
		w.sandbox.SetPace(zkserver.Pace{})
		w.await(t, "three candidates are in the queue again", func(st *doctor.State) bool { return st.Queue.Len() == 3 && settled(st) })
	})
	l.check(t)
}

func (w *world) memberNow(t *testing.T, id string) model.Member {
	t.Helper()
	synctest.Wait()
	m, ok := byID(w.feed.State(), id)
	if !ok {
		t.Fatalf("%s is no member of the cast", id)
	}
	return m
}

func TestExpire(t *testing.T) {
	var l leaders
	inWorld(t, worldConfig{cast: l.record}, func(t *testing.T, w *world) {
		w.spawn(t, 3)
		must(t, w.cast.Fault("amber", demo.Expire, true))
		w.awaitOtherLeader(t, "amber")
		w.await(t, "amber is the last in the queue", func(st *doctor.State) bool {
			return st.Queue.Len() == 3 && st.Queue.At(2).Label() == "amber" && settled(st)
		})
		must(t, w.cast.Fault("birch", demo.Partition, true))
		must(t, w.cast.Fault("birch", demo.Expire, true))
		w.awaitOtherLeader(t, "birch")
		must(t, w.cast.Fault("birch", demo.Partition, false))
		must(t, w.cast.Fault("cedar", demo.Kill, true))
		synctest.Wait()
		must(t, w.cast.Fault("cedar", demo.Expire, true)) // cedar has left the cast, but its session has not ended
		w.awaitOtherLeader(t, "cedar")
		time.Sleep(2 * time.Second) // until every handoff is published
		for _, from := range []string{"amber", "birch", "cedar"} {
			if got := w.causes(from); !slices.Equal(got, []model.Cause{model.CauseExpired}) {
				t.Errorf("causes of handoffs from %s: got %q, want one expiry", from, got)
			}
		}
		if err := w.cast.Fault("cedar", demo.Expire, true); !errors.Is(err, demo.ErrNoMember) {
			t.Errorf("a second Expire of cedar: got %v, want ErrNoMember", err)
		}
		if err := w.cast.Fault("nobody", demo.Expire, true); !errors.Is(err, demo.ErrNoMember) {
			t.Errorf("Expire of an unknown member: got %v, want ErrNoMember", err)
		}
	})
	l.check(t)
}

func (w *world) causes(from string) (out []model.Cause) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.events {
		if h, ok := e.Body.(model.Handoff); ok && h.From != nil && h.From.Label() == from {
			out = append(out, h.Cause)
		}
	}
	return out
}

func TestSetups(t *testing.T) {
	inWorld(t, worldConfig{chaos: &demo.Chaos{Seed: 1, Rate: 2}}, func(t *testing.T, w *world) {
		w.sandbox.SetRules(model.Rules{Workers: true})
		w.spawn(t, 4)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			if err := (demo.Chaos{Seed: 1, Rate: 5, Cast: 4}).Run(ctx, w.cast, func(demo.Act) {}); err != nil {
				t.Errorf("chaos: %v", err)
			}
		}()
		time.Sleep(10 * time.Second) // until some members are dead or frozen
		w.sandbox.SetPace(zkserver.Pace{Steps: true})
		time.Sleep(time.Second)
		must(t, w.sandbox.Prepare(t.Context(), demo.Setup{Cast: 5}))
		cancel()
		<-done

		setups := []demo.Setup{
			{Cast: 5, Rules: model.Rules{Workers: true, Fenced: true}, Pace: zkserver.Pace{Delay: 100 * time.Millisecond}},
			{Cast: 3, Recipe: dialect.Herd(), Rules: model.Rules{NoGuid: true}},
			{Cast: 2, Pace: zkserver.Pace{Steps: true}},
			{},
		}
		for i, setup := range setups {
			for range 2 {
				must(t, w.sandbox.Prepare(t.Context(), setup))
				synctest.Wait()
				if got := w.cast.Len(); got != setup.Cast {
					t.Errorf("setup %d: got %d members, want %d", i, got, setup.Cast)
				}
				if got := w.sandbox.Pace(); got != setup.Pace {
					t.Errorf("setup %d: got pace %+v, want %+v", i, got, setup.Pace)
				}
				got := w.sandbox.Rules()
				setup.Rules.At, setup.Rules.Chaos = got.At, "seed 1, 2/s"
				if got != setup.Rules {
					t.Errorf("setup %d: got rules %+v, want %+v", i, got, setup.Rules)
				}
				set := time.Now()
				st := w.await(t, "the observer reads the setup", func(st *doctor.State) bool {
					return slices.Equal(labels(st), castNames(setup.Cast)) && len(st.Members) == setup.Cast
				})
				if d := time.Since(set); d > time.Second {
					t.Errorf("setup %d: observed after %v, want at most a second", i, d)
				}
				for _, m := range st.Members {
					want := "election"
					if setup.Recipe != nil {
						want = setup.Recipe.Name()
					}
					if m.Fault != model.NoFault || m.Recipe != want {
						t.Errorf("setup %d: got member %+v, want recipe %s and no fault", i, m, want)
					}
				}
				// The next Prepare must replace these members.
				if setup.Cast > 2 {
					must(t, w.cast.Fault("amber", demo.Kill, true))
					must(t, w.cast.Fault("birch", demo.Freeze, true))
					must(t, w.cast.Fault("cedar", demo.Partition, true))
				}
			}
		}
	})
}

func TestPrepareEndsWorkersOfDeadLeaders(t *testing.T) {
	inWorld(t, worldConfig{}, func(t *testing.T, w *world) {
		setup := demo.Setup{Cast: 2, Rules: model.Rules{Workers: true}}
		must(t, w.sandbox.Prepare(t.Context(), setup))
		x := w.awaitWrite(t, 0, "amber's worker writes", func(*model.Write) bool { return true })
		must(t, w.cast.Fault("amber", demo.Kill, true))
		must(t, w.sandbox.Prepare(t.Context(), setup))
		synctest.Wait()
		from := w.observed()
		w.awaitWrite(t, from, "the new amber's worker writes", func(y *model.Write) bool { return y.Token != x.Token })
		time.Sleep(timeout)
		for _, y := range w.writes(model.Counter, from) {
			if y.Token == x.Token {
				t.Fatalf("in the next setup the dead amber's worker writes %+v", y)
			}
		}
	})
}

func TestPrepareExpiresAKilledCandidateThatWasReplaced(t *testing.T) {
	inWorld(t, worldConfig{}, func(t *testing.T, w *world) {
		for range 2 {
			id, err := w.cast.Campaign("the user")
			must(t, err)
			w.await(t, "a candidacy", func(s *doctor.State) bool { return s.Queue.Len() > 0 && s.Member(s.Queue.At(s.Queue.Len()-1)) != nil })
			must(t, w.cast.Fault(id, demo.Kill, true))
			synctest.Wait()
		}
		must(t, w.sandbox.Prepare(t.Context(), demo.Setup{Cast: 2}))
		synctest.Wait()
		if got := w.feed.State().Queue.Len(); got != 2 {
			t.Errorf("got %d candidates after Prepare, want 2", got)
		}
	})
}

func TestPaceDuringPrepareAppliesLater(t *testing.T) {
	inWorld(t, worldConfig{}, func(t *testing.T, w *world) {
		w.spawn(t, 3)
		w.server.Refuse(true) // so that Prepare waits
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		done := make(chan error)
		go func() { done <- w.sandbox.Prepare(ctx, demo.Setup{Cast: 3, Pace: zkserver.Pace{Delay: time.Second}}) }()
		synctest.Wait()
		if did, err := w.sandbox.Step(); err != nil || !did.Began {
			t.Errorf("Step during Prepare: got %+v, %v; want the start of stepping", did, err)
		}
		w.server.Refuse(false)
		must(t, <-done)
		if got := w.sandbox.Pace(); got != (zkserver.Pace{Steps: true}) {
			t.Errorf("pace after Prepare: got %+v, want steps", got)
		}
		must(t, w.sandbox.Prepare(t.Context(), demo.Setup{Cast: 1}))
		if got := w.sandbox.Pace(); got != (zkserver.Pace{}) {
			t.Errorf("pace of the next setup: got %+v, want full speed", got)
		}
	})
}

func TestPrepareReturnsWhenContextEnds(t *testing.T) {
	inWorld(t, worldConfig{}, func(t *testing.T, w *world) {
		w.spawn(t, 2)
		w.server.Refuse(true)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if err := w.sandbox.Prepare(ctx, demo.Setup{Cast: 3}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Prepare without a server: got %v, want DeadlineExceeded", err)
		}
		w.server.Refuse(false)
		must(t, w.sandbox.Prepare(t.Context(), demo.Setup{Cast: 3}))
		w.await(t, "three candidates are in the queue", func(st *doctor.State) bool { return st.Queue.Len() == 3 })
	})
}
