package model

import "time"

// Belief is what a candidate of ours believes about itself. The znodes may show
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
	// Reason is why its candidacy is over, where Belief is Lost. It is safe to show.
	Reason string `json:"reason,omitempty"`

	Ending  Ending    `json:"ending,omitempty"`
	Fault   Fault     `json:"fault,omitempty"`
	FaultAt time.Time `json:"fault_at,omitzero"`
	// The mistakes that it was ordered to make: it gives its next znode no guid,
	// the reply to its next create is lost, its leader procedure does not end.
	NoGuid     bool `json:"no_guid,omitempty"`
	LosesReply bool `json:"loses_reply,omitempty"`
	SlowLead   bool `json:"slow_lead,omitempty"`
	// Obstacle is what keeps it from going on, where that is not just its place
	// in the queue; "" for nothing. It is safe to show.
	Obstacle string `json:"obstacle,omitempty"`
	// LeaseEnd is until when the ensemble has proved that it keeps the session, of
	// a member that leads or is about to; zero where it has no lease.
	LeaseEnd time.Time `json:"lease,omitzero"`
	// ExpiresFrom is the earliest moment at which servers that hear each other
	// can expire the session: when the last answered request or ping was sent,
	// plus Timeout.
	ExpiresFrom time.Time     `json:"lease_end,omitzero"`
	Timeout     time.Duration `json:"timeout,omitempty"` // negotiated, ns
}
