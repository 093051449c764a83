package demo_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo"
	"electop/demo/zktest"
	"electop/model"
	"electop/model/doctor"
)

// TestStaleWrites checks that a write after the deletion of its own leader's znode is accepted only if unfenced.
func TestStaleWrites(t *testing.T) {
	t.Parallel()
	freezes := 100
	if _, long := zktest.Long(t); long {
		freezes = 1000
	}
	for _, c := range []struct {
		name   string
		fenced bool
	}{{"fenced", true}, {"unfenced", false}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, worldConfig{sessionTimeout: time.Second, writeEvery: 250 * time.Millisecond}, func(t *testing.T, w *world) {
				w.sandbox.SetRules(model.Rules{Workers: true, Fenced: c.fenced})
				w.spawn(t, 3)
				from := 0
				for range freezes {
					from = freezeLeader(t, w, from, c.fenced)
				}
				w.end()
				deletionZxids := make(map[string]int64)
				for _, o := range w.since(0) {
					if x, ok := o.(*model.DeletionReport); ok {
						deletionZxids[x.Znode] = x.Zxid
					}
				}
				accepted, refused, stale, last := 0, 0, 0, int64(0)
				writes := w.writes(model.Counter, 0)
				// Workers may publish their writes in another order than the server executed them.
				slices.SortStableFunc(writes, func(a, b *model.Write) int { return cmp.Compare(a.Zxid, b.Zxid) })
				for _, x := range writes {
					if x.Fenced != c.fenced {
						t.Fatalf("got write %+v, want fenced %v", x, c.fenced)
					}
					if x.Refused {
						refused++
						continue
					}
					accepted++
					if at, ok := deletionZxids[x.Znode]; ok && at < x.Zxid {
						stale++
					}
					if c.fenced && x.Value != last+1 {
						t.Errorf("counter of fenced workers: got %d after %d, want the next number", x.Value, last)
					}
					last = x.Value
				}
				t.Logf("%d freezes: %d writes accepted, %d refused, %d stale writes accepted", freezes, accepted, refused, stale)
				work := w.feed.State().Work
				if work.Counter != (model.Tries{Accepted: accepted, Refused: refused, Stale: stale}) {
					t.Errorf("counter in the journal: got %+v, want %d accepted, %d refused, %d stale", work.Counter, accepted, refused, stale)
				}
				if work.Tokens.Refused == 0 && !c.fenced {
					t.Error("no token of an unfenced worker was refused")
				}
				switch {
				case c.fenced && (stale > 0 || refused != freezes):
					t.Errorf("fenced: got %d stale writes accepted, %d refused; want 0 and %d", stale, refused, freezes)
				case !c.fenced && (stale < freezes || refused > 0):
					t.Errorf("unfenced: got %d stale writes accepted, %d refused; want at least %d and 0", stale, refused, freezes)
				}
			})
		})
	}
}

// freezeLeader returns the number of observations when the next leader leads.
func freezeLeader(t *testing.T, w *world, from int, fenced bool) int {
	t.Helper()
	old := w.awaitOtherLeader(t, "")
	w.awaitWrite(t, from, old+" has a worker", func(x *model.Write) bool { return x.Member == old })
	must(t, w.cast.Fault(old, demo.Freeze, true))
	next := w.awaitOtherLeader(t, old)
	from = w.observed()
	w.awaitWrite(t, from, next+" has a worker", func(x *model.Write) bool { return x.Member == next && !x.Refused })
	if !fenced {
		w.awaitWrite(t, from, old+"'s worker still writes", func(x *model.Write) bool { return x.Member == old })
	}
	time.Sleep(300 * time.Millisecond) // until each worker has tried to write
	must(t, w.cast.Fault(old, demo.Freeze, false))
	w.await(t, old+" is in the queue again", func(st *doctor.State) bool {
		m, ok := byID(st, old)
		return ok && m.Belief == model.Waiting && m.Fault == model.NoFault && st.Queue.Len() == 3 && settled(st)
	})
	return from
}

