package dialect

import (
	"encoding/hex"
	"regexp"
	"slices"
	"strings"

	"electop/model/znode"
)

// Dialect describes how one system represents an election by znodes. It is immutable.
type Dialect struct {
	ID     string // "curator-latch"
	System string // "Curator LeaderLatch"
	Recipe Recipe

	Single     bool   // the election is one ephemeral znode, which the leader creates
	Watches    string // what a contender watches: "its predecessor"
	ChildWatch bool   // a waiting client watches the list of children, and no child
	Why        string // why electop cannot take part, "" if it can
	Source     string // the documentation or the source code that defines the rule

	// kind is also KindElection if the system's locks and elections have the same names.
	kind Kind
	own  bool // electop's own naming
	// prefix is the name of electop's candidate without the sequence number; {hex} or {uuid} stands
	// for a guid. The system's clients must count such a znode as a contender.
	prefix   string
	contends func(stem string) bool // whether a stem is a contender's; nil: every stem
	unknown  bool
	shares   bool // one session may own several contenders, for example one for each thread

	// names are patterns of children's names without the sequence number; pattern has them compiled.
	names   []string
	pattern func() *regexp.Regexp
	at      []string // the paths of the system's elections, see endsIn; nil: every path, or no path if Single
	bare    bool     // the names have no sequence number
	// marker is a znode that must exist, relative to the election's path (see from), "" for none.
	marker string
	// proof reports whether a child, or the single znode, shows the dialect; nil: no proof is needed.
	proof func(path string, z *znode.Znode) bool
	// content reports whether the whole directory fits; nil: every directory fits.
	content func(e *Evidence) bool
	// near has more paths of a single znode. The znodes beside such a path must also show the dialect.
	near   []string
	beside neighbours
	wider  []wider

	// who names the owner of a candidate. If who is nil or returns "", the data may show the owner.
	// part is what {any}, {session} or {priority} matches in the name.
	who func(c *Candidate, part string) string
	ack []Ack // nil: leaders do not acknowledge
}

type wider struct {
	mark func(stem string) bool
	id   string
}

// All returns all dialects, specific dialects before general dialects.
func All() []*Dialect { return slices.Clone(dialects) }

// ByID returns the dialect with the ID.
func ByID(id string) (*Dialect, bool) {
	i := slices.IndexFunc(dialects, func(d *Dialect) bool { return d.ID == id })
	if i < 0 {
		return nil, false
	}
	return dialects[i], true
}

// SingleZnode returns the dialect of a single ephemeral znode of an unknown system. named reports
// whether the user named the znode's path.
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

// Prefix returns the name of electop's own candidate without the sequence number, "" if electop
// cannot take part.
func (d *Dialect) Prefix(guid [16]byte) string {
	s := hex.EncodeToString(guid[:])
	dashed := s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:] // as Java prints a UUID
	return strings.NewReplacer("{hex}", s, "{uuid}", dashed).Replace(d.prefix)
}

// Foreign reports whether the naming is not electop's own.
func (d *Dialect) Foreign() bool { return !d.own }

// Unknown reports whether no known system has this naming; false for nil and SingleZnode(true).
func (d *Dialect) Unknown() bool { return d != nil && d.unknown }

// Shares reports whether the contenders want a lock, or one session may own several contenders; false for nil.
func (d *Dialect) Shares() bool { return d.Locks() || d != nil && d.shares }

// MarshalText returns the dialect's ID.
func (d *Dialect) MarshalText() ([]byte, error) { return []byte(d.ID), nil }

// Who returns the name of the candidate's owner, safe for a terminal, "" if unknown.
func (d *Dialect) Who(c *Candidate) string {
	part, who := "", ""
	if !d.Single {
		part, _ = d.match(c.Name)
	}
	if d.who != nil {
		who = d.who(c, part)
	}
	if who == "" && d.kind != KindQueue { // an item's data is for its consumer
		who = whoByData(c.Data)
	}
	return znode.Safe(who, labelMax)
}

// Interpret sets the fields that follow from the name and the data. d may be nil.
func (d *Dialect) Interpret(c *Candidate) {
	c.Who, c.access, c.library = "", unknownAccess, libraryOf(c.Name)
	c.Sequence, c.HasSequence = sequenceIn(d, c.Name)
	if d == nil {
		return
	}
	if c.Revoked = d.Shares() && (string(c.Data.Bytes) == "unlock" || string(c.Data.Bytes) == "__REVOKE__"); !c.Revoked {
		c.Who = d.Who(c)
	}
	if r, ok := d.Recipe.(sharedRecipe); ok {
		c.access = r.accessOf(c)
	}
}

func sequenceIn(d *Dialect, name string) (int64, bool) {
	if d != nil && (d.bare || d.Single) {
		return 0, false // digits at the end of such a name are no sequence number
	}
	return znode.Sequence(name)
}

// Find returns the position of the contender with the given identity. The queue must be in r's
// order, and d must have interpreted its contenders.
func Find(d *Dialect, r Recipe, queue Queue, id ID) (i int, found bool) {
	c := Candidate{Znode: znode.Znode{Name: id.Name, Czxid: id.Czxid}}
	c.Sequence, c.HasSequence = sequenceIn(d, id.Name)
	i, _ = queue.Find(func(x *Candidate) int { return Compare(r, x, &c) })
	if i < queue.Len() && queue.At(i).ID() == id {
		return i, true
	}
	return 0, false
}

func (d *Dialect) match(name string) (part string, ok bool) {
	if !d.bare {
		if _, numbered := znode.Sequence(name); !numbered {
			return "", false
		}
		name = Stem(name)
	}
	m := d.pattern().FindStringSubmatch(name)
	if m == nil || d.names == nil {
		return "", false
	}
	return strings.Join(m[1:], ""), true
}

func (d *Dialect) listsPath(path string) bool { return len(d.at) > 0 && d.fits(path) }

func (d *Dialect) maybeAt(path string) bool {
	_, near := endsIn(path, d.near...)
	return near || d.listsPath(path)
}

func (d *Dialect) fits(path string) bool {
	_, ok := endsIn(path, d.at...)
	return ok || len(d.at) == 0
}
