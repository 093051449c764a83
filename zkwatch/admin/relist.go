package admin

import (
	"context"
	"sync"

	"electop/model/session"
)

// relist asks the servers for their connections once more. The lists are not of
// one moment: a client that goes from one server to another while they are made
// can be missing from both, and where a server is slow that moment is long. So
// only a session that is in neither of two lists has no connection.
func relist(ctx context.Context, p plan, servers map[string]*server, results []result) {
	second := make([]result, len(results))
	var all sync.WaitGroup
	for i := range results {
		s := servers[results[i].Addr]
		all.Go(func() { second[i] = s.pollConnections(ctx, p, results[i].Version) })
	}
	all.Wait()
	listed := make(map[uint64]bool)
	for i := range second {
		for _, c := range second[i].conns {
			listed[c.Session] = true
		}
	}
	for i := range results {
		conns := second[i].conns
		for _, c := range results[i].conns {
			if !listed[c.Session] {
				conns = append(conns, c)
			}
		}
		results[i].conns, results[i].Connections = conns, second[i].Connections
	}
}

// unlisted reports whether an ephemeral znode of an election has an owner that
// is in no list, although all servers gave theirs.
func unlisted(results []result, chroot string, elections []*Election) bool {
	listed := make(map[uint64]bool)
	for i := range results {
		if results[i].Connections.State != session.Answered {
			return false // the second lists would prove nothing either
		}
		for _, c := range results[i].conns {
			listed[c.Session] = true
		}
	}
	for _, e := range elections {
		for i := range results {
			for _, x := range results[i].ephemerals {
				if _, ours := e.inner(chroot, x.Path); ours && !listed[x.Session] {
					return true
				}
			}
		}
	}
	return false
}
