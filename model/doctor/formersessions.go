package doctor

import (
	"time"

	"electop/model/dialect"
)

// formerSessions are the last formerMax sessions that owned a contender and own
// none now.
type formerSessions struct {
	sessions map[uint64]former
	ring     []uint64 // sessions in the order of their leaving
	next     int
	unread   int // how many left with an unknown owner
}

type former struct {
	name string
	at   time.Time
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
	if _, again := o.sessions[c.Session]; !again {
		if o.sessions == nil {
			o.sessions = make(map[uint64]former)
		}
		if len(o.ring) < formerMax {
			o.ring = append(o.ring, c.Session)
		} else {
			delete(o.sessions, o.ring[o.next])
			o.ring[o.next] = c.Session
			o.next = (o.next + 1) % formerMax
		}
	}
	o.sessions[c.Session] = former{c.Name, at, missed + o.unread}
}
