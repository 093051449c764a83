package dialect

import (
	"encoding/hex"
	"slices"
	"strings"

	"electop/model/znode"
)

// Dialect describes how one system writes an election into znodes: the names of the children,
// who a candidate is, what it watches, and which znode a leader creates to acknowledge.
// A [Recipe] is the rule; a dialect is one system's spelling of the rule.
//
// A dialect is immutable, and exists once, so pointers to dialects can be compared.
type Dialect struct {
	ID     string // for machines and recordings: "curator-latch"
	System string // for people: "Curator LeaderLatch"
	Recipe Recipe
	// Single: the path is the leader's own znode, ephemeral and alone. There is no queue and
	// no parent to list. The candidate's name is the whole path.
	Single bool
	// Registry: the children are members of a group, and none of them leads.
	Registry bool
	// Lock: the contenders want a lock or a lease, which they hold and release, not
	// leadership. It is false if a system uses the same names for locks and elections.
	Lock bool
	// Watches describes for people what a contender watches.
	Watches string
	// ChildWatch: a waiting contender watches the list of children and no znode, so
	// no server's table shows the watch, and every change notifies all of them.
	ChildWatch bool
	// Why is the reason that electop cannot take part, "" if it can.
	Why string
	// Source is the origin of the rule: documentation, or the system's source.
	Source string

	own bool // electop's own naming
	// prefix is the name of the znode of electop's own candidate, without the sequence. The
	// system's clients order and watch that znode as one of their own. {hex} or {uuid} is a guid;
	// in a name without one only the owner's session identifies the znode.
	prefix  string
	takes   func(stem string) bool // reports whether a name contends, if the [Recipe] is a chain
	unknown bool                   // the system is not known
	// shares: one session may own several contenders, for example the threads of a process
	// (which may want a lock) or the cores of a node. In a Lock this is always so.
	shares bool

	// names are patterns (see match) of the children that show the dialect.
	names []string
	at    []string // paths (see endsIn) at which the dialect can be; nil: anywhere
	bare  bool     // the names have no sequence number
	// marker is a znode (see from) that must exist, "" for none. It needs at.
	marker string
	// proof reports whether a child with such a name shows the dialect; nil: the name is enough.
	proof func(path string, z *znode.Znode) bool
	// near is like at, for a single znode whose path proves nothing: the znodes beside it
	// must show the dialect.
	near   []string
	beside neighbours
	// wider are dialects with more kinds of children. A child that only the wider dialect
	// has shows the wider dialect.
	wider []wider

	// who returns who a candidate is; nil: whoByData does. part is the part of the name that
	// {any} or {session} matches.
	who func(c *Candidate, part string) string
	ack []Ack // nil: the system's leaders do not acknowledge
}

// wider is the ID of a wider dialect, and the pattern of the children that show that dialect.
type wider struct{ mark, id string }

// All returns all dialects, specific ones before general ones.
func All() []*Dialect { return slices.Clone(dialects) }

// ByID returns the dialect with the ID.
func ByID(id string) (*Dialect, bool) {
	i := slices.IndexFunc(dialects, func(d *Dialect) bool { return d.ID == id })
	if i < 0 {
		return nil, false
	}
	return dialects[i], true
}

// SingleZnode returns the dialect of an election by one ephemeral znode of an unknown
// system. named reports whether the user called it an election.
func SingleZnode(named bool) *Dialect {
	if !named {
		return unknownSingle
	}
	d, _ := ByID(singleID)
	return d
}

// RecipeNamed returns the recipe whose [Recipe.Name] is name.
func RecipeNamed(name string) (Recipe, bool) {
	all := []Recipe{Election(), Herd()}
	for _, d := range dialects {
		all = append(all, d.Recipe)
	}
	i := slices.IndexFunc(all, func(r Recipe) bool { return r.Name() == name })
	if i < 0 {
		return nil, false
	}
	return all[i], true
}

// Prefix returns the name of a znode of electop's own candidate, without the sequence. The
// dialect must not have a Why.
func (d *Dialect) Prefix(guid [16]byte) string {
	s := hex.EncodeToString(guid[:])
	dashed := s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:] // as Java prints a UUID
	return strings.NewReplacer("{hex}", s, "{uuid}", dashed).Replace(d.prefix)
}

