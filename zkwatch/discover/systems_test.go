package discover_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/model"
	"electop/model/doctor"
	"electop/zkwatch/discover"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/observer"
)

// expected maps a system and a path to the result of summary.
var expected = map[string]map[string]string{
	"Solr":                     {"/solr/overseer_elect/election": "10.0.0.1:8983_solr", "/solr/collections/books/leader_elect/shard1/election": "core_node3"},
	"Solr without an overseer": {"/solr2/overseer_elect/election": "not-acknowledged"},
	"YARN with Curator":        {"/yarn-leader-election/yc2": "rm1"},
	"HBase servers":            {"/hbase/master": "no-candidate; could lead: m2:16000", "/hbase/rs": "2 members", "/hbase/backup-masters": "1 members"},
	"Kafka brokers":            {},
	"Mesos":                    {"/mesos": "m1:5050", "/mesos/log_replicas": "2 members"},
	"Aurora":                   {"/aurora/scheduler": "192.0.2.1"},
	"Marathon":                 {"/marathon/leader-curator": "m1:8080"},
	"Spark":                    {"/spark/leader_election": "_c_0a1b2c3d-1111-4222-8333-444455556661-latch-0000000000"},
	"Storm":                    {"/storm/leader-lock": "nimbus1:6627"},
	"Druid":                    {"/druid/coordinator/_COORDINATOR": "http://host1:8081", "/druid/overlord/_OVERLORD": "http://host2:8090", "/druid/discovery/druid:coordinator": "1 members"},
	"NiFi":                     {"/nifi/leaders/Cluster Coordinator": "n1:8082", "/nifi/leaders/Primary Node": "n2:8082"},
	"Hive HA":                  {"/hs2ActivePassiveHA-unsecure/_LEADER": "5b2f", "/hs2ActivePassiveHA-unsecure/instances": "2 members"},
	"HiveServer2":              {"/hiveserver2": "2 members"},
	"Kyuubi":                   {"/kyuubi": "2 members", "/kyuubi_USER/alice/default": "1 members"},
	"LLAP":                     {"/llap-unsecure/user-hive/llap0/workers": "4 members"},
	"Curator ServiceDiscovery": {"/services/web": "2 members", "/services/api": "2 members"},
	"Dubbo":                    {"/dubbo/com.foo.Bar/providers": "2 members", "/dubbo/com.foo.Bar/consumers": "1 members"},
	"Nerve":                    {"/nerve/services/web": "2 members", "/nerve/services/n": "1 members", "/nerve/services/info": "1 members", "/nerve/services/lock": "1 members", "/nerve/encoded/web": "2 members"},
	"ServerSet":                {"/serverset/jobs": "2 members"},
	"kazoo Party":              {"/party/party": "2 members"},
	"Curator GroupMember":      {},
	"ClickHouse": {
		"/clickhouse/tables/01/hits/temp": "2 members", "/clickhouse/tables/02/hits/block_numbers/202601": "1 members",
		"/clickhouse/tables/01/hits/leader_election": "unsupported", "/clickhouse/tables/02/hits/leader_election": "unsupported",
	},
	"ActiveMQ":                             {"/activemq/leveldb-stores": "unsupported", "/activemq/none": "unsupported"},
	"go-zookeeper and kazoo":               {"/mixed": "mixed-clients", "/mixed2": "kz1"},
	"Curator":                              {"/curator/latch": "one", "/curator/selector": "sel", "/curator/sem/leases": "lease1 and 1", "/curator/rw": "r1 and 1"},
	"kazoo":                                {"/kazoo/election": "host1", "/kazoo/rw": "r1 and 1", "/kazoo/sem": "s1 and 1"},
	"Go":                                   {"/go/lock": "g1", "/go/zkelection": "_c_0123456789ab4def8123456789abcde1-p_0000000000", "/go/comcast": "unsupported", "/go/over": "unsupported"},
	"zk-ruby":                              {"/_zkelection/db": "unsupported", "/_zkelection/new": "unsupported", "/_zklocking/name": "unsupported"},
	"ZooKeeper's recipes":                  {"/recipes/n": "a", "/recipes/guid": "a", "/recipes/candidate": "a", "/recipes/write": "a", "/recipes/lock": "a", "/recipes/shared": "a and 1"},
	"unknown":                              {"/app": "unknown-kind", "/app2": "unknown-kind"},
	"Flink":                                {"/flink/default/leader/latch": "jm1"},
	"Flink without connection information": {"/flink2/flink/default/leader/latch": "not-acknowledged"},
	"Flink before 1.15":                    {"/flink/old/leader/dispatcher/latch": "jm1"},
	"Solr without candidates":              {"/solr3/overseer_elect/election": "no-candidate; could lead: 10.0.0.1:8983_solr"},
	"Solr shard without a replica":         {"/solr5/collections/books/leader_elect/shard2/election": "no-candidate; who could lead is not visible"},
	"Solr 4":                               {"/solr4/collections/books/leader_elect/shard1/election": "core_node1"},
	"HDFS":                                 {"/hadoop-ha/ns/ActiveStandbyElectorLock": "nn1"},
	"HDFS that has to fence":               {"/hadoop-ha/fencing/ActiveStandbyElectorLock": "not-acknowledged"},
	"HDFS without an active namenode":      {"/hadoop-ha/vacant/ActiveStandbyElectorLock": "no-candidate; who could lead is not visible; nn1 (m1:8020) led last and has to be fenced"},
	"YARN":                                 {"/yarn-leader-election/yc/ActiveStandbyElectorLock": "rm1"},
	"HBase":                                {"/hbase-unsecure/master": "m1:16000", "/hbase-unsecure/rs": "1 members", "/hbase-unsecure/backup-masters": "1 members"},
	"HBase that was shut down":             {"/hbase-down/master": "no-candidate; nobody who could lead is listed; down"},
	"Kafka":                                {"/kafka1/controller": "broker 1"},
	"Kafka without a controller":           {"/kafka2/controller": "no-candidate; could lead: broker 1, broker 2"},
	"Kafka without brokers":                {"/kafka3/controller": "no-candidate; nobody who could lead is listed"},
	"Kafka that migrates to KRaft":         {},
	"A controller of something else":       {"/billing/controller": "unknown-kind"},
	"Patroni":                              {"/service/batman/leader": "pg1"},
	"Patroni in another namespace, paused, without a leader": {"/db/batman/leader": "no-candidate; could lead: pg2"},
	"Patroni with Citus":                       {"/service/citus/0/leader": "coord1", "/service/citus/1/leader": "no-candidate; could lead: work1 (running)"},
	"Pinot":                                    {"/pinot/CONTROLLER/LEADER": "host1_9000"},
	"Helix without a controller":               {"/myhelix/CONTROLLER/LEADER": "no-candidate; nobody who could lead is listed"},
	"Druid without a coordinator":              {"/druid2/coordinator/_COORDINATOR": "no-candidate; could lead: host1:8081"},
	"Storm without a leader":                   {"/storm2/leader-lock": "no-candidate; could lead: nimbus1:6627"},
	"Aurora that still reads its storage":      {"/starting/aurora/scheduler": "not-acknowledged"},
	"NiFi without a leader":                    {"/nifi2/leaders/Cluster Coordinator": "no-candidate; who could lead is not visible"},
	"Flink without a leader":                   {"/flink/stopped/leader/latch": "no-candidate; who could lead is not visible"},
	"Flink 1.13 and 1.14":                      {"/flink/per-job/leader/dispatcher/latch": "_c_0a1b2c3d-1111-4222-8333-444455556661-latch-0000000000", "/flink/per-job/jobs/5a1d0c9e7f3b4a2688c1d2e3f4a5b6c7/leader/latch": "_c_0a1b2c3d-1111-4222-8333-444455556662-latch-0000000000"},
	"Druid without an overlord":                {"/druid3/overlord/_OVERLORD": "no-candidate; could lead: host2:8090"},
	"Pinot without a controller":               {"/pinot2/CONTROLLER/LEADER": "no-candidate; could lead: host3_9000"},
	"Patroni in another namespace":             {"/db/main/leader": "pg1"},
	"Pulsar":                                   {"/loadbalance/leader": "broker1:8080"},
	"Pulsar before 3.2":                        {"/pulsar2/loadbalance/leader": "broker2:8080"},
	"Pulsar without a leader":                  {"/pulsar3/loadbalance/leader": "no-candidate; could lead: broker1:8080, broker2:8080"},
	"Pulsar with the extensible load manager":  {"/pulsar4/loadbalance/extension/leader": "broker1:8080"},
	"BookKeeper":                               {"/ledgers/underreplication/auditorelection": "bookie1:3181"},
	"BookKeeper without an auditor":            {"/bookkeeper2/ledgers/underreplication/auditorelection": "no-candidate; could lead with autorecovery: bookie2:3181; bookie1:3181 led last"},
	"BookKeeper with Pulsar's metadata driver": {"/pulsar5/ledgers/underreplication/leader": "bookie1:3181"},
	"Schema Registry":                          {"/schema_registry/schema_registry_master": "sr1:8081"},
	"Schema Registry without a leader":         {"/schema_registry2/schema_registry_master": "no-candidate; who could lead is not visible"},
	"Canal":                                    {"/otter/canal/destinations/orders/running": "10.0.0.1:11111", "/otter/canal/destinations/orders/1001/running": "10.0.0.9:53412"},
	"Canal without a running server":           {"/otter/canal/destinations/users/running": "no-candidate; could lead: 10.0.0.2:11111"},
	"Accumulo": {
		accumulo + "1-4222-8333-444455556661/managers/lock": "manager1:9999", accumulo + "1-4222-8333-444455556661/gc/lock": "gc1:9998",
		accumulo + "1-4222-8333-444455556661/tservers/ts1:9997": "1 members", accumulo + "1-4222-8333-444455556661/tservers/ts2:9997": "1 members",
	},
	"Accumulo from 3.0 on, without a manager": {
		accumulo + "2-4222-8333-444455556661/managers/lock": "no-candidate; who could lead is not visible", accumulo + "2-4222-8333-444455556661/tservers/default/ts1:9997": "1 members",
	},
	"Accumulo before 2.1":           {accumulo + "3-4222-8333-444455556661/masters/lock": "master1:9999", accumulo + "3-4222-8333-444455556661/tservers/ts1:9997": "1 members"},
	"Leaders' names beside a queue": {"/svc/election": "a", "/svc/master": "unknown-kind"},
	"Leaders of something else":     {"/service/billing/leader": "unknown-kind", "/billing/CONTROLLER/LEADER": "unknown-kind", "/billing/loadbalance/leader": "unknown-kind", "/billing/underreplication/leader": "unknown-kind"},
}

