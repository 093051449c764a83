package dialect

import (
	"math"
	"slices"
	"time"

	"electop/model/znode"
)

// Dialect is how one system writes an election into znodes: what the children
// are called, who a candidate is, what it watches, and which znode acknowledges.
// A [Recipe] is the rule; a dialect is how one system spells the rule.
//
// The dialects are a table (table.go). To add a system, add an entry there and
// examples to the table's test. Values are immutable, and there is one of each.
type Dialect struct {
	ID     string // for machines and recordings: "curator-latch"
	System string // for people: "Curator LeaderLatch"
	Recipe Recipe
	// Single: the path is the leader's own znode, ephemeral and alone. There is
	// no queue and no parent to list. Its candidate is named by its whole path.
	Single bool
	// Registry: the children are members of a group, and none of them leads.
	Registry bool
	// Lock: the contenders want a lock or a lease, which they hold and release, and
	// not leadership. It is false if a system uses the same names for both.
	Lock bool
	// Watches says for people what a contender watches.
	Watches string
	// ChildWatch: a waiting contender watches the list of children and no znode, so
	// no server's table shows the watch, and every change notifies all of them.
	ChildWatch bool
	// Prefix is the name, before the sequence, of the znode of electop's own
	// candidate, so that the system's clients order and watch it as one of
	// theirs. If the name has no place for the guid, only the owner's session
	// identifies such a znode. nil:
	// electop cannot take part, and Why says why.
	Prefix func(guid [16]byte) string
	Why    string
	// Source is where the rule is from: documentation, or the system's source.
	Source string

	own     bool // electop's own naming
	unknown bool // not of a known system
	// shares: one session may own several contenders, as the threads of a process
	// (this may be a lock) or the cores of a node do. Those of a Lock may anyway.
	shares bool

	// names are patterns (see match) for the children that speak for the
	// dialect, and at (see endsIn) for where it can be; none: anywhere. bare
	// says that the names have no sequence number. proof, if set, is what a child
	// must be besides.
	names []string
	at    []string
	bare  bool
	proof func(path string, z *znode.Znode) bool
	// widens is the ID of another dialect with the same rule and more kinds of
	// children. mark is the pattern of those, by which that one is told from
	// this.
	widens string
	mark   string

	who func(c *Candidate, part string) string // nil: its data; part is what the name has for {any} or {session}
	ack []ack                                  // none: its leaders create no such znode
}

// ack is where a system's leader says that it leads, for elections at (see
// endsIn) some path.
type ack struct {
	at    string
	znode string // from the election's path (see from)
	// takeover is how long a leader may take to create it. It comes from a setting
	// of the system, or is a generous guess where there is none.
	takeover time.Duration
}

// Foreign reports whether the naming is another's than electop's own. In a
// third-party election electop creates nothing but its candidates' znodes: no
// acknowledgement ever.
func (d *Dialect) Foreign() bool { return !d.own }

// Who says who the candidate is, as text that is safe for a terminal: from its
// data, as text or host:port, or from its name. "" is for unknown.
func (d *Dialect) Who(c *Candidate) string {
	part := ""
	if !d.Single {
		part, _ = d.named(c.Name)
	}
	if d.who != nil {
		if who := d.who(c, part); who != "" {
			return znode.Safe(who, labelMax)
		}
	}
	return znode.Safe(whoByData(c.Data), labelMax)
}

// AckPath is the znode by which a leader of the election at path says that it
// leads, "" where the system has none.
func (d *Dialect) AckPath(path string) string {
	for _, a := range d.ack {
		if star, ok := endsIn(path, a.at); ok {
			return from(path, a.znode, star)
		}
	}
	return ""
}

// Takeover is how long a leader of the election at path may take to acknowledge, 0
// where it does not.
func (d *Dialect) Takeover(path string) time.Duration {
	for _, a := range d.ack {
		if _, ok := endsIn(path, a.at); ok {
			return a.takeover
		}
	}
	return 0
}

// All returns all dialects, the specific before the general.
func All() []*Dialect { return slices.Clone(dialects) }

// ByID returns the dialect with that ID.
func ByID(id string) (*Dialect, bool) {
	for _, d := range dialects {
		if d.ID == id {
			return d, true
		}
	}
	return nil, false
}

// Evidence is what a directory shows of the system that uses it.
type Evidence struct {
	Path     string
	Children []znode.Znode // for a single ephemeral znode, that znode
	// Parent is the directory's stat in the same reply, zero if it is not known. A
	// number that is not below its count of creates was never a sequence number.
	Parent znode.Parent
}

// given reports whether ZooKeeper may have given the name its number.
func (e *Evidence) given(name string) bool {
	seq, numbered := znode.Sequence(name)
	if !numbered || e.Parent.Czxid == 0 || seq < 0 { // wrapped, before ZooKeeper 3.6
		return numbered
	}
	creates, counted := e.Parent.Creates()
	return !counted || seq < int64(creates)
}

