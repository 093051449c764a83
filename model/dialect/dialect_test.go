package dialect_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/internal/modeltest"
	"electop/model/phrase"
	"electop/model/znode"
)

// znodes parses texts NAME or NAME=DATA. "!" before a name means persistent.
func znodes(children ...string) []znode.Znode {
	var out []znode.Znode
	for i, c := range children {
		name, data, _ := strings.Cut(c, "=")
		z := znode.Znode{Name: strings.TrimPrefix(name, "!"), Session: uint64(i) + 1, Czxid: int64(i) + 100, Data: znode.NewData([]byte(data))}
		if strings.HasPrefix(name, "!") {
			z.Session = 0
		}
		out = append(out, z)
	}
	return out
}

const (
	// hbaseData is a header, then the protobuf message Master{ServerName{host1, 16000, 1}}.
	hbaseData = "\xff\x00\x00\x00\x0cmaster:1\x01\x02\x03\x04PBUF\x0a\x0c\x0a\x05host1\x10\x80\x7d\x18\x01"
	hdfsData  = "\x0a\x02ns\x12\x03nn1\x1a\x05host1\x20\xd4\x3e\x28\xc3\x3e" // ActiveNodeInfo
	yarnData  = "\x0a\x02yc\x12\x03rm1"                                      // ActiveRMInfoProto
)

// example is an election of a dialect. "; " separates the entries of children and of who. If who is
// "", each owner's name is the data of its child.
type example struct {
	id, path, children, who string
	watches                 []int // the watched position for each position in the queue, -1 for none; nil: each watches its predecessor
	holders, ignored        int   // holders: 0 means 1, noHolder means none
	ack, marker             string
	siblings                []string
	prefix                  string // the result of [dialect.Dialect.Prefix]; "": electop cannot take part
}

const noHolder = -1

var placeholders = strings.NewReplacer("{u1}", modeltest.UUID1, "{u2}", modeltest.UUID2, "{h1}", modeltest.Hex1, "{h2}", modeltest.Hex2,
	"{hbase}", hbaseData, "{hdfs}", hdfsData, "{yarn}", yarnData)

func (e *example) list() []string { return strings.Split(placeholders.Replace(e.children), "; ") }

func (e *example) wants(n int) (who []string, watches []int, holders int) {
	for _, c := range e.list() {
		_, data, _ := strings.Cut(c, "=")
		who = append(who, data)
	}
	if e.who != "" {
		who = strings.Split(e.who, "; ")
	}
	watches = e.watches
	for i := len(watches); e.watches == nil && i < n; i++ {
		watches = append(watches, i-1)
	}
	return who, watches, max(0, cmp.Or(e.holders, 1))
}

