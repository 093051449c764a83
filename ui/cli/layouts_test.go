package cli_test

import (
	"encoding/base64"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/google/go-cmp/cmp"

	"electop/demo/zkserver"
	"electop/demo/zktest"
)

// A system writes the znodes that its real clients would write.
type system struct {
	name  string
	write func(w *tree, root string) truth
}

// truth holds the leaders that electop may name. electop may also name no leader.
type truth struct {
	leads map[string][]string // by path; empty if nobody leads
	// named replaces leads if the user names the path: electop then assumes that it is an election.
	named map[string][]string
	// Of three or more healthy layouts of a system, electop must name a leader in at least one.
	healthy bool
}

func nobody(paths ...string) truth {
	o := truth{leads: map[string][]string{}}
	for _, path := range paths {
		o.leads[path] = nil
	}
	return o
}

func led(path string, leaders ...string) truth {
	return truth{leads: map[string][]string{path: leaders}, healthy: len(leaders) > 0}
}

func allSystems() []system {
	return slices.Concat(queues(), acknowledged(), alone(), groups(), special())
}

func TestNoWrongLeader(t *testing.T) {
	zktest.SecondTier(t)
	t.Parallel()
	seed := zktest.Seed(t)
	r := rand.New(rand.NewPCG(seed, 1))
	_, addr := zkserver.Start(t, zkserver.Options{})
	w := newTree(t, r, addr)
	systems := allSystems()
	rounds := 4
	duration, _ := zktest.Long(t)
	end := time.Now().Add(duration)
	var c comparison
	for round := 0; round < rounds || time.Now().Before(end); round++ {
		r.Shuffle(len(systems), func(a, b int) { systems[a], systems[b] = systems[b], systems[a] })
		for batch := range slices.Chunk(systems, 8) {
			w.begin()
			written := make([]layout, 0, len(batch))
			for i, s := range batch {
				w.log = nil
				o := s.write(w, w.root(i))
				written = append(written, layout{s.name, o, w.log})
			}
			if c.compare(t, w, addr, written); t.Failed() {
				t.Fatalf("failed with seed %d in round %d", seed, round)
			}
		}
	}
	t.Logf("seed %d: %d layouts of %d systems, %d paths; discover and status named %d leaders", seed, c.layouts, len(systems), c.paths, c.named)
	for _, name := range slices.Sorted(maps.Keys(c.healthy)) {
		if x := c.healthy[name]; x.tried >= 3 && x.named == 0 {
			t.Errorf("seed %d: %s: no leader was named in %d healthy elections", seed, name, x.tried)
		}
	}
}

type layout struct {
	system string
	truth  truth
	log    []string // how the layout was written
}

type comparison struct {
	layouts, paths, named int
	healthy               map[string]struct{ tried, named int }
}

func (c *comparison) compare(t *testing.T, w *tree, addr string, written []layout) {
	t.Helper()
	servers := addr + w.chroot
	out, _ := once(t, 0, "discover", "-s", servers, "--kind", "all", "--json", "--rate", "100000")
	found, systems := map[string]string{}, map[string]*string{}
	for _, e := range decode[struct{ Elections []electionJSON }](t, out).Elections {
		systems[e.Path] = e.System
		if e.Leader != nil {
			found[e.Path] = *e.Leader
		}
	}
	for _, x := range written {
		c.layouts++
		named := 0
		for path, leads := range x.truth.leads {
			c.paths++
			compare := func(command, leader string, allowed []string) {
				switch {
				case leader == "":
				case slices.Contains(allowed, leader):
					named++
					c.named++
				default:
					t.Errorf("%s, %s: %s has the leader %s, want one of %q or none; the layout:\n  %s", x.system, path, command, leader, allowed, strings.Join(x.log, "\n  "))
				}
			}
			compare("discover", found[path], leads)
			delete(found, path)
			if x.truth.named != nil {
				leads = x.truth.named[path]
			}
			admin := []string{"off", "4lw"}[w.r.IntN(2)]
			status := statusOf(t, servers, path, admin)
			compare("status --admin "+admin, show(status.Leader), leads)
			// The user named the path, so for status even an unknown kind is an election.
			if of, ok := systems[path]; ok && !strings.HasPrefix(show(of), "unknown ") && !reflect.DeepEqual(of, status.System) {
				t.Errorf("%s, %s: discover has the system %s, status has %s; the layout:\n  %s", x.system, path, show(of), show(status.System), strings.Join(x.log, "\n  "))
			}
		}
		if x.truth.healthy {
			if c.healthy == nil {
				c.healthy = map[string]struct{ tried, named int }{}
			}
			h := c.healthy[x.system]
			h.tried++
			h.named += min(named, 1)
			c.healthy[x.system] = h
		}
	}
	for path, leader := range found {
		var logs []string
		for _, x := range written {
			logs = append(logs, x.system+":\n  "+strings.Join(x.log, "\n  "))
		}
		t.Errorf("discover has the leader %s at %s, where no layout has an election:\n%s", leader, path, strings.Join(logs, "\n"))
	}
}

