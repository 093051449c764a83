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

// Role identifies a candidate in texts and conditions, such as the leader.
type Role string

const (
	Leader       Role = "leader"
	Second       Role = "next" // the next leader
	Third        Role = "third"
	BeforeMiddle Role = "before middle"
	Middle       Role = "middle" // never the leader
	AfterMiddle  Role = "after middle"
	Last         Role = "last"
	FrozenOne    Role = "frozen"
	SlowOne      Role = "slow" // a member whose leader procedure does not end
	Guidless     Role = "guidless"
	Ghost        Role = "ghost" // the older one of two znodes of one session
	// Amber and Birch are the members with these IDs, with or without a znode.
	Amber Role = "amber"
	Birch Role = "birch"
	// You is the user's own candidate. Only conditions with Joined may use this role.
	You Role = "you"
	// Nobody means that there is no candidate. Only conditions with Handoff may use this role.
	Nobody Role = "nobody"
	// Newcomer is the candidate that joined last during the wait. Only conditions, and texts after
	// the wait, may use this role.
	Newcomer Role = "newcomer"
)

// roles has an order that holderOf uses.
var roles = []Role{Leader, Second, Third, BeforeMiddle, Middle, AfterMiddle, Last, FrozenOne, SlowOne, Guidless, Ghost, Amber, Birch}

type holder struct {
	label   string // safe to show, "" for none
	member  string // [model.Member.ID], "" for a third-party client
	id      dialect.ID
	queued  bool // id identifies a znode in the queue
	session uint64
	seq     string
}

type holders struct {
	of    map[Role]holder
	count int   // all contenders
	next  int64 // the sequence number of the next znode; -1: unknown
}

func holdersIn(s *doctor.State) *holders {
	h := &holders{of: make(map[Role]holder, len(roles)), count: s.Queue.Len(), next: -1}
	if s.NextSequenceKnown {
		h.next = int64(s.NextSequence)
	}
	for _, role := range roles {
		h.of[role] = holderOf(s, role)
	}
	return h
}

func (h *holders) same(o *holders) bool {
	return o != nil && h.count == o.count && h.next == o.next && maps.Equal(h.of, o.of)
}

const nameMax = 24

func contender(s *doctor.State, c *dialect.Candidate) holder {
	a := holder{label: znode.Safe(c.Label(), nameMax), id: c.ID(), queued: true, session: c.Session, seq: "no number"}
	if c.HasSequence {
		a.seq = strconv.FormatInt(c.Sequence, 10)
	}
	if m := s.Member(c); m != nil {
		a.member = m.ID
	}
	return a
}

func holderOf(s *doctor.State, role Role) holder {
	n := s.Queue.Len()
	at := func(i, least int) holder {
		if n < least {
			return holder{}
		}
		return contender(s, s.Queue.At(i))
	}
	mine := func(is func(*model.Member) bool) holder {
		i := slices.IndexFunc(s.Members, is)
		if i < 0 {
			return holder{}
		}
		m := s.Members[i]
		for _, c := range s.Queue.All() {
			if m.Session != 0 && c.Session == m.Session && (m.Znode == "" || m.Znode == c.Name) {
				return contender(s, c)
			}
		}
		return holder{label: znode.Safe(m.Name, nameMax), member: m.ID, session: m.Session, seq: "no number"}
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
	case Amber, Birch:
		return mine(func(m *model.Member) bool { return m.ID == string(role) })
	case Ghost:
		for i, c := range s.Queue.All() {
			for j := i + 1; j < n && c.Session != 0; j++ {
				if s.Queue.At(j).Session == c.Session {
					return contender(s, c)
				}
			}
		}
	}
	return holder{}
}

// needs returns the roles that must have a holder before the part can begin.
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

const (
	seqOf       = "seq of "
	unknown     = "unknown"
	unknownTime = "an unknown time"
)

// The values from "winner" on are known only when the wait has ended.
var values = map[string]func(*Run) string{
	"count":   func(r *Run) string { return strconv.Itoa(r.holders.count) },
	"waiting": func(r *Run) string { return strconv.Itoa(max(0, r.holders.count-1)) },
	"next seq": func(r *Run) string {
		if r.holders.next < 0 {
			return unknown
		}
		return strconv.FormatInt(r.holders.next, 10)
	},
	"timeout": timeout,

	"winner":   winner,
	"silent":   silent,
	"takeover": takeover,
	"notified": ofDeletion(func(w *model.ReportedDeletion) string {
		if len(w.Notified) == 0 {
			return "no candidate"
		}
		return units.Count(len(w.Notified), "candidate", "candidates")
	}),
	"requests":     ofDeletion(func(w *model.ReportedDeletion) string { return units.Count(w.Requests, "request", "requests") }),
	"bytes":        ofDeletion(func(w *model.ReportedDeletion) string { return units.Count(w.BytesIn+w.BytesOut, "byte", "bytes") }),
	"stale writes": staleWrites,
}

var braces = regexp.MustCompile(`\{[^}]*\}`)

func replace(text string, f func(name string) string) string {
	return braces.ReplaceAllStringFunc(text, func(x string) string { return f(x[1 : len(x)-1]) })
}

func roleOf(name string) (role Role, seq bool) {
	rest, seq := strings.CutPrefix(name, seqOf)
	if role = Role(rest); role != Newcomer && !slices.Contains(roles, role) {
		role = ""
	}
	return role, seq
}

func (r *Run) fill(text string) string { return replace(text, r.value) }

func (r *Run) value(name string) string {
	role, seq := roleOf(name)
	if role == "" {
		return values[name](r)
	}
	switch a := r.holders.of[role]; {
	case a.label == "":
		return "nobody"
	case seq:
		return a.seq
	default:
		return a.label
	}
}

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

func (r *Run) handoff() *model.Handoff {
	if n := len(r.end.Handoffs); n > 0 && r.end.Totals.Handoffs > r.waited.Totals.Handoffs {
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
	slow := ""
	if r.waited.Pace.Slowed() || r.end.Pace.Slowed() {
		slow = ", in slow motion"
	}
	switch h := r.handoff(); {
	case h == nil:
		return unknownTime
	case h.Takeover != nil:
		return units.Took(*h.Takeover) + slow
	case h.To != nil && r.end.Acknowledged() && r.end.Leader().ID() == h.To.ID(): // acknowledged after AckWait
		return "more than " + units.Exact(model.AckWait) + slow
	}
	return unknownTime
}

func staleWrites(r *Run) string {
	count := func(s *doctor.State) int { return s.Work.Counter.Stale + s.Work.Tokens.Stale }
	return units.Count(count(r.end)-count(r.waited), "stale write", "stale writes")
}

func ofDeletion(value func(*model.ReportedDeletion) string) func(*Run) string {
	return func(r *Run) string {
		for _, c := range r.now().Act.Until {
			if w := (&change{after: r.end, holders: r.holders}).countedDeletion(c.Who); c.Event == DeletionCounted && w != nil {
				return value(w)
			}
		}
		return unknown
	}
}
