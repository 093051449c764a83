package model

import (
	"time"

	"electop/model/session"
	"electop/model/znode"
)

// Delta is one change of the children, which a persistent watch reported. Deltas follow
// a [Read] of the same parent, or each other, in the order of the changes.
type Delta struct {
	// At is when the change was known: for a created child, when that was read.
	At time.Time `json:"at"`
	// Notified is when the notification came. Heard is as in Read.
	Notified time.Time `json:"notified"`
	Heard    time.Time `json:"heard,omitzero"`
	// New is the child that was created, Gone the name of the one that was deleted.
	New  *znode.Znode `json:"new,omitempty"`
	Gone string       `json:"gone,omitempty"`
	// Parent is the parent's stat, where it was read after the changes before and
	// before those after. Then there may be neither New nor Gone.
	Parent *znode.Parent `json:"parent,omitempty"`
	// Witnesses are as in Read.
	Witnesses []string `json:"witnesses,omitempty"`
}

func (o *Delta) When() time.Time { return o.At }

// delta applies a change. The end of a session deletes all its znodes at once, but each
// deletion is a delta of its own. So if the leader's session owns another child, its
// deletion waits until something else shows which of them were deleted, a read of the
// parent for one: see [State.Unsettled].
func (j *Journal) delta(d *Delta) {
	if !j.under || j.single || j.phase != Live {
		return // a read comes first
	}
	var gone []string
	if c := j.known[d.Gone]; c != nil && d.New == nil && d.Parent == nil {
		leads := j.head != nil && j.head.ID() == c.ID()
		if n := len(j.ending); n > 0 && j.endingOf == c.Session || n == 0 && leads && j.outlives(c) != nil {
			j.ending, j.endingOf = append(j.ending, d), c.Session
			return
		}
		gone = []string{d.Gone}
	}
	j.settle()
	if d.Parent != nil && int(d.Parent.Children) < len(j.known) {
		gone = j.unreadNames() // recordings of older versions have no deltas of these
	}
	j.change(d, gone)
}

// settle applies the deletions that wait: one by one if their session still owns a
// contender, and otherwise together, as the end of the session.
func (j *Journal) settle() {
	if len(j.ending) == 0 {
		return
	}
	ending := j.ending
	names := j.ended()
	j.index()
	alive := int(j.owned[j.endingOf]) > len(names)
	for len(names) > 0 {
		n := len(names)
		if alive {
			n = 1
		}
		j.change(ending[0], names[:n])
		ending, names = ending[n:], names[n:]
	}
}

// ended returns the children whose deletions wait, and no longer has them wait.
func (j *Journal) ended() (names []string) {
	for _, d := range j.ending {
		names = append(names, d.Gone)
	}
	j.ending = nil
	return names
}

// change applies a delta, and that these children are gone, as a read that shows it alone.
func (j *Journal) change(d *Delta, gone []string) {
	r := &Read{At: d.At, Notified: d.Notified, Heard: d.Heard, Presence: Present, Parent: j.parent, Witnesses: d.Witnesses, Gone: gone}
	r.Parent.Cversion += int32(len(gone))
	r.Parent.Children -= int32(len(gone))
	if d.New != nil {
		r.New = []znode.Znode{*d.New}
		r.Parent.Cversion++
		r.Parent.Children++
		r.Parent.Pzxid = max(r.Parent.Pzxid, d.New.Czxid)
	}
	if d.Parent != nil {
		r.Parent = *d.Parent
	}
	if r.Parent.Czxid != j.parent.Czxid {
		return // a read comes, too
	}
	// The notification is of this change, whatever was read before.
	j.list.at = time.Time{}
	j.update(r)
	j.list = listTimes{sent: session.Later(j.list.sent, wall(d.Heard))}
}
