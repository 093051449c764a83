package dialect

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"electop/model/znode"
)

// Kind is what the children at a path are for, named after ZooKeeper's recipes.
type Kind string

const (
	KindElection Kind = "election"
	KindLock     Kind = "lock"
	KindShared   Kind = "shared-lock"
	KindGroup    Kind = "group"
	KindBarrier  Kind = "barrier" // sessions wait for the deletion of the znode
	KindDouble   Kind = "double-barrier"
	KindQueue    Kind = "queue"
	KindCommit   Kind = "two-phase-commit"
	KindUnknown  Kind = "unknown"
)

// Kinds has all kinds, in the order of lists on the screen.
var Kinds = [...]Kind{KindElection, KindLock, KindShared, KindGroup, KindBarrier, KindDouble, KindQueue, KindCommit, KindUnknown}

// String returns the kind in words: "shared lock".
func (k Kind) String() string {
	if k == KindCommit {
		return "two-phase commit"
	}
	return strings.ReplaceAll(string(k), "-", " ")
}

// Elects reports whether a contender of the kind can lead or hold a lock.
func (k Kind) Elects() bool { return k == KindElection || k == KindLock || k == KindShared }

// Kind returns the kind of the children, [KindUnknown] for nil.
func (d *Dialect) Kind() Kind {
	if d == nil {
		return KindUnknown
	}
	return d.kind
}

// Elects reports whether the children contend for leadership or for a lock; true for nil.
func (d *Dialect) Elects() bool { return d == nil || d.Kind().Elects() }

// Locks reports whether the contenders want a lock or a lease; false for nil.
func (d *Dialect) Locks() bool { return d.Kind() == KindLock || d.Kind() == KindShared }

// Vague reports whether d describes several unnumbered children of an unknown system.
func (d *Dialect) Vague() bool { return d == plainGroup || d == unknownIDs }

// Barrier returns the dialect of a barrier if data is empty (kazoo) or an IP address (Curator),
// otherwise nil.
func Barrier(data znode.Data) *Dialect {
	if _, err := netip.ParseAddr(string(data.Bytes)); data.Denied || data.Length > 0 && err != nil {
		return nil
	}
	return barrier
}

// SharedLock is the ID of the dialect for ZooKeeper's recipe of a shared lock, and its [Recipe]'s name.
const SharedLock = "recipe-rw"

// OwnLock returns the dialect for contender n of the demo's lock, nil if kind is no lock.
func OwnLock(kind Kind, n int) *Dialect {
	d, ok := ByID(map[Kind]string{KindLock: "recipe-lock", KindShared: SharedLock}[kind])
	if !ok || kind == KindLock {
		return d
	}
	own := *d
	own.prefix, own.Why = [...]string{"read-", "read-", "write-"}[n%3], ""
	return &own
}

const (
	whyNobody = "nobody is elected here"
	// Ready names the child that the entering participants of a double barrier wait for.
	Ready = "ready"
)

func withoutRole(kind Kind, all ...Dialect) []*Dialect {
	return completed(Dialect{kind: kind, Watches: "nothing", Why: whyNobody}, all...)
}

var barrier = withoutRole(KindBarrier, Dialect{
	ID: "barrier", System: "kazoo Barrier or Curator DistributedBarrier", Watches: "the znode: its deletion ends the wait", Source: "kazoo: recipe/barrier.py; Curator: DistributedBarrier",
})[0]

// doubleBarriers have a znode for each participant. The last participant that enters creates [Ready].
var doubleBarriers = withoutRole(KindDouble,
	Dialect{ID: "kazoo-double-barrier", System: "kazoo DoubleBarrier", Watches: watchesReady, Source: "kazoo: recipe/barrier.py", names: []string{"{hex}"}, bare: true, content: isDouble},
	Dialect{ID: "curator-double-barrier", System: "Curator DistributedDoubleBarrier", Watches: watchesReady, Source: "Curator: DistributedDoubleBarrier", names: []string{"{uuid}"}, bare: true, content: isDouble},
	Dialect{ID: "recipe-double-barrier", System: "ZooKeeper recipe: double barrier", Watches: watchesReady, names: []string{"{any}"}, bare: true, content: func(e *Evidence) bool {
		return isDouble(e) && e.every(func(z *znode.Znode) bool { return z.Session != 0 || z.Name == Ready })
	}},
)