var dialectExamples = []example{
	{id: "curator-latch", path: "/cur/latch", children: "_c_{u1}-latch-0000000000=node-0; _c_{u2}-latch-0000000001; _c_{u1}-latch--2147483648=old",
		prefix: "_c_00010203-0405-0607-0809-0a0b0c0d0e0f-latch-"},
	{id: "spark", path: "/batch/leader_election", children: "_c_{u1}-latch-0000000004", marker: "/batch/master_status"},
	{id: "flink", path: "/flink/default/leader/dispatcher/latch", children: "_c_{u1}-latch-0000000004",
		ack: "/flink/default/leader/dispatcher/connection_info"},
	{id: "yarn", path: "/yarn-leader-election/yc2", children: "_c_{u1}-latch-0000000004=rm1"},
	{id: "storm", path: "/storm/leader-lock", children: "_c_{u1}-latch-0000000004=nimbus1:6627"},
	{id: "marathon", path: "/marathon/leader", children: "_c_{u1}-latch-0000000004=host1:8080"},
	{id: "druid", path: "/druid/coordinator/_COORDINATOR", children: "_c_{u1}-latch-0000000004=http://host1:8081"},
	{id: "hiveserver2-ha", path: "/hs2ActivePassiveHA-unsecure/_LEADER", children: "_c_{u1}-latch-0000000004; _c_{u2}-latch-0000000005"},
	{id: "nifi", path: "/nifi/leaders/Cluster Coordinator", children: "_c_{u1}-lock-0000000004=host1:8082; _c_{u2}-latch-0000000005"},
	{id: "curator-lock", path: "/cur/selector", children: "_c_{u1}-lock-0000000000=sel-0; _c_{u2}-lock-0000000001=127.0.0.1",
		prefix: "_c_00010203-0405-0607-0809-0a0b0c0d0e0f-lock-"},
	{id: "curator-semaphore-queue", path: "/cur/sem/locks", children: "_c_{u1}-lock-0000000001=127.0.0.1; _c_{u2}-lock-0000000002=127.0.0.1"},
	{id: "curator-semaphore", path: "/cur/sem/leases", children: "_c_{u1}-lease-0000000001=semdata; _c_{u2}-lease-0000000002=127.0.0.1",
		watches: []int{-1, -1}, holders: 2},
	{id: "curator-rw", path: "/cur/rw",
		children: "_c_{u1}-__WRIT__0000000000=a; _c_{u1}-__WRIT__0000000001=b; _c_{u1}-__WRIT__0000000007=f; _c_{u2}-__READ__0000000002=c; _c_{u2}-__READ__0000000008=d",
		watches:  []int{-1, 0, 0, 2, 0}},
	{id: "aurora", path: "/aurora/scheduler",
		children: `_c_{u1}-lock-0000000000=192.0.2.1; _c_{u2}-lock-0000000001=192.0.2.2; member_0000000002={"serviceEndpoint":{"host":"aurora1","port":8081},"additionalEndpoints":{},"status":"ALIVE"}`,
		who:      "192.0.2.1; 192.0.2.2; aurora1:8081", ignored: 1},
	{id: "kazoo-lock", path: "/election", children: "{h1}__lock__0000000000=host-0:80; {h2}__lock__0000000001=",
		prefix: "000102030405060708090a0b0c0d0e0f__lock__"},
	{id: "kazoo-rw", path: "/rw",
		children: "{h1}__rlock__0000000000=a; {h2}__rlock__0000000001=b; {h1}__lock__0000000002=c; {h2}__rlock__0000000003=d; {h1}__rlock__0000000004=e",
		watches:  []int{-1, -1, 1, 2, 2}, holders: 2},
	{id: "kazoo-semaphore-queue", path: "/sem-__lock__", children: "{h1}__lock__0000000000=a; {h2}__lock__0000000001=b"},
	// The ten digits at the end of the second name are no sequence number.
	{id: "kazoo-semaphore", path: "/sem", children: "{h1}=a; 9cb226cb23864645aa23c50000000001=b", watches: []int{-1, -1}, holders: 2,
		marker: "/sem-__lock__"},
	{id: "go-zookeeper", path: "/lock", children: "_c_{h1}-lock-0000000000=a; _c_{h2}-lock-0000000001", prefix: "_c_000102030405060708090a0b0c0d0e0f-lock-"},
	{id: "kazoo-go", path: "/lock", children: "{h1}__lock__0000000000=a; _c_{h1}-lock-0000000001; {h1}__rlock__0000000002=c; {h2}__rlock__0000000003=d",
		watches: []int{-1, 0, 1, 1}},
	{id: "zkelection", path: "/election", children: "_c_{h1}-p_0000000000; _c_{h2}-p_0000000001", prefix: "_c_000102030405060708090a0b0c0d0e0f-p_"},
	// The last candidate joined at the head with a copied number.
	{id: "solr", path: "/overseer_elect/election",
		children: "72057700533010432-192.0.2.1:8983_solr-n_0000000001; 144115294570741760-192.0.2.2:8983_solr-n_0000000002; -216172888609783808-192.0.2.3:8983_solr-n_0000000001",
		who:      "192.0.2.1:8983_solr; 192.0.2.2:8983_solr; 192.0.2.3:8983_solr", ack: "/overseer_elect/leader"},
	{id: "solr", path: "/chroot/collections/books/leader_elect/shard1/election", children: "72057700533010432-core_node3-n_0000000001", who: "core_node3",
		ack: "/chroot/collections/books/leaders/shard1/leader /chroot/collections/books/leaders/shard1"},
	{id: "mesos", path: "/mesos",
		children: `json.info_0000000007={"address":{"hostname":"m1","ip":"192.0.2.1","port":5050},"id":"x","pid":"master@192.0.2.1:5050"}; json.info_0000000008={"pid":"master@192.0.2.2:5050"}; !log_replicas; log_replicas_0000000009`,
		who:      "m1:5050; master@192.0.2.2:5050; ; ", watches: []int{-1, -1}, ignored: 2},
	{id: "electop", path: "/election", children: "{h1}-n_0000000000=amber; {h2}-n_0000000001=birch", ack: "/election-leader",
		prefix: "000102030405060708090a0b0c0d0e0f-n_"},
	{id: "recipe-guid", path: "/election", children: "{u1}-n_0000000000=a; guid-n_0000000001", prefix: "000102030405060708090a0b0c0d0e0f-n_"},
	{id: "recipe", path: "/election", children: "n_0000000000=host1; n_0000000001=host2", prefix: "n_"},
	{id: "recipe-candidate", path: "/_election_", children: "candidate-0x1000018cb9a0003_0000000000; candidate-72057700533010432_0000000001=b",
		who: "session 0x1000018cb9a0003; b"},
	{id: "write-lock", path: "/lock", children: "x-72057700533010432-0000000000=a; x--72057700533010432-0000000001", who: "a; session -72057700533010432"},
	{id: "recipe-lock", path: "/_locknode_", children: "lock-0000000000=a; lock-0000000001=b", prefix: "lock-"},
	{id: "recipe-guid-lock", path: "/_locknode_", children: "{h1}-lock-0000000000=a; {u1}-lock-0000000001=b",
		prefix: "000102030405060708090a0b0c0d0e0f-lock-"},
	{id: "recipe-rw", path: "/_locknode_", children: "read-0000000000; write-0000000001; read-0000000002; write-0000000009; read-0000000003",
		watches: []int{-1, 0, 1, 1, 3}},
	{id: "kafka", path: "/kafka/controller", children: `controller={"version":1,"brokerid":3,"timestamp":"1795187631811"}`, who: "broker 3"},
	{id: "hbase", path: "/hbase/master", children: "master={hbase}", who: "host1:16000"},
	{id: "hadoop", path: "/hadoop-ha/ns/ActiveStandbyElectorLock", children: "ActiveStandbyElectorLock={hdfs}", who: "host1:8020",
		ack: "/hadoop-ha/ns/ActiveBreadCrumb"},
	{id: "hadoop", path: "/yarn-leader-election/yc/ActiveStandbyElectorLock", children: "ActiveStandbyElectorLock={yarn}", who: "rm1",
		ack: "/yarn-leader-election/yc/ActiveBreadCrumb"},
	{id: "patroni", path: "/service/batman/leader", children: "leader=postgresql0", siblings: []string{"config", "initialize", "leader", "members"}},
	{id: "helix", path: "/cluster/CONTROLLER/LEADER",
		children: `LEADER={"id":"LEADER","simpleFields":{"LEADER":"host1_12000","SESSION_ID":"1000018cb9a0003"},"listFields":{},"mapFields":{}}`,
		who:      "host1_12000"},
	{id: "pulsar", path: "/loadbalance/leader", children: `leader={"brokerId":"broker1:8080","serviceUrl":"http://broker1:8080"}`, who: "broker1:8080"},
	{id: "pulsar", path: "/loadbalance/extension/leader", children: `leader={"serviceUrl":"https://broker2:8443"}`, who: "broker2:8443"},
	{id: "pulsar-auditor", path: "/ledgers/underreplication/leader", children: `leader="bookie1:3181"`, who: "bookie1:3181"},
	{id: "schema-registry", path: "/schema_registry/schema_registry_master",
		children: `schema_registry_master={"host":"sr1","port":8081,"master_eligibility":true,"scheme":"http","version":1}`, who: "sr1:8081"},
	{id: "canal", path: "/otter/canal/destinations/orders/running", children: `running={"active":true,"address":"10.0.0.1:11111","cid":1}`,
		who: "10.0.0.1:11111"},
	{id: "canal-client", path: "/otter/canal/destinations/orders/1001/running",
		children: `running={"active":true,"address":"10.0.0.9:53412","clientId":1001}`, who: "10.0.0.9:53412"},
	{id: "bookkeeper", path: "/ledgers/underreplication/auditorelection",
		children: "V_0000000003=bookieId: \"bookie1:3181\"\n; V_0000000004=bookieId: \"bookie2:3181\"\n", who: "bookie1:3181; bookie2:3181"},
	{id: "accumulo", path: "/accumulo/i/managers/lock",
		children: `zlock#{u1}#0000000000=manager1:9999; zlock#{u2}#0000000001={"descriptors":[{"uuid":"x","service":"MANAGER","address":"manager2:9999","group":"default"}]}`,
		who:      "manager1:9999; manager2:9999"},
	{id: "accumulo", path: "/accumulo/i/masters/lock", children: "zlock-0000000000=master1:9999"},
	{id: "accumulo-service", path: "/accumulo/i/gc/lock", children: "zlock#{u1}#0000000000=GC_CLIENT=gc1:9998", who: "gc1:9998"},
	{id: "flink", path: "/flink/default/jobs/5a1d0c9e7f3b4a2688c1d2e3f4a5b6c7/leader/latch", children: "_c_{u1}-latch-0000000004",
		ack: "/flink/default/jobs/5a1d0c9e7f3b4a2688c1d2e3f4a5b6c7/leader/connection_info"},
	{id: "single", path: "/app/leader", children: "leader=host1"},
	{id: "unknown", path: "/app", children: "foo-0000000001=a; bar0000000002; !baz-0000000003; qux", watches: []int{-1, -1}, holders: noHolder, ignored: 2},
}

