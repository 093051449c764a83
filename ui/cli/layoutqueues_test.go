package cli_test

import (
	"fmt"
	"path"
)

// A queue is how a system's candidates stand in one: the lowest number leads.
type queue struct {
	system string
	at     string // below the root; a star is any name
	name   func(w *tree, i int) string
	data   func(w *tree, i int) string
	beside []string // other children of the directory, persistent
	// blocked: a persistent child has the lowest number. Clients order names alone, so
	// all of them wait for it.
	blocked bool
}

// stand has members join, and some of them leave. It returns the election's path, and
// the candidates with their members, in the order of the queue.
func (q *queue) stand(w *tree, root string) (at string, znodes []string, members []int) {
	at = root + w.fill(q.at)
	w.dir(at)
	w.stir(at)
	for _, name := range q.beside {
		w.put(at+"/"+name, "")
	}
	if q.blocked {
		w.queue(at+"/"+q.name(w, 0), "")
	}
	for i := range w.some() {
		data := ""
		if q.data != nil {
			data = q.data(w, i)
		}
		member := i
		if w.r.IntN(8) == 0 {
			member = 0 // several candidates of one client
		}
		znodes = append(znodes, w.join(member, at+"/"+q.name(w, i), data))
		members = append(members, member)
	}
	for len(znodes) > 0 && w.r.IntN(3) == 0 {
		i := w.r.IntN(len(znodes))
		w.gone(znodes[i])
		znodes, members = append(znodes[:i:i], znodes[i+1:]...), append(members[:i:i], members[i+1:]...)
	}
	return at, znodes, members
}

func latch(w *tree, _ int) string    { return "_c_" + w.uuid() + "-latch-" }
func mutex(w *tree, _ int) string    { return "_c_" + w.uuid() + "-lock-" }
func zlock(w *tree, _ int) string    { return "zlock#" + w.uuid() + "#" }
func hostPort(_ *tree, i int) string { return ip(i) + ":8080" }
func exact(name string) func(*tree, int) string {
	return func(*tree, int) string { return name }
}

// queues are the systems whose first candidate leads at once.
func queues() []system {
	var out []system
	for _, q := range []queue{
		{system: "Spark", at: "/spark/leader_election", name: latch},
		{system: "Storm", at: "/storm/leader-lock", name: latch, data: hostPort},
		{system: "Marathon", at: "/marathon/leader-curator", name: latch, data: hostPort},
		{system: "Druid", at: "/druid/coordinator/_COORDINATOR", name: latch, data: hostPort},
		{system: "NiFi", at: "/nifi/leaders/Cluster Coordinator", name: mutex, data: hostPort},
		{system: "BookKeeper's auditor", at: "/ledgers/underreplication/auditorelection", name: exact("V_"), data: func(_ *tree, i int) string {
			return fmt.Sprintf("bookieId: \"bookie%d:3181\"\n", i+1)
		}},
		{system: "Accumulo", at: "/accumulo/*/managers/lock", name: zlock, data: hostPort},
		{system: "Accumulo's garbage collector", at: "/accumulo/*/gc/lock", name: zlock, data: func(_ *tree, i int) string { return "GC_CLIENT=" + ip(i) + ":9998" }},
		{system: "Accumulo before 2.1", at: "/accumulo/*/masters/lock", name: exact("zlock-"), data: hostPort},
		{system: "Curator LeaderLatch", at: "/*/latch", name: latch, data: hostPort},
		{system: "Curator LeaderSelector", at: "/*", name: mutex, data: hostPort},
		{system: "YARN with Curator", at: "/yarn-leader-election/*", name: latch, data: func(_ *tree, i int) string { return fmt.Sprintf("rm%d", i+1) }},
		{system: "HiveServer2 HA", at: "/hs2ActivePassiveHA-unsecure/_LEADER", name: latch, data: hostPort},
		{system: "kazoo Lock", at: "/*", name: func(w *tree, _ int) string { return w.hex32() + "__lock__" }, data: hostPort},
		{system: "go-zookeeper Lock", at: "/*", name: func(w *tree, _ int) string { return "_c_" + w.hex32() + "-lock-" }},
		{system: "zkElection", at: "/election", name: func(w *tree, _ int) string { return "_c_" + w.hex32() + "-p_" }},
		{system: "the recipe", at: "/election", name: exact("n_"), data: hostPort},
		{system: "the recipe with a guid", at: "/election", name: func(w *tree, _ int) string { return w.hex32() + "-n_" }},
		{system: "the recipe with candidate-", at: "/_election_", name: func(w *tree, i int) string { return fmt.Sprintf("candidate-%d_", w.members[i].SessionID()) }},
		{system: "ZooKeeper WriteLock", at: "/*", name: func(w *tree, i int) string { return fmt.Sprintf("x-%d-", w.members[i].SessionID()) }},
		{system: "the recipe's lock", at: "/*", name: exact("lock-")},
		{system: "Mesos", at: "/mesos", name: exact("json.info_"), data: func(_ *tree, i int) string {
			return fmt.Sprintf(`{"hostname":"m%d","id":"%d","port":5050}`, i, i)
		}, beside: []string{"log_replicas"}},
	} {
		out = append(out, system{q.system, func(w *tree, root string) owner {
			q := q
			q.blocked = w.r.IntN(8) == 0
			at, znodes, _ := q.stand(w, root)
			if len(znodes) == 0 || q.blocked {
				return nobody(at, path.Dir(at))
			}
			o := led(at, znodes[0])
			o.leads[path.Dir(at)] = nil // the wrong path
			return o
		}})
	}
	return append(out, system{"a queue of unknown names", func(w *tree, root string) owner {
		q := queue{at: "/*", name: exact(w.pick("odd-", "task-", "c_"))}
		at, znodes, _ := q.stand(w, root)
		o := nobody(at) // a search does not know whether it is an election
		if len(znodes) > 0 {
			o.named = map[string][]string{at: znodes[:1]}
		}
		return o
	}})
}
