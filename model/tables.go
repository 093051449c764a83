package model

import (
	"electop/model/dialect"
	"electop/model/session"
)

// asked takes in what the servers answered.
func (j *Journal) asked(t *session.Table) {
	t = t.Believed()
	j.table, j.answers = t, t.MergedOver(j.answers)
	at := session.Later(j.at, wall(t.When()))
	timeouts := j.timeouts()
	holders := make([]session.Holder, len(j.queue))
	for i, c := range j.queue {
		holders[i] = session.Holder{Session: c.Session, Timeout: timeouts[c.Session], SeenAt: c.SeenAt}
	}
	j.sessions.Hear(t, at, holders, j.unexplained.has)
	for _, c := range j.unexplained.explain(t, at) {
		j.past.correct(c)
	}
}

// Current reports whether the state is what is true now, as far as an observer
// can know: it was read, electop is connected, and no change was unwatched.
func (j *Journal) Current() bool {
	return j.began && !j.gap && j.link.Link == Connected
}

// Queue returns the contenders in the recipe's order, and the recipe. The slice
// is the journal's own: it is good until the next observation.
func (j *Journal) Queue() ([]*dialect.Candidate, dialect.Recipe) { return j.queue, j.recipe }

// Totals returns the counts so far.
func (j *Journal) Totals() Totals { return j.totals.Totals }

// Waiting returns how many events wait for an acknowledgement.
func (j *Journal) Waiting() int { return len(j.events.held) }