// Recognise finds out which system's election it is from the names of the children
// and their data, with the path as a hint: nil if no child shows it.
//
// Each ephemeral child speaks for one dialect, and most decide, so a stray child
// does not make another election of it. Children that were not read speak only
// where none was. Between as many, a known naming comes before the unknown, then
// that of the oldest child. The order of children does not matter.
func Recognise(e Evidence) *Dialect {
	if d := recogniseSingle(e.Path, e.Children); d != nil {
		return d
	}
	candidates := placed(e.Path)
	read := slices.ContainsFunc(e.Children, func(z znode.Znode) bool { return z.Session != 0 && !z.Unread })
	votes := make(map[*Dialect]tally)
	marks := make(map[string]bool) // by dialect's ID
	for i := range e.Children {
		z := &e.Children[i]
		if z.Session == 0 && !z.Unread {
			continue
		}
		for _, d := range candidates {
			if d.mark != "" && !marks[d.ID] {
				_, marks[d.ID] = match(d.mark, Stem(z.Name))
			}
		}
		if z.Unread && read {
			continue
		}
		if d := e.speaksFor(candidates, z); d != nil {
			votes[d] = votes[d].and(z)
		} else if e.given(z.Name) && !z.Unread {
			votes[unknownNaming] = votes[unknownNaming].and(z)
		}
	}
	var best *Dialect
	var most tally
	for _, d := range append(candidates, unknownNaming) { // not by map order
		t := votes[d]
		older := t.oldest < most.oldest && d != unknownNaming
		if t.votes > most.votes || t.votes > 0 && t.votes == most.votes && older {
			best, most = d, t
		}
	}
	return widened(best, func(wider *Dialect) bool { return marks[wider.ID] })
}

// tally counts the children that speak for a dialect.
type tally struct {
	votes  int
	oldest int64 // czxid
}

// and returns the tally with another child.
func (t tally) and(z *znode.Znode) tally {
	born := z.Czxid
	if born == 0 {
		born = math.MaxInt64 // gone before it was read
	}
	if t.votes == 0 || born < t.oldest {
		t.oldest = born
	}
	t.votes++
	return t
}

// placed returns the dialects of queues that can be at path.
func placed(path string) []*Dialect {
	var out []*Dialect
	for _, d := range dialects {
		if !d.Single && !d.unknown && d.standsAt(path) {
			out = append(out, d)
		}
	}
	return out
}

// speaksFor returns the first dialect of which a child is.
func (e *Evidence) speaksFor(among []*Dialect, z *znode.Znode) *Dialect {
	for _, d := range among {
		if !d.bare && !e.given(z.Name) {
			continue
		}
		if _, ok := d.named(z.Name); ok && (d.proof == nil || d.proof(e.Path, z)) {
			return d
		}
	}
	return nil
}

// widened returns the dialect that d is part of where something shows that.
func widened(d *Dialect, shown func(wider *Dialect) bool) *Dialect {
	if d == nil || d.widens == "" {
		return d
	}
	if wider, ok := ByID(d.widens); ok && shown(wider) {
		return wider
	}
	return d
}

func recogniseSingle(path string, children []znode.Znode) *Dialect {
	if len(children) != 1 || children[0].Session == 0 || children[0].Name != path && children[0].Name != znode.Base(path) {
		return nil
	}
	for _, d := range dialects {
		if d.Single && len(d.at) > 0 && d.standsAt(path) && (d.proof == nil || d.proof(path, &children[0])) {
			return d
		}
	}
	return nil
}

// MaybeSingle reports whether some system has its leader's own znode at such a
// path.
func MaybeSingle(path string) bool {
	return slices.ContainsFunc(dialects, func(d *Dialect) bool { return d.Single && len(d.at) > 0 && d.standsAt(path) })
}

// standsAt reports whether an election at path can be of the dialect.
func (d *Dialect) standsAt(path string) bool {
	for _, end := range d.at {
		if _, ok := endsIn(path, end); ok {
			return true
		}
	}
	return len(d.at) == 0
}

// Widened returns the dialect that d is part of, where a child shows that, else d.
func (d *Dialect) Widened(children []znode.Znode) *Dialect {
	return widened(d, func(wider *Dialect) bool {
		return slices.ContainsFunc(children, func(z znode.Znode) bool {
			_, ok := match(wider.mark, Stem(z.Name))
			return ok && (z.Session != 0 || z.Unread)
		})
	})
}

// Interpret gives a candidate what its name and data say in the dialect: who it
// is, and its sequence. With nil, where the system is not known, that is the
// sequence alone.
func (d *Dialect) Interpret(c *Candidate) {
	c.Who, c.kind = "", kindUnknown
	c.Sequence, c.HasSequence = znode.Sequence(c.Name)
	if d == nil {
		return
	}
	if d.bare || d.Single {
		c.Sequence, c.HasSequence = 0, false // digits that happen to be there
	}
	c.Who = d.Who(c)
	if r, ok := d.Recipe.(*locks); ok && r.reader != nil {
		c.kind = r.kindOf(c.Name)
	}
}

// SingleZnode returns the dialect of an election by one ephemeral znode, of no
// system in particular.
func SingleZnode() *Dialect {
	d, _ := ByID(singleID)
	return d
}

// named reports whether the name is one of the dialect's contenders, and what
// it has for the part of the pattern that says who it is.
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

// Unknown reports whether the naming is of no known system: who contends is a
// guess from the numbers.
func (d *Dialect) Unknown() bool { return d.unknown }

// Shares reports whether one session may own several contenders, as the threads of
// a process do that wait for a lock.
func (d *Dialect) Shares() bool { return d.Lock || d.shares }

// MarshalText gives the dialect's ID.
func (d *Dialect) MarshalText() ([]byte, error) { return []byte(d.ID), nil }
