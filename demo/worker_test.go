package demo_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo"
	"electop/demo/zktest"
	"electop/model"
	"electop/model/doctor"
)

// TestFreezes freezes one leader after the other. Each time another one takes over while
// the old leader's worker still writes. The counter refuses these writes if they are
// fenced, and accepts them if not. The journal's numbers must match the order of the
// server's transactions: a write is stale if the znode of its leader was deleted in an
// earlier transaction. In the second tier there are 1,000 freezes.
func TestFreezes(t *testing.T) {
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
			inWorld(t, worldConfig{timeout: time.Second, writeEvery: 250 * time.Millisecond}, func(t *testing.T, w *world) {
				w.sandbox.SetRules(model.Rules{Workers: true, Fenced: c.fenced})
				w.enter(t, 3)
				from := 0
				for range freezes {
					from = freezeLeader(t, w, from, c.fenced)
				}
				w.end()

				deleted := make(map[string]int64) // zxid of the deletion, by znode
				for _, o := range w.since(0) {
					if x, ok := o.(*model.Wake); ok {
						deleted[x.Znode] = x.Zxid
					}
				}
				accepted, refused, stale, last := 0, 0, 0, int64(0)
				writes := w.writes(model.Counter, 0)
				// Workers may publish their writes in another order.
				slices.SortStableFunc(writes, func(a, b *model.Write) int { return cmp.Compare(a.Zxid, b.Zxid) })
				for _, x := range writes {
					if x.Fenced != c.fenced {
						t.Fatalf("fenced is not %v: %+v", c.fenced, x)
					}
					if x.Refused {
						refused++
						continue
					}
					accepted++
					if at, ok := deleted[x.Znode]; ok && at < x.Zxid {
						stale++
					}
					if c.fenced && x.Value != last+1 {
						t.Errorf("fenced workers count %d after %d", x.Value, last)
					}
					last = x.Value
				}
				t.Logf("%d freezes: %d writes accepted, %d refused, %d stale ones accepted", freezes, accepted, refused, stale)
				work := w.feed.State().Work
				if work.Counter != (model.Tries{Accepted: accepted, Refused: refused, Stale: stale}) {
					t.Errorf("the journal counts %+v", work.Counter)
				}
				if work.Tokens.Refused == 0 && !c.fenced {
					t.Error("no token was refused")
				}
				switch {
				case c.fenced && (stale > 0 || refused != freezes):
					t.Errorf("%d stale writes accepted, %d refused", stale, refused)
				case !c.fenced && (stale < freezes || refused > 0):
					t.Errorf("only %d stale writes accepted, %d refused", stale, refused)
				}
			})
		})
	}
}

// freezeLeader freezes the leader, which leads since the from-th observation, until another
// one has taken over and both workers have written after that. It returns the number of
// observations before these writes.
func freezeLeader(t *testing.T, w *world, from int, fenced bool) int {
	t.Helper()
	old := w.leader(t, "")
	w.writesUntil(t, from, old+" has a worker", func(x *model.Write) bool { return x.Member == old })
	must(t, w.cast.Fault(old, demo.Freeze, true))
	next := w.leader(t, old)
	from = w.soFar()
	w.writesUntil(t, from, next+" has a worker", func(x *model.Write) bool { return x.Member == next && !x.Refused })
	if !fenced {
		w.writesUntil(t, from, old+"'s worker still writes", func(x *model.Write) bool { return x.Member == old })
	}
	time.Sleep(300 * time.Millisecond) // virtual: each worker writes once
	must(t, w.cast.Fault(old, demo.Freeze, false))
	w.await(t, old+" is in the queue again", func(st *doctor.State) bool {
		m, ok := byID(st, old)
		return ok && m.Belief == model.Waiting && m.Fault == model.NoFault && st.Queue.Len() == 3 && settled(st)
	})
	return from
}

// TestFencedWorkerStops: after a fenced write was refused, the worker stops until the rules
// change.
func TestFencedWorkerStops(t *testing.T) {
	inWorld(t, worldConfig{}, func(t *testing.T, w *world) {
		w.sandbox.SetRules(model.Rules{Workers: true, Fenced: true})
		w.enter(t, 2)
		w.writesUntil(t, 0, "amber's worker writes", func(x *model.Write) bool { return x.Member == "amber" && !x.Refused })
		must(t, w.cast.Fault("amber", demo.Freeze, true))
		w.leader(t, "amber")
		refused := w.writesUntil(t, 0, "amber's worker is refused", func(x *model.Write) bool { return x.Refused })
		if refused.Member != "amber" || refused.Reason == "" || refused.Zxid != 0 || !refused.Fenced {
			t.Errorf("refused: %+v", refused)
		}
		from := w.soFar()
		time.Sleep(time.Minute) // virtual
		for _, r := range []model.Resource{model.Counter, model.Tokens} {
			for _, x := range w.writes(r, from) {
				if x.Member == "amber" {
					t.Fatalf("a minute later amber's worker writes: %+v", x)
				}
			}
		}
		// Amber is still frozen and believes that it leads.
		w.sandbox.SetRules(model.Rules{Workers: true})
		x := w.writesUntil(t, from, "amber's worker writes again", func(x *model.Write) bool { return x.Member == "amber" })
		if x.Refused || x.Fenced {
			t.Errorf("not fenced any more: %+v", x)
		}
		for _, x := range w.writes(model.Tokens, from) {
			if x.Member == "amber" && (!x.Refused || x.Reason == "") {
				t.Errorf("a lower token: %+v", x)
			}
		}
		// It thaws, notices that it does not lead, and stops its worker.
		must(t, w.cast.Fault("amber", demo.Freeze, false))
		w.await(t, "amber waits", func(st *doctor.State) bool {
			m, _ := byID(st, "amber")
			return m.Belief == model.Waiting
		})
		w.quiet(t, "amber")
	})
}

