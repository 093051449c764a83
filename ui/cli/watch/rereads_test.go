package watch_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model/doctor"
	"electop/zkwatch/wire"
)

// A group of ActiveMQ elects in the data of its members: no child comes or goes, and
// it is seen within seconds, at a bounded cost.
func TestDataThatDecides(t *testing.T) {
	examined(t, "127.0.0.1:2181", false, func(p *patient) {
		var paths []string
		member := func(address, elected string) []byte {
			return fmt.Appendf(nil, `{"id":"b","address":%s,"position":1,"elected":%s}`, address, elected)
		}
		minute := func() int64 {
			before := p.server.Counters().Requests[wire.OpGetData]
			time.Sleep(time.Minute)
			return p.server.Counters().Requests[wire.OpGetData] - before
		}
		others := minute() // before anything is known of it
		for range 3 {
			path, err := p.setup.Create(p.path+"/0", member("null", "null"), zk.FlagEphemeral|zk.FlagSequence, zk.WorldACL(zk.PermAll))
			if err != nil {
				p.t.Fatal(err)
			}
			paths = append(paths, path)
		}
		set := func(i int, data []byte) {
			if _, err := p.setup.Set(paths[i], data, -1); err != nil {
				p.t.Fatal(err)
			}
		}
		leads := func(want string) {
			p.t.Helper()
			since := time.Now()
			s, err := p.w.First().Feed.Await(p.t.Context(), func(s *doctor.State) bool {
				l := s.Leader()
				return s.Queue.Len() == 3 && (l == nil) == (want == "") && (l == nil || l.Who == want)
			})
			if took := time.Since(since); err != nil || took > 3*time.Second {
				p.t.Errorf("%q leads: %v after %v, %v", want, s.Leader(), took, err)
			}
		}
		leads("")
		set(1, member(`"tcp://two:1"`, "null"))
		set(0, member("null", `"0000000001"`))
		leads("two:1")
		if n := minute() - others; n < 3*50 || n > 3*61 {
			p.t.Errorf("%d reads of data in a minute of three members", n)
		}
		set(1, member("null", "null"))
		leads("")
		set(2, member(`"tcp://three:1"`, "null"))
		set(0, member("null", `"0000000002"`))
		leads("three:1")
	})
}
