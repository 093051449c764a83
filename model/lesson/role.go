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
	// You is this program's own candidacy, as who joins; Nobody is for handoffs.
	You    Role = "you"
	Nobody Role = "nobody"
	// Newcomer is the last one who joined while the part waited. It is known in
	// what is said then, and nowhere else.
	Newcomer Role = "newcomer"
)

// lacking says what to do where nobody has a role. Its keys are the roles that
// there are.
var lacking = map[Role]string{
	Leader:       "Nobody stands: press s to add a candidate.",
	Second:       "Nobody is next: press s to add a candidate.",
	Third:        "There is no third candidate: press s to add one.",
	BeforeMiddle: "This takes four candidates: press s to add one.",
	Middle:       "This takes four candidates: press s to add one.",
	AfterMiddle:  "This takes four candidates: press s to add one.",
	Last:         "Nobody waits: press s to add a candidate.",
	FrozenOne:    "Nobody is frozen: < goes back, > skips this.",
	SlowOne:      "Nobody has a slow leader procedure: < goes back, > skips this.",
	Guidless:     "Nobody stands without a guid: < goes back, > skips this.",
	Ghost:        "There is no ghost: < goes back, > skips this.",
	Newcomer:     "Nobody has joined.",
}

// actor is who has a role.
type actor struct {
	label   string // safe to show, "" for nobody
	member  string // [model.Member.ID], "" for one that is not ours
	id      dialect.ID
	stands  bool // it has a znode in the queue, id
	session uint64
	seq     string
}

// nameMax bounds the names in texts.
const nameMax = 24

// contender returns c as an actor; nobody for nil.
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

// member returns m as an actor, with its znode if it stands.
func member(s *doctor.State, m *model.Member) actor {
	for _, c := range s.Queue {
		if m.Session != 0 && c.Session == m.Session && (m.Znode == "" || m.Znode == c.Name) {
			a := contender(s, c)
			a.member = m.ID
			return a
		}
	}
	return actor{label: znode.Safe(m.Name, nameMax), member: m.ID, session: m.Session, seq: "no number"}
}
