package model

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"electop/model/dialect"
)

// Belief says what a candidate of ours believes about itself. The znodes may show
// something else: a frozen leader still believes it leads.
type Belief string

const (
	Volunteering Belief = "volunteering"
	Waiting      Belief = "waiting"   // behind a predecessor
	Elected      Belief = "elected"   // lowest, leader procedure or acknowledgement not done
	Leading      Belief = "leading"   // leader procedure done (and acknowledged, where there is an acknowledgement)
	Suspended    Belief = "suspended" // connection or lease lost: neither leads nor knows
	Resigned     Belief = "resigned"
	Lost         Belief = "lost" // session or znode gone: this candidacy is over
)

// Fault is a fault that was injected into a member.
type Fault string

const (
	NoFault Fault = ""
	Killed  Fault = "killed" // connection cut, no goodbye
	Frozen  Fault = "frozen" // a long pause: nothing read, written or decided
	// Partitioned: nothing passes between it and the servers, but it runs, and
	// stops leading by itself before its session can expire.
	Partitioned Fault = "partitioned"
)

// Ending is how a member is about to leave on purpose.
type Ending string

const (
	NoEnding  Ending = ""
	Resigning Ending = "resigning" // closes its session, as it was asked to
	Closing   Ending = "closing"   // closes its session, for another reason
)

// Member is one of this process's own candidates, by identity and not by
// znode: it may have none, as a frozen leader whose session expired.
type Member struct {
	ID      string `json:"id"`            // unique in the process
	Name    string `json:"name"`          // its znode's data
	You     bool   `json:"you,omitempty"` // this program's own candidacy, not one of the demo's cast
	Recipe  string `json:"recipe"`        // name of the recipe it follows
	Belief  Belief `json:"belief"`
	Session uint64 `json:"session,omitempty"`
	Znode   string `json:"znode,omitempty"`   // name within the election, once known
	Watches string `json:"watches,omitempty"` // name of the znode it watches
	Fence   int64  `json:"fence,omitempty"`   // czxid of its znode while it leads: its fencing token

	Step   Step      `json:"step,omitempty"`
	StepAt time.Time `json:"step_at,omitzero"`
	StepOn StepOn    `json:"step_on,omitzero"` // what the step works on
	// Reason is why its candidacy is over, if Belief is Lost. It is safe to show.
	Reason string `json:"reason,omitempty"`

	Ending  Ending    `json:"ending,omitempty"`
	Fault   Fault     `json:"fault,omitempty"`
	FaultAt time.Time `json:"fault_at,omitzero"`
	// The mistakes that it was ordered to make: it gives its next znode no guid,
	// the reply to its next create is lost, its leader procedure does not end.
	NoGuid     bool `json:"no_guid,omitempty"`
	LosesReply bool `json:"loses_reply,omitempty"`
	SlowLead   bool `json:"slow_lead,omitempty"`
	// Obstacle keeps it from going on, if that is not just its place
	// in the queue; "" for nothing. It is safe to show.
	Obstacle string `json:"obstacle,omitempty"`
	// LeaseEnd is until when the ensemble has proved that it keeps the session, of
	// a member that leads or is about to; zero if it has no lease.
	LeaseEnd time.Time `json:"lease,omitzero"`
	// ExpiresFrom is the earliest moment at which servers that hear each other
	// can expire the session: when the last answered request or ping was sent,
	// plus Timeout.
	ExpiresFrom time.Time     `json:"lease_end,omitzero"`
	Timeout     time.Duration `json:"timeout,omitempty"` // negotiated, ns
}

// roster has our members by ID, and who owns or owned each session.
type roster struct {
	members map[string]*Member
	// owners are the members that reported each session last. One that is gone, or has
	// another session now, is kept while its old session's znode may exist, to explain the
	// end of that: the znode of a killed one exists until its session expires.
	owners map[uint64]*Member
	former map[uint64]int // sessions of such members: how many reads there were since
	shown  *rosterView    // as they are now; nil: to be made
}

// rosterView has what states show of a roster, so it is never written.
type rosterView struct {
	members   []*Member // by ID
	bySession map[uint64]*Member
}

// take applies what a member says, and returns what it said before, nil for nothing.
func (r *roster) take(c *Cast) (old *Member) {
	r.shown = nil
	m, old := c.Member, r.members[c.Member.ID]
	if c.Gone {
		delete(r.members, m.ID)
	} else {
		r.members[m.ID] = &m
	}
	switch {
	case old != nil && old.Session != 0 && (c.Gone || m.Session != old.Session):
		last := old
		if m.Session == old.Session {
			last = &m
		}
		r.depart(old.Session, last, old.Znode != "")
	case old == nil && c.Gone:
		if _, departed := r.former[m.Session]; departed { // more is known of its end
			r.depart(m.Session, &m, true)
		}
	}
	if o := r.owners[m.Session]; !c.Gone && m.Session != 0 && (o == nil || m.ID <= o.ID || r.members[o.ID] != o) {
		r.owners[m.Session] = &m
		delete(r.former, m.Session)
	}
	return old
}