var guid = [16]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

func observe(path string, single bool, children []znode.Znode, markers ...string) *doctor.State {
	return observeBeside(path, single, children, nil, markers...)
}

func observeBeside(path string, single bool, children []znode.Znode, siblings []string, markers ...string) *doctor.State {
	j := doctor.NewJournal(model.Config{Path: path})
	r := &model.Read{At: modeltest.Start, Presence: model.Present, New: children, Single: single, Markers: markers}
	if !single {
		r.Full, r.Parent = true, modeltest.Stat(1, 100, int32(len(children)))
	}
	j.Apply(r)
	if siblings != nil {
		j.Apply(&model.Directory{At: modeltest.Start, Path: znode.Dir(path), Presence: model.Present, Names: siblings})
	}
	return j.State()
}

func TestDialects(t *testing.T) {
	tried := map[string]bool{}
	for _, e := range dialectExamples {
		t.Run(e.id, func(t *testing.T) {
			tried[e.id] = true
			d, ok := dialect.ByID(e.id)
			if !ok {
				t.Fatal("no such dialect")
			}
			children := znodes(e.list()...)
			if got := dialect.Recognise(dialect.Evidence{Path: e.path, Children: children, Markers: []string{e.marker}, Siblings: e.siblings}); got != d && e.id != "single" {
				t.Errorf("recognised as %v, want %s", modeltest.DialectID(got), e.id)
			}
			var names []string
			for _, z := range children {
				names = append(names, z.Name)
			}
			if got := dialect.Markers(e.path, names); !slices.Equal(got, slices.DeleteFunc([]string{e.marker}, func(s string) bool { return s == "" })) {
				t.Errorf("got markers %q, want %q", got, e.marker)
			}
			s := observeBeside(e.path, d.Single, children, e.siblings, e.marker)
			if s.Dialect != d || s.Recipe != d.Recipe {
				t.Fatalf("the journal recognised %v, recipe %s; want %s, %s", modeltest.DialectID(s.Dialect), s.Recipe.Name(), e.id, d.Recipe.Name())
			}
			wants, wantWatches, holders := e.wants(s.Queue.Len())
			who := map[string]string{}
			for i, z := range children {
				who[z.Name] = wants[i]
				if d.Single {
					who[e.path] = wants[i]
				}
			}
			for _, c := range slices.Concat(s.Queue.Slice(), s.Ignored) {
				if c.Who != who[c.Name] {
					t.Errorf("%s: Who = %q, want %q", c.Name, c.Who, who[c.Name])
				}
				if want := who[c.Name]; want != "" && c.Label() != want {
					t.Errorf("%s: label %q, want %q", c.Name, c.Label(), want)
				}
			}
			var watches []int
			for i := range s.Queue.Len() {
				w, ok := s.Recipe.Watches(s.Queue, i)
				if !ok {
					w = -1
				}
				watches = append(watches, w)
			}
			if !slices.Equal(watches, wantWatches) || s.Recipe.Holders(s.Queue) != holders || len(s.Ignored) != e.ignored {
				t.Errorf("watches %v, %d holders, %d ignored; want %v, %d, %d", watches, s.Recipe.Holders(s.Queue), len(s.Ignored), wantWatches, holders, e.ignored)
			}
			if got := strings.Join(d.Ack(e.path).Paths(), " "); got != e.ack {
				t.Errorf("acknowledgement %q, want %q", got, e.ack)
			}
			switch {
			case d.Why != "" && (e.prefix != "" || d.Prefix(guid) != ""):
				t.Errorf("got prefix %q, want none: electop cannot take part (%s)", d.Prefix(guid), d.Why)
			case d.Why == "" && d.Prefix(guid) != e.prefix:
				t.Errorf("prefix %q, want %q", d.Prefix(guid), e.prefix)
			}
			if e.prefix == "" {
				return
			}
			s = observe(e.path, false, append(children, znode.Znode{Name: e.prefix + "0000000077", Session: 99, Czxid: 999}))
			last := s.Queue.Len() - 1
			if w, ok := s.Recipe.Watches(s.Queue, last); s.Dialect != d || s.Queue.At(last).Session != 99 || !ok || w != last-1 {
				t.Errorf("with electop's candidate: got dialect %s, watched position %d, waits %v; want %s, %d, true",
					s.Dialect.ID, w, ok, d.ID, last-1)
			}
		})
	}
	for _, d := range dialect.All() {
		if !tried[d.ID] && d.Elects() && d.ID != "unknown-election" && d.ID != "unknown-single" && !d.Unsupported() {
			t.Errorf("%s has no example", d.ID)
		}
	}
}

