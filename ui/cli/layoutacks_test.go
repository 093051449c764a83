package cli_test

import (
	"fmt"
	"path"
	"strings"
)

// acknowledged are the systems whose first candidate leads when a znode says so.
func acknowledged() []system {
	sid := func(w *tree, i int) string { return fmt.Sprint(w.members[i].SessionID()) }
	overseer := func(w *tree, i int) string { return sid(w, i) + "-" + ip(i) + ":8983_solr-n_" }
	replica := func(w *tree, i int) string { return fmt.Sprintf("%s-core_node%d-n_", sid(w, i), i+1) }
	id := func(znode string) string { return `{"id":"` + path.Base(znode) + `"}` }
	core := func(string) string {
		return `{"core":"books_shard1_replica_n1","core_node_name":"core_node1","base_url":"http://10.0.0.1:8983/solr","node_name":"10.0.0.1:8983_solr"}`
	}
	flink := func(string) string { return "\xac\xed\x00\x05\x77\x16\x00\x14http://10.0.0.1:8081" }
	return []system{
		acks("Solr's overseer", queue{at: "/overseer_elect/election", name: overseer}, true, id, func(_ *tree, at string) []string { return []string{path.Dir(at) + "/leader"} }),
		acks("Solr's shards", queue{at: "/collections/*/leader_elect/shard1_0/election", name: replica}, true, core, func(w *tree, at string) []string {
			collection, _, _ := strings.Cut(at, "/leader_elect/")
			return []string{collection + "/leaders/shard1_0/leader"}
		}),
		acks("Flink before 1.15", queue{at: "/flink/*/leader/dispatcher/latch", name: latch}, true, flink, func(_ *tree, at string) []string { return []string{path.Dir(at) + "/connection_info"} }),
		acks("Flink's jobs before 1.15", queue{at: "/flink/*/jobs/5a1d0c9e7f3b4a2688c1d2e3f4a5b6c7/leader/latch", name: latch}, true, flink, func(_ *tree, at string) []string { return []string{path.Dir(at) + "/connection_info"} }),
		// Nothing says whether a guest of electop's election acknowledges.
		acks("electop's naming", queue{at: "/election", name: func(w *tree, _ int) string { return w.hex32() + "-n_" }}, false, func(string) string { return "" }, func(_ *tree, at string) []string { return []string{at + "-leader"} }),
	}
}

// acks is a queue whose first member owns the znodes of acks when it leads, with what
// data says in them. due: without them nobody leads.
func acks(name string, q queue, due bool, data func(znode string) string, acks func(w *tree, at string) []string) system {
	return system{name, func(w *tree, root string) owner {
		at, znodes, members := q.stand(w, root)
		wrong := path.Dir(at)
		own := func(i int) {
			for _, ack := range acks(w, at) {
				w.own(members[i], ack, data(znodes[i]))
			}
		}
		o := nobody(at, wrong)
		switch {
		case len(znodes) == 0:
		case w.r.IntN(2) == 0: // healthy
			own(0)
			o = led(at, znodes[0])
			o.leads[wrong] = nil
		case len(znodes) > 1 && w.r.IntN(3) == 0: // the second leads
			own(1)
			o.leads[at] = znodes[1:2]
			if !due || members[0] == members[1] {
				o.leads[at] = znodes[:2]
			}
		case w.r.IntN(2) == 0: // it led, and its znode is gone
			own(0)
			for _, ack := range acks(w, at) {
				w.gone(ack)
			}
			fallthrough
		default:
			if !due {
				o.leads[at] = znodes[:1]
			}
		}
		return o
	}}
}
