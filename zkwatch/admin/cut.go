package admin

import (
	"cmp"
	"slices"
	"strings"

	"electop/model"
)

// What one election is given of one server at most: several times the largest
// elections there are, and far from what an observation may weigh.
const (
	maxListed   = 20_000    // entries of each list
	maxWatchers = 100_000   // sessions in all watches together
	maxPath     = 16 << 10  // bytes of one path
	maxPaths    = 8_000_000 // and of all of one list
)

// cut returns what concerns an election of what the servers said. See
// [model.ServerTable].
func cut(t model.ServerTable, results []result, chroot string, e Election) *model.ServerTable {
	c := cutter{chroot: chroot, path: e.Path, ack: e.Ack, sessions: make(map[uint64]bool)}
	for _, a := range t.Anchors {
		c.sessions[a.Session] = true
	}
	if e.Sessions != nil {
		for _, s := range e.Sessions() {
			c.sessions[s] = true
		}
	}
	t.Anchors = slices.Clone(t.Anchors)
	t.Servers = make([]model.Server, len(results))
	// First what concerns the election's znodes, on all servers, which tells
	// whose sessions are of interest.
	for i := range results {
		t.Servers[i] = results[i].Server
		c.znodes(&results[i], &t.Servers[i])
	}
	delete(c.sessions, 0)
	for i := range results {
		c.clients(&results[i], &t.Servers[i])
	}
	return &t
}

type cutter struct {
	chroot, path, ack string
	sessions          map[uint64]bool
}

// inner returns a path as this client sees it, and whether it concerns the
// election: its path, a child, or the acknowledgement.
func (c *cutter) inner(full string) (string, bool) {
	path, ok := strings.CutPrefix(full, c.chroot)
	if !ok {
		return "", false
	}
	if path == "" {
		path = "/"
	}
	if path == c.path || c.ack != "" && path == c.ack {
		return path, true
	}
	child, ok := strings.CutPrefix(path, strings.TrimSuffix(c.path, "/")+"/")
	return path, ok && child != "" && !strings.Contains(child, "/")
}

func (c *cutter) znodes(r *result, s *model.Server) {
	size := 0
	for _, x := range r.ephemerals {
		path, ok := c.inner(x.Path)
		if !ok {
			continue
		}
		size += len(path)
		if len(s.Ephemerals) == maxListed || len(path) > maxPath || size > maxPaths {
			s.Leftover = true
			continue
		}
		s.Ephemerals = append(s.Ephemerals, model.Ephemeral{Session: x.Session, Path: path})
		c.sessions[x.Session] = true
	}
	slices.SortFunc(s.Ephemerals, func(a, b model.Ephemeral) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Session, b.Session))
	})
	size = 0
	watchers := 0
	for _, w := range r.watches {
		path, ok := c.inner(w.Path)
		if !ok {
			continue
		}
		size += len(path)
		watchers += len(w.Sessions)
		if len(s.Watched) == maxListed || len(path) > maxPath || size > maxPaths || watchers > maxWatchers {
			s.Leftover = true
			continue
		}
		ids := slices.Sorted(slices.Values(w.Sessions))
		s.Watched = append(s.Watched, model.Watch{Path: path, Sessions: slices.Compact(ids)})
		for _, id := range ids {
			c.sessions[id] = true
		}
	}
	slices.SortFunc(s.Watched, func(a, b model.Watch) int { return cmp.Compare(a.Path, b.Path) })
}

func (c *cutter) clients(r *result, s *model.Server) {
	for _, x := range r.conns {
		if !c.sessions[x.Session] {
			continue
		}
		if len(s.Clients) == maxListed {
			s.Leftover = true
			break
		}
		s.Clients = append(s.Clients, x)
	}
	slices.SortFunc(s.Clients, func(a, b model.ServerConn) int {
		return cmp.Or(cmp.Compare(a.Session, b.Session), cmp.Compare(a.Addr, b.Addr))
	})
	latest := make(map[uint64]int) // a session heard of meanwhile may be in the dump twice
	for _, x := range r.deadlines {
		if !c.sessions[x.Session] {
			continue
		}
		if i, ok := latest[x.Session]; ok {
			s.Deadlines[i].At = max(s.Deadlines[i].At, x.At)
			continue
		}
		if len(s.Deadlines) == maxListed {
			s.Leftover = true
			break
		}
		latest[x.Session] = len(s.Deadlines)
		s.Deadlines = append(s.Deadlines, x)
	}
	slices.SortFunc(s.Deadlines, func(a, b model.Deadline) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Session, b.Session))
	})
}
