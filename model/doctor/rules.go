package doctor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/session"
	"electop/model/units"
	"electop/model/znode"
)

// rules is the table of what the doctor looks for. It is never written.
var rules = []rule{
	{id: "no-leader", check: noLeader},
	{id: "ghost-node", check: ghostNode},
	{id: "two-leaders", check: twoLeaders},
	{id: "reset-livelock", check: resetLivelock},
	{id: "parent-vanished", check: parentVanished, always: true},
	{id: "missing-watch", check: missingWatch},
	{id: "wrong-watch", check: wrongWatch},
	{id: "watch-cycle", check: watchCycle, sure: true, byTables: true},
	{id: "dropped-candidate", check: droppedCandidate, byTables: true},
	{id: "abandoned-attempt", check: abandonedAttempt},
	{id: "zombie-leader", check: zombieLeader},
	{id: "silent-candidate", check: silentCandidates},
	{id: "expired-leader", check: expiredLeader},
	{id: "deleted-leader", check: deletedLeader},
	{id: "sequence-limit", check: sequenceLimit, always: true, sure: true},
	{id: "ack-disagrees", check: ackDisagrees},
	{id: "leader-member", check: leaderMember},
	{id: "epoch-jump", check: epochJump},
	{id: "flapping", check: flapping},
	{id: "herd", check: herdWatch},
	{id: "foreign-watchers", check: foreignWatchers},
	{id: "ensemble-split", check: ensembleSplit, always: true, sure: true},
	{id: "zxid-rollover", check: zxidRollover, always: true, sure: true},
	{id: "ephemerals-differ", check: ephemeralsDiffer, always: true, sure: true, byTables: true},
	{id: "foreign-child", check: foreignChild},
}

// rule finds one kind of trouble.
type rule struct {
	id    string
	check func(*report)
	// always says that the rule is about the servers or the znodes, and so makes
	// sense where the children are no candidates too.
	always bool
	// sure says that it is as grave where the recipe is only a guess.
	sure bool
	// byTables says that only a new table of the servers shows the rule something where
	// it found nothing before.
	byTables bool
}

// report takes what a rule found.
type report struct {
	*ruleContext
	at     time.Time
	rule   *rule
	drafts []*draft
}

// draft is a finding that a rule makes.
type draft struct {
	Finding
	hold
	subject string // "" if the rule has only one
	lines   int    // of evidence, with those that there is no room for
	r       *report
}

// subjectsMax bounds the findings of one rule: more do not help an operator. One
// further finding sums up the others.
const subjectsMax = 8

// evidenceMax bounds the lines of evidence of one finding.
const evidenceMax = 16

// check runs the rule.
func (r *report) check() {
	if !r.s.Dialect.Elects() && !r.rule.always || r.rule.byTables && !r.tabled && !r.m.suspicions.has(r.rule.id) {
		return
	}
	r.rule.check(r)
	shown := r.drafts[:min(len(r.drafts), subjectsMax)]
	for _, f := range shown {
		r.suspect(f)
	}
	rest := r.drafts[len(shown):]
	if len(rest) == 0 {
		return
	}
	more := *rest[0]
	more.subject, more.Title = "/more", fmt.Sprintf("%d more: %s", len(rest), more.Title)
	more.Evidence, more.Znodes, more.Sessions, more.lines = nil, nil, nil, 0
	for _, f := range rest {
		if f.Severity.rank() > more.Severity.rank() {
			more.Severity = f.Severity
		}
		if more.because("%s", f.Evidence[0]); more.lines <= evidenceMax {
			more.Znodes = append(more.Znodes, f.Znodes[:min(len(f.Znodes), 1)]...)
			more.Sessions = append(more.Sessions, f.Sessions[:min(len(f.Sessions), 1)]...)
		}
	}
	r.suspect(&more)
}

// find adds a finding about a subject, "" if the rule has only one. values are names in
// braces and what replaces them.
func (r *report) find(t text, subject string, values ...string) *draft {
	in := strings.NewReplacer(values...)
	f := &draft{subject: subject, hold: hold{wait: t.wait}, r: r, Finding: Finding{
		Severity: t.severity, Title: in.Replace(t.title), Harm: in.Replace(t.harm), Advice: in.Replace(t.advice), References: t.references,
	}}
	if t.references == nil {
		f.References = []string{r.s.Dialect.Source}
	}
	r.drafts = append(r.drafts, f)
	return f
}