// TestRivals checks two sessions for each rival: its own session, and the session of its Unaware.
func TestRivals(t *testing.T) {
	for _, c := range []struct{ path, children, want string }{
		{"/e", "{h1}-n_0000000000; {h2}-n_0000000001; {h1}__lock__0000000002; {h2}__lock__0000000003", "3 3"},
		{"/e", "{h1}__lock__0000000000; {h1}-n_0000000001; {h2}-n_0000000002; {h1}-n_0000000003", ""},
		{"/e", "{h1}-n_0000000000; {h1}__lock__0000000001; {h2}__lock__0000000002", "1 2"},
		{"/e", "{h1}__lock__0000000000; {h2}__lock__0000000001; {h1}-n_0000000002", ""},
		{"/e", "{h1}-n_0000000000; {h1}__rlock__0000000001; {h2}-n_0000000002", "2 2"},
		{"/e", "{h1}-n_0000000000; {h2}-n_0000000001; _c_{u1}-latch-0000000002; _c_{u2}-latch-0000000003", "3 3"},
		{"/e", "{h1}-n_0000000000; {h2}-n_0000000001; _c_{u1}-lock-0000000002; {h1}__lock__0000000003", "4 4; 3 3"},
		{"/e", "n_0000000000; n_0000000001; _c_{u1}-__WRIT__0000000002", "3 3"},
		{"/e", "_c_{u1}-latch-0000000000; _c_{u2}-latch-0000000001; {h1}__lock__0000000002", "3 3"},
		{"/e", "{h1}__lock__0000000000; {h2}__lock__0000000001; _c_{u1}-latch-0000000002", "3 3"},
		{"/e", "_c_{u1}-latch-0000000000; _c_{u2}-latch-0000000001; _c_{u1}-lock-0000000002", "3 3"},
		{"/e", "_c_{h1}-lock-0000000000; {h1}__lock__0000000001", "2 2"},
		// The first name lacks latch-, so Curator compares the whole name, and the latch counts this child.
		{"/e", "00000000000000000000000000000000-n_0000000000; {h1}-n_0000000001; _c_{u1}-latch-0000000002", ""},
		{"/e", "{h1}-n_0000000000; n_0000000001; {h2}-n_0000000002", ""},
		{"/e", "{h1}__lock__0000000000; {h2}__rlock__0000000001; {h2}__lock__0000000002", ""},
		{"/e-__lock__", "{h1}__lock__0000000000; {h2}__lock__0000000001", ""},
		{"/e", "_c_{u1}-latch-0000000001; _c_{u2}-latch-0000000000", ""},
		{"/e", "_c_{u1}-lock-0000000000; _c_{u2}-lock-0000000001; lock-0000000002", ""},
		{"/e", "_c_{u1}-lock-0000000000; _c_{h1}-lock-0000000001", ""},
		{"/e", "_c_{u1}-__READ__0000000000; _c_{u2}-__WRIT__0000000001; _c_{u2}-__READ__0000000001", ""},
		{"/e/locks", "_c_{u1}-lock-0000000000; _c_{u2}-lock-0000000001", ""},
		{"/e/leases", "_c_{u1}-lease-0000000000; _c_{u2}-lease-0000000001", ""},
		{"/nifi/leaders/Primary Node", "_c_{u1}-lock-0000000000; _c_{u2}-latch-0000000001", ""},
		{"/e", "{h1}__lock__0000000000; _c_{h1}-lock-0000000001", ""},
		{"/e", "{h1}__lock__0000000000; {h2}__lock__0000000001; foo-0000000002; !{h1}-n_0000000003; config", ""},
		{"/e", "{h1}-n_0000000000; {h2}-n_0000000001; !{h1}__lock__0000000002; {h2}__lock__0000000003; {h1}__lock__x", ""},
		{"/app", "foo-0000000000; bar-0000000001; {h1}__lock__0000000002", ""},
	} {
		children := znodes(strings.Split(placeholders.Replace(c.children), "; ")...)
		s := observe(c.path, false, children)
		var got []string
		for _, r := range s.Rivals {
			got = append(got, fmt.Sprint(r.Session, r.Unaware.Session))
		}
		if words := strings.Join(got, "; "); words != c.want || (s.NoLeader() == model.MixedClients) != (c.want != "") || c.want != "" && s.Leader() != nil {
			t.Errorf("%s %s (%s): got rivals %q, leader %v (%q); want rivals %q, and a leader only without rivals",
				c.path, c.children, modeltest.DialectID(s.Dialect), words, s.Leader(), s.NoLeader(), c.want)
		}
	}
}

func TestGroupDialects(t *testing.T) {
	tried := map[string]bool{}
	for _, e := range []struct{ id, path, name, data, who string }{
		{"hbase-servers", "/hbase/rs", "rs1,16020,1795187631811", "\xff", "rs1:16020"},
		{"hbase-servers", "/hbase/backup-masters", "m2.example,16000,1700000000003", "", "m2.example:16000"},
		{"hiveserver2", "/hiveserver2", "serverUri=hs1:10000;version=3.1.3;sequence=0000000004", "hive.server2.instance.uri=hs1:10000", "hs1:10000"},
		{"hive-registry", "/llap-unsecure/user-hive/llap0/workers", "slot-0000000000", "", ""},
		{"hive-registry", "/hs2ActivePassiveHA-unsecure/instances", "instance-0000000003", "", ""},
		{"service-discovery", "/services/web", "7c9e6679-7425-40de-944b-701234567890", `{"name":"web","id":"7c9e6679-7425-40de-944b-701234567890","address":"10.0.0.1","port":8080}`, "10.0.0.1:8080"},
		{"dubbo", "/dubbo/com.foo.Bar/providers", "dubbo%3A%2F%2F10.0.0.1%3A20880%2Fcom.foo.Bar%3Ftimestamp%3D1795187631811", "", "10.0.0.1:20880"},
		{"nerve", "/nerve/services/web", "i-0a1b2c_0000000001", `{"host":"10.0.0.1","port":8080,"name":"i-0a1b2c"}`, "10.0.0.1:8080"},
		{"nerve", "/nerve/services/n", "n_0000000001", `{"host":"10.0.0.1","port":8080,"name":"n"}`, "10.0.0.1:8080"},
		{"nerve", "/nerve/services/info", "info_0000000001", `{"host":"10.0.0.1","port":8080,"name":"info"}`, "10.0.0.1:8080"},
		{"kazoo-locking-queue-taken", "/work/taken", "entry-100-0000000000", "", ""},
		{"kazoo-shallow-party", "/party", modeltest.Hex1 + "-host1", "", "host1"},
		{"kazoo-party", "/party", modeltest.Hex1 + "__party__", "host1", "host1"},
		{"serverset", "/jobs", "member_0000000003", `{"serviceEndpoint":{"host":"host1","port":80},"status":"ALIVE"}`, "host1:80"},
		{"mesos-replicas", "/mesos/log_replicas", "0000000003", "", ""},
		{"accumulo-servers", "/accumulo/i/tservers/ts1:9997", "zlock#" + modeltest.UUID1 + "#0000000000", "TSERV_CLIENT=ts1:9997;GC_CLIENT=x:1", "ts1:9997"},
		{"accumulo-servers", "/accumulo/i/compactors/default/c1:9133", "zlock#" + modeltest.UUID1 + "#0000000000", `{"descriptors":[{"service":"COMPACTOR","address":"c1:9133"}]}`, "c1:9133"},
		{"clickhouse-temp", "/clickhouse/tables/t/temp", "abandonable_lock-0000000001", "", ""},
	} {
		tried[e.id] = true
		z := znode.Znode{Name: e.name, Session: 7, Czxid: 100, Data: znode.NewData([]byte(e.data))}
		s := observe(e.path, false, []znode.Znode{z})
		if s.Dialect == nil || s.Dialect.ID != e.id || s.Dialect.Kind() != dialect.KindGroup {
			t.Errorf("%s/%s: got dialect %s, want %s", e.path, e.name, modeltest.DialectID(s.Dialect), e.id)
			continue
		}
		if s.Leader() != nil || s.Holders() != 0 || s.NoLeader() != model.NoRole || s.Queue.Len() != 1 || s.Queue.At(0).Who != e.who {
			t.Errorf("%s/%s: leader %v, %d holders, %q, queue %v; want no leader, one member %q", e.path, e.name, s.Leader(), s.Holders(), s.NoLeader(), s.Queue, e.who)
		}
	}
	for _, d := range dialect.All() {
		if d.Kind() == dialect.KindGroup && !d.Vague() && !tried[d.ID] {
			t.Errorf("%s has no example", d.ID)
		}
	}
}

