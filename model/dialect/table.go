package dialect

import (
	"cmp"
	"slices"
	"time"

	"electop/model/znode"
)

// dialects has all dialects. Each child counts for the first dialect that fits it, so specific
// dialects come before general dialects.
var dialects = slices.Concat(groups, curator, systems, queues, singles, unsupported, doubleBarriers, commits,
	[]*Dialect{barrier, unknownIDs, plainGroup, unknownSingle, unknownNaming, guessedElection})

// systems are the supported elections and locks that are neither single znodes nor built on Curator.
var systems = completed(Dialect{},
	Dialect{
		ID: "kazoo-semaphore-queue", kind: KindLock, System: "kazoo Semaphore (queue)", Recipe: kazooLocks("kazoo-semaphore-queue"),
		Why: whyLeases, Source: sourceKazoo, names: []string{"{hex}__lock__"}, at: []string{"*-__lock__"},
	},
	Dialect{
		// kazoo's WriteLock has the same names. Only a reader's znode shows the difference.
		ID: "kazoo-lock", shares: true, System: "kazoo Lock or Election", Recipe: kazooLocks("kazoo-lock"),
		prefix: "{hex}__lock__", Source: sourceKazoo,
		names: []string{"{hex}__lock__", "{hex}__rlock__"}, wider: []wider{{matches("{hex}__rlock__"), "kazoo-rw"}, {matches("_c_{hex}-lock-"), "kazoo-go"}},
	},
	Dialect{
		ID: "kazoo-rw", kind: KindShared, System: "kazoo ReadLock and WriteLock", Recipe: kazooLocks("kazoo-rw"),
		Watches: watchesNearestLock, Why: whySharing, Source: sourceKazoo, wider: []wider{{matches("_c_{hex}-lock-"), "kazoo-go"}},
	},
	Dialect{
		// Other programs also name znodes by a guid, so the znode *-__lock__ must exist. kazoo
		// creates it before the first lease.
		ID: "kazoo-semaphore", kind: KindLock, System: "kazoo Semaphore (leases)",
		Recipe:  &leases{alone{"kazoo-semaphore"}, matches("{hex}")},
		Watches: "nothing; the next client watches the list of leases", ChildWatch: true, Why: whyLeases, Source: sourceKazoo,
		names: []string{"{hex}"}, bare: true, at: []string{"*"}, marker: "../*-__lock__",
	},

	Dialect{
		ID: "go-zookeeper", kind: KindLock, System: "go-zookeeper Lock", contends: endsWith("lock-", "__"),
		prefix: "_c_{hex}-lock-", Source: "go-zookeeper: zk/lock.go",
		names: []string{"_c_{hex}-lock-"}, wider: []wider{{matches("{hex}__lock__"), "kazoo-go"}, {matches("{hex}__rlock__"), "kazoo-go"}},
	},
	Dialect{
		// kazoo's clients count go-zookeeper's clients only with extra_lock_patterns.
		ID: "kazoo-go", kind: KindShared, System: "go-zookeeper Lock and kazoo Lock together",
		Recipe:  &line{name: "kazoo-go", writer: endsWith("-lock-", "__lock__"), reader: endsWith("__rlock__")},
		Watches: watchesNearestLock, Why: "clients of two libraries share it, and some may not count the others",
		Source: "go-zookeeper: zk/lock.go; " + sourceKazoo,
	},
	Dialect{
		ID: "zkelection", System: "zkElection", contends: endsWith("p_"), prefix: "_c_{hex}-p_",
		Source: "zkElection: nodes/processNode.go", names: []string{"_c_{hex}-p_"},
	},

	Dialect{
		// A candidate that joins at the head copies the number of another candidate. Candidates
		// with the same number are in the order of their names.
		ID: "solr", shares: true, System: "Apache Solr", Recipe: &line{name: "solr", writer: endsWith("-n_"), byName: true},
		Why: whySession, Source: "Solr: LeaderElector", names: []string{"{decimal}-{any}-n_"},
		who: func(_ *Candidate, part string) string { return part },
		ack: []Ack{
			{at: "overseer_elect/election", znodes: []string{"../leader"}, Takeover: 30 * time.Second},
			// A shard's leader waits up to leaderVoteWait (3 minutes by default) for the other
			// replicas. In Solr 4 the leader's znode is leaders/*, in later versions leaders/*/leader.
			{at: "collections/*/leader_elect/*/election", znodes: []string{"../../../leaders/*/leader", "../../../leaders/*"}, Takeover: 4 * time.Minute},
		},
		// Each node without the role overseer:disallowed can become the overseer. Which nodes can lead a shard depends on data that
		// electop does not read.
		beside: neighbours{
			queues: []string{"overseer_elect/election", "collections/*/leader_elect/*/election"}, vacancy: 30 * time.Second,
			standbys: []Programs{
				{at: "overseer_elect/election", Dir: "../../live_nodes", Who: byName},
				{at: "collections/*/leader_elect/*/election", Dir: "../../../../../live_nodes"},
			},
			notes: Notes{at: "overseer_elect/election", Backlog: "../../overseer/queue"},
		},
	},
	Dialect{
		ID: "mesos", System: "Apache Mesos", Recipe: listing{&line{name: "mesos", writer: matches("json.info_", "info_")}},
		Watches: "the whole list (child watch)", ChildWatch: true,
		Why: whyWork, Source: "Mesos: master/contender and zookeeper/group.cpp", names: []string{"json.info_", "info_"},
	},

	Dialect{
		// The winner copies its vote into the data of the election's znode.
		ID: "bookkeeper", System: "Apache BookKeeper auditor", contends: matches("V_"),
		Why: whyWork, Source: "BookKeeper: ZkLedgerAuditorManager, AuditorElector",
		names: []string{"V_"}, at: []string{"underreplication/auditorelection"}, who: bookieVote,
		beside: neighbours{
			vacancy: 30 * time.Second, notes: Notes{Last: "."},
			standbys: []Programs{{Dir: "../../available", Who: byName, If: "with autorecovery"}},
		},
	},
	Dialect{
		ID: "accumulo", System: "Apache Accumulo manager", contends: matches(accumuloNames...), Why: whyWork, Source: sourceAccumulo,
		names: accumuloNames, at: []string{"managers/lock", "masters/lock"}, who: accumuloServer,
		beside: neighbours{vacancy: 30 * time.Second},
	},
	Dialect{
		// Not every cluster runs these services, so an empty queue is normal.
		ID: "accumulo-service", System: "Apache Accumulo garbage collector, monitor or coordinator", contends: matches(accumuloNames...),
		Why: whyWork, Source: sourceAccumulo,
		names: accumuloNames, at: []string{"gc/lock", "monitor/lock", "coordinators/lock"}, who: accumuloServer,
	},

	Dialect{
		ID: "electop", System: "electop, or the recipe with guid-n_", prefix: "{hex}-n_", names: []string{"{hex}-n_"}, own: true,
		ack: []Ack{{at: "*", znodes: []string{"../*-leader"}, Takeover: 5 * time.Second}},
	},
	Dialect{ID: "recipe-guid", System: "ZooKeeper recipe (guid-n_)", prefix: "{hex}-n_", names: []string{"{any}-n_"}},
	Dialect{
		// LeaderElectionSupport parses all after n_ as a number, so electop's candidate has no guid.
		ID: "recipe", System: "ZooKeeper LeaderElectionSupport, or the recipe (n_)", prefix: "n_",
		Source: "ZooKeeper: recipes/leader/LeaderElectionSupport; " + sourceRecipes, names: []string{"n_"},
	},
	Dialect{
		ID: "recipe-candidate", System: "ZooKeeper recipe (candidate-session_)", Why: whySession,
		names: []string{"candidate-{session}_"}, who: bySession,
	},
	Dialect{
		ID: "write-lock", kind: KindLock, System: "ZooKeeper WriteLock", contends: matches("x-{session}-"), Why: whySession,
		Source: "ZooKeeper: recipes/lock/WriteLock, ZNodeName", names: []string{"x-{session}-"}, who: bySession,
	},
	Dialect{
		ID: "recipe-lock", kind: KindLock, System: "ZooKeeper recipe: lock", contends: matches("lock-"), prefix: "lock-", names: []string{"lock-"},
	},
	Dialect{
		ID: "recipe-guid-lock", kind: KindLock, System: "ZooKeeper recipe: lock (guid-lock-)", contends: endsWith("-lock-"),
		prefix: "{hex}-lock-", names: []string{"{hex}-lock-", "{uuid}-lock-", "guid-lock-"},
	},
	Dialect{
		ID: SharedLock, kind: KindShared, System: "ZooKeeper recipe: shared lock",
		Recipe:  &line{name: SharedLock, writer: matches("write-", "{any}-write-"), reader: matches("read-", "{any}-read-")},
		Watches: watchesNearestLock, Why: whySharing, names: []string{"read-", "write-", "{any}-read-", "{any}-write-"},
	},
)