// because adds a line of evidence, or counts it if there is no room.
func (f *draft) because(format string, args ...any) {
	if f.lines++; f.lines <= evidenceMax {
		f.Evidence = append(f.Evidence, fmt.Sprintf(format, args...))
	}
}

// about adds the znodes and sessions of candidates.
func (f *draft) about(candidates ...*dialect.Candidate) *draft {
	for _, c := range candidates {
		f.Znodes = append(f.Znodes, f.r.path(c.Name))
		f.Sessions = append(f.Sessions, c.Session)
	}
	return f
}

// sortSessions puts the sessions in order, each once.
func (f *draft) sortSessions() {
	slices.Sort(f.Sessions)
	f.Sessions = slices.Compact(f.Sessions)
}

func (r *report) suspect(f *draft) {
	f.ID, f.Key = r.rule.id, r.rule.id
	if f.subject != "" {
		f.Key += " " + f.subject
	}
	if more := f.lines - evidenceMax; more > 0 {
		f.Evidence = append(f.Evidence, fmt.Sprintf("and %d more", more))
	}
	if r.s.Dialect.Unknown() && !r.rule.sure {
		f.Severity = Info // it may not be an election
	}
	var table time.Time
	if t := r.s.Table; r.tabled && t != nil {
		table = t.At.Round(0)
	}
	r.m.suspicions.note(f.Finding, f.hold, r.at, table)
}

// candidates counts candidates in words.
func candidates(n int) string { return units.Count(n, "candidate", "candidates") }

// safe is a name that is safe to show.
func safe(name string) string { return znode.Safe(name, 0) }

// ruleContext is what the rules of one run see: the election, what the doctor
// remembers, and what several of them need, made when the first one asks for it.
type ruleContext struct {
	m        *Doctor
	s        *model.State
	sessions *session.Tracker
	tabled   bool // since the last run there was a new table

	view   *State
	owned  map[uint64][]int
	named  map[string]*dialect.Candidate
	faults *watchFaults
}

// state is the election with what is known of its edges.
func (l *ruleContext) state() *State {
	if l.view == nil {
		l.view = l.m.state(l.s)
	}
	return l.view
}

// owners returns the positions of the contenders of each session.
func (l *ruleContext) owners() map[uint64][]int {
	if l.owned == nil {
		l.owned = make(map[uint64][]int, l.s.Queue.Len())
		all := make([]int, l.s.Queue.Len()) // one allocation for what is mostly one each
		for i, c := range l.s.Queue.All() {
			if c.Session == 0 {
				continue
			}
			if l.owned[c.Session] == nil {
				all[i] = i
				l.owned[c.Session] = all[i : i+1 : i+1]
				continue
			}
			l.owned[c.Session] = append(l.owned[c.Session], i)
		}
	}
	return l.owned
}

// child returns the child of that name, nil for none.
func (l *ruleContext) child(name string) *dialect.Candidate {
	if l.named == nil {
		l.named = make(map[string]*dialect.Candidate, l.s.Queue.Len()+len(l.s.Ignored))
		for _, c := range l.s.Queue.All() {
			l.named[c.Name] = c
		}
		for _, c := range l.s.Ignored {
			l.named[c.Name] = c
		}
	}
	return l.named[name]
}

// holders returns how many hold the role.
func (l *ruleContext) holders() int { return l.s.Recipe.Holders(l.s.Queue) }

// dialect is the ID of the system that runs the election, "" if unknown.
func (l *ruleContext) dialect() string {
	if d := l.s.Dialect; d != nil {
		return d.ID
	}
	return ""
}

// observing reports whether the session is one of electop's observers.
func (l *ruleContext) observing(session uint64) bool {
	if session == l.s.Link.Session {
		return true
	}
	if t := l.s.Table; t != nil {
		for i := range t.Anchors {
			if t.Anchors[i].Session == session {
				return l.owners()[session] == nil
			}
		}
	}
	return false
}

// path is the full path of a child.
func (l *ruleContext) path(name string) string { return znode.Join(l.s.Path, name) }

// said names a contender in evidence.
func said(c *dialect.Candidate) string {
	text := safe(c.Name)
	if c.Session != 0 {
		text += " of session " + znode.Hex(c.Session)
	}
	return text
}