// depart notes that a member has the session no more. Another one may have it, in a
// recording; last is kept if it had a znode.
func (r *roster) depart(session uint64, last *Member, znode bool) {
	delete(r.owners, session)
	delete(r.former, session)
	for _, x := range r.members {
		if o := r.owners[session]; x.Session == session && (o == nil || x.ID < o.ID) {
			r.owners[session] = x
		}
	}
	if r.owners[session] == nil && znode {
		r.owners[session], r.former[session] = last, 0
	}
}

// memberOf returns our own member that owns or owned c, nil for none.
func (r *roster) memberOf(c *dialect.Candidate) *Member {
	if c == nil {
		return nil
	}
	return r.owners[c.Session]
}

// view returns the members as states show them.
func (r *roster) view() *rosterView {
	if r.shown == nil {
		members := slices.SortedFunc(maps.Values(r.members), func(a, b *Member) int { return cmp.Compare(a.ID, b.ID) })
		r.shown = &rosterView{members, maps.Clone(r.owners)}
	}
	return r.shown
}

// forget drops the former members whose znodes are gone. One whose znode was not
// seen yet gets two reads, as its create may be on the way.
func (r *roster) forget(cs *children) {
	for session, reads := range r.former {
		if r.former[session] = reads + 1; reads >= 2 && !cs.owns(session) {
			delete(r.former, session)
			delete(r.owners, session)
			r.shown = nil
		}
	}
}

// Step is a line of the recipe as the screen shows it, with the number
// of the recipe panel; 0 is none.
type Step int

const (
	StepNone        Step = iota
	StepCreate           // 1 create guid-n_, SEQUENCE|EPHEMERAL
	StepList             // 2 C := getChildren, i := my number
	StepWatch            // 3 watch n_j, the largest j < i in C
	StepListAgain        // 4 the watched znode was deleted: C := getChildren
	StepLowest           // 5 mine is the smallest: I lead
	StepWatchAgain       // 6 otherwise watch the new n_j
	StepLead             // 7 run the leader procedure
	StepAcknowledge      // 8 create the acknowledgement
)

// StepOn has what a step works on, as values; words are made where they are shown.
// What does not belong to the step is zero.
type StepOn struct {
	// Name is the znode: of a create its name without the sequence and with less
	// of the guid, of a watch the watched child, of an acknowledgement that znode.
	Name string `json:"name,omitempty"`
	// Found says that the reply to the create was lost, and the znode found by its
	// name.
	Found bool `json:"found,omitempty"`
	// Children are the first of the list C, at most [ListedMax], in the order of
	// their numbers; More is how many more there were.
	Children []string `json:"children,omitempty"`
	More     int      `json:"more,omitempty"`
}

// ListedMax is how many children a step names.
const ListedMax = 8

// Equal reports whether nothing differs.
func (o StepOn) Equal(x StepOn) bool {
	return o.Name == x.Name && o.Found == x.Found && o.More == x.More && slices.Equal(o.Children, x.Children)
}

// IsZero reports whether nothing is known of what the step works on.
func (o StepOn) IsZero() bool { return o.Equal(StepOn{}) }

// StepTaken is a step of the recipe that one of our members took.
type StepTaken struct {
	N      uint64 // counts all steps up from 1
	At     time.Time
	Member string // [Member.ID]
	Name   string
	Step   Step
	On     StepOn // what it worked on
}

// StepsMax is how many steps a state remembers.
const StepsMax = 256

// stepped adds the step that a member reports. A report repeats the last step with
// any other change; old is the report before, nil for none.
func stepped(steps []StepTaken, o *Cast, old *Member) []StepTaken {
	m := &o.Member
	if m.Step == StepNone || old != nil && m.Step == old.Step && m.StepOn.Equal(old.StepOn) && m.StepAt.Equal(old.StepAt) {
		return steps
	}
	at := wall(m.StepAt)
	if m.StepAt.IsZero() {
		at = wall(o.At)
	}
	n := uint64(1)
	if len(steps) > 0 {
		n = steps[len(steps)-1].N + 1
	}
	return keep(steps, StepTaken{n, at, m.ID, m.Name, m.Step, m.StepOn}, StepsMax)
}
