package lesson

import (
	"strconv"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/znode"
)

// Role is a place in the election that texts and conditions name; who has it is
// looked up.
type Role string

const (
	Leader       Role = "leader"
	Second       Role = "next" // who takes over from the leader
	Third        Role = "third"
	BeforeMiddle Role = "before middle"
	Middle       Role = "middle" // never the leader
	AfterMiddle  Role = "after middle"
	Last         Role = "last"
	FrozenOne    Role = "frozen" // a member that is frozen
	SlowOne      Role = "slow"   // a member whose leader procedure does not end
	Guidless     Role = "guidless"
	Ghost        Role = "ghost" // the older one of two znodes of one session
	// You is the candidate of electop itself, for joins; Nobody is for handoffs.
	You    Role = "you"
	Nobody Role = "nobody"
	// Newcomer is the candidate that joined last while the part waited. Only
	// texts shown after that may use it.
	Newcomer Role = "newcomer"
)

// lacking says what to do if no candidate has a role. Its keys are all roles.
var lacking = map[Role]string{
	Leader:       "There is no candidate: press s to add one.",
	Second:       "No candidate is next: press s to add one.",
	Third:        "There is no third candidate: press s to add one.",
	BeforeMiddle: "This needs four candidates: press s to add one.",
	Middle:       "This needs four candidates: press s to add one.",
	AfterMiddle:  "This needs four candidates: press s to add one.",
	Last:         "No candidate waits: press s to add one.",
	FrozenOne:    "No candidate is frozen: < goes back, > skips this.",
	SlowOne:      "No candidate has a slow leader procedure: < goes back, > skips this.",
	Guidless:     "No candidate in the queue lacks a guid: < goes back, > skips this.",
	Ghost:        "There is no ghost: < goes back, > skips this.",
	Newcomer:     "No candidate has joined.",
}

// actor is the candidate that has a role.
type actor struct {
	label   string // safe to show, "" for none
	member  string // [model.Member.ID], "" for one that is not ours
	id      dialect.ID
	stands  bool // it has a znode in the queue, id
	session uint64
	seq     string
}

// nameMax bounds the names in texts.
const nameMax = 24

// contender returns c as an actor; the zero actor for nil.
func contender(s *doctor.State, c *dialect.Candidate) actor {
	if c == nil {
		return actor{}
	}
	a := actor{label: znode.Safe(c.Label(), nameMax), id: c.ID(), stands: true, session: c.Session, seq: "no number"}
	if c.HasSequence {
		a.seq = strconv.FormatInt(c.Sequence, 10)
	}
	if m := s.Member(c); m != nil {
		a.member = m.ID
	}
	return a
}

// member returns m as an actor, with its znode if that exists.
func member(s *doctor.State, m *model.Member) actor {
	for _, c := range s.Queue.All() {
		if m.Session != 0 && c.Session == m.Session && (m.Znode == "" || m.Znode == c.Name) {
			a := contender(s, c)
			a.member = m.ID
			return a
		}
	}
	return actor{label: znode.Safe(m.Name, nameMax), member: m.ID, session: m.Session, seq: "no number"}
}