// TestKinds also checks [phrase.Content].
func TestKinds(t *testing.T) {
	tried := map[string]bool{"barrier": true} // see TestBarrier
	for _, c := range []struct{ id, path, children, marker, order, words string }{
		{"kazoo-double-barrier", "/b", "{h1}=a; {h2}=b; !ready", "", "a b", "2 inside, ready"},
		{"curator-double-barrier", "/b", "{u1}; {u2}; !ready", "", "{u1} {u2}", "2 inside, ready"},
		{"recipe-double-barrier", "/b", "worker-1; worker-2; worker-3; !ready", "", "worker-1 worker-2 worker-3", "3 inside, ready"},
		{"kazoo-locking-queue", "/q/entries", "!entry-100-0000000000; !entry-007-0000000001", "/q/taken", "priority 7 priority 100", "2 items, first: priority 7"},
		{"kazoo-queue", "/q/entries", "!entry-100-0000000000; !entry-100-0000000001", "", "priority 100 priority 100", "2 items"},
		{"simple-queue", "/q", "!qn-0000000000=secret; !qn-0000000001", "", "", "2 items"},
		{"curator-queue", "/q", "!queue-0000000000=secret; !queue-0000000001", "", "", "2 items"},
		{"curator-queue", "/q", "!queue-0FFFFFFFF0000000001; !queue-1000000010000000002; !queue-1000000050000000000", "", "priority -1 priority 1 priority 5", "3 items, first: priority -1"},
		{"curator-queue", "/q", "!queue-|x7|0000000001; !queue-|x8|0000000000", "", "x8 x7", "2 items, first: x8"},
		{"curator-queue", "/q", "!queue-|1A221A2810F|0000000000; !queue-|1A221A2810E|0000000001", "", "1A221A2810E 1A221A2810F", "2 items, first: 1A221A2810E"},
		{"recipe-two-phase-commit", "/tx", "!site1=commit; !site2=commit; !site3", "", "", "2 of 3 voted commit"},
		{"recipe-two-phase-commit", "/tx", "!site1=commit; !site2=abort; !site3", "", "", "1 of 3 voted abort"},
		{"group", "/services", "amber; birch", "", "amber birch", "2 members, newest 0 s"},
		{"ids", "/services", "{h1}; {h2}", "", "{h1} {h2}", "2 members of a group, or participants of a double barrier"},
	} {
		tried[c.id] = true
		s := observe(c.path, false, znodes(strings.Split(placeholders.Replace(c.children), "; ")...), c.marker)
		var order []string
		for _, x := range s.Queue.All() {
			order = append(order, cmp.Or(x.Who, x.Name))
		}
		got := strings.Join(order, " ")
		if modeltest.DialectID(s.Dialect) != c.id || phrase.Content(s) != c.words || c.order != "" && got != placeholders.Replace(c.order) {
			t.Errorf("%s: got dialect %s, %q, order %q; want %s, %q, %q", c.children, modeltest.DialectID(s.Dialect), phrase.Content(s), got, c.id, c.words, c.order)
		}
		if s.Leader() != nil || s.Holders() != 0 || s.NoLeader() != model.NoRole || strings.Contains(phrase.NoLeader(s).Sentence, "lead") || phrase.NoLeader(s).Severity != "" {
			t.Errorf("%s: got leader %v, %d holders, %q: %+v; want no role", c.children, s.Leader(), s.Holders(), s.NoLeader(), phrase.NoLeader(s))
		}
	}
	for _, d := range dialect.All() {
		if !tried[d.ID] && d.Kind() != dialect.KindGroup && !d.Elects() && !strings.HasPrefix(d.ID, "unknown") {
			t.Errorf("%s has no example", d.ID)
		}
	}
}

func TestBarrier(t *testing.T) {
	denied := znode.Data{Denied: true}
	for _, c := range []struct {
		data znode.Data
		want bool
	}{
		{znode.Data{}, true},
		{znode.NewData([]byte("127.0.0.1")), true},
		{znode.NewData([]byte("fe80::1")), true},
		{znode.NewData([]byte("on")), false},
		{znode.NewData([]byte(`{"level":"info"}`)), false},
		{znode.NewData([]byte("10.0.0.1:2181")), false},
		{denied, false},
	} {
		if d := dialect.Barrier(c.data); (d != nil) != c.want || c.want && d.Kind() != dialect.KindBarrier {
			t.Errorf("%q, denied %v: got %s, want a barrier: %v", c.data.Bytes, c.data.Denied, modeltest.DialectID(d), c.want)
		}
	}
}