const watchesReady = `znode "ready" while entering; another participant's while leaving`

func isDouble(e *Evidence) bool {
	return e.Ready || !e.every(func(z *znode.Znode) bool { return z.Name != Ready })
}

// queues have a persistent, numbered child for each item. Clients take the items in the order of names without ids.
var queues = withoutRole(KindQueue,
	Dialect{
		ID: "kazoo-locking-queue", System: "kazoo LockingQueue", Source: sourceKazooQueue, names: []string{"entry-{any}-"}, who: kazooPriority,
		at: []string{"*/entries"}, marker: "../taken",
	},
	Dialect{ID: "kazoo-queue", System: "kazoo Queue", Source: sourceKazooQueue, names: []string{"entry-{any}-"}, who: kazooPriority},
	Dialect{ID: "simple-queue", System: "Curator SimpleDistributedQueue or ZooKeeper DistributedQueue", Source: "Curator: SimpleDistributedQueue", names: []string{"qn-"}},
	Dialect{
		ID: "curator-queue", System: "Curator DistributedQueue or ZooKeeper recipe: queue", Source: "Curator: DistributedQueue, DistributedPriorityQueue",
		names: curatorItems, who: curatorPriority,
	},
)

const sourceKazooQueue = "kazoo: recipe/queue.py"

var curatorItems = []string{"queue-", "queue-|{any}|", "queue-{priority}"}

func kazooPriority(_ *Candidate, part string) string {
	n, err := strconv.Atoi(part)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("priority %d", n)
}

// curatorPriority decodes a DistributedPriorityQueue's priority: a digit for the sign, and eight hex digits.
func curatorPriority(_ *Candidate, part string) string {
	if len(part) == 9 && part[0] <= '1' {
		if n, err := strconv.ParseUint(part[1:], 16, 32); err == nil {
			return fmt.Sprintf("priority %d", int32(n))
		}
	}
	return strings.Trim(part, "|")
}

// withoutID returns an item's name without the id that DistributedIdQueue puts between bars.
// withoutID keeps the time that DistributedDelayQueue puts there: milliseconds in 11 hex digits.
func withoutID(name string) string {
	from, to := strings.IndexByte(name, '|'), strings.LastIndexByte(name, '|')
	if from == to {
		return name
	}
	if _, err := strconv.ParseUint(name[from+1:to], 16, 44); err == nil && to-from == 12 {
		return name
	}
	return name[:from] + name[to+1:]
}

// FirstItems bounds how many items of a queue electop reads in one read, and shows. electop reads no item's data.
const FirstItems = 20

// Items reports whether children with these names may be the items of a queue.
func Items(path string, names []string) bool {
	e := Evidence{Path: path}
	for _, name := range names[:min(len(names), FirstItems)] {
		e.Children = append(e.Children, znode.Znode{Name: name, Unread: true})
	}
	return Recognise(e).Kind() == KindQueue
}

// commits are transactions of a two-phase commit. Each child is a site, and its data is the vote.
var commits = withoutRole(KindCommit, Dialect{
	ID: "recipe-two-phase-commit", System: "ZooKeeper recipe: two-phase commit", names: []string{"{any}"}, bare: true,
	who: func(c *Candidate, _ string) string { return c.Name },
	content: func(e *Evidence) bool {
		voted := false
		return e.every(func(z *znode.Znode) bool {
			data := string(z.Data.Bytes)
			voted = voted || data == "commit" || data == "abort"
			_, numbered := znode.Sequence(z.Name)
			return !numbered && !z.Unread && !z.Data.Denied && (data == "" || data == "commit" || data == "abort")
		}) && voted
	},
})