// quiet fails if a member's worker writes in the next minute, except for a second in which
// a write may end.
func (w *world) quiet(t *testing.T, id string) {
	t.Helper()
	time.Sleep(time.Second) // virtual
	from := w.soFar()
	time.Sleep(time.Minute)
	for _, x := range w.writes(model.Counter, from) {
		if x.Member == id {
			t.Fatalf("%s's worker still writes: %+v", id, x)
		}
	}
}

// TestWorkerOfADeadLeader: it continues for some time, because its leader cannot stop it.
func TestWorkerOfADeadLeader(t *testing.T) {
	inWorld(t, worldConfig{}, func(t *testing.T, w *world) {
		w.sandbox.SetRules(model.Rules{Workers: true})
		w.enter(t, 2)
		must(t, w.cast.Fault("amber", demo.Kill, true))
		w.leader(t, "amber")
		from := w.soFar()
		x := w.writesUntil(t, from, "the dead amber's worker writes", func(x *model.Write) bool { return x.Member == "amber" })
		if x.Refused {
			t.Errorf("not fenced: %+v", x)
		}
		time.Sleep(3 * timeout) // virtual
		w.quiet(t, "amber")
		if got := w.writes(model.Counter, from); got[len(got)-1].Member != "birch" {
			t.Errorf("the last write is %+v, want birch's", got[len(got)-1])
		}
	})
}

// TestWorkersDoNotOverwrite: a znode in the counter's place that is no counter is not
// written, and there is a notice.
func TestWorkersDoNotOverwrite(t *testing.T) {
	t.Parallel()
	const counterPath = path + "-counter"
	for _, text := range []string{"", "hands off\x1b[2J", "7", "null", `{"mine":1}`} {
		inWorld(t, worldConfig{}, func(t *testing.T, w *world) {
			conn := connected(t, connection(t, w.server))
			defer conn.Close()
			for _, p := range []string{"/demo", counterPath} {
				_, err := conn.Create(t.Context(), p, []byte(text), 0, zk.WorldACL(zk.PermAll))
				must(t, err)
			}
			w.sandbox.SetRules(model.Rules{Workers: true})
			w.enter(t, 1)
			time.Sleep(time.Minute) // virtual
			if data, stat, err := conn.Get(t.Context(), counterPath); err != nil || string(data) != text || stat.Version != 0 {
				t.Errorf("%q became %q, %+v, %v", text, data, stat, err)
			}
			if got := w.writes(model.Counter, 0); len(got) > 0 {
				t.Errorf("%q was written: %+v", text, got[0])
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			if len(w.notices) != 1 || !strings.Contains(w.notices[0], counterPath+" is not a counter") || strings.Contains(w.notices[0], "\x1b") {
				t.Errorf("%q: notices %q", text, w.notices)
			}
		})
	}
}

// TestWorkersStop: a leader that resigns, or that notices that it is partitioned, stops its
// worker; the rules can stop it too.
func TestWorkersStop(t *testing.T) {
	inWorld(t, worldConfig{}, func(t *testing.T, w *world) {
		w.enter(t, 3)
		time.Sleep(time.Minute) // virtual
		if got := w.writes(model.Counter, 0); len(got) > 0 {
			t.Fatalf("without workers: %+v", got[0])
		}
		w.sandbox.SetRules(model.Rules{Workers: true})
		x := w.writesUntil(t, 0, "amber's worker writes", func(x *model.Write) bool { return true })
		st := w.feed.State()
		if x.Member != "amber" || x.Znode != st.Leader().Name || x.Token != st.Leader().Czxid || x.Value != 1 || x.Zxid == 0 {
			t.Errorf("the first write is %+v", x)
		}
		must(t, w.cast.Fault("amber", demo.Resign, true))
		w.leader(t, "amber")
		w.quiet(t, "amber")

		must(t, w.cast.Fault("birch", demo.Partition, true))
		w.await(t, "birch does not lead any more", func(st *doctor.State) bool {
			m, _ := byID(st, "birch")
			return m.Belief != model.Leading
		})
		w.quiet(t, "birch")
		must(t, w.cast.Fault("birch", demo.Partition, false))

		w.writesUntil(t, w.soFar(), "cedar's worker writes", func(x *model.Write) bool { return x.Member == "cedar" })
		w.sandbox.SetRules(model.Rules{})
		w.quiet(t, "cedar")
	})
}

// TestWorkerReconnects, and continues with the next number.
func TestWorkerReconnects(t *testing.T) {
	inWorld(t, worldConfig{}, func(t *testing.T, w *world) {
		w.sandbox.SetRules(model.Rules{Workers: true, Fenced: true})
		w.enter(t, 1)
		w.writesUntil(t, 0, "it writes", func(x *model.Write) bool { return x.Value == 3 })
		w.server.Refuse(true)
		w.server.CloseConnections()
		time.Sleep(time.Second)
		w.server.Refuse(false)
		w.writesUntil(t, 0, "it writes again", func(x *model.Write) bool { return x.Value == 9 })
		seen := int64(0)
		for _, x := range w.writes(model.Counter, 0) {
			if x.Refused || x.Value != seen+1 {
				t.Errorf("after %d: %+v", seen, x)
			}
			seen = x.Value
		}
		synctest.Wait()
	})
}