func TestUnknownNaming(t *testing.T) {
	for _, c := range []struct {
		name     string
		children []string
		found    bool // a search found the path; false: the user named the path
		want     model.NoLeader
	}{
		{"the same name, at a path that the user named", []string{"odd-0000000001", "odd-0000000002"}, false, ""},
		{"with guids", []string{"odd-" + modeltest.Hex1 + "-0000000001", "odd-" + modeltest.Hex2 + "-0000000002"}, false, ""},
		{"with session ids", []string{"odd-0x100000000000001-0000000001", "odd-0x100000000000002-0000000002"}, false, ""},
		{"the same name, found by a search", []string{"odd-0000000001", "odd-0000000002"}, true, model.UnknownKind},
		{"different names", []string{"i-0a1b_0000000001", "i-0c2d_0000000002"}, false, model.UnknownKind},
		{"numbers that fall while the czxids rise", []string{"odd-0000000002", "odd-0000000001"}, false, model.UnknownKind},
		{"a number twice", []string{"odd-" + modeltest.Hex1 + "-0000000001", "odd-" + modeltest.Hex2 + "-0000000001"}, false, model.UnknownKind},
		{"only a guid before the number", []string{modeltest.UUID1 + "0000000001", modeltest.UUID2 + "0000000002"}, false, model.UnknownKind},
		{"a number above the number of creates", []string{"odd-0000000001", "odd-0000000123"}, false, model.UnknownKind},
		{"numbers below the number of older children", []string{"!a", "!b", "!c", "odd-0000000001", "odd-0000000002"}, false, model.UnknownKind},
		{"numbers that start at the number of older children", []string{"!a", "!b", "!c", "odd-0000000003", "odd-0000000004"}, false, ""},
	} {
		j := doctor.NewJournal(model.Config{Path: "/e", Found: c.found})
		children := znodes(c.children...)
		slices.Reverse(children)
		for i := range children {
			if children[i].Session != 0 {
				children[i].Session |= 1 << 56
			}
		}
		j.Apply(&model.Read{At: modeltest.Start, Presence: model.Present, New: children, Full: true, Parent: modeltest.Stat(1, 100, int32(len(children)))})
		s := j.State()
		if s.NoLeader() != c.want || (s.Leader() == nil) != (c.want != "") || s.First() == nil {
			t.Errorf("%s: got reason %q for no leader, leader %v; want reason %q", c.name, s.NoLeader(), s.Leader(), c.want)
		}
	}
}

func TestUnsupported(t *testing.T) {
	const broker = `={"id":"b","address":"tcp://10.0.0.2:61619","position":-1,"elected":null}`
	for id, children := range map[string][]string{
		"activemq":   {"00000000000" + broker, "00000000001" + broker},
		"clickhouse": {"leader_election-0000000000=r1", "leader_election-0000000001=r2"},
		"comcast":    {"le_0000000000", "le_0000000001", "DONE"},
		"zk-ruby":    {"ballot0000000000=db1:4567", "ballot0000000001=db2:4567", "leader_ack"},
	} {
		s := observe("/e", false, znodes(children...))
		if modeltest.DialectID(s.Dialect) != id || s.NoLeader() != model.Unsupported || s.Leader() != nil || s.Queue.Len() != 2 || s.Dialect.Kind() != dialect.KindElection {
			t.Errorf("%s: got dialect %s, %q, leader %v; want an unsupported election, no leader", id, modeltest.DialectID(s.Dialect), s.NoLeader(), s.Leader())
		}
	}
	if s := observe("/e", false, znodes("00000000000=x", "00000000001=y")); modeltest.DialectID(s.Dialect) != "unknown-election" {
		t.Errorf("other data: got dialect %s, want unknown-election", modeltest.DialectID(s.Dialect))
	}
}

var lockDialects = []string{"go-zookeeper", "kazoo-go", "write-lock", "recipe-lock", "recipe-guid-lock"}

func TestDialectTable(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range dialect.All() {
		if d.ID == "" || d.System == "" || d.Watches == "" || d.Source == "" || seen[d.ID] {
			t.Errorf("the dialect is incomplete, or its ID exists twice: %+v", d)
		}
		seen[d.ID] = true
		if d.Foreign() != (d.ID != "electop") {
			t.Errorf("%s: Foreign = %v, want false only for electop", d.ID, d.Foreign())
		}
		if r, ok := dialect.RecipeNamed(d.Recipe.Name()); !ok || r != d.Recipe {
			t.Errorf("%s: RecipeNamed(%q) = %v, %v; want %v, true", d.ID, d.Recipe.Name(), r, ok, d.Recipe)
		}
		if got, ok := dialect.ByID(d.ID); !ok || got != d {
			t.Errorf("ByID(%q) = %v, %v; want the dialect with this ID, true", d.ID, got, ok)
		}
		if d.Locks() != (strings.Contains(d.Why, "elects no leader") || slices.Contains(lockDialects, d.ID)) {
			t.Errorf("%s: Locks = %v, which does not fit Why %q or lockDialects", d.ID, d.Locks(), d.Why)
		}
	}
	if _, ok := dialect.ByID("no such"); ok {
		t.Error("ByID found a dialect for an unknown ID")
	}
}

