package lesson

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/units"
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

// roles are looked up in each state.
var roles = []Role{Leader, Second, Third, BeforeMiddle, Middle, AfterMiddle, Last, FrozenOne, SlowOne, Guidless, Ghost}

// actor is the candidate that has a role.
type actor struct {
	label   string // safe to show, "" for none
	member  string // [model.Member.ID], "" for a third-party client
	id      dialect.ID
	stands  bool // it has a znode in the queue, id
	session uint64
	seq     string
}

// cast has who has which role in one state.
type cast struct {
	found map[Role]actor
	count int   // of contenders
	next  int64 // the sequence of the next one; -1: unknown
}

func castOf(s *doctor.State) *cast {
	c := &cast{found: make(map[Role]actor, len(roles)), count: s.Queue.Len(), next: -1}
	if s.NextSequenceKnown {
		c.next = int64(s.NextSequence)
	}
	for _, role := range roles {
		c.found[role] = look(s, role)
	}
	return c
}

// same reports whether two casts are the same candidates in the same places.
func (c *cast) same(o *cast) bool {
	return o != nil && c.count == o.count && c.next == o.next && maps.Equal(c.found, o.found)
}

// nameMax bounds the names in texts.
const nameMax = 24

// contender returns c as an actor.
func contender(s *doctor.State, c *dialect.Candidate) actor {
	a := actor{label: znode.Safe(c.Label(), nameMax), id: c.ID(), stands: true, session: c.Session, seq: "no number"}
	if c.HasSequence {
		a.seq = strconv.FormatInt(c.Sequence, 10)
	}
	if m := s.Member(c); m != nil {
		a.member = m.ID
	}
	return a
}

// look returns the candidate with a role.
func look(s *doctor.State, role Role) actor {
	n := s.Queue.Len()
	at := func(i, least int) actor {
		if n < least {
			return actor{}
		}
		return contender(s, s.Queue.At(i))
	}
	mine := func(is func(*model.Member) bool) actor {
		i := slices.IndexFunc(s.Members, is)
		if i < 0 {
			return actor{}
		}
		m := s.Members[i]
		for _, c := range s.Queue.All() {
			if m.Session != 0 && c.Session == m.Session && (m.Znode == "" || m.Znode == c.Name) {
				return contender(s, c)
			}
		}
		return actor{label: znode.Safe(m.Name, nameMax), member: m.ID, session: m.Session, seq: "no number"}
	}
	switch role {
	case Leader, Second, Third:
		i := slices.Index(roles, role)
		return at(i, i+1)
	case BeforeMiddle, Middle, AfterMiddle:
		return at(n/2+slices.Index(roles, role)-slices.Index(roles, Middle), 4)
	case Last:
		return at(n-1, 2)
	case FrozenOne:
		return mine(func(m *model.Member) bool { return m.Fault == model.Frozen })
	case SlowOne:
		return mine(func(m *model.Member) bool { return m.SlowLead })
	case Guidless:
		return mine(func(m *model.Member) bool { return m.NoGuid })
	case Ghost:
		for i, c := range s.Queue.All() {
			for j := i + 1; j < n && c.Session != 0; j++ {
				if s.Queue.At(j).Session == c.Session {
					return contender(s, c)
				}
			}
		}
	}
	return actor{}
}

// memberNamed returns our own candidate with that ID, nil for none.
func memberNamed(s *doctor.State, id string) *model.Member {
	for _, m := range s.Members {
		if m.ID == id {
			return m
		}
	}
	return nil
}

// needs returns the roles that somebody has to have before the part can begin.
func (p *Part) needs() (all []Role) {
	texts := append(slices.Clone(p.Text), p.Act.Do)
	all = append(all, p.Act.Target)
	conditions := slices.Clone(p.Act.Until)
	if q := p.Question; q != nil {
		texts = append(texts, q.Ask)
		for _, o := range q.Options {
			texts = append(texts, o.Text)
			if o.If != nil {
				conditions = append(conditions, *o.If)
			}
		}
	}
	for _, c := range conditions {
		all = append(all, c.Who, c.To, c.Notified)
	}
	for _, t := range texts {
		replace(t, func(name string) string {
			role, _ := roleOf(name)
			all = append(all, role)
			return ""
		})
	}
	return slices.DeleteFunc(all, func(r Role) bool { return !slices.Contains(roles, r) })
}

