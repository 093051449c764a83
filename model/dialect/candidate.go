package dialect

import (
	"time"

	"electop/model/znode"
)

// Candidate is a child of the election: a contender in its queue, or a child
// that does not contend. It is immutable.
type Candidate struct {
	znode.Znode
	// Sequence is the number at the end of the name; HasSequence reports whether
	// there is one.
	Sequence    int64
	HasSequence bool
	// SeenAt is when electop first read the znode. Joined reports whether it was created while
	// electop observed: then its age is by electop's clock. Otherwise its age is by Ctime, which
	// is the server's clock.
	SeenAt time.Time
	Joined bool
	// Who is the name of its owner, according to the election's [Dialect]; safe for a
	// terminal, "" if unknown.
	Who string

	kind    kind
	library *Library
}

// ID identifies a candidate: a name can be created again, but not with the same czxid.
type ID struct {
	Name  string
	Czxid int64
}

// ID returns the candidate's identity.
func (c *Candidate) ID() ID { return ID{c.Name, c.Czxid} }

// SameReading reports whether two interpretations of the same znode are equal.
func (c *Candidate) SameReading(other *Candidate) bool {
	return c.Who == other.Who && c.HasSequence == other.HasSequence && c.kind == other.kind
}

// Age returns how long the znode has existed at now, never negative. exact reports whether
// electop's clock measured the whole age; otherwise the age is the difference to a server's
// clock or, without a ctime, to SeenAt.
func (c *Candidate) Age(now time.Time) (age time.Duration, exact bool) {
	from := c.Ctime
	if c.Joined || c.Ctime.IsZero() {
		from = c.SeenAt
	}
	return max(0, now.Sub(from)), c.Joined
}

// Label returns the name to show for the candidate: who it is, otherwise its data if
// that is a short text, otherwise its znode's name. It is safe for a terminal.
func (c *Candidate) Label() string {
	if c.Who != "" {
		return c.Who
	}
	if s := shortText(c.Data); s != "" {
		return znode.Safe(s, labelMax)
	}
	return znode.Safe(c.Name, labelMax)
}

const labelMax = 64

// before reports whether a is before b: by sequence, equal sequences (of Curator's read and
// write locks) by czxid, then by name.
func before(a, b *Candidate) bool {
	switch {
	case a.Sequence != b.Sequence:
		return a.Sequence < b.Sequence
	case a.Czxid != b.Czxid:
		return a.Czxid < b.Czxid
	}
	return a.Name < b.Name
}

// kind caches whether a candidate is a reader or a writer, if its recipe has both. Without this
// cache a search for the contender to watch would match all names before it.
type kind uint8

// kinds is a recipe that may have several kinds of contenders.
type kinds interface{ kindOf(c *Candidate) kind }

const (
	kindUnknown kind = iota
	kindWriter
	kindReader
)
