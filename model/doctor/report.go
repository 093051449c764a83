package doctor

import (
	"fmt"
	"time"

	"electop/model"
)

// rule finds one kind of trouble.
type rule struct {
	id    string
	check func(*report)
	// always says that the rule is about the servers or the znodes, and so makes
	// sense where the children are no candidates too.
	always bool
}

// report takes what a rule found.
type report struct {
	*ruleContext
	at       time.Time
	rule     *rule
	count    int
	more     Finding // of all beyond subjectsMax
	moreHold hold
}

// subjectsMax bounds the findings of one rule: more do not help an operator. One
// further finding sums up the others.
const subjectsMax = 8

// evidenceMax bounds the lines of evidence of one finding.
const evidenceMax = 16

// check runs the rule.
func (r *report) check() {
	if why := r.s.NoLeader(); (why == model.Membership || why == model.UnknownKind) && !r.rule.always {
		return // the rules are about candidates
	}
	r.rule.check(r)
	r.rest()
}

// find reports a suspicion about a subject, "" if the rule has only one.
func (r *report) find(subject string, f Finding, h hold) {
	if r.count++; r.count > subjectsMax {
		if r.count == subjectsMax+1 {
			r.more, r.moreHold = f, h
			r.more.Evidence, r.more.Znodes, r.more.Sessions = nil, nil, nil
		}
		if f.Severity.rank() > r.more.Severity.rank() {
			r.more.Severity = f.Severity
		}
		if len(f.Evidence) > 0 && len(r.more.Evidence) <= evidenceMax {
			r.more.Evidence = append(r.more.Evidence, f.Evidence[0])
			r.more.Znodes = append(r.more.Znodes, f.Znodes[:min(len(f.Znodes), 1)]...)
			r.more.Sessions = append(r.more.Sessions, f.Sessions[:min(len(f.Sessions), 1)]...)
		}
		return
	}
	r.suspect(subject, f, h)
}

// rest reports the subjects beyond subjectsMax together.
func (r *report) rest() {
	if r.count > subjectsMax {
		r.more.Title = fmt.Sprintf("%d more: %s", r.count-subjectsMax, r.more.Title)
		r.suspect("/more", r.more, r.moreHold)
	}
}

func (r *report) suspect(subject string, f Finding, h hold) {
	f.ID, f.Key = r.rule.id, r.rule.id
	if subject != "" {
		f.Key += " " + subject
	}
	if len(f.Evidence) > evidenceMax {
		f.Evidence = append(f.Evidence[:evidenceMax:evidenceMax], "and more")
	}
	var table time.Time
	if t := r.s.Table; r.in&onTable != 0 && t != nil {
		table = t.At.Round(0)
	}
	r.m.suspicions.note(f, h, r.at, table)
}

// lasted is how long the rule has reported that subject.
func (r *report) lasted(subject string) time.Duration {
	key := r.rule.id
	if subject != "" {
		key += " " + subject
	}
	return r.m.suspicions.lasted(key, r.at)
}

// ceiling is the highest severity in what may not be an election.
func (r *report) ceiling() Severity {
	if r.guessed() {
		return Info
	}
	return Critical
}
