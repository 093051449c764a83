package dialect

import (
	"time"

	"electop/model/znode"
)

// Candidate is a child of the election: a contender in its queue, or a child
// that is none ([State.Ignored]). It is immutable.
type Candidate struct {
	znode.Znode
	// Sequence is the number at the end of the name; HasSequence says whether
	// there is one.
	Sequence    int64
	HasSequence bool
	// SeenAt is when this program first saw it. Joined says that it joined while
	// we looked, so its age is by our own clock; otherwise Ctime, by the
	// server's clock, is the best there is.
	SeenAt time.Time
	Joined bool
	// Who is the name of its owner, by the election's [Dialect]; safe for a terminal, ""
	// if unknown.
	Who string

	kind kind
}

// ID identifies a candidate for as long as it exists: a name can come again,
// a name with its czxid cannot.
type ID struct {
	Name  string
	Czxid int64
}

// ID returns the candidate's identity.
func (c *Candidate) ID() ID { return ID{c.Name, c.Czxid} }

// Reads reports whether another reading of the same znode gives the same result.
func (c *Candidate) Reads(other *Candidate) bool {
	return c.Who == other.Who && c.HasSequence == other.HasSequence && c.kind == other.kind
}

// Age returns how long the znode has existed at now, never negative, and
// whether that is exact or (for znodes older than our looking on) by the
// clock of a server.
func (c *Candidate) Age(now time.Time) (age time.Duration, exact bool) {
	from := c.Ctime
	if c.Joined || c.Ctime.IsZero() {
		from = c.SeenAt
	}
	return max(0, now.Sub(from)), c.Joined
}

// Label is the name to show for the candidate: who it is, else its data where
// that is a short text, else its znode's name. Safe for a terminal.
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

// before orders the queue: by sequence, ties (Solr's joinAtHead, Curator's
// read locks) by czxid, then by name.
func before(a, b *Candidate) bool {
	switch {
	case a.Sequence != b.Sequence:
		return a.Sequence < b.Sequence
	case a.Czxid != b.Czxid:
		return a.Czxid < b.Czxid
	}
	return a.Name < b.Name
}

// kind is what the journal notes of a candidate where its recipe tells several kinds
// apart, so that to ask for all of a long queue whom they watch does not read every
// name, or all data, for each of them.
type kind uint8

// kinds is a recipe that tells several kinds apart.
type kinds interface{ kindOf(c *Candidate) kind }

const (
	kindUnknown kind = iota
	kindWriter
	kindReader
)
