package dialect

import (
	"strings"
	"time"

	"electop/model/znode"
)

// singles are the systems in which the creator of one ephemeral znode leads.
var singles = completed(Dialect{Single: true, Watches: watchesItself, Why: whySingle},
	Dialect{
		ID: "kafka", System: "Apache Kafka controller", Source: "Kafka: KafkaZkClient, ControllerZNode",
		at: []string{"controller"}, who: kafkaBroker, proof: shows(kafkaBroker),
		beside: neighbours{
			siblings: []string{"brokers", "controller_epoch"}, vacancy: 30 * time.Second, notes: Notes{Epoch: "../controller_epoch"},
			standbys: []Programs{{Dir: "../brokers/ids", Who: func(z *znode.Znode) string {
				if !digits(z.Name, 1, 10) {
					return ""
				}
				return "broker " + z.Name
			}}},
		},
	},
	Dialect{
		ID: "hbase", System: "Apache HBase master", Watches: "the znode itself; waiting masters are listed in backup-masters",
		Source: "HBase: ActiveMasterManager, RecoverableZooKeeper, ZNodePaths",
		at:     []string{"*/master"}, who: hbaseMaster, // the user chooses zookeeper.znode.parent
		proof: shows(hbaseMaster),
		beside: neighbours{
			siblings: []string{"hbaseid", "rs", "backup-masters"}, while: "running", vacancy: 30 * time.Second,
			standbys: []Programs{
				{Dir: "../backup-masters", Who: func(z *znode.Znode) string { return serverName(z.Name) }},
				{Dir: "../rs"},
			},
		},
	},
	Dialect{
		// ActiveBreadCrumb is persistent, and has the last leader's data. In HDFS, the next leader
		// fences the last leader.
		ID: "hadoop", System: "Apache Hadoop ActiveStandbyElector", Source: "Hadoop: ActiveStandbyElector",
		at: []string{"ActiveStandbyElectorLock"}, who: hadoopActive,
		ack:    []Ack{{at: "*", znodes: []string{"../ActiveBreadCrumb"}, ByData: true, Takeover: 90 * time.Second}},
		beside: neighbours{siblings: []string{"ActiveBreadCrumb"}, vacancy: 30 * time.Second, watch: true, fences: true},
	},
	Dialect{
		ID: "patroni", System: "Patroni", Source: "Patroni: dcs/zookeeper.py, ha.py",
		near: []string{"*/leader"}, // the user chooses the namespace, and other programs have such a znode too
		beside: neighbours{
			siblings: []string{"members", "initialize|config|status|history|optime"}, vacancy: 45 * time.Second,
			standbys: []Programs{{Dir: "../members", Who: byName, Leads: true, state: patroniMember}},
		},
	},
	Dialect{
		ID: "helix", System: "Apache Helix controller", Source: "Helix: DistributedLeaderElection, PropertyPathBuilder",
		at: []string{"CONTROLLER/LEADER"}, who: helixLeader, proof: shows(helixLeader),
		// Pinot's controllers are live instances named Controller_*. The leader's znode has the
		// name without this prefix.
		beside: neighbours{
			siblings: []string{"MESSAGES", "STATUSUPDATES"}, vacancy: 30 * time.Second,
			standbys: []Programs{{Dir: "../../LIVEINSTANCES", Who: func(z *znode.Znode) string {
				name, controls := strings.CutPrefix(z.Name, "Controller_")
				if !controls {
					return ""
				}
				return name
			}}},
		},
	},
	Dialect{
		// With the extensible load manager, the leader's znode is a child of loadbalance/extension.
		ID: "pulsar", System: "Apache Pulsar leader broker",
		Source: "Pulsar: LeaderElectionService, LeaderElectionImpl, LeaderBroker, ExtensibleLoadManagerImpl",
		at:     []string{"loadbalance/leader", "loadbalance/extension/leader"}, who: pulsarBroker, proof: shows(pulsarBroker),
		beside: neighbours{
			siblings: []string{"brokers", "!extension"}, vacancy: 30 * time.Second,
			standbys: []Programs{
				{at: "loadbalance/leader", Dir: "../brokers", Who: byName},
				{at: "extension/leader", Dir: "../../brokers", Who: byName},
			},
		},
	},
	Dialect{
		// Bookies with Pulsar's metadata driver do not use BookKeeper's own election. If both
		// elections are empty, nothing shows which of them is used.
		ID: "pulsar-auditor", System: "Apache BookKeeper auditor (Pulsar's metadata driver)",
		Watches: "all znodes, by one watch", Source: "Pulsar: PulsarLedgerAuditorManager, LeaderElectionImpl",
		at: []string{"underreplication/leader"}, who: jsonText, proof: shows(jsonText),
	},
	Dialect{
		// Registries that are not allowed to lead also watch the znode.
		ID: "schema-registry", System: "Confluent Schema Registry before 7.0",
		Source: "Schema Registry: ZookeeperMasterElector, SchemaRegistryIdentity, ZookeeperIdGenerator",
		at:     []string{"schema_registry_master"}, who: schemaRegistry, proof: shows(schemaRegistry),
		beside: neighbours{siblings: []string{"schema_id_counter"}, vacancy: 30 * time.Second},
	},
	Dialect{
		ID: "canal", System: "Canal server", Source: "Canal: ServerRunningMonitor, ZookeeperPathUtils, CanalController",
		at: []string{"otter/canal/destinations/*/running"}, who: canalAddress, proof: shows(canalAddress),
		beside: neighbours{
			siblings: []string{"cluster"}, vacancy: 30 * time.Second,
			standbys: []Programs{{Dir: "../cluster", Who: byName}},
		},
	},
	Dialect{
		// A destination may have no Canal client, so a missing znode is normal.
		ID: "canal-client", System: "Canal client", Source: "Canal: ClientRunningMonitor, ClientRunningData",
		at: []string{"otter/canal/destinations/*/*/running"}, who: canalAddress, proof: shows(canalAddress),
		beside: neighbours{watch: true},
	},
	Dialect{ID: singleID, System: "a single ephemeral znode, of an unknown system"},
)

func shows(who func(c *Candidate, part string) string) func(string, *znode.Znode) bool {
	return func(_ string, z *znode.Znode) bool { return who(&Candidate{Znode: *z}, "") != "" }
}

// singleID names a dialect that [Recognise] never returns, because single ephemeral znodes are common.
const singleID = "single"

var unknownSingle = completed(Dialect{Single: true, kind: KindUnknown, Watches: "not known", Why: whyUnknown}, Dialect{
	ID: "unknown-single", System: "unknown system: a leader's name only", unknown: true,
})[0]
