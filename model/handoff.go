package model

import (
	"slices"
	"time"

	"electop/model/dialect"
	"electop/model/session"
)

// Handoff is a change of the leader. From and To are heads of the queue, nil for none.
type Handoff struct {
	At       time.Time
	From, To *dialect.Candidate
	Cause    Cause
	// Evidence explains the cause, or why the cause is unknown; safe for a terminal.
	Evidence string
	Fence    int64 // To's czxid, the fencing token; 0 if To is nil

	// Earliest and Latest bound the time of the change, zero if unknown. At is the time of the
	// observation that showed the change.
	Earliest, Latest time.Time
	// Notified counts the contenders that the deletion of From's znode notifies in this recipe.
	Notified int
	// More counts the other contenders that hold the lock or a lease together with To.
	More int
	// Lock reports whether the role is a lock, which a holder normally releases.
	Lock bool

	// Silent is the time from the old leader's last sign of life, or from a member's fault, to the
	// deletion of the leader's znode. Takeover is the time from the change to the acknowledgement. Vacant is the
	// time without a candidate before the change. Each is nil if unknown, and may be a guess.
	Silent, Takeover, Vacant *time.Duration
	// SilentIn, TakeoverIn and VacantIn bound the three durations, nil if unknown.
	SilentIn, TakeoverIn, VacantIn *Span

	// Timeout is the timeout of From's session, 0 if unknown. Unreported explains why the servers
	// reported nothing about that session; safe for a terminal.
	Timeout    time.Duration
	Unreported string
	unacked    Unmeasured // why Takeover is nil
}

// Unmeasured is the reason why a duration of a handoff is unknown.
type Unmeasured string

const (
	NobodyLed   Unmeasured = "nobody-led"   // before the handoff
	NobodyLeads Unmeasured = "nobody-leads" // after the handoff
	NotSilent   Unmeasured = "not-silent"   // the session did not expire
	NotReported Unmeasured = "not-reported" // see [Handoff.Unreported] and [Handoff.Evidence]
	NoAck       Unmeasured = "no-ack"       // the system has no acknowledgements
	NoAckYet    Unmeasured = "no-ack-yet"
	Unwatched   Unmeasured = "unwatched" // the beginning of the duration was not observed
	NotVacant   Unmeasured = "not-vacant"
)

// Measure is one of a handoff's durations.
type Measure struct {
	Name string
	Took *time.Duration // nil: unknown
	In   *Span          // the bounds; nil: unknown
	Why  Unmeasured     // why Took is nil
}

// Guess reports whether the duration should be shown as a guess.
func (m Measure) Guess() bool { return m.Took != nil && m.In.Loose(*m.Took) }

// Measures returns the three durations, and the session timeout of the old leader.
func (h *Handoff) Measures() [4]Measure {
	out := [4]Measure{
		{"silent", h.Silent, h.SilentIn, NotReported}, {"takeover", h.Takeover, h.TakeoverIn, h.unacked},
		{"vacant", h.Vacant, h.VacantIn, NotVacant}, {Name: "timeout", Why: NotReported},
	}
	switch {
	case h.From == nil:
		out[0].Why, out[2].Why, out[3].Why = NobodyLed, Unwatched, NobodyLed
	case h.Cause != CauseExpired && h.Cause != CauseUnknown:
		out[0].Why = NotSilent
	}
	if h.To == nil {
		out[1].Why, out[2].Why = NobodyLeads, NobodyLeads
	}
	if h.Timeout > 0 {
		out[3].Took = &h.Timeout
	}
	for i := range out {
		if out[i].Took != nil {
			out[i].Why = ""
		}
	}
	return out
}