const accumulo = "/accumulo/8c2c1f9e-000"

// members maps a result of summary to more expected paths, which TestSystems reports without a system.
var members = map[string][]string{
	"1 members": {"/queue"},
	"2 members": {"/druid/internal-discovery/COORDINATOR", "/kafka/brokers/ids", "/kafka2/brokers/ids", "/kazoo/md5", "/ledgers/available", "/loadbalance/brokers", "/otter/canal/cluster", "/otter/canal/destinations/orders/cluster", "/pinot2/LIVEINSTANCES", "/pulsar2/loadbalance/brokers", "/pulsar3/loadbalance/brokers", "/pulsar4/loadbalance/brokers", "/pulsar5/ledgers/available", "/service/batman/members", "/solr/live_nodes", "/storm/nimbuses"},
	"3 members": {"/db/main/members", "/kafka1/brokers/ids", "/pinot/LIVEINSTANCES"},
}

func TestSystems(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	sessions := []*zk.Conn{zktest.Client(t, addr), zktest.Client(t, addr), zktest.Client(t, addr), zktest.Client(t, addr)}
	conn := electiontest.Connected(t, electiontest.Config(t, addr))
	want, systems := map[string]string{}, map[string]string{}
	for _, s := range zktest.Systems() {
		s.Build(t, sessions)
		elections, ok := expected[s.Name]
		if !ok {
			t.Errorf("got no entry for %s in expected, want one", s.Name)
		}
		for path, summary := range elections {
			want[path], systems[path] = summary, s.Name
		}
	}
	for summary, paths := range members {
		for _, path := range paths {
			want[path] = summary
		}
	}
	found, _ := walk(t, conn, discover.Config{PerSecond: quick})
	for _, path := range slices.Sorted(maps.Keys(found)) {
		got := summary(found[path], true)
		if got != want[path] {
			t.Errorf("%s at %s: got %q (%s), want %q", systems[path], path, got, found[path].Dialect.System, want[path])
		}
		delete(want, path)
	}
	for path, summary := range want {
		t.Errorf("%s at %s: got no election, want %q", systems[path], path, summary)
	}
}

