package model

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"electop/model/dialect"
	"electop/model/session"
)

// Config says what election a [Journal] is about.
type Config struct {
	Path   string
	Recipe dialect.Recipe // nil: recognised from the names of the children
	// AckPath is the acknowledgement znode; "": there is none.
	AckPath string
	// AckExpected says that leaders here do acknowledge (our own candidates
	// do). Otherwise that is believed once one was seen.
	AckExpected bool
	// AckFollows says that AckPath is that of electop's own elections, and
	// another one's where the election is recognised as somebody else's.
	AckFollows bool
	// Events is how many events there were before: the numbers of those to come
	// go on from there. Baseline is how many of the observations, the first,
	// only bring the journal there (see [State.Baseline]) and are no events.
	// Standing are the findings that there were then, by key: they are not told
	// again.
	Events   uint64
	Baseline int
	Standing []string
}

// AckWait is how long the event of a handoff waits for the acknowledgement,
// so that it can tell the takeover. Later events wait behind it.
const AckWait = time.Second

// heldMax bounds the events that wait behind a handoff, for clocks that stand.
const heldMax = 4096

// Journal applies observations to an election and tells what happened. It is
// for one goroutine.
type Journal struct {
	cfg    Config // its AckPath is the present one
	ownAck string // that of electop's own election here
	// switched is the recipe of the last Switch, nil for none that counts.
	switched dialect.Recipe
	n        uint64
	baseline int  // observations to come that are no events
	named    bool // whose election it is was told before the first read
	children

	began  bool // the first read was applied: changes are events from here on
	under  bool // state.Parent is a parent that was read and not seen to go
	gap    bool // unwatched changes may have happened since the last read
	single bool // the election is a single znode
	roster
	said   LinkChanged // the last one
	state  State       // what is not in the fields above
	cached *State

	head       *dialect.Candidate
	vacantFrom timeBounds // when the queue was seen to empty
	listSent   time.Time  // when the last list was asked for; zero: not known
	listAt     time.Time  // when it came
	accounted  time.Time  // up to when Led and Vacant are summed
	ackSeen    bool
	ackFrom    timeBounds // since when the last handoff waits for its ack; not known: it does not
	acked      timeBounds // when the acknowledgement became as it is
	ackSent    time.Time  // when it was asked for last; zero: not known, or in a gap
	pending    *pendingHandoff
	held       []Event
	out        []Event

	sessions session.Tracker
	// unexplained are leaders whose end later tables may explain, by session.
	unexplained map[uint64]*gone
	last        Changed // by the last observation

	wakes  wakes
	work   work
	steps  []StepTaken
	tenure tenure
}

// NewJournal returns a journal to which nothing was applied yet.
func NewJournal(cfg Config) *Journal {
	recipe := cfg.Recipe
	if recipe == nil {
		recipe = dialect.Election()
	}
	return &Journal{
		cfg:      cfg,
		ownAck:   cfg.AckPath,
		children: children{recipe: recipe, known: make(map[string]*dialect.Candidate)},
		n:        cfg.Events,
		baseline: cfg.Baseline,
		roster:   roster{members: make(map[string]*Member), former: make(map[uint64]*formerMember)},
		state: State{
			Path: cfg.Path, Recipe: recipe, Phase: Unseen,
			Link: Connection{Link: Connecting},
			Ack:  AckState{Path: cfg.AckPath, Presence: Absent},
		},
	}
}

// Apply applies one observation and returns the events that are due, oldest
// first. Observations come in the order of their making; their times may lie.
func (j *Journal) Apply(o Observation) []Event {
	at := wall(o.When())
	j.out = nil
	j.last = Changed{}
	if r, ok := o.(*Read); ok && r.Gap {
		j.gap = true
	}
	j.account(at)
	j.tenure.elapse(at, j.Current())
	switch o := o.(type) {
	case *Read:
		j.read(o)
		j.forget(j.queue)
	case *Refresh:
		j.refresh(o)
	case *Ack:
		j.ack(o)
	case *Connection:
		j.connection(o)
	case *Cast:
		old := j.take(o)
		j.steps = stepped(j.steps, o, old)
		j.tenure.believe(o, old, j.head)
	case *Switch:
		j.preset(o.Dialect)
		if r, ok := dialect.RecipeNamed(o.Recipe); ok {
			j.change(r)
			j.checkHead(at, timeBounds{})
		}
	case *session.Table:
		j.table(o)
	case *Wake:
		j.wakes.add(&j.children, o)
	case *Pace:
		j.state.Pace = o
	case *Rules:
		j.work.Rules = *o
	case *Write:
		j.work.add(o, j.wakes.stale(&j.children, o))
	case *Advance:
	}
	j.tenure.tend(j.head, func(c *dialect.Candidate) bool { return j.memberOf(c) != nil }, j.Current())
	j.settle(at)
	j.state.At = session.Later(j.state.At, at)
	j.cached = nil
	if j.baseline > 0 {
		j.endBaseline()
	}
	return j.out
}

