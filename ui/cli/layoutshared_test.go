package cli_test

import (
	"fmt"
	"path"
	"slices"
)

// shared are the systems where more than the lowest number decides: an acknowledgement,
// or two kinds of clients in one directory, or a rule that electop does not know.
func shared() []system {
	return []system{
		{"ClickHouse before 21.12", func(w *tree, root string) owner {
			at, _, _ := (&queue{at: "/clickhouse/tables/*/leader_election", name: exact("leader_election-")}).stand(w, root)
			return nobody(at)
		}},
		{"Flink since 1.15", flink},
		{"Aurora", aurora},
		{"go-zookeeper and kazoo", func(w *tree, root string) owner {
			// Without a table of watches nobody can say whether kazoo respects Go's
			// znodes. Go respects all: the lowest leads if it is kazoo's.
			lock := queue{at: "/*", name: func(w *tree, _ int) string {
				return w.pick("_c_"+w.hex32()+"-lock-", w.hex32()+"__lock__")
			}}
			at, znodes, _ := lock.stand(w, root)
			isKazoo := func(znode string) bool { return path.Base(znode)[0] != '_' }
			if len(znodes) == 0 || !isKazoo(znodes[0]) && slices.ContainsFunc(znodes, isKazoo) {
				return nobody(at)
			}
			return owner{leads: map[string][]string{at: znodes[:1]}}
		}},
		{"Solr before 5", func(w *tree, root string) owner {
			q := queue{at: "/collections/books/leader_elect/shard1/election", name: func(w *tree, i int) string {
				return fmt.Sprintf("%d-core_node%d-n_", w.members[i].SessionID(), i)
			}}
			at, znodes, members := q.stand(w, root)
			if len(znodes) == 0 {
				return nobody(at)
			}
			w.own(members[0], root+"/collections/books/leaders/shard1", `{"core":"books"}`)
			return owner{leads: map[string][]string{at: znodes[:1]}} // it may not be known
		}},
		{"Kafka with KRaft", func(w *tree, root string) owner {
			at := root + "/controller"
			w.put(root+"/controller_epoch", "7")
			w.own(0, root+"/brokers/ids/1", `{"host":"k1","port":9092,"version":5}`)
			w.put(at, `{"version":2,"brokerid":3000,"timestamp":"1795187631811","kraftControllerEpoch":12}`)
			return owner{leads: map[string][]string{at: {at}}}
		}},
		{"Patroni in another namespace", func(w *tree, root string) owner {
			at := "/db/" + w.word()
			patroni(at)(w, root)
			leader := root + at + "/leader"
			o := nobody(leader)
			if w.r.IntN(2) == 0 {
				w.own(0, leader, "pg1")
				o = led(leader, leader)
			}
			return o
		}},
	}
}

// flink's leader confirms its components one by one; any of them shows that it leads.
func flink(w *tree, root string) owner {
	q := queue{at: "/flink/*/leader/latch", name: latch}
	at, znodes, members := q.stand(w, root)
	if len(znodes) == 0 {
		return nobody(at)
	}
	dir, confirmed := path.Dir(at), 0
	for _, component := range []string{"rest_server", "resource_manager", "dispatcher"} {
		w.dir(dir + "/" + component)
		if w.r.IntN(3) > 0 {
			w.own(members[0], dir+"/"+component+"/connection_info", "\xac\xed\x00\x05\x77\x16\x00\x14http://10.0.0.1:8081")
			confirmed++
		}
	}
	if confirmed == 0 {
		return nobody(at)
	}
	return led(at, znodes[0])
}

// aurora's leader adds a member_ znode when it has replayed its storage.
func aurora(w *tree, root string) owner {
	q := queue{at: "/aurora/scheduler", name: mutex, data: hostPort}
	at, znodes, members := q.stand(w, root)
	if len(znodes) == 0 {
		return nobody(at)
	}
	if w.r.IntN(2) == 0 {
		return nobody(at)
	}
	w.join(members[0], at+"/member_", `{"serviceEndpoint":{"host":"10.0.0.1","port":8081},"additionalEndpoints":{},"status":"ALIVE"}`)
	return led(at, znodes[0])
}