type electionJSON struct {
	Members        []string // only of a kind with neither a leader nor a lock
	Path           string
	Leader, System *string
}

func show(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func statusOf(t *testing.T, servers, path, admin string) (e electionJSON) {
	t.Helper()
	c := run(t, "status", path, "-s", servers, "--admin", admin, "--json")
	switch code := c.finish(t); code {
	case 0:
		if e = decode[electionJSON](t, c.out.all()); e.Leader == nil && len(e.Members) == 0 {
			t.Fatalf("status %s: exit code 0 without a leader or members: %s", path, c.out.all())
		}
	case 4:
		if e = decode[electionJSON](t, c.out.all()); e.Leader != nil || len(e.Members) > 0 {
			t.Fatalf("status %s: exit code 4 with a leader or members: %s", path, c.out.all())
		}
	case 1:
		if !strings.Contains(c.errs.all(), "does not exist") {
			t.Fatalf("status %s: %s", path, c.errs.all())
		}
	default:
		t.Fatalf("status %s: exit code %d: %s", path, code, c.errs.all())
	}
	return e
}

// acknowledged returns systems in which another znode acknowledges the leader.
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
		// Third-party candidates of electop's election need not acknowledge.
		acks("electop's naming", queue{at: "/election", name: func(w *tree, _ int) string { return w.hex32() + "-n_" }}, false, func(string) string { return "" }, func(_ *tree, at string) []string { return []string{at + "-leader"} }),
	}
}

// acks returns a system whose leader acknowledges with znodes. If required is true, nobody leads without them.
func acks(name string, q queue, required bool, data func(znode string) string, acks func(w *tree, at string) []string) system {
	return system{name, func(w *tree, root string) truth {
		at, znodes, members := q.write(w, root)
		parent := path.Dir(at)
		own := func(i int) {
			for _, ack := range acks(w, at) {
				w.own(members[i], ack, data(znodes[i]))
			}
		}
		o := nobody(at, parent)
		switch {
		case len(znodes) == 0:
		case w.r.IntN(2) == 0:
			own(0)
			o = led(at, znodes[0])
			o.leads[parent] = nil
		case len(znodes) > 1 && w.r.IntN(3) == 0:
			own(1)
			o.leads[at] = znodes[1:2]
			if !required || members[0] == members[1] {
				o.leads[at] = znodes[:2]
			}
		case w.r.IntN(2) == 0:
			own(0)
			for _, ack := range acks(w, at) {
				w.delete(ack)
			}
			fallthrough
		default:
			if !required {
				o.leads[at] = znodes[:1]
			}
		}
		return o
	}}
}