func TestRecognise(t *testing.T) {
	latch := func(n int) string { return fmt.Sprintf("_c_%s-latch-%010d", modeltest.UUID1, n) }
	for _, c := range []struct {
		name     string
		path     string
		children []string
		want     string
	}{
		{"no children", "/e", nil, ""},
		{"only persistent children", "/e", []string{"!n_0000000001", "!" + latch(2)}, ""},
		{"only children without a number", "/e", []string{"DONE", "leader"}, ""},
		{"an older child with an unknown naming", "/e", []string{"odd-0000000000", latch(1), latch(2)}, "curator-latch"},
		{"an older child of another system", "/e", []string{"n_0000000000", latch(1), latch(2)}, "curator-latch"},
		{"equal votes: the known naming", "/e", []string{"odd-0000000000", latch(1)}, "curator-latch"},
		{"equal votes: the oldest child's naming", "/e", []string{"lock-0000000000", latch(1)}, "recipe-lock"},
		{"the most votes, though not the oldest child", "/e", []string{"n_0000000000", latch(1), "le_0000000003", latch(2)}, "curator-latch"},
		{"persistent children do not vote", "/e", []string{"!n_0000000000", "!n_0000000001", latch(2)}, "curator-latch"},
		{"members of services", "/svc", []string{"member_0000000000", "member_0000000001"}, "serverset"},
		{"a reader among kazoo's locks", "/rw", []string{modeltest.Hex1 + "__lock__0000000000", modeltest.Hex2 + "__lock__0000000001", modeltest.Hex1 + "__rlock__0000000002"}, "kazoo-rw"},
		{"a kazoo name among go-zookeeper names", "/e", []string{"_c_" + modeltest.Hex1 + "-lock-0000000000", "_c_" + modeltest.Hex2 + "-lock-0000000001", modeltest.Hex1 + "__lock__0000000002"}, "kazoo-go"},
		{"a go-zookeeper name among kazoo names", "/e", []string{"_c_" + modeltest.Hex1 + "-lock-0000000000", modeltest.Hex1 + "__lock__0000000001", modeltest.Hex2 + "__rlock__0000000002"}, "kazoo-go"},
		{"at Spark's path, of another program", "/spark/leader_election", []string{latch(1)}, "curator-latch"},
		{"members named by a digest", "/registry", []string{"9e107d9d372bb6826bd81d3542a419d6", "e4d909c290d0fb1ca068ffaddf22cbd0"}, "ids"},
		{"a mutex below a znode named locks", "/locks/a", []string{"_c_" + modeltest.UUID1 + "-lock-0000000001"}, "curator-lock"},
		{"a UUID is no session id", "/e", []string{"9fb797b4-c151-47c2-aa63-0cfe281cb8d5-n_0000000001"}, "recipe-guid"},
		{"a guid with a digit that is not hex", "/e", []string{"7e04f85f07c84e2385b74d425234927g__lock__0000000000"}, "unknown"},
		{"a guid in upper case", "/e", []string{strings.ToUpper(modeltest.Hex1) + "__lock__0000000000"}, "kazoo-lock"},
		{"a single znode of an unknown system", "/app/x", []string{"x=host"}, ""},
		{"at Kafka's path, two children", "/controller", []string{"a", "b"}, "group"},
		{"at Kafka's path, a persistent znode", "/controller", []string{"!controller"}, ""},
		{"at Kafka's path, named by the whole path", "/controller", []string{`/controller={"version":1,"brokerid":3}`}, "kafka"},
		{"at Kafka's path, of another program", "/billing/controller", []string{"controller=host1"}, ""},
		{"at Patroni's path, of another program", "/service/billing/leader", []string{"leader=host1"}, ""},
		{"at Helix's path, of another program", "/billing/CONTROLLER/LEADER", []string{"LEADER=host1"}, ""},
		{"at Pulsar's path, of another program", "/loadbalance/leader", []string{`leader={"host":"a","port":1}`}, ""},
		{"at the auditor's path, of another program", "/ledgers/underreplication/leader", []string{"leader=host1"}, ""},
		{"at the Schema Registry's path, of another program", "/x/schema_registry_master", []string{`schema_registry_master={"host":"a","port":1}`}, ""},
		{"at Canal's path, of another program", "/otter/canal/destinations/x/running", []string{`running={"address":"a"}`}, ""},
		{"BookKeeper's names at another path", "/app/votes", []string{"V_0000000000"}, "unknown"},
		{"Accumulo's names at another path", "/app/lock", []string{"zlock-0000000000"}, "unknown"},
		{"at HBase's path, of another program", "/billing/master", []string{"master=host1"}, ""},
		{"a persistent child is no member of a party", "/e", []string{"!" + modeltest.Hex1 + "-a", modeltest.Hex2 + "-b"}, ""},
		{"a member with another name: no party", "/e", []string{modeltest.Hex1 + "-a", "config"}, "group"},
		{"a leader's acknowledgement is no party", "/e", []string{modeltest.Hex1 + "-leader"}, ""},
		{"a member of a party in an election", "/e", []string{modeltest.Hex1 + "-a", modeltest.Hex1 + "-n_0000000001"}, "electop"},
		{"ready in an election", "/e", []string{"!ready", latch(1), latch(2)}, "curator-latch"},
		{"an item in an election", "/e", []string{latch(1), "!queue-0000000002"}, "curator-latch"},
		{"persistent children whose numbers follow a letter", "/e", []string{"!queue-x0000000001", "!queue-y0000000002"}, ""},
		{"ephemeral children with names of items", "/e", []string{"qn-0000000001", "qn-0000000002"}, "unknown"},
		{"persistent settings", "/e", []string{"!a=on", "!b=off", "!c"}, ""},
		{"persistent children without data", "/e", []string{"!a", "!b"}, ""},
		{"votes and a candidate", "/e", []string{"!a=commit", latch(1)}, "curator-latch"},
		{"time stamps, which are no sequence numbers", "/e", []string{"job-1795187631811", "job-1795187631812"}, "group"},
	} {
		want := c.want
		if want == "" {
			want = "not recognised"
		}
		if got := modeltest.DialectID(dialect.Recognise(dialect.Evidence{Path: c.path, Children: znodes(c.children...)})); got != want {
			t.Errorf("%s: got dialect %s, want %s", c.name, got, want)
		}
	}
}

func anyNames() []string {
	var names []string
	for _, e := range dialectExamples {
		for _, c := range e.list() {
			name, _, _ := strings.Cut(c, "=")
			names = append(names, strings.TrimPrefix(name, "!"))
		}
	}
	return append(names, "member_0000000003", modeltest.Hex1+"__party__0000000001", "odd0000000001", "-0000000001", "0000000001", "--1000000000", "{any}-n_0000000001")
}

func anyPaths() []string {
	paths := []string{"/", "/e", "", "locks", "//", "/a/b/c/d/e/f"}
	for _, e := range dialectExamples {
		paths = append(paths, e.path)
	}
	return paths
}

func TestRecognitionIgnoresOrderAndMoreVotes(t *testing.T) {
	names, paths := anyNames(), anyPaths()
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.SampledFrom(paths).Draw(t, "path")
		var children []znode.Znode
		for range rapid.IntRange(0, 9).Draw(t, "children") {
			z := znode.Znode{Name: rapid.SampledFrom(names).Draw(t, "name"), Session: uint64(rapid.IntRange(0, 3).Draw(t, "session"))}
			z.Czxid = int64(rapid.IntRange(0, 4).Draw(t, "czxid"))
			z.Unread = z.Session == 0 && rapid.Bool().Draw(t, "unread")
			children = append(children, z)
		}
		want := dialect.Recognise(dialect.Evidence{Path: path, Children: children})
		if got := dialect.Recognise(dialect.Evidence{Path: path, Children: rapid.Permutation(children).Draw(t, "order")}); got != want {
			t.Fatalf("recognised %s in one order of the children, %s in another", modeltest.DialectID(want), modeltest.DialectID(got))
		}
		if want == nil {
			return
		}
		for i, z := range children {
			if len(children) > 1 && z.Session != 0 && dialect.Recognise(dialect.Evidence{Path: "/", Children: []znode.Znode{z}}) == want {
				z.Czxid = int64(100 + i)
				children = append(children, z)
			}
		}
		if got := dialect.Recognise(dialect.Evidence{Path: path, Children: children}); got != want {
			t.Fatalf("recognised %s with more children of %s", modeltest.DialectID(got), modeltest.DialectID(want))
		}
	})
}

