package model

import (
	"math"
	"slices"
	"time"

	"electop/model/dialect"
	"electop/model/session"
	"electop/model/znode"
)

func (j *Journal) read(r *Read) {
	at := wallClock(r.At)
	defer func() { j.list = timesOf(r) }()
	if r.Presence == Denied {
		j.phase, j.gap = Forbidden, true
		return
	}
	if r.Single || j.single && r.Presence == Absent {
		j.readSingle(r)
		return
	}
	if j.single { // the path is now a parent
		j.removeChildren(j.all(), at)
		clear(j.known)
		j.single = false
		if d := j.naming.dialect; d != nil && d.Single {
			j.interpret(nil)
		}
	}
	if r.Presence == Absent {
		first := !j.began
		j.begin(at)
		if j.parentRead {
			j.removeAll(at, j.list.changed(r, -1, j.gap))
		}
		j.phase, j.readAt = NoParent, at
		if first || j.gap {
			j.snapshot(at)
		}
		return
	}
	switch {
	case !j.began:
		j.firstRead(r)
	case j.parentRead && j.parent.Czxid == r.Parent.Czxid:
		if !r.Full {
			more := *r
			more.Gone = slices.Concat(r.Gone, deletedNames(j.ending), j.unreadNames())
			r = &more
		}
		j.ending = nil
		j.readAgain(r)
	default:
		j.readOtherParent(r)
	}
	if j.gap {
		j.snapshot(at)
	}
}

func (j *Journal) begin(at time.Time) {
	if !j.began {
		j.began, j.totals.at = true, at
	}
}

// firstRead adds the children without Joined events, because nothing changed.
func (j *Journal) firstRead(r *Read) {
	at := wallClock(r.At)
	j.recognise(r)
	j.setParent(r)
	j.reported.deletions.floor = r.Parent.Pzxid
	for _, c := range j.naming.candidates(r.New, at, false) {
		if j.known[c.Name] == nil {
			j.addChild(c)
		}
	}
	j.firstHead(at)
	j.begin(at)
	j.gap = true // a snapshot is due
}

func (j *Journal) setParent(r *Read) {
	j.parentRead = true
	j.phase, j.parent, j.data, j.readAt = Live, r.Parent, r.Data, wallClock(r.At)
	if n := len(j.flow); j.naming.dialect.Kind() != dialect.KindQueue {
		j.flow = nil
	} else if n == 0 || j.readAt.Sub(j.flow[n-1].At) >= 10*time.Second {
		j.flow = keep(j.flow, Flow{j.readAt, j.parent}, 7)
	}
}

func (j *Journal) readOtherParent(r *Read) {
	at := wallClock(r.At)
	if j.parentRead {
		// The time at which the queue became empty is unknown.
		j.removeAll(at, timeBounds{})
	}
	j.parentRead = false // so that an unknown dialect may replace a known dialect
	j.recognise(r)
	j.setParent(r)
	joins := j.addNew(r, at)
	j.checkHead(at, j.list.changed(r, -1, j.gap), false)
	creates, ok := r.Parent.Creates()
	j.countMissed(at, int(creates)-joins, int(creates)-int(r.Parent.Children), ok)
}

func (j *Journal) readAgain(r *Read) {
	at, old := wallClock(r.At), j.parent
	j.before = j.queue
	j.setParent(r)
	var gone []*dialect.Candidate
	later := 0 // see compared
	if r.Full {
		gone, later = j.compared(r, old)
	} else {
		for _, name := range r.Gone {
			if c := j.known[name]; c != nil {
				gone = append(gone, c)
				delete(j.known, name) // a name may be listed twice
			}
		}
	}
	j.removeChildren(gone, at)
	j.recognise(r)
	joins := j.addNew(r, at)
	creates, deletes, ok := r.Parent.Since(old)
	n := -1
	if ok && later == 0 {
		n = creates + deletes
	}
	if !ok || creates > joins-later {
		j.vacantFrom, j.vacancy = timeBounds{}, Vacancy{Since: at} // a missed child may have ended the vacancy
	}
	j.checkHead(at, j.list.changed(r, n, j.gap), later == 0)
	j.countMissed(at, creates-(joins-later), deletes-(len(gone)-later), ok)
	j.parent.Cversion += int32(2 * later) // the next read must not count the later changes again
}

