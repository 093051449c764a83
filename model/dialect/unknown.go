package dialect

import (
	"cmp"
	"slices"
	"strconv"

	"electop/model/znode"
)

// Two dialects are of no known system. Numbered ephemeral children may be
// candidates, and may as well be members of a group, jobs or locks. So at first
// they are unknownNaming: listed by their numbers, and nobody is said to lead.
// They are guessedElection with evidence that they are an election: see
// [Dialect.Guess].

const (
	unknownID = "unknown"
	guessedID = "unknown-election"
)

// lowestFirst is the order of candidates of an unknown kind.
type lowestFirst struct{ election }

func (lowestFirst) Name() string                   { return unknownID }
func (lowestFirst) Holders(Queue) int              { return 0 }
func (lowestFirst) Watches(Queue, int) (int, bool) { return -1, false }
func (lowestFirst) Notified(Queue, int) int        { return 0 }
func (lowestFirst) Target(string, []string, func(string) bool) Target {
	return Target{}
}

// unknownNaming is the dialect of numbered ephemeral children that no other
// entry has.
var unknownNaming = &Dialect{
	ID: unknownID, shares: true, System: "unknown kind", Recipe: lowestFirst{},
	Watches: "not known", Why: whyUnknown, Source: sourceRecipes, unknown: true,
}

// guessedElection is the dialect of an election of an unknown system.
var guessedElection = &Dialect{
	ID: guessedID, shares: true, System: "unknown system", Recipe: Election(),
	Watches: watchesPredecessor, Why: whyUnknown, Source: sourceRecipes, unknown: true,
}

// unsupported are systems that are hardly run any more, and whose rule is not that of a
// queue: electop names them, and does not say who leads.
var unsupported = completed(Dialect{Recipe: lowestFirst{}, Watches: "not known", Why: whyUnread},
	Dialect{ID: "comcast", System: "Comcast go-leaderelection", Source: "Comcast go-leaderelection: Election.go", names: []string{"le_"}},
	Dialect{
		// The number is of eleven digits, of which ZooKeeper gave ten.
		ID: "activemq", System: "Apache ActiveMQ (replicated LevelDB)", Source: "ActiveMQ: MasterElector, ClusteredSingleton, ZooKeeperGroup",
		names: []string{"0"}, proof: func(_ string, z *znode.Znode) bool {
			o := object(z.Data)
			_, elects := o["elected"]
			_, counts := o["position"]
			return elects && counts
		},
	},
	Dialect{ID: "clickhouse", System: "ClickHouse before 21.12", Source: "ClickHouse: ZooKeeper/LeaderElection.h", names: []string{"leader_election-"}},
	// It puts no separator before the number.
	Dialect{ID: "zk-ruby", System: "zk-ruby Election or Locker", Source: "zk-ruby: lib/zk/election.rb, lib/zk/locker", names: []string{"ex", "sh", "ballot"}},
)

// Unnumbered returns the dialect of children of an unknown kind where nothing is
// recognised and names end in numbers that ZooKeeper never gave: their order says
// nothing. It is nil where no name does.
func (e *Evidence) Unnumbered() *Dialect {
	for i := range e.Children {
		z := &e.Children[i]
		if _, numbered := znode.Sequence(z.Name); numbered && z.Session != 0 && !e.given(z.Name) {
			return unknownNaming
		}
	}
	return nil
}

// Kind says what the children are.
type Kind string

// The kinds of what can be at a path.
const (
	KindElection Kind = "election"
	KindLock     Kind = "lock"
	KindRegistry Kind = "registry" // members of a group; nobody leads
	KindUnknown  Kind = "unknown"
)

// Kind returns what the children are by the dialect, [KindUnknown] for nil.
func (d *Dialect) Kind() Kind {
	switch {
	case d == nil || d == unknownNaming || d == unknownSingle:
		return KindUnknown
	case d.Registry:
		return KindRegistry
	case d.Lock:
		return KindLock
	}
	return KindElection
}

// Elects reports whether the children may be candidates of an election, or of a lock. It is
// true for nil: nothing says that they are not.
func (d *Dialect) Elects() bool {
	return d == nil || d.Kind() != KindUnknown && !d.Registry
}

// Guess returns the dialect of an election of an unknown system in place of that
// of children of an unknown kind, where something shows that it is one: a
// candidate watches its predecessor, an acknowledgement names the first, or the
// user named the path and the names fit (see [Alike]). Any other dialect is
// returned as it is.
func (d *Dialect) Guess(shown bool) *Dialect {
	if d == unknownNaming && shown {
		return guessedElection
	}
	return d
}

// Alike reports whether the names could be those of one election: there are at least
// two, ZooKeeper gave all numbers, in the order in which the children were created,
// and without them and the guids or session ids in them, all names are the same.
// Members of a group mostly have a name of their own, or no more than a guid.
func (e *Evidence) Alike() bool {
	pattern := ""
	var numbers, creates []int64
	for i := range e.Children {
		z := &e.Children[i]
		if z.Unread || z.Session == 0 {
			continue
		}
		if !e.given(z.Name) {
			return false
		}
		p := masked(Stem(z.Name), z.Session)
		if len(numbers) > 0 && p != pattern || p == "*" {
			return false
		}
		seq, _ := znode.Sequence(z.Name)
		pattern, numbers, creates = p, append(numbers, seq), append(creates, z.Czxid)
	}
	return len(numbers) > 1 && sameOrder(numbers, creates) && e.counted(numbers, creates)
}

// counted reports whether each number is at least that of the children there are that
// were created before: a number is how many creates there were.
func (e *Evidence) counted(numbers, creates []int64) bool {
	all := make([]int64, 0, len(e.Children))
	for i := range e.Children {
		if z := &e.Children[i]; !z.Unread {
			all = append(all, z.Czxid)
		}
	}
	slices.Sort(all)
	for i, seq := range numbers {
		if before, _ := slices.BinarySearch(all, creates[i]); seq >= 0 && seq < int64(before) {
			return false
		}
	}
	return true
}

// sameOrder reports whether numbers, each of them once, and creates grow together.
// Numbers below zero have wrapped, before ZooKeeper 3.6.
func sameOrder(numbers, creates []int64) bool {
	order := make([]int, len(numbers))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(creates[a], creates[b]) })
	for i := range order[1:] {
		before, after := numbers[order[i]], numbers[order[i+1]]
		if after <= before && after >= 0 {
			return false
		}
	}
	return true
}

// masked is a stem with its guid, and its session id, replaced by a sign.
func masked(stem string, session uint64) string {
	for i := 0; i < len(stem); i++ {
		if i > 0 && isHex(stem[i-1]) {
			continue
		}
		if n := uuidAt(stem[i:]); n > 0 {
			return stem[:i] + "*" + stem[i+n:]
		}
		if hexAt(stem[i:], 33) == 32 {
			return stem[:i] + "*" + stem[i+32:]
		}
		n := sessionAt(stem[i:])
		if n > 0 && isSession(stem[i:i+n], session) {
			return stem[:i] + "*" + stem[i+n:]
		}
	}
	return stem
}

// isSession reports whether text is the session's id, in hex or in decimal.
func isSession(text string, session uint64) bool {
	if len(text) < 8 { // real ids are longer; short ones are part of a word
		return false
	}
	return text == znode.Hex(session) || "0x"+text == znode.Hex(session) || text == decimal(session)
}

func decimal(session uint64) string { return strconv.FormatInt(int64(session), 10) }
