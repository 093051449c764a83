package model

import (
	"slices"
	"time"

	"electop/model/dialect"
	"electop/model/znode"
)

// The end of a session deletes all its ephemeral znodes at once. So a session that
// owns a znode after another one of it was deleted did not end by then: that znode
// was deleted by a delete, of its own client most likely. No server has to be asked.

// outlives returns a child of the session that owned the deleted c, nil for none.
func (cs *children) outlives(c *dialect.Candidate) *dialect.Candidate {
	if c.Session == 0 {
		return nil
	}
	same := func(x *dialect.Candidate) bool { return x.Session == c.Session && x.ID() != c.ID() }
	if cs.owns(c.Session) {
		if i := cs.queue.Index(same); i >= 0 {
			return cs.queue.At(i)
		}
	}
	if i := slices.IndexFunc(cs.rest, same); i >= 0 {
		return cs.rest[i]
	}
	return nil
}

func ownsStill(c *dialect.Candidate) string { return alive + znode.Safe(c.Name, 64) }

const alive = "its session is alive without its znode: it owns "

// prove takes in that a session owns a znode that was created with a zxid, in a read
// that is later than the end of a leader whose cause may be unknown.
func (j *Journal) prove(sessionID uint64, name string, czxid int64, at time.Time) {
	g, ok := j.unexplained[sessionID]
	if !ok || sessionID == 0 || czxid <= g.from.Czxid {
		return
	}
	delete(j.unexplained, sessionID)
	j.correct(correction{from: g.from, at: g.at, cause: CauseDeleted, evidence: alive + znode.Safe(name, 64)}, at)
}