func alone() []system {
	return []system{
		lone("Kafka", "/controller", func(w *tree, root string) {
			w.put(root+"/controller_epoch", "7")
			w.put(root+"/brokers/topics", "")
			for i := range w.some() {
				w.own(i, fmt.Sprintf("%s/brokers/ids/%d", root, i+1), fmt.Sprintf(`{"listener_security_protocol_map":{"PLAINTEXT":"PLAINTEXT"},"endpoints":["PLAINTEXT://k%d:9092"],"jmx_port":-1,"features":{},"host":"k%d","timestamp":"1795187631000","port":9092,"version":5}`, i+1, i+1))
			}
		}, func(w *tree) string {
			return w.pick(`{"version":2,"brokerid":1,"timestamp":"1795187631811","kraftControllerEpoch":-1}`, `{"version":1,"brokerid":3,"timestamp":"1795187631811"}`)
		}, "/brokers/ids", "/brokers"),
		lone("HBase", "/hbase/master", func(w *tree, root string) {
			w.put(root+"/hbase/hbaseid", "x")
			w.put(root+"/hbase/running", "x")
			for i := range w.some() {
				w.own(i, fmt.Sprintf("%s/hbase/rs/rs%d.example.com,16020,%s", root, i+1, w.millis()), "")
			}
			for i := range w.some() {
				w.own(i, fmt.Sprintf("%s/hbase/backup-masters/m%d,16000,%s", root, i+1, w.millis()), "")
			}
		}, func(*tree) string {
			return "\xff\x00\x00\x00\x13master:16000\x12\x34\x56\x78\x9a\xbc\xde\xf0PBUF\n\x11\n\x02m1\x10\x80}\x18\xe3\xd1\xa2\xb4\xf9\x33\x10\x00\x18\x8a}"
		}, "/hbase/rs", "/hbase/backup-masters", "/hbase"),
		{"Hadoop", hadoop},
		lone("Patroni", "/service/batman/leader", patroni("/service/batman"), func(*tree) string { return "pg1" }, "/service/batman/members", "/service/batman"),
		lone("Patroni with Citus", "/service/pg/0/leader", patroni("/service/pg/0"), func(*tree) string { return "pg1" }, "/service"),
		lone("Helix", "/pinot/CONTROLLER/LEADER", func(w *tree, root string) {
			w.put(root+"/pinot/IDEALSTATES", "")
			w.put(root+"/pinot/CONFIGS", "")
			for i := range w.some() {
				w.own(i, fmt.Sprintf("%s/pinot/LIVEINSTANCES/%s_host%d_8098", root, w.pick("Server", "Controller", "Broker"), i), "")
			}
		}, func(*tree) string {
			return `{"id":"host1_9000","simpleFields":{"HELIX_VERSION":"1.3.1","LIVE_INSTANCE":"12@host1","SESSION_ID":"1000018cb9a0003"},"mapFields":{},"listFields":{}}`
		}, "/pinot/LIVEINSTANCES", "/pinot/CONTROLLER", "/pinot"),
		lone("Pulsar", "/loadbalance/leader", func(w *tree, root string) {
			w.put(root+"/loadbalance/bundle-data", "")
			brokers(w, root)
		}, func(w *tree) string {
			return w.pick(`{"brokerId":"b1:8080","serviceUrl":"http://b1:8080"}`, `{"serviceUrl":"http://b1:8080"}`)
		}, "/loadbalance/brokers", "/loadbalance"),
		lone("Pulsar with the extensible load manager", "/loadbalance/extension/leader", func(w *tree, root string) {
			w.dir(root + "/loadbalance/extension")
			brokers(w, root)
		}, func(*tree) string { return `{"brokerId":"b1:8080","serviceUrl":"http://b1:8080"}` }, "/loadbalance/brokers", "/loadbalance/leader"),
		lone("BookKeeper with Pulsar's metadata driver", "/ledgers/underreplication/leader", func(w *tree, root string) {
			w.dir(root + "/ledgers/underreplication/ledgers")
			bookies(w, root)
		}, func(*tree) string { return `"bookie1:3181"` }, "/ledgers/underreplication", "/ledgers/available"),
		lone("Schema Registry", "/schema_registry/schema_registry_master", func(w *tree, root string) {
			w.put(root+"/schema_registry/schema_id_counter", "20")
		}, func(*tree) string {
			return `{"host":"sr1","port":8081,"master_eligibility":true,"scheme":"http","version":1}`
		}, "/schema_registry"),
		lone("Canal", "/otter/canal/destinations/orders/running", canal, func(*tree) string { return `{"active":true,"address":"10.0.0.1:11111"}` },
			"/otter/canal/cluster", "/otter/canal/destinations/orders/cluster", "/otter/canal/destinations/orders", "/otter/canal/destinations/orders/1001/running"),
		lone("Canal client", "/otter/canal/destinations/orders/1001/running", canal, func(*tree) string { return `{"active":true,"address":"10.0.0.9:53412","clientId":1001}` },
			"/otter/canal/destinations/orders/1001", "/otter/canal/destinations/orders/running"),
		{"a controller of an unknown system", func(w *tree, root string) truth {
			at := w.pick("/*/controller", "/*/master", "/*/leader", "/service/*/leader", "/*/CONTROLLER/LEADER", "/loadbalance/leader",
				"/ledgers/underreplication/leader", "/*/schema_registry_master", "/otter/canal/destinations/*/running")
			path := w.own(0, root+w.fill(at), w.pick("host1", `{"host":"h1","port":80}`, ""))
			o := nobody(path)
			o.named = map[string][]string{path: {path}}
			return o
		}},
	}
}