func FuzzRecognise(f *testing.F) {
	for _, name := range anyNames() {
		f.Add("/e", name, []byte("data"))
	}
	hostile := []string{hbaseData, hdfsData, yarnData, `{"hostname":"a","port":1e999}`, `{"address":{"address":{"address":{}}}}`,
		"\xff\xff\xff\xff\xff", "\xff\x00\x00\x00\x00PBUF\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", `{"simpleFields":{"LEADER":3},"id":[]}`}
	for i, e := range dialectExamples {
		f.Add(e.path, strings.SplitN(e.list()[0], "=", 2)[0], []byte(hostile[i%len(hostile)]))
	}
	f.Fuzz(func(t *testing.T, path, name string, data []byte) {
		z := znode.Znode{Name: name, Session: 1, Czxid: 7, Data: znode.NewData(data)}
		found := dialect.Recognise(dialect.Evidence{Path: path, Children: []znode.Znode{z, {Name: name + "0000000001", Session: 2, Czxid: 8}}})
		if again := dialect.Recognise(dialect.Evidence{Path: path, Children: []znode.Znode{{Name: name + "0000000001", Session: 2, Czxid: 8}, z}}); again != found {
			t.Errorf("recognised %s in one order of the children, %s in the other", modeltest.DialectID(found), modeltest.DialectID(again))
		}
		dialect.Recognise(dialect.Evidence{Path: path, Children: []znode.Znode{z}})
		for _, d := range dialect.All() {
			c := &dialect.Candidate{Znode: z}
			c.Sequence, c.HasSequence = znode.Sequence(name)
			who := d.Who(c)
			if znode.Safe(who, 64) != who {
				t.Errorf("%s: Who returned the unsafe text %q", d.ID, who)
			}
			for _, ack := range d.Ack(path).Paths() {
				if len(ack) > len(path)+64 {
					t.Errorf("%s: acknowledgement %q of %q is too long", d.ID, ack, path)
				}
			}
			queue := []*dialect.Candidate{c, c, c}
			d.Recipe.Contends(c)
			d.Recipe.Before(c, c)
			for i := range queue {
				d.Recipe.Watches(dialect.QueueOf(queue), i)
				d.Recipe.Notified(dialect.QueueOf(queue), i)
			}
			d.Recipe.Holders(dialect.QueueOf(queue))
			d.Recipe.Target(name, []string{name, "", name + "0000000001"}, nil)
		}
		for _, single := range []bool{false, true} {
			s := observe(path, single, []znode.Znode{z})
			for _, c := range s.Queue.All() {
				c.Label()
			}
		}
	})
}

func TestBlocked(t *testing.T) {
	const k = "0123456789ab4def8123456789abcde"
	for _, c := range []struct {
		name     string
		children []string
		why      model.NoLeader
	}{
		{"a persistent latch with the lowest number", []string{"!" + latchNumber(2), latchNumber(5), latchNumber(6)}, model.Blocked},
		{"a name that Curator orders before numbers", []string{"!-notes", latchNumber(5)}, model.Blocked},
		{"an ephemeral name that Curator orders before numbers", []string{"-notes", latchNumber(5), latchNumber(6)}, model.Blocked},
		{"nothing after the lock's name", []string{"!old-latch-", latchNumber(5)}, model.Blocked},
		{"names that Curator orders behind numbers", []string{"!config", "!Config", latchNumber(5)}, ""},
		{"other libraries order only numbers", []string{"!-notes", k + "1__lock__0000000001"}, ""},
		{"behind the first candidate", []string{latchNumber(5), "!" + latchNumber(6), latchNumber(7)}, ""},
		{"a child with another name", []string{"!config-0000000001", latchNumber(5)}, ""},
		{"the recipe's clients count every numbered child", []string{"!config-0000000001", "n_0000000005", "n_0000000006"}, model.Blocked},
		{"a reader before readers", []string{"!" + k + "1__rlock__0000000001", k + "2__rlock__0000000002", k + "3__lock__0000000003"}, ""},
		{"a writer before readers", []string{"!" + k + "1__lock__0000000001", k + "2__rlock__0000000002", k + "3__rlock__0000000003"}, model.Blocked},
		{"electop's naming, which other programs have too", []string{"!" + k + "1-n_0000000001", k + "2-n_0000000002"}, model.Blocked},
	} {
		s := observe("/e", false, znodes(c.children...))
		if s.NoLeader() != c.why || (s.Leader() == nil) != (c.why != "") || s.Holders() > 0 != (c.why == "") {
			t.Errorf("%s: got leader %v, %q; want %q", c.name, s.Leader(), s.NoLeader(), c.why)
		}
		if (s.Blocker != nil) != (c.why == model.Blocked) {
			t.Errorf("%s: Blocker = %v, want one only if the queue is blocked", c.name, s.Blocker)
		}
	}
}

func latchNumber(n int) string {
	return fmt.Sprintf("_c_0a1b2c3d-1111-4222-8333-44445555666%d-latch-%010d", n, n)
}

func TestBlockedAndAcknowledged(t *testing.T) {
	const k = "0123456789ab4def8123456789abcde"
	j := doctor.NewJournal(model.Config{Path: "/e", AckPath: "/e-leader"})
	first := znodes("!"+k+"1-n_0000000001", k+"2-n_0000000002")
	j.Apply(&model.Read{At: modeltest.Start, Presence: model.Present, Full: true, New: first, Parent: modeltest.Stat(1, 100, 2)})
	if s := j.State(); s.NoLeader() != model.Blocked || len(s.Reigns) > 0 {
		t.Errorf("before the acknowledgement: got %q, reigns %v; want blocked, no reign", s.NoLeader(), s.Reigns)
	}
	j.Apply(&model.Ack{At: modeltest.Start, Path: "/e-leader", Presence: model.Present, Session: first[1].Session})
	if l := j.State().Leader(); l == nil || l.Name != first[1].Name {
		t.Errorf("after the acknowledgement: got leader %v, %q; want %s", l, j.State().NoLeader(), first[1].Name)
	}
	if n := len(j.State().Reigns); n != 1 {
		t.Errorf("after the acknowledgement: got %d reigns, want 1", n)
	}
}

func TestMain(m *testing.M) { modeltest.Main(m) }
