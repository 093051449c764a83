package model

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"electop/model/dialect"
	"electop/model/session"
	"electop/model/znode"
)

// Config describes the election of a [Journal].
type Config struct {
	Cluster string // the cluster's name or connect string, "" for none
	Path    string
	Recipe  dialect.Recipe // nil: recognised from the children
	Found   bool           // electop found the path; false: the user named it as an election

	AckPath     string // of the acknowledgement, "" for none
	AckExpected bool   // leaders acknowledge, even if no acknowledgement was seen yet
	AckFollows  bool   // the paths of a recognised dialect replace AckPath
}

// Journal applies observations to an election and returns the events. Only one goroutine at a
// time may use a journal, but see [Journal.Clone].
type Journal struct {
	cfg Config

	began      bool // the first read that was not denied was applied
	parentRead bool // the parent was read, and was not deleted since then
	gap        bool // unwatched changes may have happened since the last read
	single     bool
	last       Changed
	cached     *State

	at       time.Time // the latest time of an observation
	phase    Phase
	parent   znode.Parent
	data     znode.Data     // the parent's own data, if the parent has no children
	readAt   time.Time      // the time of the last successful read
	followed *Follow        // nil: not reported
	pace     *Pace          // nil: not reported
	table    *session.Table // the answers of the last round
	watches  watches
	answers  *session.Table // the last answer of each server to each request

	children
	ending   []*Delta // waiting deletions of one session's znodes: see delta
	endingOf uint64   // the session of ending
	naming   naming
	roster
	list       listTimes
	before     dialect.Queue      // the queue before the last call of readAgain
	head       *dialect.Candidate // see children.first
	leaving    bool               // participants leave a double barrier
	flow       []Flow
	blocker    *dialect.Candidate // see [Blocked]
	rivals     rivals
	role       role
	vacantFrom timeBounds // when the queue became empty; zero: not observed
	vacancy    Vacancy    // since when the queue is known to be empty

	link            connection
	ack             acknowledgement
	directories     map[string]*Directory // by path; never written in place
	notes           map[string]*Ack       // the last reads of Epoch and Last of [dialect.Notes], by path; never written in place
	epoch           *EpochChanged         // as in [State.EpochChange]
	epochReconnects int                   // link.reconnects at the last read of the epoch
	sessions        session.Tracker
	unexplained     unexplained
	expired         expiredCounts
	returned        returned
	reported        deletionReports
	waves           waves
	work            work
	steps           []StepTaken
	exchanges       exchanges
	properties      properties
	lanes           laneLog

	past   past
	totals totals
	events eventQueue
}

// NewJournal returns an empty journal.
func NewJournal(cfg Config) *Journal {
	naming := naming{given: cfg.Recipe, named: !cfg.Found}
	j := &Journal{
		cfg:      cfg,
		naming:   naming,
		children: children{recipe: naming.recipe(), known: make(map[string]*dialect.Candidate)},
		roster:   roster{members: make(map[string]*Member), owners: make(map[uint64]*Member), former: make(map[uint64]int)},
		link:     connection{Connection: Connection{Link: Connecting}},
		ack:      newAcknowledgement(nonEmpty(cfg.AckPath), false, cfg.AckExpected),
		phase:    Unseen,

		directories: make(map[string]*Directory), notes: make(map[string]*Ack),
	}
	j.decideRole(time.Time{})
	return j
}

