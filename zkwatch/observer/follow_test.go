package observer_test

import (
	"encoding/binary"
	"fmt"
	"net"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zktest"
	"electop/model"
	"electop/model/doctor"
	"electop/zkwatch/internal/clienttest"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/wire"
)

func byWatch(s *doctor.State) bool { return s.Follow != nil && s.Follow.By == model.ByWatch }

// A burst is seen whole: no change between two reads is missed.
func TestWatchMissesNothingOfABurst(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		on.Make(on.Path, 0)
		w := electiontest.Observe(t, on.Config(), model.Config{Path: on.Path})
		w.Await(t, "by a watch", byWatch)
		const n = 100
		var ops []any
		for i := range n {
			name := fmt.Sprintf("%s/n_%010d", on.Path, i)
			ops = append(ops, &zk.CreateRequest{Path: name, Acl: clienttest.Open, Flags: zk.FlagEphemeral})
			if i%3 == 0 {
				ops = append(ops, &zk.DeleteRequest{Path: name, Version: -1})
			}
		}
		if _, err := on.Multi(ops...); err != nil {
			t.Fatal(err)
		}
		w.Await(t, "the burst", electiontest.QueueOf(n-n/3-1))
		accounts(t, w, n, n/3+1, false)
		for _, e := range w.Events.All() {
			if b, ok := e.Body.(model.Missed); ok {
				t.Errorf("missed %+v", b)
			}
		}
		w.Await(t, "the parent's stat compared", func(s *doctor.State) bool { return s.Parent.Pzxid > 0 && s.NextSequence == n })
	})
}

// A server before 3.6 is asked once, and followed by reads.
func TestOldServersAreFollowedByReads(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		on.Make(on.Path, 0)
		on.Make(on.Path+"/n_", clienttest.Contender)
		var asked atomic.Int32
		cfg := on.Config()
		clienttest.OnRequest(&cfg, wire.OpAddWatch, func(c net.Conn, frame []byte) bool {
			asked.Add(1)
			frame = slices.Clone(frame)
			binary.BigEndian.PutUint32(frame[8:], 999) // which it does not know, either
			c.Write(frame)
			return true
		})
		w := electiontest.Observe(t, cfg, model.Config{Path: on.Path})
		w.Await(t, "by reads", func(s *doctor.State) bool {
			return s.Follow != nil && s.Follow.By == model.ByReads && s.Follow.Why == model.FollowUnsupported
		})
		for n := range 3 {
			w.Await(t, "the queue", electiontest.QueueOf(n+1))
			on.Make(on.Path+"/n_", clienttest.Contender)
		}
		if n := asked.Load(); n != 1 {
			t.Errorf("the server was asked %d times for a persistent watch", n)
		}
	})
}

// Where a child may not be read servers withhold its events, so electop reads.
func TestHiddenChildrenAreFollowedByReads(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		if err := on.AddAuth("digest", []byte("u:p")); err != nil {
			t.Fatal(err)
		}
		owner := zk.DigestACL(zk.PermAll, "u", "p")
		on.Make(on.Path, 0)
		on.Make(on.Path+"/n_", clienttest.Contender)
		w := electiontest.Observe(t, on.Config(), model.Config{Path: on.Path})
		w.Await(t, "by a watch", byWatch)
		hidden, err := on.Create(on.Path+"/n_", nil, clienttest.Contender, owner)
		if err != nil {
			t.Fatal(err)
		}
		on.Make(on.Path+"/n_", clienttest.Contender) // whose comparison shows the other
		w.Await(t, "by reads", func(s *doctor.State) bool {
			return s.Queue.Len() == 3 && s.Follow.By == model.ByReads && s.Follow.Why == model.FollowHidden
		})
		on.Remove(hidden)
		w.Await(t, "two", electiontest.QueueOf(2))
		accounts(t, w, 2, 1, false)
	})
}

// What is written below the candidates comes with the watch: too much of it costs more
// than reading. The watch is tried again a while after it did no good, at the next change.
func TestWatchIsTriedAgainAfterAFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, raw := clienttest.Embedded(t)
		create := clienttest.Creator(t, raw)
		create("/e", 0)
		create("/e/config", 0)
		w := electiontest.Observe(t, electiontest.Conn(server, nil), model.Config{Path: "/e"})
		w.Await(t, "by a watch", byWatch)
		for range 2 {
			for range 5 { // in few transactions: spread over ten seconds it is no flood
				writes := slices.Repeat([]any{&zk.SetDataRequest{Path: "/e/config", Data: []byte("x"), Version: -1}}, 1000)
				zktest.Must(raw.Multi(writes...))
			}
			w.Await(t, "by reads", func(s *doctor.State) bool { return s.Follow.Why == model.FollowFlooded })
			time.Sleep(9 * time.Minute)
			create("/e/n_", clienttest.Contender)
			synctest.Wait()
			if s := w.Await(t, "still by reads", func(s *doctor.State) bool { return s.Queue.Len() > 0 }); byWatch(s) {
				t.Error("soon after a flood it is followed by a watch")
			}
			time.Sleep(2 * time.Minute)
			create("/e/n_", clienttest.Contender)
			w.Await(t, "by a watch again", byWatch)
		}
		w.Await(t, "all four", electiontest.QueueOf(4))
		accounts(t, w, 4, 0, false)
	})
}
