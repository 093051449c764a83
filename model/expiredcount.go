package model

import (
	"slices"
	"time"

	"electop/model/session"
)

// expiredCount is how many sessions a server had let expire when it was asked.
type expiredCount struct {
	server    string
	n         int
	from, end time.Time // of the round of questions
}

// expiredIn is the count of the server that lets sessions expire, nil if the table has
// none.
func expiredIn(t *session.Table) *expiredCount {
	exp := t.Expirer()
	if exp == nil || exp.Expired == nil {
		return nil
	}
	return &expiredCount{exp.Addr, *exp.Expired, wall(t.At), wall(t.End)}
}

// same reports whether the same server had let as many sessions expire later: none in
// between, unless it was restarted.
func (e *expiredCount) same(later *expiredCount) bool {
	return e != nil && later != nil && later.server == e.server && later.n == e.n
}

// expiredCounts are the last of them, oldest first; replaced when it changes.
type expiredCounts []*expiredCount

// expiredCountsMax bounds them, and expiredCountsEvery is the time between two.
const (
	expiredCountsMax   = 16
	expiredCountsEvery = time.Second
)

func (e expiredCounts) add(t *session.Table) expiredCounts {
	count := expiredIn(t)
	if n := len(e); count == nil || n > 0 && count.end.Sub(e[n-1].end) < expiredCountsEvery {
		return e
	}
	return append(slices.Clone(e[max(0, len(e)+1-expiredCountsMax):]), count)
}

// expiryCommit is how long before its znodes are deleted a session may be counted: the
// ensemble has to commit its end.
const expiryCommit = 3 * time.Second

// before is the last one that was complete before the znodes of a session that expired
// were deleted at t at the earliest, nil for none.
func (e expiredCounts) before(t time.Time) *expiredCount {
	for _, c := range slices.Backward(e) {
		if !t.IsZero() && c.end.Before(t.Add(-expiryCommit)) {
			return c
		}
	}
	return nil
}