// checkHead applies a change of the head. listed reports whether j.known is newer than the old head's deletion.
func (j *Journal) checkHead(at time.Time, changed timeBounds, listed bool) {
	head, old := j.first(), j.head
	if head == old || head != nil && old != nil && head.ID() == old.ID() {
		return
	}
	if head != nil && old != nil && j.lanes.holdsNow(old) && j.lanes.holdsNow(head) { // old and head shared the role
		j.head = head
		j.past.end(at)
		j.past.begin(j.lanes.loggedReign(j.reign(head.SeenAt, timeBounds{})))
		return
	}
	j.events.release(nil, nil) // the head changed, so a held handoff waits no longer
	h := &Handoff{At: at, From: old, To: head, Cause: CauseUnknown, Lock: j.naming.dialect.Locks()}
	gone := old != nil && (j.known[old.Name] == nil || j.known[old.Name].Czxid != old.Czxid)
	if gone {
		j.reported.led(old)
		if i, ok := Position(j.recipe, j.before, old); ok {
			h.Notified = j.recipe.Notified(j.before, i)
		}
		changed = j.reported.deletionTime(old, changed)
	}
	h.Earliest, h.Latest = changed.earliest, changed.latest
	m := j.memberOf(old)
	switch {
	case gone && m != nil:
		h.Cause, h.Silent, h.SilentIn = memberEnd(m, at, changed)
		h.Timeout = m.Timeout
	case gone && listed && j.survivor(old) != nil:
		h.Cause, h.Evidence = CauseDeleted, stillOwns(j.survivor(old).Name)
	case gone:
		h.Cause, h.Evidence = foreignEnd(old, changed, &j.sessions, j.answers, j.at)
	}
	if gone && m == nil {
		if x := j.sessions.Of(old.Session); x == nil {
			h.Unreported = unreported(j.answers)
		} else {
			h.Timeout = x.Timeout()
			least, most, ok := x.Silent(changed.lower(), session.Later(changed.latest, changed.likely), j.sessions.Tick())
			if ok && h.Cause == CauseExpired {
				silent := least + (most-least)/2
				h.Silent, h.SilentIn = &silent, &Span{least, most}
			}
		}
		j.unexplained.add(h, j.sessions.Of, j.expired)
		if h.Cause == CauseExpired {
			j.returned.add(old, at, j.sessions.View())
		}
	}
	if head != nil {
		h.Fence, h.More = head.Czxid, j.recipe.Holders(j.queue)-1
		if old == nil {
			h.Vacant, h.VacantIn = lasted(j.vacantFrom, changed)
		}
		j.vacantFrom = timeBounds{}
	} else {
		j.vacantFrom, j.vacancy = changed, Vacancy{Since: at}
		if changed.known() {
			j.vacancy = Vacancy{changed.likely, VacancyWatched}
		}
	}
	j.past.end(at)
	j.head = head
	if head != nil {
		j.past.begin(j.reign(at, changed))
	}
	j.totals.Handoffs++
	j.past.handoffs = remember(j.past.handoffs, h)

	took, within, waits := j.ack.handoff(head, changed)
	h.Takeover, h.TakeoverIn = took, within
	h.unacked = j.ack.unmeasured(j.naming.dialect.Ack(j.cfg.Path).Child)
	if waits && j.link.Link == Connected {
		j.events.held = append(j.events.held, Event{At: h.At, Body: *h})
	} else {
		j.emit(at, *h)
	}
}

func (j *Journal) firstHead(at time.Time) {
	if j.head = j.first(); j.head == nil {
		j.vacancy = Vacancy{Since: at}
		return
	}
	j.past.begin(j.reign(at, timeBounds{latest: at}))
}

func (j *Journal) reign(at time.Time, changed timeBounds) Reign {
	r := Reign{Leader: j.head, From: at, FromKnown: changed.known(), Earliest: changed.lower(), Latest: session.Later(changed.latest, changed.likely)}
	if r.FromKnown {
		return r
	}
	created := j.head.Ctime
	if created.After(at) { // the servers' clock is ahead
		created = at
	}
	r.Earliest, r.Latest = session.Later(r.Earliest, created), at
	creates, counted := j.parent.Creates()
	last := !changed.latest.IsZero() && j.head.Czxid == j.parent.Pzxid
	if !created.IsZero() && (j.single || last || counted && int32(creates) == j.parent.Children) {
		r.Latest = r.Earliest
	}
	return r
}

func (j *Journal) decide(o Observation, at time.Time) {
	was := j.role
	switch o.(type) {
	case *Follow, *Connection, *DeletionReport, *Pace, *Rules, *Write:
		return // these do not show who leads
	case *Cast, *Advance:
		if j.decideRole(at); j.role == was {
			return
		}
	default:
		j.blocker = j.naming.decisive().Blocker(j.queue, j.rest)
		j.rivals.find(j.naming.decisive(), &j.children, &j.watches, j.cfg.Path, at)
		j.decideRole(at)
	}
	switch {
	case j.role.why != "":
		j.past.retract(at)
	case j.head != nil && j.past.current() == nil:
		changed := timeBounds{}
		if _, acked := o.(*Ack); acked && j.ack.changed.bounded() {
			changed = j.ack.changed
		}
		j.past.begin(j.reign(at, changed))
	}
	j.lanes.hold(session.Later(j.at, at), j.children.firstN(j.role.holders))
	j.lanes.began = j.lanes.began || j.began
}

func memberEnd(m *Member, at time.Time, deletion timeBounds) (cause Cause, silent *time.Duration, within *Span) {
	if m.Fault != NoFault && !m.FaultAt.IsZero() {
		silent, within = lasted(exactly(wallClock(m.FaultAt)), deletion)
	}
	deleted := deletion.likely
	if !deletion.known() {
		deleted = at
	}
	mayExpire := m.Fault != NoFault || m.Belief == Suspended || m.Belief == Lost
	switch {
	case m.Ending == Resigning:
		return CauseResigned, silent, within
	case m.Ending == Closing:
		return CauseClosed, silent, within
	case mayExpire && !m.ExpiresFrom.IsZero() && !deleted.Before(wallClock(m.ExpiresFrom)):
		return CauseExpired, silent, within
	}
	return CauseUnknown, silent, within
}

func (j *Journal) depart(at time.Time, c *dialect.Candidate) {
	if !j.recipe.Contends(c) {
		return
	}
	d := departure{at: session.Later(j.at, at), of: c}
	if m := j.memberOf(c); m != nil {
		d.member = m.ID
		d.cause, _, _ = memberEnd(m, at, j.reported.deletionTime(c, timeBounds{}))
	}
	j.lanes.leave(d)
}

