package model

import "time"

// owners remembers which sessions stood and do no more, the last ownersMax.
type owners struct {
	former map[uint64]former
	ring   []uint64 // sessions in the order of their leaving
	next   int
	unread int // how many left whose owner was not known
}

type former struct {
	name string
	at   time.Time
	// unseen is how many candidates had come and gone unseen till then. If there
	// were more since, one of them may have been the session's.
	unseen int
}

const ownersMax = 4096

func (o *owners) left(at time.Time, c *Candidate, missed int) {
	if c.Session == 0 {
		o.unread++
		return
	}
	if _, again := o.former[c.Session]; !again {
		if o.former == nil {
			o.former = make(map[uint64]former)
		}
		if len(o.ring) < ownersMax {
			o.ring = append(o.ring, c.Session)
		} else {
			delete(o.former, o.ring[o.next])
			o.ring[o.next] = c.Session
			o.next = (o.next + 1) % ownersMax
		}
	}
	o.former[c.Session] = former{c.Name, at, missed + o.unread}
}
