package dialect

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
	whyUnread  = "electop does not know how this system elects: its leader is unknown"
	whyUnknown = "it is unknown how its clients order the children"
)

const (
	sourceRecipes  = "ZooKeeper's documentation: Recipes and Solutions"
	sourceLatch    = "Curator: LeaderLatch, LockInternals"
	sourceKazoo    = "kazoo: recipe/lock.py"
	sourceAccumulo = "Accumulo: ServiceLock, ServiceLockData, ServerServices, Constants"
)