func TestReadOfADirectoryOfMembersShowsNoLeader(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	sessions := []*zk.Conn{zktest.Client(t, addr), zktest.Client(t, addr), zktest.Client(t, addr), zktest.Client(t, addr)}
	conn := electiontest.Connected(t, electiontest.Config(t, addr))
	directories := map[string]bool{}
	for _, s := range zktest.Systems() {
		s.Build(t, sessions)
		for line := range strings.Lines(s.Layout) {
			if mode, rest, _ := strings.Cut(strings.TrimSpace(line), " "); strings.HasPrefix(mode, "e") {
				path, _, _ := strings.Cut(rest, " = ")
				directories[path[:strings.LastIndexByte(path, '/')]] = true
			}
		}
	}
	for _, elections := range expected {
		for path, summary := range elections {
			if !strings.HasSuffix(summary, " members") && summary != "unknown-kind" {
				delete(directories, path)
			}
		}
	}
	for _, queue := range []string{"/app", "/curator/sem/locks", "/kazoo/sem-__lock__"} {
		delete(directories, queue)
	}
	tried := 0
	for path := range directories {
		tried++
		read, err := observer.ReadOnce(t.Context(), conn, path, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		if got := summary(discover.Found{Path: path, Read: read}, false); !strings.HasSuffix(got, " members") && got != "no-candidate" && got != "unknown-kind" {
			t.Errorf("%s: got %q, want members, no-candidate or unknown-kind", path, got)
		}
	}
	if tried < 25 {
		t.Errorf("got %d directories of members, want at least 25", tried)
	}
}

func summary(f discover.Found, found bool) string {
	j := doctor.NewJournal(model.Config{Path: f.Path, Found: found, AckFollows: true})
	j.Apply(&model.Connection{At: f.Read.At, Link: model.Connected})
	j.Apply(f.Read)
	for _, o := range f.Beside {
		j.Apply(o)
	}
	s := j.State()
	switch why := s.NoLeader(); {
	case why == model.NoRole:
		return fmt.Sprint(s.Queue.Len(), " members")
	case why == model.NoCandidate && found:
		could := s.Standbys()
		text := string(why) + "; " + doctor.Could("lead", could)
		if could.ShutDown {
			text += "; down"
		}
		if last := s.LedLast(); last != nil {
			text += "; " + doctor.LastWords(last)
		}
		return text
	case why != "":
		return string(why)
	case s.Holders() > 1:
		return fmt.Sprintf("%s and %d", s.Leader().Label(), s.Holders()-1)
	}
	return s.Leader().Label()
}