// Apply applies one observation and returns the events that are due, sorted by [Event.N]. The times
// of observations may go back.
func (j *Journal) Apply(o Observation) []Event {
	at := wallClock(o.When())
	j.events.due = nil
	j.last = Changed{}
	switch o.(type) {
	case *Ack, *Directory, *session.Table, *Follow, *Pace, *Advance:
	default: // a held snapshot must not show the changes of this observation
		j.deliver()
	}
	if r, ok := o.(*Read); ok && r.Gap {
		j.gap = true
	}
	known := j.Current() && !j.role.why.Unknown()
	j.totals.elapse(at, j.role.why == "", known)
	j.properties.elapse(at, known)
	switch o := o.(type) {
	case *Read:
		j.read(o)
		j.forget(&j.children)
	case *Delta:
		j.delta(o)
		j.forget(&j.children)
	case *Follow:
		j.followed = o
	case *Refresh:
		j.refresh(o)
	case *Ack:
		if n := j.naming.dialect.Notes(j.cfg.Path); o.Path != "" && (o.Path == n.Epoch || o.Path == n.Last) {
			j.applyNote(o, o.Path == n.Epoch)
		} else {
			j.applyAck(o)
		}
	case *Directory:
		j.applyDirectory(o)
	case *Connection:
		j.applyConnection(o)
	case *Cast:
		old := j.applyCast(o)
		j.waves.step(&o.Member)
		j.steps = appendNewStep(j.steps, o, old)
		j.exchanges.applyCast(o, old)
		j.properties.believe(o, old)
		j.lanes.report(session.Later(j.at, at), o, old)
	case *Switch:
		j.preset(o.Dialect)
		if r, ok := dialect.RecipeNamed(o.Recipe); ok {
			j.naming.change(r)
			j.children.recipe = j.naming.recipe()
			j.children.sort(j.children.all())
			j.checkHead(at, timeBounds{}, false)
		}
	case *session.Table:
		j.applyTable(o)
	case *DeletionReport:
		first := j.reported.add(&j.children, o)
		j.waves.report(o, first, j.queue)
	case *Pace:
		j.pace = o
		j.exchanges.add(o, &j.roster)
	case *Rules:
		j.work.Rules = *o
	case *Write:
		j.work.add(o, j.reported.stale(&j.children, o))
	}
	j.decide(o, at)
	if j.began {
		j.lanes.observed(session.Later(j.at, at), j.Current())
	}
	j.properties.update(j.role.why == "" && j.head != nil && j.memberOf(j.head) == nil, j.Current() && !j.role.why.Unknown())
	j.properties.Contested = len(j.rivals.contested)
	j.at = session.Later(j.at, at)
	j.cached = nil
	if !j.ack.unread() || j.events.timedOut(at) {
		j.deliver()
	}
	if j.events.timedOut(at) {
		j.events.release(nil, nil)
	}
	return j.events.due
}

// Held returns the time until which events wait for an acknowledgement; ok is false for none.
func (j *Journal) Held() (until time.Time, ok bool) {
	if j.events.waiting() == nil {
		return time.Time{}, false
	}
	return j.events.held[0].At.Add(AckWait), true
}

// Add adds an event after all others.
func (j *Journal) Add(body EventBody) { j.events.add(j.at, body) }

// Due returns the events that became due at or after the last observation, including those of [Journal.Add].
func (j *Journal) Due() []Event { return j.events.due }

// Events counts all events so far, including those that wait.
func (j *Journal) Events() uint64 { return j.events.n + uint64(len(j.events.held)) }

// At returns the latest time of an observation so far.
func (j *Journal) At() time.Time { return j.at }

// Changed has the changes of an observation, even if their events still wait.
type Changed struct {
	Left       []*dialect.Candidate // contenders that left
	ParentGone bool                 // the parent was deleted, with all its children
}

// Changed returns the changes of the last observation.
func (j *Journal) Changed() Changed { return j.last }

// Sessions returns what the servers report about sessions. The next observation may change the result.
func (j *Journal) Sessions() *session.Tracker { return &j.sessions }

