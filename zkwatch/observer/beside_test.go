package observer_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model"
	"electop/model/doctor"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/observer"
)

func TestStandbysFromDirectories(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		for _, path := range []string{on.Path, on.Path + "/brokers", on.Path + "/controller_epoch"} {
			on.MakeData(path, "7", 0)
		}
		w := electiontest.Observe(t, on.Config(), model.Config{Path: on.Path + "/controller", AckFollows: true})
		vacant := w.Await(t, "a single znode", func(s *doctor.State) bool { return s.Single })
		w.Observer.SetBeside(observer.Beside{Directories: vacant.Around()})
		w.Await(t, "Kafka recognised by the names beside its controller", func(s *doctor.State) bool { return s.Dialect != nil && s.Dialect.ID == "kafka" })
		ids := on.Path + "/brokers/ids"
		kafka := w.Await(t, "a state that requires the list of brokers", func(s *doctor.State) bool { return slices.Contains(s.Around(), ids) })
		read := func() { w.Observer.SetBeside(observer.Beside{Directories: kafka.Around()}) }
		read()
		w.Await(t, "the directory absent", func(s *doctor.State) bool { d := s.Directories[ids]; return d != nil && d.Presence == model.Absent })
		on.MakeData(ids, "", 0)
		for _, id := range []string{"1", "2"} {
			on.MakeData(ids+"/"+id, "{}", zk.FlagEphemeral)
		}
		standbys := func(names ...string) func(*doctor.State) bool {
			return func(s *doctor.State) bool { return slices.Equal(s.Standbys().Names, names) }
		}
		read()
		w.Await(t, "two standbys", standbys("broker 1", "broker 2"))
		on.MakeData(on.Path+"/controller", `{"version":1,"brokerid":2}`, zk.FlagEphemeral)
		w.Await(t, "one leader and one standby", standbys("broker 1"))
		on.Remove(ids + "/1")
		read()
		w.Await(t, "no standby", standbys())
	})
}

func TestReadThatEndsTheConnectionIsRarelyRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, c := electiontest.Embedded(t)
		defer c.Close()
		create := electiontest.Creator(t, c)
		for _, path := range []string{"/e", "/large", "/large/znode", "/small"} {
			create(path, 0)
		}
		if _, err := c.Set("/large/znode", []byte(strings.Repeat("x", 2<<10)), -1); err != nil {
			t.Fatal(err)
		}
		w := electiontest.Observe(t, electiontest.Conn(server, nil), model.Config{Path: "/e"}, func(c *observer.Config) { c.Conn.MaxReply = 1 << 10 })
		w.Await(t, "empty", electiontest.QueueOf(0))
		w.Observer.SetBeside(observer.Beside{Directories: []string{"/large", "/small"}})
		time.Sleep(5 * time.Minute)
		s := w.Await(t, "/small read", func(s *doctor.State) bool { return s.Directories["/small"] != nil })
		if s.Reconnects == 0 || s.Reconnects > 12 {
			t.Errorf("got %d reconnects in five minutes, want 1 to 12", s.Reconnects)
		}
	})
}

func TestAcknowledgementKeepsItsWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, c := electiontest.Embedded(t)
		defer c.Close()
		for _, path := range []string{"/e", "/ack", "/a", "/b"} {
			electiontest.Creator(t, c)(path, 0)
		}
		var acks atomic.Int32
		w := electiontest.Observe(t, electiontest.Conn(server, nil), model.Config{Path: "/e"}, func(c *observer.Config) {
			put := c.Put
			c.Put = func(ctx context.Context, o model.Observation) {
				if _, ok := o.(*model.Ack); ok {
					acks.Add(1)
				}
				put(ctx, o)
			}
		})
		for _, path := range []string{"/a", "/b"} {
			w.Observer.SetBeside(observer.Beside{Acks: []string{"/ack"}, Directories: []string{path}})
			w.Await(t, path, func(s *doctor.State) bool { return s.Directories[path] != nil })
		}
		synctest.Wait()
		if n := acks.Load(); n != 1 {
			t.Errorf("got %d reads of the acknowledgement, want 1", n)
		}
	})
}

func TestEpochBacklogAndLastLeader(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		put := func(path, data string, flags int32) { on.MakeData(on.Path+path, data, flags) }
		for _, path := range []string{"", "/brokers", "/overseer", "/overseer/queue", "/overseer_elect", "/overseer_elect/election", "/underreplication"} {
			put(path, "", 0)
		}
		put("/controller_epoch", "12", 0)
		put("/controller", `{"version":2,"brokerid":1}`, zk.FlagEphemeral)
		put("/overseer_elect/election/72057700533010431-10.0.0.1:8983_solr-n_", "", zk.FlagEphemeralSequential)
		put("/overseer/queue/qn-", "x", zk.FlagSequence)
		put("/overseer/queue/qn-", "x", zk.FlagSequence)
		put("/underreplication/auditorelection", "bookieId: \"b1:3181\"\n", 0)
		observed := func(path string) *electiontest.Watched {
			w := electiontest.Observe(t, on.Config(), model.Config{Path: on.Path + path, AckFollows: true})
			s := w.Await(t, path, func(s *doctor.State) bool { return s.Dialect != nil && len(s.Followed())+len(s.Counted()) > 0 })
			w.Observer.SetBeside(observer.Beside{Acks: s.Followed(), Directories: s.Around(), Counts: s.Counted()})
			return w
		}
		w := observed("/controller")
		w.Await(t, "epoch 12", func(s *doctor.State) bool { return s.Epoch() == "12" })
		set := func(epoch string) {
			if _, err := on.Set(on.Path+"/controller_epoch", []byte(epoch), -1); err != nil {
				t.Fatal(err)
			}
			w.Await(t, "epoch "+epoch, func(s *doctor.State) bool { return s.Epoch() == epoch && s.EpochChange != nil })
		}
		jumped := func(f *doctor.Finding) bool { return f.ID == "epoch-jump" }
		set("13")
		if s := w.Feed.State(); slices.ContainsFunc(s.Findings, jumped) || s.EpochChange.From != 12 {
			t.Errorf("epoch 13 after 12: got findings %+v and change %+v, want no epoch-jump and a change from 12", s.Findings, s.EpochChange)
		}
		set("16")
		w.Await(t, "epoch-jump", func(s *doctor.State) bool { return slices.ContainsFunc(s.Findings, jumped) })
		if n := len(slices.DeleteFunc(slices.Clone(w.Events.All()), func(e model.Event) bool { _, ok := e.Body.(model.EpochChanged); return !ok })); n != 2 {
			t.Errorf("got %d events about the epoch, want 2", n)
		}
		observed("/overseer_elect/election").Await(t, "two waiting requests", func(s *doctor.State) bool { b := s.Backlog(); return b != nil && b.Requests == 2 })
		observed("/underreplication/auditorelection").Await(t, "b1 as the last leader", func(s *doctor.State) bool {
			last := s.LedLast()
			return last != nil && last.Who == "b1:3181" && !last.Fenced
		})
	})
}