// Foreign reports whether the naming is not electop's own. In a third-party election
// electop creates only its candidates' znodes, and no acknowledgement.
func (d *Dialect) Foreign() bool { return !d.own }

// Unknown reports whether no known system has this naming, so it is a guess whether the
// children contend. It is false for nil.
func (d *Dialect) Unknown() bool { return d != nil && d.unknown }

// Shares reports whether one session may own several contenders, for example threads that
// wait for a lock. In such a system short reigns are normal. It is false for nil.
func (d *Dialect) Shares() bool { return d != nil && (d.Lock || d.shares) }

// MarshalText returns the dialect's ID.
func (d *Dialect) MarshalText() ([]byte, error) { return []byte(d.ID), nil }

// Kind is a kind of children.
type Kind string

// The kinds of children that can be at a path.
const (
	KindElection Kind = "election"
	KindLock     Kind = "lock"
	KindRegistry Kind = "registry" // members of a group; nobody leads
	KindUnknown  Kind = "unknown"
)

// Kind returns the kind of the children, [KindUnknown] for nil.
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

// Elects reports whether electop takes the children for candidates of an election or of a
// lock. It is true for nil: nothing is known about the children yet.
func (d *Dialect) Elects() bool {
	return d == nil || d.Kind() != KindUnknown && !d.Registry
}

// Who returns who the candidate is, according to its name or its data, as text that is safe
// for a terminal. "" means unknown.
func (d *Dialect) Who(c *Candidate) string {
	part, who := "", ""
	if !d.Single {
		part, _ = d.named(c.Name)
	}
	if d.who != nil {
		who = d.who(c, part)
	}
	if who == "" {
		who = whoByData(c.Data)
	}
	return znode.Safe(who, labelMax)
}

// Interpret sets what a candidate's name and data show in the dialect: who it is, its kind,
// its library, and its sequence. If d is nil (an unknown system), it sets only the last two.
func (d *Dialect) Interpret(c *Candidate) {
	c.Who, c.kind, c.library = "", kindUnknown, libraryOf(c.Name)
	c.Sequence, c.HasSequence = sequenceIn(d, c.Name)
	if d == nil {
		return
	}
	c.Who = d.Who(c)
	if r, ok := d.Recipe.(kinds); ok {
		c.kind = r.kindOf(c)
	}
}

// sequenceIn returns the sequence of a name in the dialect, if it has one.
func sequenceIn(d *Dialect, name string) (int64, bool) {
	if d != nil && (d.bare || d.Single) {
		return 0, false // the digits in its names are no sequence
	}
	return znode.Sequence(name)
}

// Find returns the position of the contender with the identity id in a queue that is in r's
// order, and whose contenders d interpreted. It searches by that order, which depends only on
// names and czxids.
func Find(d *Dialect, r Recipe, queue Queue, id ID) (i int, found bool) {
	c := Candidate{Znode: znode.Znode{Name: id.Name, Czxid: id.Czxid}}
	c.Sequence, c.HasSequence = sequenceIn(d, id.Name)
	i, _ = queue.Find(func(x *Candidate) int { return Compare(r, x, &c) })
	if i < queue.Len() && queue.At(i).ID() == id {
		return i, true
	}
	return 0, false
}

// named reports whether the name is one of the dialect's names, and returns the part of the
// name that identifies the owner.
func (d *Dialect) named(name string) (part string, ok bool) {
	if !d.bare {
		if _, numbered := znode.Sequence(name); !numbered {
			return "", false
		}
		name = Stem(name)
	}
	for _, p := range d.names {
		if part, ok := match(p, name); ok {
			return part, true
		}
	}
	return "", false
}

// placed reports whether the dialect has paths of its own, and path is one of them.
func (d *Dialect) placed(path string) bool { return len(d.at) > 0 && d.fits(path) }

// maybeAt reports whether the system's leader may have its own znode at path.
func (d *Dialect) maybeAt(path string) bool {
	_, near := endsIn(path, d.near...)
	return near || d.placed(path)
}

// fits reports whether the dialect can be at path.
func (d *Dialect) fits(path string) bool {
	_, ok := endsIn(path, d.at...)
	return ok || len(d.at) == 0
}
