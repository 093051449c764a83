package dialect

import (
	"encoding/hex"
	"slices"
	"time"

	"electop/model/znode"
)

// Rules for people: whom a contender watches.
const (
	watchesPredecessor = "its predecessor"
	watchesNearestLock = "a writer: its predecessor; a reader: the nearest lower writer"
	watchesItself      = "the znode itself"
)

// Why electop cannot take part.
const (
	whySharing = "a read/write lock elects no leader: a candidate would block readers and writers"
	whyLeases  = "a semaphore elects no leader: a candidate would take another client's lease"
	whyWork    = "only members of this system can do its leader's work"
	whySession = "its names contain the session id, and a name is chosen before the session exists"
	whySingle  = "its only znode belongs to the leader: there is no queue to join"
	whyUntried = "it was not tested whether its clients accept other candidates"
	whyUnknown = "it is unknown how its clients order the children"
)

const (
	sourceRecipes = "ZooKeeper's documentation: Recipes and Solutions"
	sourceLatch   = "Curator: LeaderLatch, LockInternals"
	sourceKazoo   = "kazoo: recipe/lock.py"
)

// dialects is the whole table, the specific before the general: a name speaks for
// the first that has it. It is never written.
var dialects = slices.Concat(registries, systems, []*Dialect{unknownNaming, guessedElection})