// hadoop writes Hadoop's znodes. A node leads only if both the lock and the bread crumb name it.
func hadoop(w *tree, root string) truth {
	dir := root + w.fill("/hadoop-ha/*")
	node := func(i int) string { return fmt.Sprintf("\n\x02ns\x12\x03nn%d\x1a\x02m%d \xd4>(\xd3>", i, i) }
	lock, crumb := w.r.IntN(3), w.r.IntN(3) // the number of a node; 0: none
	w.dir(dir)
	if crumb > 0 {
		w.put(dir+"/ActiveBreadCrumb", node(crumb))
	}
	path := dir + "/ActiveStandbyElectorLock"
	o := nobody(path)
	if lock > 0 {
		w.own(w.r.IntN(mostMembers), path, node(lock))
		if lock == crumb {
			o = led(path, path)
		}
	}
	o.leads[dir], o.leads[root+"/hadoop-ha"] = nil, nil
	return o
}

// lone returns a system whose election is a single znode, which the leader creates. The other paths have no leader.
func lone(name, at string, beside func(w *tree, root string), data func(w *tree) string, others ...string) system {
	return system{name, func(w *tree, root string) truth {
		beside(w, root)
		path := root + w.fill(at)
		var o truth
		switch w.r.IntN(4) {
		case 0:
			o = nobody(path)
		case 1:
			w.own(w.r.IntN(mostMembers), path, data(w))
			w.delete(path)
			o = nobody(path)
		default:
			w.own(w.r.IntN(mostMembers), path, data(w))
			o = led(path, path)
		}
		for _, other := range others {
			o.leads[root+other] = nil
		}
		return o
	}}
}

func brokers(w *tree, root string) {
	for i := range w.some() {
		w.own(i, fmt.Sprintf("%s/loadbalance/brokers/b%d:8080", root, i+1), fmt.Sprintf(`{"webServiceUrl":"http://b%d:8080"}`, i+1))
	}
}

func bookies(w *tree, root string) {
	for i := range w.some() {
		w.own(i, fmt.Sprintf("%s/ledgers/available/bookie%d:3181", root, i+1), "")
	}
}

func canal(w *tree, root string) {
	w.put(root+"/otter/canal/destinations/orders/1001/cursor", "{}")
	for i := range w.some() {
		w.own(i, fmt.Sprintf("%s/otter/canal/cluster/10.0.0.%d:11111", root, i+1), "")
		w.own(i, fmt.Sprintf("%s/otter/canal/destinations/orders/cluster/10.0.0.%d:11111", root, i+1), "")
	}
}

func patroni(at string) func(w *tree, root string) {
	return func(w *tree, root string) {
		w.put(root+at+"/initialize", "7012345678901234567")
		w.put(root+at+"/config", `{"ttl":30,"loop_wait":10,"retry_timeout":10,"maximum_lag_on_failover":1048576}`)
		for i := range w.some() {
			w.own(i, fmt.Sprintf("%s%s/members/pg%d", root, at, i+1), fmt.Sprintf(`{"conn_url":"postgres://10.0.0.%d:5432/postgres","state":"running","role":"replica"}`, i+1))
		}
	}
}

// group describes a list of members. If numbered is true, the server adds a number to the name.
type group struct {
	system string
	at     string
	each   func(w *tree, at string, i int) (name, data string, numbered bool)
}

