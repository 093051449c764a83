package model

import (
	"slices"
	"time"

	"electop/model/dialect"
	"electop/model/session"
	"electop/model/znode"
)

// asked takes in what the servers answered.
func (j *Journal) asked(t *session.Table) {
	t = t.Believed()
	j.table, j.answers = t, t.MergedOver(j.answers)
	j.watches.take(t, &j.children, j.cfg.Path, j.link.Session)
	at := session.Later(j.at, wall(t.When()))
	timeouts := j.timeouts()
	holders := make([]session.Holder, j.queue.Len())
	for i, c := range j.queue.All() {
		holders[i] = session.Holder{Session: c.Session, Timeout: timeouts[c.Session], SeenAt: c.SeenAt}
	}
	if j.naming.dialect.Guess(j.chained(t)) != j.naming.dialect {
		j.interpret(j.naming.dialect.Guess(true))
		j.checkHead(at, timeBounds{})
	}
	j.sessions.Hear(t, at, holders, j.unexplained.has)
	j.returned.hear(t, j.sessions.View(), at, j.owns)
	j.expired = j.expired.add(t)
	for _, c := range j.unexplained.explain(t, at) {
		j.correct(c, at)
	}
}

// correct corrects the cause of a handoff.
func (j *Journal) correct(c correction, at time.Time) {
	if h := j.past.correct(c); h != nil {
		j.emit(at, Explained{*h})
	}
}

// chained reports whether a server's table shows that a contender watches its
// predecessor, as in an election. One from before the last read may show a watch on a
// znode that was no predecessor then.
func (j *Journal) chained(t *session.Table) bool {
	if !wall(t.When()).After(j.readAt) {
		return false
	}
	for i := range t.Servers {
		for _, w := range t.Servers[i].Watched {
			c := j.known[znode.Base(w.Path)]
			if c == nil || znode.Join(j.cfg.Path, c.Name) != w.Path {
				continue
			}
			at, ok := Position(j.recipe, j.queue, c)
			if ok && at+1 < j.queue.Len() && slices.Contains(w.Sessions, j.queue.At(at+1).Session) {
				return true
			}
		}
	}
	return false
}

// Current reports whether the state is what is true now, as far as an observer
// can know: it was read, electop is connected, and no change was unwatched.
func (j *Journal) Current() bool {
	return j.began && !j.gap && j.link.Link == Connected
}

// Queue returns the contenders in the recipe's order, and the recipe.
func (j *Journal) Queue() (dialect.Queue, dialect.Recipe) { return j.queue, j.recipe }

// Totals returns the counts so far.
func (j *Journal) Totals() Totals { return j.totals.Totals }

// Waiting returns how many events wait for an acknowledgement.
func (j *Journal) Waiting() int { return len(j.events.held) }
