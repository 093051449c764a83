package observer_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/zkwatch/internal/clienttest"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/observer"
	"electop/zkwatch/wire"
)

func ledBy(data string) func(*doctor.State) bool {
	return func(s *doctor.State) bool {
		return s.Phase == model.Live && s.Queue.Len() == 1 && string(s.Queue.At(0).Data.Bytes) == data
	}
}

func vacant(s *doctor.State) bool { return s.Phase == model.Live && s.Queue.Len() == 0 }

func TestSingleEphemeralElection(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		create := func(path, data string, flags int32) {
			t.Helper()
			if _, err := on.Create(path, []byte(data), flags, clienttest.Open); err != nil {
				t.Fatal(err)
			}
		}
		create(on.Path, "", 0)
		create(on.Path+"/brokers", "", 0)
		create(on.Path+"/controller_epoch", "0", 0)
		kafka, other := on.Path+"/controller", on.Path+"/somebody"
		known := electiontest.Observe(t, on.Config(), model.Config{Path: kafka})
		unknown := electiontest.Observe(t, on.Config(), model.Config{Path: other})

		// Where the znodes beside it show the system, absent means that nobody leads.
		known.Await(t, "vacant", vacant)
		unknown.Await(t, "absent", func(s *doctor.State) bool { return s.Phase == model.NoParent })
		one := `{"version":1,"brokerid":1,"timestamp":"1700000000000"}`
		for path, w := range map[string]*electiontest.Watched{kafka: known, other: unknown} {
			create(path, one, zk.FlagEphemeral)
			w.Await(t, path+" led", ledBy(one))
			if _, err := on.Set(path, []byte("2"), -1); err != nil {
				t.Fatal(err)
			}
			w.Await(t, path+" rewritten", ledBy("2"))
			for i := range 3 {
				on.Remove(path)
				w.Await(t, path+" vacant", vacant)
				data := fmt.Sprintf(`{"version":1,"brokerid":%d}`, 10+i)
				create(path, data, zk.FlagEphemeral)
				w.Await(t, path+" led again", ledBy(data))
			}
		}
		if s := known.Feed.State(); s.Dialect == nil || s.Dialect.ID != "kafka" {
			t.Errorf("dialect %+v", s.Dialect)
		}
		for _, e := range append(known.Events.All(), unknown.Events.All()...) {
			if m, ok := e.Body.(model.Missed); ok {
				t.Errorf("missed %+v of what cannot be counted", m)
			}
		}

		// A parent may come in its place, and an ephemeral in a parent's.
		on.Remove(other)
		unknown.Await(t, "vacant", vacant)
		create(other, "", 0)
		create(other+"/n_", "x", clienttest.Contender)
		unknown.Await(t, "a queue", func(s *doctor.State) bool {
			if s.Queue.Len() != 1 {
				return false
			}
			_, numbered := znode.Sequence(s.Queue.At(0).Name)
			return numbered
		})
	})
}

// What is there decides, and the name where nothing is.
func TestReadOfASingleElection(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		on.Make(on.Path, 0)
		on.Make(on.Path+"/controller", zk.FlagEphemeral)
		on.Make(on.Path+"/master", zk.FlagEphemeral)
		on.Make(on.Path+"/leader", 0)
		on.Make(on.Path+"/leader/n_", clienttest.Contender)
		conn := clienttest.Connected(t, on.Config())
		for path, want := range map[string]struct {
			single   bool
			presence model.Presence
			children int
		}{
			on.Path + "/controller":               {true, model.Present, 1},
			on.Path + "/master":                   {true, model.Present, 1},
			on.Path + "/leader":                   {false, model.Present, 1},
			on.Path + "/none":                     {false, model.Absent, 0},
			on.Path + "/ActiveStandbyElectorLock": {true, model.Present, 0},
		} {
			r, err := observer.ReadOnce(t.Context(), conn, path, time.Now)
			if err != nil {
				t.Fatal(err)
			}
			if r.Single != want.single || r.Presence != want.presence || len(r.New) != want.children {
				t.Errorf("%s: %+v, want %+v", path, r, want)
			}
		}
	})
}

// TestSingleElectionKeepsOneWatch: at any time one watch is outstanding, for
// however long the znode is absent and however often the connection is lost.
func TestSingleElectionKeepsOneWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, c := clienttest.Embedded(t)
		var mu sync.Mutex
		var last *model.Read
		run(t, observer.Config{
			Conn: electiontest.Conn(server, nil),
			Path: "/ActiveStandbyElectorLock",
			Put: func(_ context.Context, obs model.Observation) {
				if r, ok := obs.(*model.Read); ok {
					mu.Lock()
					last = r
					mu.Unlock()
				}
			},
		})
		settled := func(children int, what string) {
			t.Helper()
			time.Sleep(10 * time.Second) // virtual
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if last == nil || !last.Single || len(last.New) != children {
				t.Errorf("%s: last read %+v, want %d", what, last, children)
			}
			if n := clienttest.Watches(t, server); n != 1 {
				t.Errorf("%s: %d watches", what, n)
			}
		}
		settled(0, "absent")
		for round := range 3 {
			clienttest.Restart(server, electiontest.LeaseTimeout/3)
			settled(0, fmt.Sprint("absent over a lost connection ", round))
			if _, err := c.Create("/ActiveStandbyElectorLock", nil, zk.FlagEphemeral, clienttest.Open); err != nil {
				t.Fatal(err)
			}
			settled(1, fmt.Sprint("there ", round))
			clienttest.Restart(server, electiontest.LeaseTimeout/3)
			settled(1, fmt.Sprint("there over a lost connection ", round))
			if err := c.Delete("/ActiveStandbyElectorLock", -1); err != nil {
				t.Fatal(err)
			}
			settled(0, fmt.Sprint("absent again ", round))
		}
		before := server.Counters()
		time.Sleep(time.Hour)
		for op, n := range server.Counters().Requests {
			if op != wire.OpPing && n != before.Requests[op] {
				t.Errorf("%d requests of %v in an idle hour", n-before.Requests[op], op)
			}
		}
	})
}