// PerMinute returns how many items of a queue were created and taken per minute; ok is false if unknown.
func (s *State) PerMinute() (created, taken int, ok bool) {
	if len(s.Flows) == 0 || s.At.Sub(s.Flows[0].At) < 10*time.Second || s.Link.Link != Connected || s.Phase != Live {
		return 0, 0, false
	}
	first := s.Flows[0]
	for _, x := range s.Flows {
		if s.At.Sub(x.At) >= time.Minute {
			first = x
		}
	}
	perMinute := func(n int) int { return int(math.Round(float64(n) / s.At.Sub(first.At).Minutes())) }
	created, taken, ok = s.Parent.Since(first.Parent)
	return perMinute(created), perMinute(taken), ok
}

// Flow has a queue's parent at a time. Parent's counters show how many items were created and taken.
type Flow struct {
	At     time.Time
	Parent znode.Parent
}

// compared returns the known children that were deleted since old. later counts those that were created
// again after the list.
func (j *Journal) compared(r *Read, old znode.Parent) (gone []*dialect.Candidate, later int) {
	listed := make(map[string]*znode.Znode, len(r.New))
	for i := range r.New {
		listed[r.New[i].Name] = &r.New[i]
	}
	var renewed []*dialect.Candidate
	for name, c := range j.known {
		z := listed[name]
		switch {
		case z == nil:
			gone = append(gone, c)
		case z.Unread || z.Czxid == c.Czxid:
		case z.Czxid <= old.Pzxid:
			renewed = append(renewed, c)
		default:
			gone = append(gone, c)
			if r.Parent.Pzxid != 0 && z.Czxid > r.Parent.Pzxid {
				later++
			}
		}
	}
	slices.SortFunc(renewed, j.order) // a map has no order
	for _, c := range renewed {
		j.replace(c, j.naming.candidate(*listed[c.Name], wallClock(r.At), false))
	}
	return gone, later
}

// removeAll removes the parent and all children. How many other changes came before is unknown.
func (j *Journal) removeAll(at time.Time, changed timeBounds) {
	for _, c := range j.children.all() {
		j.left(at, c)
	}
	clear(j.known)
	j.children = children{recipe: j.recipe, known: j.known}
	j.watches.first = nil
	j.last.ParentGone = true
	j.parentRead, j.ending, j.flow = false, nil, nil
	j.phase, j.parent = NoParent, znode.Parent{}
	j.checkHead(at, changed, false)
	if j.naming.dialect.Kind() != dialect.KindBarrier { // a barrier has no children
		j.countMissed(at, 0, 0, false)
	}
}

// refresh applies a later read of a child. Another czxid makes no Left and Joined events.
func (j *Journal) refresh(r *Refresh) {
	z := r.Znode
	if j.single {
		z.Name = j.cfg.Path
	}
	old := j.known[z.Name]
	if old == nil || z.Unread {
		return
	}
	at := wallClock(r.At)
	c := j.naming.candidate(z, old.SeenAt, old.Joined)
	switch {
	case old.Czxid == c.Czxid && c.Revoked:
		c.Who = old.Who
	case old.Czxid != c.Czxid && old.Czxid != 0:
		c.SeenAt, c.Joined = at, false
	}
	j.replace(old, c)
	j.checkHead(at, timeBounds{}, false)
}

func (j *Journal) replace(old, c *dialect.Candidate) {
	ghosts := j.properties.Ghosts
	j.remove(old)
	j.addChild(c)
	if old.Czxid == c.Czxid {
		j.properties.Ghosts = ghosts // the ghost was counted before
	}
	if old.Czxid == c.Czxid || old.Czxid == 0 { // 0: only the child's name was known
		j.renewHead(old, c)
	} else {
		j.depart(c.SeenAt, old)
	}
}

func (j *Journal) removeChildren(gone []*dialect.Candidate, at time.Time) {
	slices.SortFunc(gone, j.order)
	j.remove(gone...)
	for _, c := range gone {
		j.left(at, c)
	}
}

func (j *Journal) addNew(r *Read, at time.Time) (joins int) {
	for _, c := range j.naming.candidates(r.New, at, !j.gap) {
		if j.known[c.Name] == nil {
			j.addChild(c)
			j.joined(at, c)
			joins++
		}
	}
	return joins
}

func (j *Journal) joined(at time.Time, c *dialect.Candidate) {
	j.leaving = j.leaving && !j.recipe.Contends(c)
	j.totals.Joined++
	j.proveAlive(c.Session, c.Name, c.Czxid, at)
	j.emit(at, Joined{c, !j.recipe.Contends(c)})
}

