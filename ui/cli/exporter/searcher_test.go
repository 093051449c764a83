package exporter

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/prometheus/client_golang/prometheus"

	"electop/demo/zkserver"
	"electop/ui/cli/cluster"
	"electop/ui/cli/election"
	"electop/ui/cli/process"
	"electop/zkwatch/admin"
	"electop/zkwatch/client"
)

type testCluster struct {
	*testing.T
	exporter Exporter
	writer   *client.Conn
}

func onCluster(t *testing.T, test func(*testCluster)) {
	synctest.Test(t, func(t *testing.T) {
		server := zkserver.New(zkserver.Options{})
		defer server.Close()
		conn := client.Config{
			Servers: client.ConnectString{Servers: []string{"127.0.0.1:1"}}, SessionTimeout: 6 * time.Second, Logger: slog.New(slog.DiscardHandler),
			Dial: func(context.Context, string, string) (net.Conn, error) { return server.Dial() },
		}
		writer, err := client.Connect(conn)
		if err != nil {
			t.Fatal(err)
		}
		defer writer.Close()
		writer.AwaitConnected(t.Context())
		w, err := election.New(election.Config{Conn: conn, Requests: cluster.Requests{Mode: admin.Off}})
		if err != nil {
			t.Fatal(err)
		}
		tasks := process.NewTasks(t.Context())
		defer tasks.Stop()
		c := &testCluster{T: t, writer: writer}
		c.exporter.registry = prometheus.NewRegistry()
		c.exporter.listener = &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
		c.exporter.Search(conn, cluster.Reach{For: time.Second})
		c.exporter.Start(tasks, w)
		test(c)
	})
}

func (c *testCluster) create(path, name string) string {
	c.Helper()
	_, _ = c.writer.Create(c.Context(), path, nil, 0, zk.WorldACL(zk.PermAll)) // path may exist
	z, err := c.writer.Create(c.Context(), path+"/"+name, []byte("host"), zk.FlagEphemeral|zk.FlagSequence, zk.WorldACL(zk.PermAll))
	if err != nil {
		c.Fatal(err)
	}
	return z
}

func (c *testCluster) remove(paths ...string) {
	c.Helper()
	for _, path := range paths {
		if err := c.writer.Delete(c.Context(), path, -1); err != nil {
			c.Fatal(err)
		}
	}
}

// valuesAfter waits for d, and returns the metric's sum for each path. A metric without paths has the path "".
func (c *testCluster) valuesAfter(d time.Duration, metric string) map[string]float64 {
	c.Helper()
	time.Sleep(d)
	synctest.Wait()
	families, err := c.exporter.registry.Gather()
	if err != nil {
		c.Fatal(err)
	}
	values := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() != metric || m.GetCounter() == nil && m.GetGauge() == nil {
				continue
			}
			path := ""
			for _, l := range m.GetLabel() {
				if l.GetName() == "path" {
					path = l.GetValue()
				}
			}
			values[path] += m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
	}
	return values
}

func (c *testCluster) wantValues(values map[string]float64, want string) {
	c.Helper()
	if got := fmt.Sprint(values); got != want {
		c.Errorf("got %s, want %s", got, want)
	}
}

func TestElectionsComeAndGo(t *testing.T) {
	const lock = "_c_01234567-89ab-cdef-0123-456789abcdef-__READ__"
	onCluster(t, func(c *testCluster) {
		first := c.create("/first", "n_")
		c.wantValues(c.valuesAfter(2*time.Second, "electop_leader_known"), "map[/first:1]")
		second, held := c.create("/second", "n_"), c.create("/lock", lock)
		c.wantValues(c.valuesAfter(40*time.Second, "electop_leader_known"), "map[/first:1 /lock:1 /second:1]")
		c.remove(first, second, held, "/second")
		c.wantValues(c.valuesAfter(10*time.Minute, "electop_leader_known"), "map[/first:0 /lock:0 /second:0]")
		c.wantValues(c.valuesAfter(0, "electop_elections_without_leader"), "map[:2]")
		c.wantValues(c.valuesAfter(0, "electop_handoffs_total"), "map[/first:1 /lock:1 /second:1]")
		c.wantValues(c.valuesAfter(10*time.Minute, "electop_leader_known"), "map[/first:0]") // /second was deleted, /lock is free
		c.create("/second", "n_")
		c.create("/lock", lock)
		c.wantValues(c.valuesAfter(40*time.Second, "electop_leader_known"), "map[/first:0 /lock:1 /second:1]")
		c.wantValues(c.valuesAfter(0, "electop_handoffs_total"), "map[/first:1 /lock:0 /second:0]")
		if all := c.exporter.watched.All(); len(all) != 3 {
			c.Errorf("got %d watched elections, want 3", len(all))
		}
	})
}

func TestElectionsAreBounded(t *testing.T) {
	onCluster(t, func(c *testCluster) {
		for i := range Max + 7 {
			c.create(fmt.Sprintf("/e%03d", i), "n_")
		}
		known := c.valuesAfter(time.Minute, "electop_leader_known")
		if len(known) != Max || slices.Contains([]float64{known["/e000"], known["/e199"]}, 0) {
			c.Errorf("got %d elections with electop_leader_known %v, want %d, and 1 for /e000 and /e199", len(known), known, Max)
		}
		c.wantValues(c.valuesAfter(0, "electop_elections"), fmt.Sprintf("map[:%d]", Max))
		c.wantValues(c.valuesAfter(0, "electop_elections_unwatched"), "map[:7]")
	})
}

// TestElectionsWithSameLabel checks that the exporter watches only one of two elections whose escaped paths are equal.
func TestElectionsWithSameLabel(t *testing.T) {
	onCluster(t, func(c *testCluster) {
		c.create("/a\u202e", "n_")
		c.create(`/a\u202e`, "n_")
		c.wantValues(c.valuesAfter(time.Minute, "electop_leader_known"), `map[/a\u202e:1]`)
		c.wantValues(c.valuesAfter(0, "electop_elections_unwatched"), "map[:1]")
	})
}
