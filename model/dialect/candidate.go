package dialect

import (
	"cmp"
	"time"

	"electop/model/znode"
)

// Candidate is a child of the election, a contender or not. It is immutable once it is in a [Queue] or a state.
type Candidate struct {
	znode.Znode
	// Sequence is the sequence number in the name, if HasSequence is true.
	Sequence    int64
	HasSequence bool
	// SeenAt is when electop first listed or read the znode, on electop's clock. Joined reports whether
	// electop observed the creation.
	SeenAt time.Time
	Joined bool
	// Who is the owner according to [Dialect.Who], "" if unknown.
	Who string

	// Revoked reports whether another client has replaced the owner's data to request the lock.
	Revoked bool

	access  access
	library *Library
}

// ID identifies a candidate. A name can be created again, but not with the same czxid.
type ID struct {
	Name  string
	Czxid int64
}

// ID returns the candidate's identity.
func (c *Candidate) ID() ID { return ID{c.Name, c.Czxid} }

// SameReading reports whether two results of [Dialect.Interpret] for the same znode are equal.
func (c *Candidate) SameReading(other *Candidate) bool {
	return c.Who == other.Who && c.HasSequence == other.HasSequence && c.access == other.access && c.Revoked == other.Revoked
}

// Age returns how long the znode has existed; exact is false for an estimate.
func (c *Candidate) Age(now time.Time) (age time.Duration, exact bool) {
	from := c.Ctime
	if c.Joined || c.Ctime.IsZero() {
		from = c.SeenAt
	}
	return max(0, now.Sub(from)), c.Joined
}

// Label names the candidate. It is safe for a terminal.
func (c *Candidate) Label() string {
	if c.Who != "" {
		return c.Who
	}
	if s := shortText(c.Data); s != "" && !c.Revoked {
		return znode.Safe(s, labelMax)
	}
	return znode.Safe(c.Name, labelMax)
}

// Reads reports whether the candidate wants a shared lock only for reading.
func (c *Candidate) Reads() bool { return c.access == readAccess }

const labelMax = 64

func before(a, b *Candidate) bool {
	// Since Curator 5.5, a read lock of the thread that has the write lock has the write lock's number.
	return cmp.Or(cmp.Compare(a.Sequence, b.Sequence), cmp.Compare(a.Czxid, b.Czxid), cmp.Compare(a.Name, b.Name)) < 0
}

// access is cached in a [Candidate], because matching all names of a long queue is slow.
type access uint8

type sharedRecipe interface{ accessOf(c *Candidate) access }

const (
	unknownAccess access = iota
	writeAccess
	readAccess
)