func TestFencedWorkerStops(t *testing.T) {
	inWorld(t, worldConfig{}, func(t *testing.T, w *world) {
		w.sandbox.SetRules(model.Rules{Workers: true, Fenced: true})
		w.spawn(t, 2)
		w.awaitWrite(t, 0, "amber's worker writes", func(x *model.Write) bool { return x.Member == "amber" && !x.Refused })
		must(t, w.cast.Fault("amber", demo.Freeze, true))
		w.awaitOtherLeader(t, "amber")
		refused := w.awaitWrite(t, 0, "amber's worker is refused", func(x *model.Write) bool { return x.Refused })
		if refused.Member != "amber" || refused.Reason == "" || refused.Zxid != 0 || !refused.Fenced {
			t.Errorf("refused write: got %+v, want a fenced write of amber with a reason and without a zxid", refused)
		}
		from := w.observed()
		time.Sleep(time.Minute)
		for _, r := range []model.Resource{model.Counter, model.Tokens} {
			for _, x := range w.writes(r, from) {
				if x.Member == "amber" {
					t.Fatalf("amber's worker wrote %+v after its write was refused", x)
				}
			}
		}
		// Amber is still frozen and believes that it leads.
		w.sandbox.SetRules(model.Rules{Workers: true})
		x := w.awaitWrite(t, from, "amber's worker writes again", func(x *model.Write) bool { return x.Member == "amber" })
		if x.Refused || x.Fenced {
			t.Errorf("amber's write: got %+v, want accepted and unfenced", x)
		}
		for _, x := range w.writes(model.Tokens, from) {
			if x.Member == "amber" && (!x.Refused || x.Reason == "") {
				t.Errorf("write with a lower token: got %+v, want refused with a reason", x)
			}
		}
		must(t, w.cast.Fault("amber", demo.Freeze, false))
		w.await(t, "amber waits", func(st *doctor.State) bool {
			m, _ := byID(st, "amber")
			return m.Belief == model.Waiting
		})
		w.checkNoWrites(t, "amber")
	})
}

func (w *world) checkNoWrites(t *testing.T, id string) {
	t.Helper()
	time.Sleep(time.Second)
	from := w.observed()
	time.Sleep(time.Minute)
	for _, x := range w.writes(model.Counter, from) {
		if x.Member == id {
			t.Fatalf("the worker of %s still writes: %+v", id, x)
		}
	}
}

func TestWorkerOfADeadLeader(t *testing.T) {
	inWorld(t, worldConfig{}, func(t *testing.T, w *world) {
		w.sandbox.SetRules(model.Rules{Workers: true})
		w.spawn(t, 2)
		must(t, w.cast.Fault("amber", demo.Kill, true))
		w.awaitOtherLeader(t, "amber")
		from := w.observed()
		x := w.awaitWrite(t, from, "the dead amber's worker writes", func(x *model.Write) bool { return x.Member == "amber" })
		if x.Refused {
			t.Errorf("unfenced write: got %+v, want accepted", x)
		}
		time.Sleep(3 * timeout)
		w.checkNoWrites(t, "amber")
		if got := w.writes(model.Counter, from); got[len(got)-1].Member != "birch" {
			t.Errorf("last write: got %+v, want a write of birch's worker", got[len(got)-1])
		}
	})
}

func TestDeadLeaderStartsNoWorker(t *testing.T) {
	inWorld(t, worldConfig{}, func(t *testing.T, w *world) {
		w.spawn(t, 2)
		must(t, w.cast.Fault("amber", demo.Kill, true))
		time.Sleep(2 * timeout) // until birch leads
		w.sandbox.SetRules(model.Rules{Workers: true})
		time.Sleep(timeout)
		writes := w.writes(model.Counter, 0)
		if len(writes) == 0 || slices.ContainsFunc(writes, func(x *model.Write) bool { return x.Member == "amber" }) {
			t.Errorf("got writes %+v, want only writes of birch's worker", writes)
		}
	})
}