// EndOf returns why c's znode was deleted. It knows the causes only of recent leaders and members' candidates.
func (j *Journal) EndOf(c *dialect.Candidate) Cause {
	for _, h := range slices.Backward(j.past.handoffs) {
		if h.From != nil && h.From.ID() == c.ID() && h.Cause != CauseUnknown { // an overtaken leader gets CauseUnknown
			return h.Cause
		}
	}
	for _, d := range slices.Backward(j.lanes.ours) {
		if d.of.ID() == c.ID() {
			return d.cause
		}
	}
	return CauseUnknown
}

// past has the last handoffs and reigns. States share the elements, which are never written.
type past struct {
	handoffs []*Handoff
	reigns   []Reign
}

func (p *past) takeover(took *time.Duration, within *Span) {
	n := len(p.handoffs) - 1
	h := *p.handoffs[n]
	h.Takeover, h.TakeoverIn = took, within
	p.handoffs = replaced(p.handoffs, n, &h)
}

func (p *past) begin(r Reign) { p.reigns = remember(p.reigns, r) }

func (p *past) current() *Reign {
	if n := len(p.reigns); n > 0 && p.reigns[n-1].To.IsZero() {
		return &p.reigns[n-1]
	}
	return nil
}

func (p *past) end(at time.Time) {
	if r := p.current(); r != nil {
		ended := *r
		ended.To = session.Later(r.From, at)
		p.reigns = replaced(p.reigns, len(p.reigns)-1, ended)
	}
}

func (p *past) retract(at time.Time) {
	r := p.current()
	switch {
	case r == nil:
	case !r.FromKnown || !r.From.Before(at):
		p.reigns = slices.Clone(p.reigns[:len(p.reigns)-1])
	default:
		p.end(at)
	}
}

func (p *past) renew(old, c *dialect.Candidate) {
	if r := p.current(); r != nil && r.Leader == old {
		renewed := *r
		renewed.Leader = c
		p.reigns = replaced(p.reigns, len(p.reigns)-1, renewed)
	}
}

func (p *past) correct(x correction) *Handoff {
	for i, old := range slices.Backward(p.handoffs) {
		if old.From == nil || old.From.ID() != x.from || !old.At.Equal(x.at) {
			continue
		}
		h := *old
		h.Cause, h.Evidence = x.cause, x.evidence
		h.Silent, h.SilentIn = nil, nil // the session did not expire
		p.handoffs = replaced(p.handoffs, i, &h)
		return &h
	}
	return nil
}

// Reign returns the present reign; ok is false if nobody is known to lead.
func (s *State) Reign() (r Reign, ok bool) {
	if p := (&past{reigns: s.Reigns}).current(); p != nil && s.role.why == "" {
		return *p, true
	}
	return r, false
}

// Reign is one contender's time as the leader.
type Reign struct {
	Leader    *dialect.Candidate
	From      time.Time // when electop first saw Leader lead
	FromKnown bool      // whether electop observed the beginning
	// Earliest and Latest bound the beginning.
	Earliest, Latest time.Time
	To               time.Time // zero: present
}

// HistoryMax is the largest number of handoffs of a state, and also of reigns, of deletions and of writes.
const HistoryMax = 500

func remember[T any](history []T, v T) []T { return keep(history, v, HistoryMax) }

// keep never overwrites an element of history.
func keep[T any](history []T, v T, max int) []T {
	if len(history) < max {
		return append(history, v)
	}
	// The capacity 2*max saves copies: the next copy is due after max appends.
	if cap(history)-len(history) > 0 {
		return append(history, v)[1:]
	}
	next := make([]T, 0, 2*max)
	next = append(next, history[1:]...)
	return append(next, v)
}

func replaced[T any](history []T, i int, v T) []T {
	next := make([]T, len(history), len(history)*9/8+1)
	copy(next, history)
	next[i] = v
	return next
}

type totals struct {
	Totals
	at time.Time // Led and Vacant count up to this time; zero before the first read that was not denied
}

func (t *totals) elapse(at time.Time, led, known bool) {
	if t.at.IsZero() || !at.After(t.at) {
		return
	}
	switch {
	case known && led:
		t.Led += at.Sub(t.at)
	case known:
		t.Vacant += at.Sub(t.at)
	}
	t.at = at
}

func (t *totals) miss(creates, deletes int, known bool) (m Missed, ok bool) {
	switch {
	case !known || creates < 0 || deletes < 0:
		t.Unknown++
		return Missed{}, true
	case creates > 0 || deletes > 0:
		t.MissedCreates += creates
		t.MissedDeletes += deletes
		return Missed{creates, deletes, true}, true
	}
	return Missed{}, false
}

// Totals has the counts since the first read that was not denied.
type Totals struct {
	Joined, Left, Handoffs       int
	MissedCreates, MissedDeletes int
	// Unknown counts how often missed changes could not be counted.
	Unknown int
	// Led and Vacant are the total known times with and without a leader.
	Led, Vacant time.Duration
}

// Locks reports whether the role is a lock.
func (j *Journal) Locks() bool { return j.naming.dialect.Locks() }