// State returns the present state of the election.
func (j *Journal) State() *State {
	if j.cached != nil {
		return j.cached
	}
	s := &State{
		Path: j.cfg.Path, Recipe: j.recipe, Dialect: j.naming.dialect,
		At: j.at, ReadAt: j.readAt,
		Phase: j.phase, Parent: j.parent, ParentRead: j.parentRead, Single: j.single,
		Link: j.link.Connection, Reconnects: j.link.reconnects, DownSince: j.link.downSince,
		Queue: j.queue, Ignored: j.rest, Leaving: j.leaving, Flows: j.flow, Unsettled: len(j.ending) > 0,
		Ack: j.ack.AckState, AckPaths: j.ack.paths, AckExpected: j.ack.expected, acks: j.ack.all,
		Directories: j.directories, notes: j.notes, EpochChange: j.epoch, vacancy: j.vacancy, Follow: j.followed,
		Table: j.table, Answers: j.answers, Tracked: j.sessions.View(), unexplained: slices.Sorted(maps.Keys(j.unexplained)),
		Steps: j.steps, Exchanges: j.exchanges.last, Deletions: j.reported.last, Pace: j.pace, Work: j.work.Work, Properties: j.properties.Properties,
		Handoffs: j.past.handoffs, Reigns: j.past.reigns, Returned: j.returned, Totals: j.totals.Totals,
		lanes: j.lanes, role: j.role, Rivals: j.rivals.now, crowded: j.crowded(), watchers: j.watches.first,
		Waves: j.waves.last, notified: j.waves.times,
	}
	j.waves.shared = true
	s.Members, s.bySession = j.roster.view()
	if s.Phase == Live && j.parentRead {
		s.NextSequence, s.NextSequenceKnown = s.Parent.Creates()
	}
	j.cached = s
	return s
}

func (j *Journal) emit(at time.Time, body EventBody) {
	if j.began {
		j.events.add(at, body)
	}
}

func (j *Journal) applyConnection(c *Connection) {
	lost, news := j.link.change(c)
	if lost {
		j.sessions.ConnectionLost(wallClock(c.At))
		j.gap = j.gap || j.began
		j.ack.connectionLost()
		j.expired = nil // the server may restart, and then counts from 0 again
		for id, end := range j.unexplained {
			end.expired = nil
			j.unexplained[id] = end
		}
	}
	if news != nil {
		j.events.release(nil, nil)
		j.emit(wallClock(c.At), news)
	}
}

func (j *Journal) applyAck(o *Ack) {
	if end, ok := j.unexplained[o.Session]; ok && o.Presence == Present && wallClock(o.Sent).After(end.at) {
		j.proveAlive(o.Session, cmp.Or(o.Path, j.ack.Path), end.from.Czxid+1, wallClock(o.At))
	}
	took, within, ok := j.ack.read(o, j.head, j.gap)
	if !ok {
		return
	}
	j.past.takeover(took, within)
	if _, ok := j.events.waiting().(Handoff); ok {
		j.events.release(took, within)
	} else {
		j.emit(wallClock(o.At), Acknowledged{j.past.handoffs[len(j.past.handoffs)-1]})
	}
}

func (j *Journal) snapshot(at time.Time) {
	j.gap = false
	j.cached = nil
	j.at = session.Later(j.at, at)
	j.blocker = j.naming.decisive().Blocker(j.queue, j.rest)
	j.rivals.find(j.naming.decisive(), &j.children, &j.watches, j.cfg.Path, time.Time{})
	j.decideRole(at)
	if j.head != nil && !j.cfg.AckExpected && len(j.events.held) == 0 && j.ack.unread() {
		j.events.held = append(j.events.held, Event{At: at, Body: Snapshot{}}) // the acknowledgement may show who leads
		return
	}
	s := j.State()
	j.cached = nil
	j.emit(at, Snapshot{s})
}

func (j *Journal) deliver() {
	if j.events.waiting() == EventBody(Snapshot{}) {
		j.events.held[0].Body = Snapshot{j.State()}
		j.cached = nil
		j.events.release(nil, nil)
	}
}

type connection struct {
	Connection
	reconnects int
	downSince  time.Time   // zero while connected, and before the first connection
	last       LinkChanged // the last event
}

