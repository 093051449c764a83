package model

import (
	"time"

	"electop/model/dialect"
	"electop/model/session"
	"electop/model/znode"
)

// lone applies a read of an election that is a single znode. What happens between
// two reads is not counted, so nothing is ever missed. Another czxid shows that the
// first znode left.
func (j *Journal) lone(r *Read) {
	at := wall(r.At)
	if j.under { // it was a parent until now
		j.vanish(at, timeBounds{})
	}
	j.single = true
	j.phase, j.parent, j.readAt = Live, znode.Parent{}, at
	var z *znode.Znode
	if r.Presence == Present && len(r.New) > 0 && !r.New[0].Unread {
		it := r.New[0]
		z = &it
		z.Name = j.cfg.Path
	}
	old := j.known[j.cfg.Path]
	first := !j.began
	if old != nil && (z == nil || z.Czxid != old.Czxid) {
		j.leave([]*dialect.Candidate{old}, at)
		old = nil
	}
	switch {
	case z == nil:
	case old != nil:
		j.replace(old, j.naming.candidate(*z, old.SeenAt, old.Joined))
	default:
		j.recognise(&Read{New: []znode.Znode{*z}, Full: true, Single: true})
		c := j.naming.candidate(*z, at, !first && !j.gap)
		j.put(c)
		j.came(c)
		if !first {
			j.joined(at, c)
		}
	}
	if z == nil && j.head == nil && (!r.Notified.IsZero() || j.gap) { // one may have come and gone
		j.vacancy = Vacancy{Since: at}
	}
	if first {
		j.firstHead(at)
		j.begin(at)
		j.gap = true // a snapshot is due
	} else {
		changed := j.list.changed(r, -1, j.gap)
		if j.head == nil && z != nil && j.vacantFrom.known() {
			// Others may have joined and left between two reads.
			j.vacantFrom.latest = session.Later(j.vacantFrom.latest, changed.latest)
		}
		j.checkHeadIn(at, changed, true)
	}
	if j.gap {
		j.snapshot(at)
	}
}

// plural ends an election of a single znode: the path is a parent by now.
func (j *Journal) plural(at time.Time) {
	j.leave(j.all(), at)
	clear(j.known)
	j.single = false
	if d := j.naming.dialect; d != nil && d.Single {
		j.interpret(nil)
	}
}
