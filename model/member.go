package model

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"electop/model/dialect"
	"electop/model/znode"
)

// Belief is what a member believes about itself. A frozen leader still believes that it leads.
type Belief string

const (
	Volunteering Belief = "volunteering"
	Waiting      Belief = "waiting"   // behind a predecessor
	Elected      Belief = "elected"   // its turn has come; leader procedure, acknowledgement or lease is missing
	Leading      Belief = "leading"   // the leader procedure and the acknowledgement are done
	Suspended    Belief = "suspended" // the connection or the lease was lost, or the leader is stopping
	Active       Belief = "active"    // takes part in a recipe without a leader, and waits for nothing
	Resigned     Belief = "resigned"
	Lost         Belief = "lost" // this candidacy is over, without a resignation: see Reason
)

// Fault is a fault that was injected into a member.
type Fault string

const (
	NoFault     Fault = ""
	Killed      Fault = "killed"      // the connection is cut without closing the session
	Frozen      Fault = "frozen"      // a long pause, such as garbage collection
	Partitioned Fault = "partitioned" // nothing passes between the member and the servers
)

// Ending is why a member closes its session, if it does.
type Ending string

const (
	NoEnding  Ending = ""
	Resigning Ending = "resigning" // a resignation
	Closing   Ending = "closing"   // another reason, for example a failed leader procedure
)

// Member is one of electop's own candidates, with or without a znode.
type Member struct {
	ID      string `json:"id"`            // unique among the present members
	Name    string `json:"name"`          // the data of the member's znode
	You     bool   `json:"you,omitempty"` // the user's own candidacy, not one of the demo's cast
	Recipe  string `json:"recipe"`        // name of the recipe
	Belief  Belief `json:"belief"`
	Session uint64 `json:"session,omitempty"`
	Znode   string `json:"znode,omitempty"`   // name within the election, once known
	Watches string `json:"watches,omitempty"` // name of the watched znode
	Fence   int64  `json:"fence,omitempty"`   // fencing token (czxid of Znode); 0 before the leader procedure

	Step   Step      `json:"step,omitempty"`
	StepAt time.Time `json:"step_at,omitzero"`
	StepOn StepOn    `json:"step_on,omitzero"`
	// Reason is why the candidacy ended, if Belief is Lost; safe for a terminal.
	Reason string `json:"reason,omitempty"`

	Ending  Ending    `json:"ending,omitempty"`
	Fault   Fault     `json:"fault,omitempty"`
	FaultAt time.Time `json:"fault_at,omitzero"`
	// NoGuid, LosesReply and SlowLead are more injected faults: later znodes have no guid, the next
	// create reply is lost, the leader procedure does not end.
	NoGuid     bool `json:"no_guid,omitempty"`
	LosesReply bool `json:"loses_reply,omitempty"`
	SlowLead   bool `json:"slow_lead,omitempty"`
	// Obstacle is why the member cannot lead, except for its place in the queue; "" for none. Safe for a terminal.
	Obstacle string `json:"obstacle,omitempty"`
	// LeaseEnd is the last reported end of a leader's lease, zero for none.
	// The JSON names of LeaseEnd and ExpiresFrom come from older recordings.
	LeaseEnd time.Time `json:"lease,omitzero"`
	// ExpiresFrom is the earliest time at which an expiry is assumed, normally Timeout after the member
	// sent the last answered request or ping; zero: no session yet.
	ExpiresFrom time.Time     `json:"lease_end,omitzero"`
	Timeout     time.Duration `json:"timeout,omitempty"` // negotiated, ns
}

type roster struct {
	members map[string]*Member
	// owners maps a session to its member. A former member explains the deletion of its znode.
	owners map[uint64]*Member
	former map[uint64]int // counts the reads and deltas since a member departed; the key is the member's session
	// States share sorted and bySession, so nothing changes them.
	sorted    []*Member // by ID
	bySession map[uint64]*Member
}

func (r *roster) applyCast(c *Cast) (old *Member) {
	r.bySession = nil
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
		if _, departed := r.former[m.Session]; departed { // a report after the departure
			r.depart(m.Session, &m, true)
		}
	}
	if o := r.owners[m.Session]; !c.Gone && m.Session != 0 && (o == nil || m.ID <= o.ID || r.members[o.ID] != o) {
		r.owners[m.Session] = &m
		delete(r.former, m.Session)
	}
	return old
}

// depart keeps last for a znode that may still exist: last explains the znode's deletion.
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

// omitsGuid reports whether z's name lacks a guid on request. Such a name does not show another system.
func (r *roster) omitsGuid(z znode.Znode) bool {
	m := r.owners[z.Session]
	return m != nil && m.NoGuid && dialect.Stem(z.Name) == "n_"
}

func (r *roster) memberOf(c *dialect.Candidate) *Member {
	if c == nil {
		return nil
	}
	return r.owners[c.Session]
}

func (r *roster) view() (members []*Member, bySession map[uint64]*Member) {
	if r.bySession == nil {
		r.sorted = slices.SortedFunc(maps.Values(r.members), func(a, b *Member) int { return cmp.Compare(a.ID, b.ID) })
		r.bySession = maps.Clone(r.owners)
	}
	return r.sorted, r.bySession
}

// forget waits for three reads or deltas, because a create may still be pending.
func (r *roster) forget(cs *children) {
	for session, reads := range r.former {
		if r.former[session] = reads + 1; reads >= 2 && !cs.owns(session) {
			delete(r.former, session)
			delete(r.owners, session)
			r.bySession = nil
		}
	}
}

// Step is a line of the recipe panel, by its number; 0 is none. The constants are the lines of an election.
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

// StepOn has the objects of a step. Fields that do not belong to the step are zero.
type StepOn struct {
	// Name is the created, watched or read znode, or the acknowledgement. If a candidate creates its znode,
	// Name lacks the sequence number and most of the guid.
	Name string `json:"name,omitempty"`
	// Found reports whether the create reply was lost, and the member found its znode by name.
	Found bool `json:"found,omitempty"`
	// Children are the lowest children of list C, at most [ListedMax]. More counts the others.
	Children []string `json:"children,omitempty"`
	More     int      `json:"more,omitempty"`
}

// Equal reports whether two values are equal.
func (o StepOn) Equal(x StepOn) bool {
	return o.Name == x.Name && o.Found == x.Found && o.More == x.More && slices.Equal(o.Children, x.Children)
}

// IsZero reports whether the step has no objects.
func (o StepOn) IsZero() bool { return o.Equal(StepOn{}) }

// StepTaken is a step of the recipe that a member took.
type StepTaken struct {
	N      uint64 // numbers the steps of all members, from 1
	At     time.Time
	Member string // [Member.ID]
	Name   string // [Member.Name]
	Step   Step
	On     StepOn
}

const (
	ListedMax = 8   // bounds [StepOn.Children]
	StepsMax  = 256 // bounds [State.Steps]
)

func appendNewStep(steps []StepTaken, o *Cast, old *Member) []StepTaken {
	m := &o.Member
	if m.Step == StepNone || old != nil && m.Step == old.Step && m.StepOn.Equal(old.StepOn) && m.StepAt.Equal(old.StepAt) {
		return steps
	}
	at := wallClock(m.StepAt)
	if m.StepAt.IsZero() {
		at = wallClock(o.At)
	}
	n := uint64(1)
	if len(steps) > 0 {
		n = steps[len(steps)-1].N + 1
	}
	return keep(steps, StepTaken{n, at, m.ID, m.Name, m.Step, m.StepOn}, StepsMax)
}
