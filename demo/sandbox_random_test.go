package demo_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"electop/demo"
	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
)

const actionLimit = 10 * time.Second

func TestRandomSandbox(t *testing.T) {
	t.Parallel()
	runs := 12
	seed := zktest.Seed(t)
	for i := range runs {
		t.Run(fmt.Sprintf("seed=%d", seed+uint64(i)), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed+uint64(i), 3))
			inWorld(t, worldConfig{}, func(t *testing.T, w *world) {
				w.spawn(t, 4)
				c := safety{deletionZxids: make(map[string]int64)}
				var done []string
				for range 150 {
					began := time.Now()
					done = append(done, w.randomAction(t, random))
					if took := time.Since(began); took > actionLimit {
						t.Errorf("%s took %v, want at most %v", done[len(done)-1], took, actionLimit)
					}
					d := time.Duration(random.Int64N(int64(700 * time.Millisecond)))
					if random.IntN(6) == 0 {
						d = time.Duration(random.Int64N(int64(2 * timeout)))
					}
					time.Sleep(d)
					synctest.Wait()
					c.checkNew(t, w)
					if t.Failed() {
						t.Fatalf("the last actions: %q", done[max(0, len(done)-12):])
					}
				}
				if random.IntN(2) == 0 { // close the cast, even while the pace holds messages
					began := time.Now()
					w.cast.Close()
					if took := time.Since(began); took > 3*time.Second {
						t.Errorf("closing the cast took %v, want at most 3s; the last actions: %q", took, done[max(0, len(done)-12):])
					}
					return
				}
				w.sandbox.SetPace(zkserver.Pace{})
				w.sandbox.SetRules(model.Rules{})
				for _, m := range w.feed.State().Members {
					must(t, repair(w.cast, m.ID))
				}
				// All members may be leaving, so another member is needed that can lead.
				must(t, w.cast.SpawnInOrder(t.Context(), 1))
				w.await(t, fmt.Sprintf("all members are in the queue again after the actions %q", done[max(0, len(done)-12):]), func(st *doctor.State) bool {
					return len(st.Members) == w.cast.Len() && st.Queue.Len() == w.cast.Len() && settled(st)
				})
				c.checkNew(t, w)
				time.Sleep(2 * time.Second)
				w.checkEvents(t)
				w.checkNoGhosts(t, w.cast.Len())
				w.end()
				w.checkReplay(t)
			})
		})
	}
}

type safety struct {
	leaders
	from          int
	deletionZxids map[string]int64
}

func (c *safety) checkNew(t *testing.T, w *world) {
	t.Helper()
	for _, o := range w.since(c.from) {
		c.from++
		switch o := o.(type) {
		case *model.Cast:
			c.add(o)
		case *model.DeletionReport:
			c.deletionZxids[o.Znode] = o.Zxid
		case *model.Write:
			at, gone := c.deletionZxids[o.Znode]
			if o.Resource == model.Counter && o.Fenced && !o.Refused && gone && at < o.Zxid {
				t.Errorf("fenced write %+v was accepted, but its leader's znode was deleted in zxid %d", o, at)
			}
		}
	}
	c.check(t)
}

func (w *world) randomAction(t *testing.T, random *rand.Rand) (what string) {
	t.Helper()
	id := "amber"
	if ms := w.feed.State().Members; len(ms) > 0 {
		id = ms[random.IntN(len(ms))].ID
	}
	on := random.IntN(2) == 0
	var err error
	switch n := random.IntN(40); {
	case w.cast.Len() < 3 || n < 4 && w.cast.Len() < 8:
		what = "spawn"
		_, err = w.cast.Spawn()
	case n < 7:
		what, err = "follow", w.cast.Follow([]dialect.Recipe{dialect.Herd(), nil}[random.IntN(2)])
	case n < 8:
		what = "campaign"
		if _, err := w.cast.Campaign("somebody"); err != nil {
			_ = w.cast.Fault(demo.You, demo.Resign, true)
		}
	case n < 26:
		kind := anyFault(random)
		what, err = fmt.Sprintf("%s %s %t", kind, id, on), w.cast.Fault(id, kind, on)
	case n < 28:
		r := model.Rules{Workers: random.IntN(4) > 0, Fenced: on}
		what = fmt.Sprintf("rules %+v", r)
		w.sandbox.SetRules(r)
	case n < 31:
		p := []zkserver.Pace{{}, {Delay: 100 * time.Millisecond}, {Delay: zkserver.PaceMax}, {Steps: true}}[random.IntN(4)]
		what = fmt.Sprintf("pace %+v", p)
		w.sandbox.SetPace(p)
	case n < 39:
		what = "step"
		for range 1 + random.IntN(12) {
			if _, err = w.sandbox.Step(); err != nil {
				break
			}
		}
	default:
		what = "setup"
		ctx, cancel := context.WithTimeout(t.Context(), actionLimit)
		defer cancel()
		err = w.sandbox.Prepare(ctx, demo.Setup{Cast: 3, Pace: zkserver.Pace{Steps: on}})
	}
	if err != nil && !errors.Is(err, demo.ErrNoMember) && !errors.Is(err, demo.ErrNotNow) {
		t.Errorf("%s: %v", what, err)
	}
	return what
}