// systems are the elections, locks and semaphores of known systems.
var systems = []*Dialect{
	// Curator orders children by what follows the lock's name and watches the
	// predecessor with getData. What is built on it differs in the path only.
	{
		ID: "spark", System: "Apache Spark (Curator LeaderLatch)", Recipe: chain("spark", endsWith("latch-")),
		Watches: watchesPredecessor, Why: whyWork, Source: sourceLatch,
		names: []string{"_c_{uuid}-latch-"}, at: []string{"spark*/leader_election"},
	},
	{
		ID: "flink", System: "Apache Flink (Curator LeaderLatch)", Recipe: chain("flink", endsWith("latch-")),
		Watches: watchesPredecessor, Why: whyWork, Source: sourceLatch,
		names: []string{"_c_{uuid}-latch-"}, at: []string{"flink/*/leader/latch", "flink/*/leader/*/latch", "flink/*/leaderlatch", "flink/*/leaderlatch/*"},
		// One latch for several components has an acknowledgement for each.
		ack: []ack{{at: "leader/*/latch", znode: "../connection_info", takeover: time.Minute}},
	},
	{
		ID: "storm", System: "Apache Storm (Curator LeaderLatch)", Recipe: chain("storm", endsWith("latch-")),
		Watches: watchesPredecessor, Why: whyWork, Source: sourceLatch,
		names: []string{"_c_{uuid}-latch-"}, at: []string{"storm*/leader-lock"},
	},
	{
		ID: "marathon", System: "Marathon (Curator LeaderLatch)", Recipe: chain("marathon", endsWith("latch-")),
		Watches: watchesPredecessor, Why: whyWork, Source: sourceLatch,
		names: []string{"_c_{uuid}-latch-"}, at: []string{"marathon/leader", "marathon/leader-curator"},
	},
	{
		ID: "druid", System: "Apache Druid (Curator LeaderLatch)", Recipe: chain("druid", endsWith("latch-")),
		Watches: watchesPredecessor, Why: whyWork, Source: sourceLatch,
		names: []string{"_c_{uuid}-latch-"}, at: []string{"coordinator/_COORDINATOR", "overlord/_OVERLORD"},
	},
	{
		ID: "nifi", System: "Apache NiFi (Curator)", Recipe: chain("nifi", endsWith("latch-", "lock-")),
		Watches: watchesPredecessor, Why: whyWork, Source: sourceLatch,
		names: []string{"_c_{uuid}-latch-", "_c_{uuid}-lock-"}, at: []string{"leaders/Cluster Coordinator", "leaders/Primary Node"},
	},
	{
		ID: "curator-latch", System: "Curator LeaderLatch", Recipe: chain("curator-latch", endsWith("latch-")),
		Watches: watchesPredecessor, Prefix: func(g [16]byte) string { return "_c_" + dashed(g) + "-latch-" }, Source: sourceLatch,
		names: []string{"_c_{uuid}-latch-"},
	},
	{
		// A lease is created before it is counted, so the last of them can still
		// wait, with its owner at the head of the locks beside them. How many
		// there may be is in no znode.
		ID: "curator-semaphore", Lock: true, System: "Curator InterProcessSemaphoreV2 (leases)",
		Recipe:  &leases{name: "curator-semaphore", numbered: true, takes: endsWith("lease-")},
		Watches: "nothing; the next client watches the list of leases", ChildWatch: true,
		Why: whyLeases, Source: "Curator: InterProcessSemaphoreV2",
		names: []string{"_c_{uuid}-lease-"},
	},
	{
		// A mutex of that name looks the same.
		ID: "curator-semaphore-queue", Lock: true, System: "Curator InterProcessSemaphoreV2 (queue), or a mutex named locks",
		Recipe:  chain("curator-semaphore-queue", endsWith("lock-")),
		Watches: watchesPredecessor, Why: whyLeases, Source: "Curator: InterProcessSemaphoreV2",
		names: []string{"_c_{uuid}-lock-"}, at: []string{"locks"},
	},
	{
		ID: "curator-lock", shares: true, System: "Curator LeaderSelector or InterProcessMutex", Recipe: chain("curator-lock", endsWith("lock-")),
		Watches: watchesPredecessor, Prefix: func(g [16]byte) string { return "_c_" + dashed(g) + "-lock-" },
		Source: "Curator: LeaderSelector, InterProcessMutex, LockInternals",
		names:  []string{"_c_{uuid}-lock-"}, widens: "aurora",
	},
	{
		// The leader adds a member_ child with its address, which is no contender.
		ID: "aurora", System: "Apache Aurora", Recipe: chain("aurora", endsWith("lock-")),
		Watches: watchesPredecessor, Why: whyWork, Source: "Aurora: CuratorSingletonService",
		mark: "member_",
	},
	{
		ID: "curator-rw", Lock: true, System: "Curator InterProcessReadWriteLock",
		Recipe:  &locks{name: "curator-rw", writer: endsWith("__WRIT__"), reader: endsWith("__READ__"), first: true},
		Watches: "a writer: its predecessor; a reader: the first writer in the list", Why: whySharing,
		Source: "Curator: InterProcessReadWriteLock",
		names:  []string{"_c_{uuid}-__WRIT__", "_c_{uuid}-__READ__"},
	},

	// kazoo. A plain lock and a writer have the same name; readers show the difference.
	{
		ID: "kazoo-semaphore-queue", Lock: true, System: "kazoo Semaphore (queue)", Recipe: kazooLocks("kazoo-semaphore-queue"),
		Watches: watchesPredecessor, Why: whyLeases, Source: sourceKazoo,
		names: []string{"{hex}__lock__"}, at: []string{"*-__lock__"},
	},
	{
		ID: "kazoo-lock", shares: true, System: "kazoo Lock or Election", Recipe: kazooLocks("kazoo-lock"),
		Watches: watchesPredecessor, Prefix: func(g [16]byte) string { return hex.EncodeToString(g[:]) + "__lock__" }, Source: sourceKazoo,
		names: []string{"{hex}__lock__", "{hex}__rlock__"}, widens: "kazoo-rw",
	},
	{
		ID: "kazoo-rw", Lock: true, System: "kazoo ReadLock and WriteLock", Recipe: kazooLocks("kazoo-rw"),
		Watches: watchesNearestLock, Why: whySharing, Source: sourceKazoo,
		mark: "{hex}__rlock__",
	},
	{
		ID: "kazoo-semaphore", Lock: true, System: "kazoo Semaphore (leases)",
		Recipe:  &leases{name: "kazoo-semaphore", takes: func(name string) bool { _, ok := match("{hex}", name); return ok }},
		Watches: "nothing; the next client watches the list of leases", ChildWatch: true,
		Why: whyLeases, Source: sourceKazoo,
		names: []string{"{hex}"}, bare: true,
	},

	// Go.
	{
		ID: "go-zookeeper", Lock: true, System: "go-zookeeper Lock", Recipe: chain("go-zookeeper", endsWith("lock-", "__")),
		Watches: watchesPredecessor, Prefix: func(g [16]byte) string { return "_c_" + hex.EncodeToString(g[:]) + "-lock-" },
		Source: "go-zookeeper: zk/lock.go",
		names:  []string{"_c_{hex}-lock-"},
	},
	{
		ID: "zkelection", System: "zkElection", Recipe: chain("zkelection", endsWith("p_")),
		Watches: watchesPredecessor, Prefix: func(g [16]byte) string { return "_c_" + hex.EncodeToString(g[:]) + "-p_" },
		Source: "zkElection: nodes/processNode.go",
		names:  []string{"_c_{hex}-p_"},
	},
	{
		// A child DONE, which is no contender, ends the election.
		ID: "comcast", System: "Comcast go-leaderelection", Recipe: chain("comcast", exactly("le_")),
		Watches: "its predecessor, its own znode and DONE", Source: "Comcast go-leaderelection: Election.go",
		Why:   "its leader ends the election by deleting every candidate, electop's too",
		names: []string{"le_"},
	},

	// Systems with an election of their own making.
	{
		// Ties, made to join at the head, are in the order of the names.
		ID: "solr", shares: true, System: "Apache Solr", Recipe: &locks{name: "solr", writer: endsWith("-n_"), byName: true},
		Watches: watchesPredecessor, Why: whySession, Source: "Solr: LeaderElector",
		names: []string{"{decimal}-{any}-n_"},
		who:   func(_ *Candidate, part string) string { return part },
		ack: []ack{
			{at: "overseer_elect/election", znode: "../leader", takeover: 30 * time.Second},
			// leaderVoteWait is 3 minutes: a shard's leader waits for the other replicas.
			{at: "collections/*/leader_elect/*/election", znode: "../../../leaders/*/leader", takeover: 4 * time.Minute},
		},
	},
	{
		// log_replicas, which is no contender, has numbered children of its own.
		ID: "mesos", System: "Apache Mesos", Recipe: listing{chain("mesos", exactly("json.info_", "info_"))},
		Watches: "the whole list (child watch)", ChildWatch: true,
		Why: whyWork, Source: "Mesos: master/contender and zookeeper/group.cpp",
		names: []string{"json.info_", "info_"},
	},
	{
		ID: "clickhouse", System: "ClickHouse before 21.12", Recipe: chain("clickhouse", exactly("leader_election-")),
		Watches: watchesPredecessor, Why: whyWork, Source: "ClickHouse: ZooKeeper/LeaderElection.h",
		names: []string{"leader_election-"},
	},

	// zk-ruby puts no separator before the number.
	{
		ID: "zk-ruby-lock", Lock: true, System: "zk-ruby Locker",
		Recipe:  &locks{name: "zk-ruby-lock", writer: exactly("ex"), reader: exactly("sh")},
		Watches: watchesNearestLock, Why: whyUntried, Source: "zk-ruby: lib/zk/locker",
		names: []string{"ex", "sh"},
	},
	{
		ID: "zk-ruby-election", System: "zk-ruby Election", Recipe: chain("zk-ruby-election", exactly("ballot")),
		Watches: "its predecessor, and leader_ack", Why: whyUntried, Source: "zk-ruby: lib/zk/election.rb",
		names: []string{"ballot"},
		ack:   []ack{{at: "*", znode: "leader_ack", takeover: time.Minute}},
	},

	// ZooKeeper's own recipes, and what its documentation describes.
	{
		ID: "electop", System: "electop, or the recipe with guid-n_", Recipe: Election(),
		Watches: watchesPredecessor, Prefix: byGUID("-n_"), Source: sourceRecipes,
		names: []string{"{hex}-n_"}, own: true,
		ack: []ack{{at: "*", znode: "../*-leader", takeover: 5 * time.Second}},
	},
	{
		ID: "recipe-guid", System: "ZooKeeper recipe (guid-n_)", Recipe: Election(),
		Watches: watchesPredecessor, Prefix: byGUID("-n_"), Source: sourceRecipes,
		names: []string{"{any}-n_"},
	},
	{
		// Its clients read what follows the first two bytes as the number.
		ID: "recipe", System: "ZooKeeper LeaderElectionSupport, or the recipe (n_)", Recipe: Election(),
		Watches: watchesPredecessor, Prefix: func([16]byte) string { return "n_" },
		Source: "ZooKeeper: recipes/leader/LeaderElectionSupport; " + sourceRecipes,
		names:  []string{"n_"},
	},
	{
		ID: "recipe-candidate", System: "ZooKeeper recipe (candidate-session_)", Recipe: Election(),
		Watches: watchesPredecessor, Why: whySession, Source: sourceRecipes,
		names: []string{"candidate-{session}_"},
		who:   bySession,
	},
	{
		ID: "write-lock", Lock: true, System: "ZooKeeper WriteLock", Recipe: chain("write-lock", func(stem string) bool { _, ok := match("x-{session}-", stem); return ok }),
		Watches: watchesPredecessor, Why: whySession, Source: "ZooKeeper: recipes/lock/WriteLock, ZNodeName",
		names: []string{"x-{session}-"},
		who:   bySession,
	},
	{
		ID: "recipe-lock", Lock: true, System: "ZooKeeper recipe: lock", Recipe: chain("recipe-lock", exactly("lock-")),
		Watches: watchesPredecessor, Prefix: func([16]byte) string { return "lock-" }, Source: sourceRecipes,
		names: []string{"lock-"},
	},
	{
		ID: "recipe-guid-lock", Lock: true, System: "ZooKeeper recipe: lock (guid-lock-)", Recipe: chain("recipe-guid-lock", endsWith("-lock-")),
		Watches: watchesPredecessor, Prefix: byGUID("-lock-"), Source: sourceRecipes,
		names: []string{"{hex}-lock-", "{uuid}-lock-", "guid-lock-"},
	},
	{
		ID: "recipe-rw", Lock: true, System: "ZooKeeper recipe: shared lock",
		Recipe:  &locks{name: "recipe-rw", writer: either(exactly("write-"), endsWith("-write-")), reader: either(exactly("read-"), endsWith("-read-"))},
		Watches: watchesNearestLock, Why: whySharing, Source: sourceRecipes,
		names: []string{"read-", "write-", "{any}-read-", "{any}-write-"},
	},

	// A single ephemeral znode: whoever creates it leads, the others wait for
	// it to go.
	{
		ID: "kafka", System: "Apache Kafka controller", Recipe: alone{"kafka"}, Single: true,
		Watches: watchesItself, Why: whySingle, Source: "Kafka: KafkaZkClient, ControllerZNode",
		at: []string{"controller"}, who: kafkaBroker,
		proof: func(_ string, z *znode.Znode) bool { return kafkaBroker(&Candidate{Znode: *z}, "") != "" },
	},
	{
		ID: "hbase", System: "Apache HBase master", Recipe: alone{"hbase"}, Single: true,
		Watches: "the znode itself; the others list themselves in backup-masters", Why: whySingle,
		Source: "HBase: ActiveMasterManager, RecoverableZooKeeper",
		at:     []string{"*/master"}, who: hbaseMaster, // zookeeper.znode.parent is free
		proof: func(_ string, z *znode.Znode) bool { return hbaseMaster(&Candidate{Znode: *z}, "") != "" },
	},
	{
		ID: "hadoop", System: "Apache Hadoop ActiveStandbyElector", Recipe: alone{"hadoop"}, Single: true,
		Watches: watchesItself, Why: whySingle, Source: "Hadoop: ActiveStandbyElector",
		at: []string{"ActiveStandbyElectorLock"}, who: hadoopActive,
	},
	{
		ID: "patroni", System: "Patroni", Recipe: alone{"patroni"}, Single: true,
		Watches: watchesItself, Why: whySingle, Source: "Patroni: dcs/zookeeper.py",
		at: []string{"service/*/leader", "service/*/*/leader"}, // the latter with Citus
	},
	{
		ID: "helix", System: "Apache Helix controller", Recipe: alone{"helix"}, Single: true,
		Watches: watchesItself, Why: whySingle, Source: "Helix: DistributedLeaderElection",
		at: []string{"CONTROLLER/LEADER"}, who: helixLeader,
	},
	{
		ID: singleID, System: "a single ephemeral znode, of an unknown system", Recipe: alone{singleID}, Single: true,
		Watches: watchesItself, Why: whySingle, Source: sourceRecipes,
	},
}

// singleID is the dialect of a single ephemeral znode that no other entry has.
// Such znodes are everywhere, so it is never recognised: the user has to say
// that this one is an election.
const singleID = "single"

// kazooLocks: a plain Lock looks at writers only, which is the same while there
// are no readers.
func kazooLocks(name string) Recipe {
	return &locks{name: name, writer: endsWith("__lock__"), reader: endsWith("__rlock__")}
}

// byGUID is a name that begins with the guid.
func byGUID(rest string) func([16]byte) string {
	return func(g [16]byte) string { return hex.EncodeToString(g[:]) + rest }
}

// dashed prints a guid as Java prints a UUID.
func dashed(g [16]byte) string {
	s := hex.EncodeToString(g[:])
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}
