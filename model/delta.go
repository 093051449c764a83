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

// delta applies a change as a read that shows it alone.
func (j *Journal) delta(d *Delta) {
	if !j.under || j.single || j.phase != Live {
		return // a read comes first
	}
	r := &Read{At: d.At, Notified: d.Notified, Heard: d.Heard, Presence: Present, Parent: j.parent, Witnesses: d.Witnesses}
	if d.New != nil {
		r.New = []znode.Znode{*d.New}
		r.Parent.Cversion++
		r.Parent.Children++
		r.Parent.Pzxid = max(r.Parent.Pzxid, d.New.Czxid)
	}
	if d.Gone != "" {
		r.Gone = []string{d.Gone}
		r.Parent.Cversion++
		r.Parent.Children--
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
