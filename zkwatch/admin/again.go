package admin

import (
	"context"
	"runtime/debug"
	"sync"

	"electop/model"
)

// lookAgain has the servers list their connections once more if some
// candidate's is in no list. Lists are not of one moment: a client that goes
// from one server to another while they are made can be missed by both, and
// where one of them is slow that moment is long. So only who is in neither of
// two lists has no connection. It is asked for only when it matters, and at most
// once a round.
func (e *ensemble) lookAgain(ctx context.Context, p plan, results []result) {
	if !p.Sessions || !e.unlisted(results) {
		return
	}
	again := make([]result, len(results))
	var all sync.WaitGroup
	for i := range results {
		s := e.servers[results[i].Addr]
		all.Go(func() { again[i] = s.listAgain(ctx, p, results[i].Version) })
	}
	all.Wait()
	listed := make(map[uint64]bool)
	for i := range again {
		for _, c := range again[i].conns {
			listed[c.Session] = true
		}
	}
	for i := range results {
		conns := again[i].conns
		for _, c := range results[i].conns {
			if !listed[c.Session] {
				conns = append(conns, c)
			}
		}
		results[i].conns, results[i].Connections = conns, again[i].Connections
	}
}

func (s *server) listAgain(ctx context.Context, p plan, version string) (r result) {
	defer func() {
		if e := recover(); e != nil { // as in round
			s.asker.cfg.Logger.Error("asking a server", "server", s.addr, "panic", e, "stack", string(debug.Stack()))
			r = result{Server: model.Server{Connections: model.Answer{State: model.Failed, At: s.asker.cfg.Now(), Why: "its reply could not be taken apart"}}}
		}
	}()
	r.Version = version
	s.connections(ctx, p, &r)
	return r
}

// unlisted tells whether some ephemeral znode of an election has an owner that
// is in no list, although all servers gave theirs.
func (e *ensemble) unlisted(results []result) bool {
	listed := make(map[uint64]bool)
	for i := range results {
		if results[i].Connections.State != model.Answered {
			return false // then that says nothing anyway
		}
		for _, c := range results[i].conns {
			listed[c.Session] = true
		}
	}
	for _, s := range e.asker.subscribed() {
		c := cutter{chroot: e.cfg.Chroot, path: s.Path, ack: s.Ack}
		for i := range results {
			for _, x := range results[i].ephemerals {
				if _, ours := c.inner(x.Path); ours && !listed[x.Session] {
					return true
				}
			}
		}
	}
	return false
}
