package observer_test

import (
	"slices"
	"testing"

	"github.com/go-zookeeper/zk"

	"electop/demo/zktest"
	"electop/model"
	"electop/model/doctor"
	"electop/zkwatch/internal/clienttest"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/observer"
)

// A directory beside the election is read each time it is set, also before it is created.
func TestDirectoryBeside(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		base := clienttest.ElectionPath(t)
		c := clienttest.Raw(t, addr)
		create := func(path, data string, flags int32) {
			t.Helper()
			if _, err := c.Create(path, []byte(data), flags, clienttest.Open); err != nil {
				t.Fatal(err)
			}
		}
		for _, path := range []string{base, base + "/brokers", base + "/controller_epoch"} {
			create(path, "7", 0)
		}
		w := electiontest.Observe(t, clienttest.Config(t, addr), model.Config{Path: base + "/controller", AckFollows: true})
		vacant := w.Await(t, "vacant", func(s *doctor.State) bool { return s.Single })
		w.Observer.SetBeside(observer.Beside{Directories: vacant.Around()})
		w.Await(t, "Kafka by what is beside it", func(s *doctor.State) bool { return s.Dialect != nil && s.Dialect.ID == "kafka" && s.Epoch() == "7" })
		ids := base + "/brokers/ids"
		kafka := w.Await(t, "the list of brokers is wanted", func(s *doctor.State) bool { return slices.Contains(s.Around(), ids) })
		read := func() { w.Observer.SetBeside(observer.Beside{Directories: kafka.Around()}) }
		read()
		w.Await(t, "no such directory", func(s *doctor.State) bool { d := s.Directories[ids]; return d != nil && d.Presence == model.Absent })
		create(ids, "", 0)
		for _, id := range []string{"1", "2"} {
			create(ids+"/"+id, "{}", zk.FlagEphemeral)
		}
		could := func(names ...string) func(*doctor.State) bool {
			return func(s *doctor.State) bool { return slices.Equal(s.Standbys().Names, names) }
		}
		read()
		w.Await(t, "two brokers", could("broker 1", "broker 2"))
		create(base+"/controller", `{"version":1,"brokerid":2}`, zk.FlagEphemeral)
		w.Await(t, "one leads, one could", could("broker 1"))
		if err := c.Delete(ids+"/1", -1); err != nil {
			t.Fatal(err)
		}
		read()
		w.Await(t, "one is gone", could())
	})
}