// groups returns systems in which nobody leads, even if znode names look like those of candidates.
func groups() []system {
	var out []system
	for _, g := range []group{
		{"HBase region servers", "/hbase-unsecure/rs", func(w *tree, _ string, i int) (string, string, bool) {
			return fmt.Sprintf("rs%d.example.com,16020,%s", i, w.millis()), "", false
		}},
		{"HBase backup masters", "/hbase/backup-masters", func(w *tree, _ string, i int) (string, string, bool) {
			return fmt.Sprintf("m%d,16000,%s", i, w.millis()), "", false
		}},
		{"Accumulo's tablet servers", "/accumulo/*/tservers/ts1:9997", func(w *tree, _ string, i int) (string, string, bool) {
			return w.pick("zlock-", zlock(w, i)), "TSERV_CLIENT=ts1:9997", true
		}},
		{"HiveServer2", "/hiveserver2", func(_ *tree, _ string, i int) (string, string, bool) {
			return fmt.Sprintf("serverUri=hs%d:10000;version=3.1.3;sequence=", i), fmt.Sprintf("hive.server2.instance.uri=hs%d:10000;hive.server2.authentication=NONE", i), true
		}},
		{"Kyuubi", "/kyuubi", func(w *tree, _ string, i int) (string, string, bool) {
			return fmt.Sprintf("serverUri=k%d:10009;version=1.8.0;refId=%s;sequence=", i, w.uuid()), fmt.Sprintf("k%d:10009", i), true
		}},
		{"HiveServer2 HA instances", "/hs2ActivePassiveHA-unsecure/instances", func(_ *tree, _ string, i int) (string, string, bool) {
			return "instance-", fmt.Sprintf(`{"type":"JSONServiceRecord","description":"hs%d"}`, i), true
		}},
		{"LLAP", "/llap-unsecure/user-hive/llap0/workers", func(_ *tree, _ string, i int) (string, string, bool) {
			if i%2 == 0 {
				return "worker-", `{"type":"JSONServiceRecord","internal":[]}`, true
			}
			return fmt.Sprintf("slot-%010d", i/2), "7c9e6679", false
		}},
		{"Curator ServiceDiscovery", "/services/*", func(w *tree, at string, i int) (string, string, bool) {
			id := w.uuid()
			return id, fmt.Sprintf(`{"name":%q,"id":%q,"address":%q,"port":8080,"sslPort":null,"payload":null,"registrationTimeUTC":1795187631811,"serviceType":"DYNAMIC","uriSpec":null}`, path.Base(at), id, ip(i)), w.r.IntN(2) == 0
		}},
		{"Dubbo", "/dubbo/com.foo.BarService/providers", func(w *tree, _ string, i int) (string, string, bool) {
			return url.QueryEscape(fmt.Sprintf("dubbo://%s:20880/com.foo.BarService?application=bar&side=provider&timestamp=%s", ip(i), w.millis())), "", false
		}},
		{"Nerve", "/nerve/services/web", func(w *tree, _ string, i int) (string, string, bool) {
			id := w.pick("n", "info", "lock-", "json.info", "ex", "ballot", "le", "member", "latch", w.uuid(), w.hex32()+"-n", w.hex32()+"__lock_", fmt.Sprintf("i-0a1b2c%d", i))
			return id + "_", fmt.Sprintf(`{"host":%q,"port":8080,"name":%q}`, ip(i), id), true
		}},
		{"Nerve with path encoding", "/nerve/services/web", func(w *tree, _ string, i int) (string, string, bool) {
			id := fmt.Sprintf("i-0a1b2c%d", i)
			encoded := base64.RawURLEncoding.EncodeToString([]byte(id))
			return fmt.Sprintf("base64_%d_%s_", len(encoded), encoded), fmt.Sprintf(`{"host":%q,"port":8080,"name":%q}`, ip(i), id), true
		}},
		{"ServerSet", "/serverset/*", func(_ *tree, _ string, i int) (string, string, bool) {
			return "member_", fmt.Sprintf(`{"serviceEndpoint":{"host":%q,"port":8080},"additionalEndpoints":{},"status":"ALIVE"}`, ip(i)), true
		}},
		{"kazoo Party", "/party/*", func(w *tree, _ string, i int) (string, string, bool) { return w.hex32() + "__party__", ip(i), false }},
		{"kazoo ShallowParty", "/party/*", func(w *tree, _ string, i int) (string, string, bool) {
			return w.hex32() + "-" + w.pick("i-1234567890", "web-0000000003", fmt.Sprint("host", i)) + fmt.Sprint(i), "", false
		}},
		{"Curator GroupMember", "/group/*", func(w *tree, _ string, i int) (string, string, bool) {
			return fmt.Sprintf("%s-%010d", ip(i), w.r.IntN(40)), ip(i), false
		}},
		{"ClickHouse temporary locks", "/clickhouse/tables/*/temp", func(*tree, string, int) (string, string, bool) { return "abandonable_lock-", "", true }},
		{"ClickHouse block numbers", "/clickhouse/tables/*/block_numbers/all", func(*tree, string, int) (string, string, bool) {
			return "block-", "/clickhouse/temp/abandonable_lock-insert", true
		}},
		{"Solr live nodes", "/solr/live_nodes", func(_ *tree, _ string, i int) (string, string, bool) { return ip(i) + ":8983_solr", "", false }},
		{"Storm nimbuses", "/storm/nimbuses", func(_ *tree, _ string, i int) (string, string, bool) {
			return fmt.Sprintf("n%d:6627", i), "", false
		}},
		{"Druid nodes", "/druid/internal-discovery/COORDINATOR", func(_ *tree, _ string, i int) (string, string, bool) {
			return fmt.Sprintf("c%d:8081", i), "{}", false
		}},
		{"Mesos replicas", "/mesos/log_replicas", func(*tree, string, int) (string, string, bool) { return "", "", true }},
		{"a prefix for each member", "/nodes", func(w *tree, _ string, i int) (string, string, bool) {
			return w.pick("worker-", "i-", "") + fmt.Sprintf("host%d_", i), "", true
		}},
		{"guids", "/registry", func(w *tree, _ string, _ int) (string, string, bool) { return w.uuid(), "", false }},
	} {
		out = append(out, system{g.system, func(w *tree, root string) truth {
			at := root + w.fill(g.at)
			w.dir(at)
			w.stir(at)
			var all []string
			for i := range w.some() {
				name, data, numbered := g.each(w, at, i)
				if numbered {
					all = append(all, w.join(i, at+"/"+name, data))
				} else {
					all = append(all, w.own(i, at+"/"+name, data))
				}
			}
			if len(all) > 1 && w.r.IntN(3) == 0 {
				w.delete(all[w.r.IntN(len(all))])
			}
			return nobody(at, path.Dir(at))
		}})
	}
	return append(out, system{"a work queue", func(w *tree, root string) truth {
		w.dir(root + "/queue")
		for range w.some() {
			w.queue(root+"/queue/qn-", "job")
		}
		return nobody(root + "/queue")
	}})
}

