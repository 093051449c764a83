package doctor

import (
	"fmt"
	"slices"
	"time"
)

// suspect is what a rule reported.
type suspect struct {
	finding *Finding
	first   time.Time // since when it is reported
	wait    time.Duration
	tables  int       // tables that it has to last for
	counted int       // such so far
	tableAt time.Time // when the last of them was made
	again   time.Time // when it wants to be looked at again; zero: not by time
	ages    bool      // see hold
	raised  bool
	seen    bool // in this run
}

// hold says how long a suspicion has to last before it is a finding.
type hold struct {
	wait   time.Duration
	tables int       // this many tables, each calm after the one before
	again  time.Time // look again then, whatever changed
	ages   bool      // until then there is nothing to suspect
}

// rule finds one kind of trouble.
type rule struct {
	id    string
	check func(*report)
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
	d := r.d
	s := d.suspects[f.Key]
	if s == nil {
		s = &suspect{first: r.at}
		if d.suspects == nil {
			d.suspects = make(map[string]*suspect)
		}
		d.suspects[f.Key] = s
	}
	if s.raised && s.finding.Severity != f.Severity {
		d.say(r.at, s, false)
	}
	f.Since = s.first
	s.seen, s.wait, s.tables, s.again, s.ages = true, h.wait, h.tables, h.again, h.ages
	if t := r.s.Table; r.in&onTable != 0 && t != nil && (s.counted == 0 || t.At.Round(0).Sub(s.tableAt) >= calm) {
		s.counted++
		s.tableAt = t.At.Round(0)
	}
	if s.raised && sameFinding(s.finding, &f) {
		return
	}
	s.finding = &f
	if s.raised {
		d.raised = -1 // the list must be rebuilt
	}
}

// lasted is how long the rule has reported that subject.
func (r *report) lasted(subject string) time.Duration {
	key := r.rule.id
	if subject != "" {
		key += " " + subject
	}
	if s := r.d.suspects[key]; s != nil {
		return max(0, r.at.Sub(s.first))
	}
	return 0
}

// sameFinding reports whether nothing is new.
func sameFinding(a, b *Finding) bool {
	return a.Severity == b.Severity && a.Title == b.Title && slices.Equal(a.Evidence, b.Evidence) &&
		slices.Equal(a.Znodes, b.Znodes) && slices.Equal(a.Sessions, b.Sessions) && slices.Equal(a.ghosts, b.ghosts) && a.Harm == b.Harm && a.Advice == b.Advice
}

// say raises or clears a finding.
func (d *Doctor) say(at time.Time, s *suspect, raised bool) {
	s.raised = raised
	d.raised = -1
	if raised && d.reported(at, s.finding.Key) {
		return
	}
	d.emit(FindingChanged{s.finding, raised})
}