// change applies o. lost is true also if another session replaced the former session.
func (c *connection) change(o *Connection) (lost bool, news EventBody) {
	old := c.Connection
	c.Connection = *o
	other := o.Link == Connected && old.Link == Connected && old.Session != 0 && o.Session != old.Session
	switch {
	case other:
		lost = true
		c.reconnects++
	case old.Link == Connected && o.Link != Connected:
		lost = true
		c.downSince = wallClock(o.At)
	case old.Link != Connected && o.Link == Connected:
		if !c.downSince.IsZero() {
			c.reconnects++
		}
		c.downSince = time.Time{}
	}
	now := LinkChanged{o.Link, o.Server, o.Session}
	again := o.Link != Connected && o.Link == c.last.Link && o.Session == c.last.Session
	if now == c.last || again || o.Link == Connecting && c.last.Link != Connected {
		return lost, nil
	}
	c.last = now
	return lost, now
}

// Clone returns an independent journal; several goroutines may clone the same journal.
func (j *Journal) Clone() *Journal {
	c := *j
	c.known = maps.Clone(j.known)
	c.members = maps.Clone(j.members)
	c.ending = slices.Clip(j.ending)
	c.owners, c.former = maps.Clone(j.owners), maps.Clone(j.former)
	c.past = past{slices.Clip(j.past.handoffs), slices.Clip(j.past.reigns)}
	c.events = eventQueue{n: j.events.n, held: slices.Clone(j.events.held)}
	c.rivals.waiters, c.rivals.contested = slices.Clone(j.rivals.waiters), slices.Clone(j.rivals.contested)
	c.lanes = j.lanes.clip()
	c.flow = slices.Clip(j.flow)
	c.reported.last, c.reported.deletions.last = slices.Clip(j.reported.last), slices.Clip(j.reported.deletions.last)
	c.steps, c.work.Last = slices.Clip(j.steps), slices.Clip(j.work.Last)
	c.waves = j.waves.clone()
	c.exchanges = exchanges{slices.Clip(j.exchanges.last), slices.Clip(j.exchanges.lost), j.exchanges.fast}
	c.properties.Believers = slices.Clip(j.properties.Believers)
	c.unexplained = maps.Clone(j.unexplained)
	c.cached, c.last = nil, Changed{}
	c.owned = nil // the method index computes it again
	return &c
}

// News reports whether time travel can stop at o even if o makes no event. Call News before Apply.
func (j *Journal) News(o Observation) bool {
	switch o := o.(type) {
	case *Cast:
		old := j.members[o.Member.ID]
		if old == nil || o.Gone {
			return old != nil || !o.Gone
		}
		m := &o.Member
		return m.Step != old.Step || !m.StepOn.Equal(old.StepOn) || !m.StepAt.Equal(old.StepAt) || m.Belief != old.Belief || m.Znode != old.Znode ||
			m.Fault != old.Fault || m.Ending != old.Ending ||
			m.NoGuid != old.NoGuid || m.LosesReply != old.LosesReply || m.SlowLead != old.SlowLead
	case *DeletionReport:
		return !slices.ContainsFunc(j.reported.last, func(w *ReportedDeletion) bool { return w.Zxid == o.Zxid && w.Znode == o.Znode })
	case *Pace: // a held message is news when it leaves
		return len(o.Passed) > 0
	case *Switch, *Rules, *Write:
		return true
	}
	return false
}

// Memory estimates the bytes of a clone that the clone does not share with the journal.
func (j *Journal) Memory() int {
	const (
		own, entry, reaction = 4096, 48, 24
		reign, shared        = 160, 40 // shared: an element that is mostly shared
	)
	n := own + entry*(len(j.known)+len(j.members)+len(j.owners)+len(j.waves.times)) + j.sessions.Memory()
	for _, x := range j.waves.last {
		n += reaction * (len(x.Reactions) + 2*len(x.Counts))
	}
	return n + reign*len(j.past.reigns) + shared*(len(j.lanes.holds)+len(j.past.handoffs)+len(j.reported.last))
}

// Size counts the children and the members.
func (j *Journal) Size() int { return j.queue.Len() + len(j.rest) + len(j.members) }
