package doctor

import (
	"slices"
	"strings"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/units"
	"electop/model/znode"
)

// deletedMax and deletedFor bound how many leaders are followed whose znodes were deleted,
// and for how long. closing is the time in which a client that ends closes its session.
const (
	deletedMax = 8
	deletedFor = 10 * time.Minute
	closing    = 2 * time.Second
)

// deleted returns the last reigns of leaders that own no candidate now, the last one first,
// each session once. A holder of a lock deletes its znode to release it.
func deleted(s *model.State) (out []*model.Reign) {
	if s.Dialect != nil && s.Dialect.Lock || s.Single {
		return nil
	}
	var seen []uint64
	for i := len(s.Reigns) - 1; i >= 0 && len(seen) < deletedMax; i-- {
		x := &s.Reigns[i]
		if x.To.IsZero() || x.Leader.Session == 0 || slices.Contains(seen, x.Leader.Session) {
			continue
		}
		if s.At.Sub(x.To) > deletedFor {
			break
		}
		if seen = append(seen, x.Leader.Session); !s.Ours(x.Leader.Session) {
			out = append(out, x)
		}
	}
	return out
}

// deletedLeader finds leaders whose znodes were deleted, and whose sessions are alive. Who
// deleted a znode is not visible.
func deletedLeader(r *report) {
	for _, x := range deleted(r.s) {
		l := x.Leader
		client := r.s.Tracked.Client(l.Session)
		if client.Conn == nil || client.At.Before(x.To.Add(closing)) || r.owners()[l.Session] != nil || slices.Contains(r.m.lost, l.Session) {
			continue
		}
		f := r.find(leaderDeleted, znode.Hex(l.Session)).about(l)
		if strings.HasSuffix(dialect.Stem(l.Name), "latch-") {
			f.Severity = Warning // LeaderLatch does not notice
		}
		f.again = x.To.Add(deletedFor + time.Second)
		f.because("%s led, and was gone at %s", said(l), units.Clock(x.To))
		f.because("its session is alive without a candidate: connected from %s at %s", safe(client.Conn.Addr), units.Clock(client.At))
	}
}