// Placeholders are written in braces: {leader} is a role's name, {seq of leader} the
// number of its znode. All others are in values; most of these are known only in
// [Part.After] and in verdicts.
const seqOf = "seq of "

const unknown = "unknown"

var values = map[string]func(*Run) string{
	"count":   func(r *Run) string { return strconv.Itoa(r.cast.count) }, // contenders
	"waiting": func(r *Run) string { return strconv.Itoa(max(0, r.cast.count-1)) },
	"next seq": func(r *Run) string { // that the next volunteer gets
		if r.cast.next < 0 {
			return unknown
		}
		return strconv.FormatInt(r.cast.next, 10)
	},
	"timeout": timeout,

	"winner":       winner,
	"silent":       silent,
	"takeover":     takeover,
	"notified":     ofWake(func(w *model.Woken) string { return units.Count(len(w.Notified), "candidate", "candidates") }),
	"requests":     ofWake(func(w *model.Woken) string { return units.Count(w.Requests, "request", "requests") }),
	"bytes":        ofWake(func(w *model.Woken) string { return units.Count(w.BytesIn+w.BytesOut, "byte", "bytes") }),
	"stale writes": staleWrites,
}

var braces = regexp.MustCompile(`\{[^}]*\}`)

// replace puts f's values in the place of placeholders.
func replace(text string, f func(name string) string) string {
	return braces.ReplaceAllStringFunc(text, func(x string) string { return f(x[1 : len(x)-1]) })
}

// roleOf returns the role that a placeholder is about, "" for none.
func roleOf(name string) (role Role, seq bool) {
	rest, seq := strings.CutPrefix(name, seqOf)
	if role = Role(rest); role != Newcomer && !slices.Contains(roles, role) {
		role = ""
	}
	return role, seq
}

// fill returns a text with the values of its placeholders.
func (r *Run) fill(text string) string { return replace(text, r.value) }

// value returns what a placeholder stands for.
func (r *Run) value(name string) string {
	role, seq := roleOf(name)
	if role == "" {
		return values[name](r)
	}
	switch a := r.cast.found[role]; {
	case a.label == "":
		return "nobody"
	case seq:
		return a.seq
	default:
		return a.label
	}
}

// timeout returns the timeout of the candidates' sessions.
func timeout(r *Run) string {
	for _, m := range r.state.Members {
		if m.Timeout > 0 {
			return units.Exact(m.Timeout)
		}
	}
	return unknown
}

func winner(r *Run) string {
	if l := r.end.Leader(); l != nil {
		return znode.Safe(l.Label(), nameMax)
	}
	return "nobody"
}

// handoff returns the last handoff while the part waited, nil for none.
func (r *Run) handoff() *model.Handoff {
	if n := len(r.end.Handoffs); n > 0 && r.end.Totals.Handoffs > r.from.Totals.Handoffs {
		return r.end.Handoffs[n-1]
	}
	return nil
}

func silent(r *Run) string {
	if h := r.handoff(); h != nil && h.Silent != nil {
		return units.Took(*h.Silent)
	}
	return unknownTime
}

func takeover(r *Run) string {
	switch h := r.handoff(); {
	case h == nil:
		return unknownTime
	case h.Takeover != nil:
		return units.Took(*h.Takeover)
	case h.To != nil && r.end.Acknowledged() && r.end.Leader().ID() == h.To.ID(): // later than the journal waited for it
		return "more than " + units.Exact(model.AckWait)
	}
	return unknownTime
}

const unknownTime = "an unknown time"

func staleWrites(r *Run) string {
	count := func(s *doctor.State) int { return s.Work.Counter.Stale + s.Work.Tokens.Stale }
	return units.Count(count(r.end)-count(r.from), "stale write", "stale writes")
}

// ofWake returns what the deletion that the part waited for caused.
func ofWake(value func(*model.Woken) string) func(*Run) string {
	return func(r *Run) string {
		for _, c := range r.now().Act.Until {
			if w := (&moment{after: r.end, cast: r.cast}).wake(c.Who); c.Event == Woke && w != nil {
				return value(w)
			}
		}
		return unknown
	}
}