// Vote returns the vote of a site in a two-phase commit: "commit", "abort", or "" for no vote yet.
func (c *Candidate) Vote() string { return string(c.Data.Bytes) }

// plainGroup has several ephemeral children without numbers. unknownIDs has only guids as
// names, so its children may also be participants of a double barrier.
var (
	plainGroup = withoutRole(KindGroup, Dialect{ID: "group", System: "unknown system", who: func(c *Candidate, _ string) string { return c.Name }, names: []string{"{any}"}, bare: true, unknown: true, content: func(e *Evidence) bool {
		return len(e.Children) > 1 && e.every(unnumbered)
	}})[0]
	unknownIDs = withoutRole(KindUnknown, Dialect{ID: "ids", System: "unknown system", names: []string{"{hex}", "{uuid}"}, bare: true, unknown: true, content: plainGroup.content})[0]
)

func unnumbered(z *znode.Znode) bool {
	_, numbered := znode.Sequence(z.Name)
	return z.Session != 0 && !numbered && !LeadersName(z.Name) && !strings.HasSuffix(z.Name, "-leader")
}

// groups are the systems whose ephemeral children look like candidates, but have no role.
var groups = withoutRole(KindGroup,
	Dialect{
		// A name ends in the server's start time in milliseconds.
		ID: "hbase-servers", System: "Apache HBase servers", Source: "HBase: ZNodePaths, ServerName",
		names: []string{"{any}"}, bare: true, proof: shows(hbaseServer), who: hbaseServer,
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
		proof: shows(dubboHost), who: dubboHost,
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
	Dialect{
		// Other programs use such names too, so all children must fit.
		ID: "kazoo-shallow-party", System: "kazoo ShallowParty", Source: "kazoo: recipe/party.py", names: []string{"{hex}-{any}"}, bare: true,
		content: func(e *Evidence) bool {
			return e.every(func(z *znode.Znode) bool { return shallow(z.Name) && unnumbered(z) })
		},
		who: func(_ *Candidate, part string) string { return part },
	},
	Dialect{ID: "kazoo-locking-queue-taken", System: "kazoo LockingQueue (taken items)", Source: sourceKazooQueue, names: []string{"entry-{any}-"}, at: []string{"*/taken"}},
	Dialect{ID: "serverset", System: "Twitter ServerSet", Source: "Twitter Commons: ServerSetImpl", names: []string{"member_"}},
	Dialect{
		// The group has no label, so the names are only numbers.
		ID: "mesos-replicas", System: "Apache Mesos replicas of the log", Source: "Mesos: zookeeper/group.cpp",
		names: []string{""}, at: []string{"log_replicas"},
	},
	Dialect{
		// The numbers only make the names unique. No lock waits for another lock.
		ID: "clickhouse-temp", System: "ClickHouse temporary locks", Source: "ClickHouse: EphemeralLockInZooKeeper",
		names: []string{"abandonable_lock-", "block-"},
	},
)

var shallow = matches("{hex}-{any}")

// serverName reads an HBase server's name: "host,port,milliseconds".
func serverName(name string) string {
	parts := strings.Split(name, ",")
	if len(parts) != 3 || parts[0] == "" || !digits(parts[1], 1, 5) || !digits(parts[2], 13, 13) {
		return ""
	}
	return parts[0] + ":" + parts[1]
}

func hbaseServer(c *Candidate, _ string) string { return serverName(c.Name) }

func dubboHost(c *Candidate, _ string) string {
	scheme, rest, _ := strings.Cut(c.Name, "%3A%2F%2F")
	if scheme == "" || strings.ContainsAny(scheme, "%._-") {
		return ""
	}
	host, _, _ := strings.Cut(rest, "%2F")
	return strings.ReplaceAll(host, "%3A", ":")
}

func digits(s string, min, max int) bool {
	return min <= len(s) && len(s) <= max && strings.Trim(s, "0123456789") == ""
}