type queue struct {
	system string
	at     string // below the root; a star stands for any name
	name   func(w *tree, i int) string
	data   func(w *tree, i int) string
	beside []string // other, persistent children
	// blocked means that a persistent child has the lowest number, and all candidates wait for it.
	blocked bool
}

// write returns the path of the queue, and the candidates in order. members[i] owns znodes[i].
func (q *queue) write(w *tree, root string) (at string, znodes []string, members []int) {
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
		w.delete(znodes[i])
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
		out = append(out, system{q.system, func(w *tree, root string) truth {
			q := q
			q.blocked = w.r.IntN(8) == 0
			at, znodes, _ := q.write(w, root)
			if len(znodes) == 0 || q.blocked {
				return nobody(at, path.Dir(at))
			}
			o := led(at, znodes[0])
			o.leads[path.Dir(at)] = nil
			return o
		}})
	}
	return append(out, system{"a queue of unknown names", func(w *tree, root string) truth {
		q := queue{at: "/*", name: exact(w.pick("odd-", "task-", "c_"))}
		at, znodes, _ := q.write(w, root)
		o := nobody(at) // a search cannot decide whether the path is an election
		if len(znodes) > 0 {
			o.named = map[string][]string{at: znodes[:1]}
		}
		return o
	}})
}

func special() []system {
	return []system{
		{"ClickHouse before 21.12", func(w *tree, root string) truth {
			at, _, _ := (&queue{at: "/clickhouse/tables/*/leader_election", name: exact("leader_election-")}).write(w, root)
			return nobody(at)
		}},
		{"Flink since 1.15", flink},
		{"Aurora", aurora},
		{"go-zookeeper and kazoo", func(w *tree, root string) truth {
			// kazoo may ignore go-zookeeper's znodes, so go-zookeeper leads only if kazoo has no znode.
			lock := queue{at: "/*", name: func(w *tree, _ int) string {
				return w.pick("_c_"+w.hex32()+"-lock-", w.hex32()+"__lock__")
			}}
			at, znodes, _ := lock.write(w, root)
			isKazoo := func(znode string) bool { return path.Base(znode)[0] != '_' }
			if len(znodes) == 0 || !isKazoo(znodes[0]) && slices.ContainsFunc(znodes, isKazoo) {
				return nobody(at)
			}
			return truth{leads: map[string][]string{at: znodes[:1]}}
		}},
		{"Solr before 5", func(w *tree, root string) truth {
			q := queue{at: "/collections/books/leader_elect/shard1/election", name: func(w *tree, i int) string {
				return fmt.Sprintf("%d-core_node%d-n_", w.members[i].SessionID(), i)
			}}
			at, znodes, members := q.write(w, root)
			if len(znodes) == 0 {
				return nobody(at)
			}
			w.own(members[0], root+"/collections/books/leaders/shard1", `{"core":"books"}`)
			return truth{leads: map[string][]string{at: znodes[:1]}} // electop need not name this leader
		}},
		{"Kafka with KRaft", func(w *tree, root string) truth {
			at := root + "/controller"
			w.put(root+"/controller_epoch", "7")
			w.own(0, root+"/brokers/ids/1", `{"host":"k1","port":9092,"version":5}`)
			w.put(at, `{"version":2,"brokerid":3000,"timestamp":"1795187631811","kraftControllerEpoch":12}`)
			return truth{leads: map[string][]string{at: {at}}}
		}},
		{"Patroni in another namespace", func(w *tree, root string) truth {
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

// flink writes Flink's znodes. The first candidate leads after it has confirmed one component.
func flink(w *tree, root string) truth {
	q := queue{at: "/flink/*/leader/latch", name: latch}
	at, znodes, members := q.write(w, root)
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

// aurora writes Aurora's znodes. The leader adds a member_ znode after the replay of its storage.
func aurora(w *tree, root string) truth {
	q := queue{at: "/aurora/scheduler", name: mutex, data: hostPort}
	at, znodes, members := q.write(w, root)
	if len(znodes) == 0 {
		return nobody(at)
	}
	if w.r.IntN(2) == 0 {
		return nobody(at)
	}
	w.join(members[0], at+"/member_", `{"serviceEndpoint":{"host":"10.0.0.1","port":8081},"additionalEndpoints":{},"status":"ALIVE"}`)
	return led(at, znodes[0])
}

type tree struct {
	t       *testing.T
	r       *rand.Rand
	members []*zk.Conn
	chroot  string // the root of the current batch of layouts
	batch   int
	log     []string
}

const mostMembers = 6

func newTree(t *testing.T, r *rand.Rand, addr string) *tree {
	w := &tree{t: t, r: r}
	for range mostMembers {
		w.members = append(w.members, zktest.Client(t, addr))
	}
	return w
}

func (w *tree) begin() {
	w.batch++
	w.chroot = fmt.Sprintf("/batch-%d", w.batch)
	create(w.t, w.members[0], w.chroot, "", 0)
}

// root creates the znode below which a layout is written. Its path may contain names that other systems use.
func (w *tree) root(i int) string {
	root := fmt.Sprintf("/%s%d", w.pick("apps", "db", "team", "x"), i)
	for range w.r.IntN(3) {
		root += "/" + w.pick("election", "locks", "workers", "instances", "services", "prod", "eu-west-1", "leader")
	}
	w.dir(root)
	return root
}

func (w *tree) pick(of ...string) string { return of[w.r.IntN(len(of))] }

func (w *tree) some() int { return w.r.IntN(mostMembers + 1) }

func (w *tree) note(format string, args ...any) { w.log = append(w.log, fmt.Sprintf(format, args...)) }

func (w *tree) dir(path string) {
	w.t.Helper()
	for i := 1; i <= len(path); i++ {
		if i == len(path) || path[i] == '/' {
			_, err := w.members[0].Create(w.chroot+path[:i], nil, 0, zk.WorldACL(zk.PermAll))
			if err != nil && err != zk.ErrNodeExists {
				w.t.Fatalf("create %s: %v", path[:i], err)
			}
		}
	}
}

func (w *tree) put(path, data string) {
	w.t.Helper()
	if i := strings.LastIndexByte(path, '/'); i > 0 {
		w.dir(path[:i])
	}
	create(w.t, w.members[0], w.chroot+path, data, 0)
	w.note("persistent %s = %q", path, data)
}

func (w *tree) queue(path, data string) {
	w.t.Helper()
	w.note("persistent %s = %q", create(w.t, w.members[0], w.chroot+path, data, zk.FlagSequence), data)
}

func (w *tree) own(member int, path, data string) string {
	w.t.Helper()
	if i := strings.LastIndexByte(path, '/'); i > 0 {
		w.dir(path[:i])
	}
	create(w.t, w.members[member], w.chroot+path, data, zk.FlagEphemeral)
	w.note("member %d: %s = %q", member, path, data)
	return path
}

func (w *tree) join(member int, path, data string) string {
	w.t.Helper()
	path = strings.TrimPrefix(create(w.t, w.members[member], w.chroot+path, data, contender), w.chroot)
	w.note("member %d: %s = %q", member, path, data)
	return path
}

func (w *tree) delete(path string) {
	w.t.Helper()
	if err := w.members[0].Delete(w.chroot+path, -1); err != nil {
		w.t.Fatalf("delete %s: %v", path, err)
	}
	w.note("deleted %s", path)
}

// stir creates and deletes up to 19 znodes, which raises the next sequence number.
func (w *tree) stir(dir string) {
	n := w.r.IntN(20)
	for i := range n {
		path := fmt.Sprintf("%s%s/passing-%d", w.chroot, dir, i)
		create(w.t, w.members[0], path, "", 0)
		if err := w.members[0].Delete(path, -1); err != nil {
			w.t.Fatal(err)
		}
	}
	w.note("%d znodes created and deleted in %s", n, dir)
}

// hex32 returns a guid. Some guids end in ten digits, like a sequence number.
func (w *tree) hex32() string {
	var b [16]byte
	for i := range b {
		b[i] = byte(w.r.Uint32())
	}
	s := fmt.Sprintf("%x", b)
	if w.r.IntN(3) == 0 {
		s = s[:22] + fmt.Sprintf("%010d", w.r.IntN(40))
	}
	return s
}

func (w *tree) uuid() string {
	s := w.hex32()
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}

// millis returns a time. Some times end like the sequence number of an early candidate.
func (w *tree) millis() string {
	if w.r.IntN(2) == 0 {
		return fmt.Sprint(1795187631811 + w.r.IntN(1e9))
	}
	return fmt.Sprint(1700000000000 + w.r.IntN(20))
}

func (w *tree) word() string {
	return fmt.Sprintf("%s%d", w.pick("a", "books", "job", "pg"), w.r.IntN(100))
}

func (w *tree) fill(path string) string {
	for strings.Contains(path, "*") {
		path = strings.Replace(path, "*", w.word(), 1)
	}
	return path
}

func ip(i int) string { return fmt.Sprintf("10.0.0.%d", i+1) }

var update = flag.Bool("update", false, "rewrite the table of electop help systems")

func TestDiscoverSystems(t *testing.T) {
	zktest.SecondTier(t)
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	sessions := make([]*zk.Conn, zktest.SystemSessions)
	for i := range sessions {
		sessions[i] = zktest.Client(t, addr)
	}
	all := zktest.Systems()
	for _, s := range all {
		s.Build(t, sessions)
	}
	if len(all) < 40 {
		t.Errorf("only %d systems are in the tree", len(all))
	}
	out, errs := once(t, 0, "discover", "-s", addr)
	if errs != "" {
		t.Errorf("got errors of discover: %s", errs)
	}
	table, _, _ := strings.Cut(out, "\n\n")
	lines := strings.Split(table, "\n")
	leader, waiting, reign := strings.Index(lines[0], "LEADER"), strings.Index(lines[0], "WAITING"), strings.Index(lines[0], "REIGN")
	var b strings.Builder
	fmt.Fprint(&b, "| path | leader | waiting |\n|---|---|---|\n")
	byPath := func(a, b string) int { return strings.Compare(a[len("!! "):], b[len("!! "):]) } // the list begins with the problems
	for _, line := range slices.SortedFunc(slices.Values(lines[1:]), byPath) {
		path, _, _ := strings.Cut(line[len("!! "):], "  ")
		who := strings.TrimSpace(line[leader:waiting])
		if len(who) > 40 && !strings.Contains(who, " ") { // a znode's name that is too long for the help
			who = who[:12] + "…" + who[len(who)-16:]
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", path, who, strings.TrimSpace(line[waiting:reign]))
	}
	const file = "help/discovered.md"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	shown, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(shown), "\n"), strings.Split(b.String(), "\n")); diff != "" {
		t.Errorf("the table in the help (-) differs from discover (+); -update rewrites it:\n%s", diff)
	}
}
