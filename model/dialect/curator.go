package dialect

import "time"

// curator has Curator's elections and locks, and the systems that use them. Curator orders children
// by the text after the lock's name, such as latch-.
var curator = completed(Dialect{Why: whyWork, Source: sourceLatch, contends: endsWith("latch-"), names: []string{"_c_{uuid}-latch-"}},
	Dialect{
		ID: "spark", System: "Apache Spark (Curator LeaderLatch)",
		// The user chooses the directory, so the path alone does not show Spark.
		at: []string{"leader_election"}, marker: "../master_status",
	},
	Dialect{
		ID: "flink", System: "Apache Flink (Curator LeaderLatch)",
		Source: "Flink: ZooKeeperLeaderElectionDriver, ZooKeeperHaServices; " + sourceLatch,
		at:     []string{"flink/*/leader/latch", "flink/*/leader/*/latch", "flink/*/jobs/*/leader/latch", "flink/*/leaderlatch", "flink/*/leaderlatch/*"},
		// Components that share a latch acknowledge separately. The dispatcher acknowledges only
		// after it has recovered its jobs.
		ack: []Ack{
			{at: "jobs/*/leader/latch", znodes: []string{"../connection_info"}, Takeover: time.Minute},
			{at: "leader/latch", znodes: []string{"../rest_server/connection_info", "../resource_manager/connection_info", "../dispatcher/connection_info"}, Takeover: time.Minute},
			{at: "leader/*/latch", znodes: []string{"../connection_info"}, Takeover: time.Minute},
		},
		// A finished job leaves an empty latch, so only the queues listed here show that nobody
		// leads.
		beside: neighbours{queues: []string{"flink/*/leader/latch"}, vacancy: 30 * time.Second},
	},
	Dialect{
		ID: "storm", System: "Apache Storm (Curator LeaderLatch)", at: []string{"storm*/leader-lock"},
		beside: neighbours{vacancy: 30 * time.Second, standbys: []Programs{{Dir: "../nimbuses", Who: byName}}},
	},
	Dialect{
		ID: "yarn", System: "Apache Hadoop YARN ResourceManager (Curator LeaderLatch)",
		Source: "Hadoop: CuratorBasedElectorService; " + sourceLatch, at: []string{"yarn-leader-election/*"},
	},
	Dialect{
		ID: "marathon", System: "Marathon (Curator LeaderLatch)", at: []string{"marathon/leader", "marathon/leader-curator"},
	},
	Dialect{
		ID: "druid", System: "Apache Druid (Curator LeaderLatch)",
		Source: "Druid: CuratorDruidLeaderSelector, CuratorDruidNodeAnnouncer; " + sourceLatch,
		at:     []string{"coordinator/_COORDINATOR", "overlord/_OVERLORD"},
		beside: neighbours{vacancy: 30 * time.Second, standbys: []Programs{
			{at: "coordinator/_COORDINATOR", Dir: "../../internal-discovery/COORDINATOR", Who: byName},
			{at: "overlord/_OVERLORD", Dir: "../../internal-discovery/OVERLORD", Who: byName},
		}},
	},
	Dialect{
		ID: "hiveserver2-ha", System: "HiveServer2 active/passive (Curator LeaderLatch)",
		Source: "Hive: HS2ActivePassiveHARegistry", at: []string{"hs2ActivePassiveHA*/_LEADER"},
		beside: neighbours{vacancy: 30 * time.Second, standbys: []Programs{{Dir: "../instances", Who: byName}}},
	},
	Dialect{
		ID: "nifi", System: "Apache NiFi (Curator)", contends: endsWith("latch-", "lock-"),
		Source: "NiFi: CuratorLeaderElectionManager; Curator: LeaderSelector, LockInternals",
		names:  []string{"_c_{uuid}-latch-", "_c_{uuid}-lock-"}, at: []string{"leaders/Cluster Coordinator", "leaders/Primary Node"},
		beside: neighbours{vacancy: 30 * time.Second},
	},
	Dialect{
		ID: "curator-latch", System: "Curator LeaderLatch", prefix: "_c_{uuid}-latch-",
	},
	Dialect{
		// A client creates its lease before it counts the leases, so the owner of the newest lease
		// may still wait.
		ID: "curator-semaphore", kind: KindLock, System: "Curator InterProcessSemaphoreV2 (leases)",
		Recipe:  &leases{alone{"curator-semaphore"}, matches("lease-{sequence}", "{any}lease-{sequence}")},
		Watches: "nothing; the next client watches the list of leases", ChildWatch: true,
		Why: whyLeases, Source: "Curator: InterProcessSemaphoreV2", names: []string{"_c_{uuid}-lease-"},
	},
	Dialect{
		// A mutex at a path that ends in locks looks the same.
		ID: "curator-semaphore-queue", kind: KindLock, System: "Curator InterProcessSemaphoreV2 (queue), or a mutex named locks",
		contends: endsWith("lock-"), Why: whyLeases, Source: "Curator: InterProcessSemaphoreV2",
		names: []string{"_c_{uuid}-lock-"}, at: []string{"locks"},
	},
	Dialect{
		// After the leader has read its storage, it adds a member_ child, which is no contender.
		ID: "aurora", System: "Apache Aurora", contends: endsWith("lock-"), Source: "Aurora: CuratorSingletonService",
		names: []string{"_c_{uuid}-lock-"}, at: []string{"aurora/scheduler"},
		ack: []Ack{{at: "*", Child: "member_", Takeover: 5 * time.Minute}},
	},
	Dialect{
		ID: "curator-lock", shares: true, System: "Curator LeaderSelector or InterProcessMutex", contends: endsWith("lock-"),
		prefix: "_c_{uuid}-lock-", Source: "Curator: LeaderSelector, InterProcessMutex, LockInternals",
		names: []string{"_c_{uuid}-lock-"}, wider: []wider{{matches("member_"), "aurora"}},
	},
	Dialect{
		ID: "curator-rw", kind: KindShared, System: "Curator InterProcessReadWriteLock",
		Recipe:  &line{name: "curator-rw", writer: endsWith("__WRIT__"), reader: endsWith("__READ__"), first: true},
		Watches: "its predecessor as a writer, the first writer in the list as a reader", Why: whySharing,
		Source: "Curator: InterProcessReadWriteLock", names: []string{"_c_{uuid}-__WRIT__", "_c_{uuid}-__READ__"},
	},
)
