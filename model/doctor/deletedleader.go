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

const (
	deletedMax = 8
	deletedFor = 10 * time.Minute
	closingMax = 2 * time.Second // a leader that stops may keep its session for this time after its znode's deletion
)

// endedReigns skips locks and single znodes: their owners normally delete the znode.
func endedReigns(s *model.State) (out []model.Reign) {
	for _, x := range s.Reigns[max(0, len(s.Reigns)-deletedMax):] {
		lock := s.Single || s.Dialect.Locks()
		if !lock && !x.To.IsZero() && s.At.Sub(x.To) <= deletedFor && x.Leader.Session != 0 && !s.Ours(x.Leader.Session) {
			out = append(out, x)
		}
	}
	return out
}

func deletedLeader(r *ruleRun) {
	for _, x := range endedReigns(r.s) {
		l := x.Leader
		client := r.s.Tracked.Client(l.Session)
		if client.Conn == nil || client.At.Before(x.To.Add(closingMax)) || r.owners()[l.Session] != nil || slices.Contains(r.d.lost, l.Session) {
			continue
		}
		f := r.find(leaderDeleted, znode.Hex(l.Session)).about(l)
		if strings.HasSuffix(dialect.Stem(l.Name), "latch-") {
			f.Severity = Warning // Curator's LeaderLatch does not notice the deletion
		}
		f.again = x.To.Add(deletedFor + time.Second)
		f.because("%s led until its znode was deleted at %s or earlier", described(l), units.Clock(x.To))
		f.because("its session is alive without a candidate: connection from %s seen at %s", safe(client.Conn.Addr), units.Clock(client.At))
	}
}