func TestWorkersDoNotOverwriteOtherData(t *testing.T) {
	t.Parallel()
	const counterPath = path + "-counter"
	for _, text := range []string{"", "hands off\x1b[2J", "7", "null", `{"mine":1}`, `{"value":1} hands off`, `{"value":1}}`, `{"value":9223372036854775807}`} {
		inWorld(t, worldConfig{}, func(t *testing.T, w *world) {
			conn := connected(t, connection(t, w.server))
			defer conn.Close()
			for _, p := range []string{"/demo", counterPath} {
				_, err := conn.Create(t.Context(), p, []byte(text), 0, zk.WorldACL(zk.PermAll))
				must(t, err)
			}
			w.sandbox.SetRules(model.Rules{Workers: true})
			w.spawn(t, 1)
			time.Sleep(time.Minute)
			if data, stat, err := conn.Get(t.Context(), counterPath); err != nil || string(data) != text || stat.Version != 0 {
				t.Errorf("znode with %q: got data %q, stat %+v, error %v; want no change", text, data, stat, err)
			}
			if got := w.writes(model.Counter, 0); len(got) > 0 {
				t.Errorf("znode with %q: got write %+v, want none", text, got[0])
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			if len(w.notices) != 1 || !strings.Contains(w.notices[0], counterPath+" is not a counter") || strings.Contains(w.notices[0], "\x1b") {
				t.Errorf("znode with %q: got notices %q, want one, \"is not a counter\", without escape sequences", text, w.notices)
			}
		})
	}
}

func TestWorkersStop(t *testing.T) {
	inWorld(t, worldConfig{}, func(t *testing.T, w *world) {
		w.spawn(t, 3)
		time.Sleep(time.Minute)
		if got := w.writes(model.Counter, 0); len(got) > 0 {
			t.Fatalf("rules without workers: got write %+v, want none", got[0])
		}
		w.sandbox.SetRules(model.Rules{Workers: true})
		x := w.awaitWrite(t, 0, "amber's worker writes", func(x *model.Write) bool { return true })
		st := w.feed.State()
		if x.Member != "amber" || x.Znode != st.Leader().Name || x.Token != st.Leader().Czxid || x.Value != 1 || x.Zxid == 0 {
			t.Errorf("first write: got %+v, want number 1 with amber's znode and token", x)
		}
		must(t, w.cast.Fault("amber", demo.Resign, true))
		w.awaitOtherLeader(t, "amber")
		w.checkNoWrites(t, "amber")

		must(t, w.cast.Fault("birch", demo.Partition, true))
		w.await(t, "birch no longer leads", func(st *doctor.State) bool {
			m, _ := byID(st, "birch")
			return m.Belief != model.Leading
		})
		w.checkNoWrites(t, "birch")
		must(t, w.cast.Fault("birch", demo.Partition, false))

		w.awaitWrite(t, w.observed(), "cedar's worker writes", func(x *model.Write) bool { return x.Member == "cedar" })
		w.sandbox.SetRules(model.Rules{})
		w.checkNoWrites(t, "cedar")
	})
}

func TestWorkerReconnects(t *testing.T) {
	inWorld(t, worldConfig{}, func(t *testing.T, w *world) {
		w.sandbox.SetRules(model.Rules{Workers: true, Fenced: true})
		w.spawn(t, 1)
		w.awaitWrite(t, 0, "the worker writes", func(x *model.Write) bool { return x.Value == 3 })
		w.server.Refuse(true)
		w.server.CloseConnections()
		time.Sleep(time.Second)
		w.server.Refuse(false)
		w.awaitWrite(t, 0, "the worker writes again", func(x *model.Write) bool { return x.Value == 9 })
		seen := int64(0)
		for _, x := range w.writes(model.Counter, 0) {
			if x.Refused || x.Value != seen+1 {
				t.Errorf("write after number %d: got %+v, want the next number accepted", seen, x)
			}
			seen = x.Value
		}
	})
}