// Held returns until when events are held back for an acknowledgement, if any
// are.
func (j *Journal) Held() (time.Time, bool) {
	if j.pending == nil {
		return time.Time{}, false
	}
	return j.pending.since.Add(AckWait), true
}

// At is the time of the last observation applied, and never goes back.
func (j *Journal) At() time.Time { return j.state.At }

// Changed is what an observation changed and no event says yet: events wait for
// an acknowledgement.
type Changed struct {
	Left       []*dialect.Candidate // contenders that went
	ParentGone bool                 // the parent was deleted, and all under it
}

// Changed returns what the last observation changed.
func (j *Journal) Changed() Changed { return j.last }

// Sessions returns what the servers say of sessions. It changes with the next
// observation.
func (j *Journal) Sessions() *session.Tracker { return &j.sessions }

// State returns the election as it stands.
func (j *Journal) State() *State {
	if j.cached != nil {
		return j.cached
	}
	s := j.state
	s.Wakes, s.Properties, s.Work, s.Steps = j.wakes.last, j.tenure.Properties, j.work.Work, j.steps
	s.Queue = slices.Clone(j.queue)
	s.Ignored = slices.Clone(j.rest)
	s.Members = make([]*Member, 0, len(j.members))
	s.bySession = make(map[uint64]*Member, len(j.members)+len(j.former))
	for _, m := range j.members {
		s.Members = append(s.Members, m)
	}
	slices.SortFunc(s.Members, func(a, b *Member) int { return cmp.Compare(a.ID, b.ID) })
	for _, m := range s.Members {
		if m.Session != 0 && s.bySession[m.Session] == nil {
			s.bySession[m.Session] = m
		}
	}
	for session, d := range j.former {
		if s.bySession[session] == nil {
			s.bySession[session] = d.member
		}
	}
	s.ParentRead, s.Single, s.AckExpected = j.under, j.single, j.cfg.AckExpected || j.ackSeen
	s.listSent, s.ackSent = j.listSent, j.ackSent
	s.Tracked, s.unexplained = j.sessions.View(), slices.Sorted(maps.Keys(j.unexplained))
	s.NextSequence, s.NextSequenceKnown = 0, false
	if s.Phase == Live && j.under {
		s.NextSequence, s.NextSequenceKnown = s.Parent.Creates()
	}
	j.cached = &s
	return j.cached
}

// emit queues an event; behind a handoff that waits for its acknowledgement
// everything waits, so that events stay in order.
func (j *Journal) emit(at time.Time, body EventBody) {
	if !j.began {
		return
	}
	if len(j.held) >= heldMax {
		j.resolve(nil, nil)
	}
	if j.pending != nil {
		j.held = append(j.held, Event{At: at, Body: body})
		return
	}
	j.n++
	j.out = append(j.out, Event{N: j.n, At: at, Body: body})
}

func (j *Journal) connection(c *Connection) {
	old := j.state.Link
	j.state.Link = *c
	other := c.Link == Connected && old.Link == Connected && old.Session != 0 && c.Session != old.Session
	switch {
	case old.Link == Connected && (c.Link != Connected || other):
		j.sessions.ConnectionLost(wall(c.At))
		j.gap = j.gap || j.began
		j.ackFrom = timeBounds{} // an acknowledgement seen later may be old by then
		if other {
			j.state.Reconnects++
		} else {
			j.state.DownSince = wall(c.At)
		}
	case old.Link != Connected && c.Link == Connected:
		if !j.state.DownSince.IsZero() {
			j.state.Reconnects++
		}
		j.state.DownSince = time.Time{}
	}
	say := LinkChanged{c.Link, c.Server, c.Session}
	// Attempts to connect are news only where the connection was good before.
	// So is, without one, which server is tried next.
	again := c.Link != Connected && c.Link == j.said.Link && c.Session == j.said.Session
	if say == j.said || again || c.Link == Connecting && j.said.Link != Connected {
		return
	}
	j.said = say
	j.resolve(nil, nil)
	j.emit(wall(c.At), say)
}

func (j *Journal) snapshot(at time.Time) {
	j.gap = false
	j.cached = nil
	j.state.At = session.Later(j.state.At, at)
	s := j.State()
	j.cached = nil
	j.emit(at, Snapshot{s})
}
