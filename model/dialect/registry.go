package dialect

import (
	"strings"

	"electop/model/znode"
)

const whyRegistry = "it is a list of members: nobody is elected"

// registries are the systems whose ephemeral children look like candidates, but are members of a
// group. Systems whose children have plain names need no entry.
var registries = completed(Dialect{Registry: true, Watches: "nothing", Why: whyRegistry},
	Dialect{
		// The number is the server's start time in milliseconds.
		ID: "hbase-servers", System: "Apache HBase servers", Source: "HBase: ZNodePaths, ServerName",
		names: []string{"{any}"}, bare: true, proof: func(_ string, z *znode.Znode) bool { return serverName(z.Name) != "" },
		who: func(c *Candidate, _ string) string { return serverName(c.Name) },
	},
	Dialect{
		// Each server has its own directory.
		ID: "accumulo-servers", System: "Apache Accumulo servers", Source: sourceAccumulo,
		names: accumuloNames, who: accumuloServer,
		at: []string{"tservers/*", "tservers/*/*", "sservers/*", "sservers/*/*", "compactors/*/*", "assistants/*/*"},
	},
	Dialect{
		ID: "hiveserver2", System: "HiveServer2, Kyuubi and others (service discovery)", Source: "Hive: HiveServer2, ZooKeeperHiveHelper",
		names: []string{"serverUri={any};sequence="},
		who: func(_ *Candidate, part string) string {
			uri, _, _ := strings.Cut(part, ";")
			return uri
		},
	},
	Dialect{
		ID: "hive-registry", System: "Hive registry (HiveServer2 HA, LLAP, Tez)", Source: "Hive: ZkRegistryBase, SlotZnode",
		names: []string{"instance-", "worker-", "slot-"}, at: []string{"instances", "workers", "tez-am*"},
	},
	Dialect{
		ID: "service-discovery", System: "Curator ServiceDiscovery", Source: "Curator: ServiceDiscoveryImpl, ServiceInstance",
		names: []string{"{any}"}, bare: true,
		proof: func(path string, z *znode.Znode) bool {
			o := object(z.Data)
			id := text(o, "id")
			return id != "" && o["name"] == znode.Base(path) && strings.HasPrefix(z.Name, id)
		},
	},
	Dialect{
		ID: "dubbo", System: "Apache Dubbo", Source: "Dubbo: ZookeeperRegistry", names: []string{"{any}"}, bare: true,
		proof: func(_ string, z *znode.Znode) bool {
			scheme, rest, ok := strings.Cut(z.Name, "%3A%2F%2F")
			return ok && scheme != "" && rest != "" && !strings.ContainsAny(scheme, "%._-")
		},
		who: func(c *Candidate, _ string) string {
			_, rest, _ := strings.Cut(c.Name, "%3A%2F%2F")
			host, _, _ := strings.Cut(rest, "%2F")
			return strings.ReplaceAll(host, "%3A", ":")
		},
	},
	Dialect{
		ID: "nerve", System: "Airbnb Nerve", Source: "Nerve: reporter/zookeeper.rb", names: []string{"{any}"},
		proof: func(_ string, z *znode.Znode) bool {
			o := object(z.Data)
			name := text(o, "name")
			_, hasPort := o["port"]
			return name != "" && hasPort && (Stem(z.Name) == name+"_" || strings.HasPrefix(z.Name, "base64_"))
		},
	},
	Dialect{
		ID: "kazoo-party", System: "kazoo Party", Source: "kazoo: recipe/party.py", names: []string{"{hex}__party__"}, bare: true,
	},
	Dialect{ID: "serverset", System: "Twitter ServerSet", Source: "Twitter Commons: ServerSetImpl", names: []string{"member_"}},
	Dialect{
		// The group has no label, so the names are only numbers.
		ID: "mesos-replicas", System: "Apache Mesos replicas of the log", Source: "Mesos: zookeeper/group.cpp",
		names: []string{""}, at: []string{"log_replicas"},
	},
	Dialect{
		// The numbers only make the names unique. Nobody waits for another lock.
		ID: "clickhouse-temp", System: "ClickHouse temporary locks", Source: "ClickHouse: EphemeralLockInZooKeeper",
		names: []string{"abandonable_lock-", "block-"},
	},
)

// serverName returns host:port of an HBase server's name "host,port,milliseconds", "" for other
// names.
func serverName(name string) string {
	parts := strings.Split(name, ",")
	if len(parts) != 3 || parts[0] == "" || !digits(parts[1], 1, 5) || !digits(parts[2], 13, 13) {
		return ""
	}
	return parts[0] + ":" + parts[1]
}

// digits reports whether s is min to max decimal digits.
func digits(s string, min, max int) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return min <= len(s) && len(s) <= max
}