// Numbered ephemeral children of an unknown system may also be group members, jobs or locks.
var (
	unknownNaming = completed(Dialect{kind: KindUnknown, Watches: "not known", Why: whyUnknown, Recipe: unknownOrder},
		Dialect{ID: unknownOrder.name, shares: true, System: "unknown kind", unknown: true})[0]
	guessedElection = completed(Dialect{Why: whyUnknown}, Dialect{ID: "unknown-election", shares: true, System: "unknown system", unknown: true})[0]
	unknownOrder    = lowestFirst{members{alone{"unknown"}}}
)

// unsupported are systems whose rules electop does not implement, so electop shows no leader.
var unsupported = completed(Dialect{Recipe: unknownOrder, Watches: "not known", Why: whyUnsupported},
	Dialect{ID: "comcast", System: "Comcast go-leaderelection", Source: "Comcast go-leaderelection: Election.go", names: []string{"le_"}},
	Dialect{
		// A name is 0 and the sequence number.
		ID: "activemq", System: "Apache ActiveMQ (replicated LevelDB)", Source: "ActiveMQ: MasterElector, ClusteredSingleton, ZooKeeperGroup",
		names: []string{"0"}, proof: func(_ string, z *znode.Znode) bool {
			o := object(z.Data)
			_, elects := o["elected"]
			_, counts := o["position"]
			return elects && counts
		},
	},
	Dialect{ID: "clickhouse", System: "ClickHouse before 21.12", Source: "ClickHouse: ZooKeeper/LeaderElection.h", names: []string{"leader_election-"}},
	Dialect{ID: "zk-ruby", System: "zk-ruby Election or Locker", Source: "zk-ruby: lib/zk/election.rb, lib/zk/locker", names: []string{"ex", "sh", "ballot"}},
)

