package doctor

import (
	"slices"
	"time"

	"electop/model/dialect"
)

// formerSessions are the sessions that owned a contender and own none now: those of the
// last formerMax contenders that left, and up to as many before.
type formerSessions struct {
	log    []former // oldest first; shared with clones, so only appended to
	unread int      // how many left with an unknown owner
}

type former struct {
	session uint64
	name    string
	at      time.Time
	// unseen is how many candidates had come and gone unseen until then. If there
	// were more since, one of them may have been the session's.
	unseen int
}

const formerMax = 4096

func (o *formerSessions) left(at time.Time, c *dialect.Candidate, missed int) {
	if c.Session == 0 {
		o.unread++
		return
	}
	if len(o.log) == 2*formerMax {
		o.log = slices.Clone(o.log[formerMax:])
	}
	o.log = append(o.log, former{c.Session, c.Name, at, missed + o.unread})
}

// of returns the last contender that a session owned.
func (o *formerSessions) of(session uint64) (f former, ok bool) {
	for _, f := range slices.Backward(o.log) {
		if f.session == session {
			return f, true
		}
	}
	return f, false
}
