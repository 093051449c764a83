package supervise

import (
	"fmt"
	"time"
)

// A Lease is until when the servers are sure to keep the session of a leader.
type Lease struct {
	End     time.Time
	Timeout time.Duration // of the session
}

// Shares of the session timeout, before the end of the lease.
const (
	stopShare = 10 // a leader stops: the candidate does so at the same time
	killShare = 20 // nothing of the command runs any more
)

// limits are the moments, by clock, at which the command is to be stopped and killed.
type limits struct{ stop, kill time.Duration }

// limits are the zero value if the lease has not begun or is over.
func (l Lease) limits() limits {
	// The clock first: after a pause between the two the limits are too early, not too late.
	at, now := clock(), time.Now()
	left := min(l.End.Sub(now), l.End.Round(0).Sub(now.Round(0)))
	if l.End.IsZero() || left <= 0 {
		return limits{}
	}
	return limits{stop: at + left - l.Timeout/stopShare, kill: at + left - l.Timeout/killShare}
}

// line is what the guard reads, see [parseLimits].
func (l limits) line() []byte { return fmt.Appendf(nil, "%d %d\n", l.stop, l.kill) }

func parseLimits(line string) (l limits, err error) {
	_, err = fmt.Sscanf(line, "%d %d", &l.stop, &l.kill)
	return l, err
}