// completed returns the dialects, and fills some of their empty fields from common, otherwise with defaults.
func completed(common Dialect, all ...Dialect) (out []*Dialect) {
	for _, d := range all {
		d.Single, d.kind = common.Single, cmp.Or(d.kind, common.kind, KindElection)
		d.Watches = cmp.Or(d.Watches, common.Watches, watchesPredecessor)
		d.Source = cmp.Or(d.Source, common.Source, sourceRecipes)
		if d.prefix == "" {
			d.Why = cmp.Or(d.Why, common.Why)
		}
		if d.names == nil {
			d.names = common.names
		}
		if d.pattern = pattern(d.names...); d.contends == nil {
			d.contends = common.contends
		}
		switch {
		case d.Recipe != nil || common.Recipe != nil:
			d.Recipe = cmp.Or(d.Recipe, common.Recipe)
		case d.Single:
			d.Recipe = alone{d.ID}
		case d.kind == KindQueue:
			d.Recipe = items{members{alone{d.ID}}}
		case !d.kind.Elects():
			d.Recipe = members{alone{d.ID}}
		case d.contends != nil:
			d.Recipe = &line{name: d.ID, writer: d.contends}
		default:
			d.Recipe = Election()
		}
		out = append(out, &d)
	}
	return out
}

func kazooLocks(name string) Recipe {
	return &line{name: name, writer: endsWith("__lock__"), reader: endsWith("__rlock__")}
}

// accumuloNames has the pattern of names since Accumulo 2.1, and the older pattern.
var accumuloNames = []string{"zlock#{uuid}#", "zlock-"}

const (
	watchesPredecessor = "its predecessor"
	watchesNearestLock = "its predecessor as a writer, the nearest lower writer as a reader"
	watchesItself      = "the znode itself"
)

const (
	whySharing     = "a read/write lock elects no leader: a candidate would block readers and writers"
	whyLeases      = "a semaphore elects no leader: a candidate would take another client's lease"
	whyWork        = "only members of this system can do its leader's work"
	whySession     = "its names contain the session id, but electop chooses a name before its session exists"
	whySingle      = "its only znode belongs to the leader: there is no queue to join"
	whyUnsupported = "electop does not know how this system elects: its leader is unknown"
	whyUnknown     = "it is unknown how its clients order the children"
)

const (
	sourceRecipes  = "ZooKeeper's documentation: Recipes and Solutions"
	sourceLatch    = "Curator: LeaderLatch, LockInternals"
	sourceKazoo    = "kazoo: recipe/lock.py"
	sourceAccumulo = "Accumulo: ServiceLock, ServiceLockData, ServerServices, Constants"
)
