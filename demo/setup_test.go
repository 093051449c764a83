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

// step steps until holds is true for a step, and returns all steps.
func (w *world) step(t *testing.T, holds func(did demo.Step) bool) (all []demo.Step) {
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
	t.Fatalf("not within 500 steps: %+v", all)
	panic("not reached")
}

// nothingHeld reports that no message is held and no session is about to expire.
func nothingHeld(did demo.Step) bool { return did == demo.Step{} }

func skipped(did demo.Step) bool { return did.Skipped != "" }

func TestStep(t *testing.T) {
	inWorld(t, worldConfig{}, func(t *testing.T, w *world) {
		w.enter(t, 3)
		did, err := w.sandbox.Step()
		must(t, err)
		if did != (demo.Step{Began: true}) || w.sandbox.Pace() != (zkserver.Pace{Steps: true}) {
			t.Errorf("the first Step: %+v, pace %+v", did, w.sandbox.Pace())
		}
		if all := w.step(t, func(demo.Step) bool { return true }); !nothingHeld(all[0]) {
			t.Errorf("without a held message: %+v", all)
		}

		amber, birch := w.now(t, "amber"), w.now(t, "birch")
		// The first step skips the wait for the dead leader's session, each further step
		// releases a message.
		must(t, w.cast.Fault("amber", demo.Kill, true))
		time.Sleep(time.Second) // virtual
		all := w.step(t, nothingHeld)
		if first := all[0]; first.Skipped != "amber" || first.Wait <= 0 {
			t.Errorf("the first step is %+v", first)
		}
		var released []model.Message
		for _, did := range all[1 : len(all)-1] {
			m := *did.Released
			if m.Session != birch.Session {
				t.Errorf("released to another session: %+v", m)
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
			t.Errorf("the pace is %+v", st.Pace)
		}
	})
}

// TestStepSkipsTheFirstToExpire: the first session to expire ends first, and a partitioned
// leader's session ends only after it has stopped leading.
func TestStepSkipsTheFirstToExpire(t *testing.T) {
	var l leaders
	inWorld(t, worldConfig{cast: l.record}, func(t *testing.T, w *world) {
		w.enter(t, 3)
		must(t, w.cast.Fault("cedar", demo.Freeze, true))
		time.Sleep(2 * time.Second) // virtual: more than two pings are apart
		must(t, w.cast.Fault("amber", demo.Partition, true))
		must(t, func() error { _, err := w.sandbox.Step(); return err }())
		all := w.step(t, skipped)
		if got := all[len(all)-1].Skipped; got != "cedar" {
			t.Errorf("the first one skipped is %q", got)
		}
		if m := w.now(t, "amber"); m.Belief != model.Leading {
			t.Fatalf("amber is %s", m.Belief)
		}
		all = w.step(t, skipped)
		if got := all[len(all)-1].Skipped; got != "amber" {
			t.Errorf("the second one skipped is %q", got)
		}
		if m := w.now(t, "amber"); m.Belief == model.Leading {
			t.Error("amber's session has ended, and amber believes that it leads")
		}
		w.step(t, nothingHeld)
		w.leader(t, "amber")
		must(t, w.cast.Fault("amber", demo.Partition, false))
		must(t, w.cast.Fault("cedar", demo.Freeze, false))
		w.sandbox.SetPace(zkserver.Pace{})
		w.await(t, "all are in the queue again", func(st *doctor.State) bool { return st.Queue.Len() == 3 && settled(st) })
	})
	l.check(t)
}

func (w *world) now(t *testing.T, id string) model.Member {
	t.Helper()
	synctest.Wait()
	m, ok := byID(w.feed.State(), id)
	if !ok {
		t.Fatalf("no %s", id)
	}
	return m
}

func TestExpire(t *testing.T) {
	var l leaders
	inWorld(t, worldConfig{cast: l.record}, func(t *testing.T, w *world) {
		w.enter(t, 3)
		must(t, w.cast.Fault("amber", demo.Expire, true))
		w.leader(t, "amber")
		w.await(t, "amber is the last", func(st *doctor.State) bool {
			return st.Queue.Len() == 3 && st.Queue.At(2).Label() == "amber" && settled(st)
		})
		must(t, w.cast.Fault("birch", demo.Partition, true))
		must(t, w.cast.Fault("birch", demo.Expire, true))
		w.leader(t, "birch")
		must(t, w.cast.Fault("birch", demo.Partition, false))
		must(t, w.cast.Fault("cedar", demo.Kill, true))
		synctest.Wait()
		must(t, w.cast.Fault("cedar", demo.Expire, true)) // it has left the cast, and its session lives
		w.leader(t, "cedar")
		time.Sleep(2 * time.Second) // virtual: no handoff is held back any more
		for _, from := range []string{"amber", "birch", "cedar"} {
			if got := w.causes(from); !slices.Equal(got, []model.Cause{model.CauseExpired}) {
				t.Errorf("handoffs from %s: %q", from, got)
			}
		}
		if err := w.cast.Fault("cedar", demo.Expire, true); err == nil {
			t.Error("a second Expire is no error")
		}
		if err := w.cast.Fault("nobody", demo.Expire, true); !errors.Is(err, demo.ErrNoMember) {
			t.Errorf("Expire(nobody): %v", err)
		}
	})
	l.check(t)
}

// causes returns the causes of the handoffs from the candidate with this label.
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
		w.enter(t, 4)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			if err := (demo.Chaos{Seed: 1, Rate: 5, Cast: 4}).Run(ctx, w.cast, func(demo.Act) {}); err != nil {
				t.Errorf("chaos: %v", err)
			}
		}()
		time.Sleep(10 * time.Second) // virtual: members are dead or frozen
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
		for i, sc := range setups {
			for range 2 {
				must(t, w.sandbox.Prepare(t.Context(), sc))
				synctest.Wait()
				if got := w.cast.Len(); got != sc.Cast {
					t.Errorf("setup %d: %d in the cast", i, got)
				}
				if got := w.sandbox.Pace(); got != sc.Pace {
					t.Errorf("setup %d: the pace is %+v", i, got)
				}
				got := w.sandbox.Rules()
				sc.Rules.At, sc.Rules.Chaos = got.At, "seed 1, 2/s"
				if got != sc.Rules {
					t.Errorf("setup %d: the rules are %+v", i, got)
				}
				set := time.Now()
				st := w.await(t, "the setup is seen", func(st *doctor.State) bool {
					return slices.Equal(labels(st), castNames(sc.Cast)) && len(st.Members) == sc.Cast
				})
				if d := time.Since(set); d > time.Second { // virtual
					t.Errorf("setup %d: seen %v after it was set", i, d)
				}
				for _, m := range st.Members {
					want := "election"
					if sc.Recipe != nil {
						want = sc.Recipe.Name()
					}
					if m.Fault != model.NoFault || m.Recipe != want {
						t.Errorf("setup %d: %+v", i, m)
					}
				}
				// The next setup repairs these faults.
				if sc.Cast > 2 {
					must(t, w.cast.Fault("amber", demo.Kill, true))
					must(t, w.cast.Fault("birch", demo.Freeze, true))
					must(t, w.cast.Fault("cedar", demo.Partition, true))
				}
			}
		}
	})
}