func (j *Journal) left(at time.Time, c *dialect.Candidate) {
	j.leaving = j.naming.dialect.Kind() == dialect.KindDouble && j.queue.Len() > 0 && (!j.recipe.Contends(c) || j.leaving)
	j.totals.Left++
	j.depart(at, c)
	if j.recipe.Contends(c) {
		j.last.Left = append(j.last.Left, c)
	}
	j.emit(at, Left{c, !j.recipe.Contends(c)})
}

func (j *Journal) countMissed(at time.Time, creates, deletes int, known bool) {
	if m, ok := j.totals.miss(creates, deletes, known); ok {
		j.emit(at, m)
	}
}

func (j *Journal) delta(d *Delta) {
	if !j.parentRead || j.single || j.phase != Live {
		return // a read must come first
	}
	var gone []string
	if c := j.known[d.Gone]; c != nil && d.New == nil && d.Parent == nil {
		leads := j.head != nil && j.head.ID() == c.ID()
		if n := len(j.ending); n > 0 && j.endingOf == c.Session || n == 0 && leads && j.survivor(c) != nil {
			j.ending, j.endingOf = append(j.ending, d), c.Session
			return
		}
		gone = []string{d.Gone}
	}
	j.settle()
	if d.Parent != nil && int(d.Parent.Children) < len(j.known) {
		gone = j.unreadNames() // older recordings have no deltas for unread children
	}
	j.change(d, gone)
}

// settle applies the waiting deletions. They are one change if the session has no child left: then the
// session probably ended.
func (j *Journal) settle() {
	if len(j.ending) == 0 {
		return
	}
	ending, names := j.ending, deletedNames(j.ending)
	j.ending = nil
	alive := false
	for name, c := range j.known {
		alive = alive || c.Session == j.endingOf && !slices.Contains(names, name)
	}
	for len(names) > 0 {
		n := len(names)
		if alive {
			n = 1
		}
		j.change(ending[0], names[:n])
		ending, names = ending[n:], names[n:]
	}
}

func deletedNames(deletions []*Delta) (names []string) {
	for _, d := range deletions {
		names = append(names, d.Gone)
	}
	return names
}

func (j *Journal) change(d *Delta, gone []string) {
	r := &Read{At: d.At, Notified: d.Notified, AppliedAfter: d.AppliedAfter, Presence: Present, Parent: j.parent, Data: j.data, Markers: d.Markers, Gone: gone}
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
		return // another parent, which a read will show
	}
	// The notification is about this change, not about a change in an earlier list.
	j.list.at = time.Time{}
	j.readAgain(r)
	j.list = listTimes{sent: session.Later(j.list.sent, wallClock(d.AppliedAfter))}
}

// readSingle applies a read of a single znode. No counter shows changes between two such reads, so
// no change counts as missed.
func (j *Journal) readSingle(r *Read) {
	at := wallClock(r.At)
	if j.parentRead { // the path was a parent until now
		j.removeAll(at, timeBounds{})
	}
	j.single = true
	j.phase, j.parent, j.readAt = Live, znode.Parent{}, at
	var z *znode.Znode
	if r.Presence == Present && len(r.New) > 0 && !r.New[0].Unread {
		single := r.New[0]
		z = &single
		z.Name = j.cfg.Path
	}
	old := j.known[j.cfg.Path]
	first := !j.began
	if old != nil && (z == nil || z.Czxid != old.Czxid) {
		j.removeChildren([]*dialect.Candidate{old}, at)
		old = nil
	}
	switch {
	case z == nil:
	case old != nil:
		j.replace(old, j.naming.candidate(*z, old.SeenAt, old.Joined))
	default:
		j.recognise(&Read{New: []znode.Znode{*z}, Full: true, Single: true})
		c := j.naming.candidate(*z, at, !first && !j.gap)
		j.addChild(c)
		if !first {
			j.joined(at, c)
		}
	}
	if z == nil && j.head == nil && (!r.Notified.IsZero() || j.gap) { // a leader may have come and gone
		j.vacancy = Vacancy{Since: at}
	}
	if first {
		j.firstHead(at)
		j.begin(at)
		j.gap = true // a snapshot is due
	} else {
		changed := j.list.changed(r, -1, j.gap)
		if j.head == nil && z != nil && j.vacantFrom.known() {
			// Another znode may have existed between the reads, so the vacancy may have begun later.
			j.vacantFrom.latest = session.Later(j.vacantFrom.latest, changed.latest)
		}
		j.checkHead(at, changed, true)
	}
	if j.gap {
		j.snapshot(at)
	}
}
