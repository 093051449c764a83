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
	{id: "silent-candidate", check: silentCandidate},
	{id: "expired-leader", check: expiredLeader},
	{id: "deleted-leader", check: deletedLeader},
	{id: "sequence-limit", check: sequenceLimit, always: true, sure: true},
	{id: "ack-disagrees", check: ackDisagrees},
	{id: "leader-member", check: leaderMember},
	{id: "epoch-jump", check: epochJump},
	{id: "flapping", check: flapping},
	{id: "herd", check: herd},
	{id: "foreign-watchers", check: foreignWatchers},
	{id: "ensemble-split", check: ensembleSplit, always: true, sure: true},
	{id: "zxid-rollover", check: zxidRollover, always: true, sure: true},
	{id: "ephemerals-differ", check: ephemeralsDiffer, always: true, sure: true, byTables: true},
	{id: "foreign-child", check: foreignChild},
}

type rule struct {
	id       string
	check    func(*ruleRun)
	always   bool // the rule runs even if the children elect nobody
	sure     bool // the severity stays the same if the recipe is only a guess
	byTables bool // without a new table of the servers, the rule runs only if it has a suspicion
}

type ruleRun struct {
	*ruleContext
	at     time.Time
	rule   *rule
	drafts []*draft
}

type draft struct {
	Finding
	hold
	subject string // what the finding is about; may be ""
	lines   int    // lines of evidence, including those beyond evidenceMax
	r       *ruleRun
}

const (
	subjectsMax = 8
	evidenceMax = 16
)

func (r *ruleRun) check() {
	if !r.s.Dialect.Elects() && !r.rule.always || r.rule.byTables && !r.newTable && !r.d.suspicions.has(r.rule.id) {
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

func (r *ruleRun) find(t wording, subject string, values ...string) *draft {
	in, words := strings.NewReplacer(values...), r.s.Words
	f := &draft{subject: subject, hold: hold{wait: t.wait}, r: r, Finding: Finding{
		Severity: t.severity, Title: in.Replace(words(t.title)), Harm: in.Replace(words(t.harm)), Advice: in.Replace(words(t.advice)), References: t.references,
	}}
	if t.references == nil {
		f.References = []string{r.s.Dialect.Source}
	}
	r.drafts = append(r.drafts, f)
	return f
}

func (f *draft) because(format string, args ...any) {
	if f.lines++; f.lines <= evidenceMax {
		f.Evidence = append(f.Evidence, fmt.Sprintf(format, args...))
	}
}

func (f *draft) about(candidates ...*dialect.Candidate) *draft {
	for _, c := range candidates {
		f.Znodes = append(f.Znodes, f.r.path(c.Name))
		f.Sessions = append(f.Sessions, c.Session)
	}
	return f
}

func (f *draft) sortSessions() {
	slices.Sort(f.Sessions)
	f.Sessions = slices.Compact(f.Sessions)
}

func (r *ruleRun) suspect(f *draft) {
	f.ID, f.Key = r.rule.id, r.rule.id
	if f.subject != "" {
		f.Key += " " + f.subject
	}
	if more := f.lines - evidenceMax; more > 0 {
		f.Evidence = append(f.Evidence, fmt.Sprintf("and %d more", more))
	}
	if r.s.Dialect.Unknown() && !r.rule.sure {
		f.Severity = Info // the path may be no election
	}
	var table time.Time
	if t := r.s.Table; r.newTable && t != nil {
		table = t.At.Round(0)
	}
	r.d.suspicions.note(f.Finding, f.hold, r.at, table)
}

func candidates(n int) string { return units.Count(n, "candidate", "candidates") }

func safe(name string) string { return znode.Safe(name, 0) }

type ruleContext struct {
	d        *Doctor
	s        *model.State
	sessions *session.Tracker
	newTable bool

	view      *State
	bySession map[uint64][]int
	byName    map[string]*dialect.Candidate
	faults    *watchFaults
}

func (rc *ruleContext) state() *State {
	if rc.view == nil {
		rc.view = rc.d.state(rc.s)
	}
	return rc.view
}

func (rc *ruleContext) owners() map[uint64][]int {
	if rc.bySession == nil {
		rc.bySession = make(map[uint64][]int, rc.s.Queue.Len())
		all := make([]int, rc.s.Queue.Len()) // one allocation: most sessions own one contender
		for i, c := range rc.s.Queue.All() {
			if c.Session == 0 {
				continue
			}
			if rc.bySession[c.Session] == nil {
				all[i] = i
				rc.bySession[c.Session] = all[i : i+1 : i+1]
				continue
			}
			rc.bySession[c.Session] = append(rc.bySession[c.Session], i)
		}
	}
	return rc.bySession
}

func (rc *ruleContext) child(name string) *dialect.Candidate {
	if rc.byName == nil {
		rc.byName = make(map[string]*dialect.Candidate, rc.s.Queue.Len()+len(rc.s.Ignored))
		for _, c := range append(rc.s.Queue.Slice(), rc.s.Ignored...) {
			rc.byName[c.Name] = c
		}
	}
	return rc.byName[name]
}

func (rc *ruleContext) holders() int { return rc.s.Recipe.Holders(rc.s.Queue) }

func (rc *ruleContext) dialect() string {
	if d := rc.s.Dialect; d != nil {
		return d.ID
	}
	return ""
}

func (rc *ruleContext) electopObserves(session uint64) bool {
	t := rc.s.Table
	return session == rc.s.Link.Session || t != nil && t.Anchored(session) && rc.owners()[session] == nil
}

func (rc *ruleContext) path(name string) string { return znode.Join(rc.s.Path, name) }

func described(c *dialect.Candidate) string {
	text := safe(c.Name)
	if c.Session != 0 {
		text += " of session " + znode.Hex(c.Session)
	}
	return text
}