// TestPrepareEndsTheWorkersOfTheDead: otherwise they would write in the next setup.
func TestPrepareEndsTheWorkersOfTheDead(t *testing.T) {
	inWorld(t, worldConfig{}, func(t *testing.T, w *world) {
		sc := demo.Setup{Cast: 2, Rules: model.Rules{Workers: true}}
		must(t, w.sandbox.Prepare(t.Context(), sc))
		x := w.writesUntil(t, 0, "amber's worker writes", func(*model.Write) bool { return true })
		must(t, w.cast.Fault("amber", demo.Kill, true))
		must(t, w.sandbox.Prepare(t.Context(), sc))
		synctest.Wait()
		from := w.soFar()
		w.writesUntil(t, from, "the new amber's worker writes", func(y *model.Write) bool { return y.Token != x.Token })
		time.Sleep(timeout) // virtual
		for _, y := range w.writes(model.Counter, from) {
			if y.Token == x.Token {
				t.Fatalf("in the next setup the dead amber's worker writes %+v", y)
			}
		}
	})
}

// TestPrepareIsNotSlowedDown: a pace that is set while Prepare runs holds
// afterwards, and does not delay Prepare.
func TestPrepareIsNotSlowedDown(t *testing.T) {
	inWorld(t, worldConfig{}, func(t *testing.T, w *world) {
		w.enter(t, 3)
		w.server.Refuse(true) // so that Prepare waits
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		done := make(chan error)
		go func() { done <- w.sandbox.Prepare(ctx, demo.Setup{Cast: 3, Pace: zkserver.Pace{Delay: time.Second}}) }()
		synctest.Wait()
		if did, err := w.sandbox.Step(); err != nil || !did.Began {
			t.Errorf("step: %+v, %v", did, err)
		}
		w.server.Refuse(false)
		must(t, <-done)
		if got := w.sandbox.Pace(); got != (zkserver.Pace{Steps: true}) {
			t.Errorf("the pace is %+v", got)
		}
		must(t, w.sandbox.Prepare(t.Context(), demo.Setup{Cast: 1}))
		if got := w.sandbox.Pace(); got != (zkserver.Pace{}) {
			t.Errorf("the next setup has the pace %+v", got)
		}
	})
}

func TestPrepareEndsWithItsContext(t *testing.T) {
	inWorld(t, worldConfig{}, func(t *testing.T, w *world) {
		w.enter(t, 2)
		w.server.Refuse(true)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if err := w.sandbox.Prepare(ctx, demo.Setup{Cast: 3}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Prepare without a server: %v", err)
		}
		w.server.Refuse(false)
		must(t, w.sandbox.Prepare(t.Context(), demo.Setup{Cast: 3}))
		w.await(t, "three in the queue", func(st *doctor.State) bool { return st.Queue.Len() == 3 })
	})
}
