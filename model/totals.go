package model

import "time"

// totals are the counts so far.
type totals struct {
	Totals
	at time.Time // up to which Led and Vacant are summed; zero before the first read
}

// elapse adds the time since the last observation to Led or Vacant, or to
// neither where electop did not see who led.
func (t *totals) elapse(at time.Time, led, seen bool) {
	if t.at.IsZero() || !at.After(t.at) {
		return
	}
	switch {
	case seen && led:
		t.Led += at.Sub(t.at)
	case seen:
		t.Vacant += at.Sub(t.at)
	}
	t.at = at
}

// miss counts changes that the parent's counters have and the lists do not, and
// returns the event that reports them; ok is false if there are none.
func (t *totals) miss(creates, deletes int, known bool) (m Missed, ok bool) {
	switch {
	case !known || creates < 0 || deletes < 0:
		t.Unknown++
		return Missed{}, true
	case creates > 0 || deletes > 0:
		t.MissedCreates += creates
		t.MissedDeletes += deletes
		return Missed{creates, deletes, true}, true
	}
	return Missed{}, false
}

// Totals are counts since the first read.
type Totals struct {
	Joined, Left, Handoffs       int
	MissedCreates, MissedDeletes int
	// Unknown counts the times that changes could not be counted.
	Unknown int
	// Led and Vacant add up the time with and without a leader, up to the
	// last observation; time from the loss of the connection to the read that
	// follows it is in neither, nor is time in which nobody can say who leads.
	Led, Vacant time.Duration
}
