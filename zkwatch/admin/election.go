package admin

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"electop/model"
	"electop/model/session"
)

// An Election is a subscription to the answers about one election.
type Election struct {
	Path string // relative to the chroot
	Ack  string // path of the acknowledgement znode, relative to the chroot; "" for none
	// Sessions returns sessions whose connections and deadlines the tables also have. It must not
	// block; nil means no sessions.
	Sessions func() []uint64
	// Hosts returns hosts whose connections are also of interest. It must not block; nil means no hosts.
	Hosts func() []string
	// Put receives a *session.Table. Calls do not overlap. Put must return when ctx is done.
	Put func(context.Context, model.Observation)
}

func (e *Election) inner(chroot, full string) (string, bool) {
	path, ok := strings.CutPrefix(full, chroot)
	if !ok {
		return "", false
	}
	if path == "" {
		path = "/"
	}
	if path == e.Path || e.Ack != "" && path == e.Ack {
		return path, true
	}
	child, ok := strings.CutPrefix(path, strings.TrimSuffix(e.Path, "/")+"/")
	return path, ok && child != "" && !strings.Contains(child, "/")
}

// These constants bound an election's part of the answers.
const (
	maxListed   = 20_000    // entries of each list
	maxWatchers = 100_000   // sessions in all watches together
	maxPath     = 16 << 10  // bytes of one path
	maxPaths    = 8_000_000 // bytes of all paths of one list
	maxFromHost = 1000      // connections from one host to all servers: a host with more may be a proxy
)

func (e *Election) table(t session.Table, results []result, chroot string) *session.Table {
	f := filter{election: e, chroot: chroot, sessions: make(map[uint64]bool)}
	for _, a := range t.Anchors {
		f.sessions[a.Session] = true
	}
	if e.Sessions != nil {
		for _, s := range e.Sessions() {
			f.sessions[s] = true
		}
	}
	t.Hosts = e.hosts(results)
	f.hosts = t.Hosts
	t.Anchors = slices.Clone(t.Anchors)
	t.Servers = make([]session.Server, len(results))
	// The znodes and watches of all servers come first: they add sessions to the filter.
	for i := range results {
		t.Servers[i] = results[i].Server
		f.znodes(&results[i], &t.Servers[i])
	}
	delete(f.sessions, 0)
	for i := range results {
		f.clients(&results[i], &t.Servers[i])
	}
	return &t
}

func (e *Election) hosts(results []result) []string {
	if e.Hosts == nil {
		return nil
	}
	from := make(map[string]int)
	for i := range results {
		for _, x := range results[i].conns {
			from[session.HostOf(x.Addr)]++
		}
	}
	return slices.DeleteFunc(e.Hosts(), func(host string) bool { return from[host] > maxFromHost })
}

type filter struct {
	election *Election
	chroot   string
	sessions map[uint64]bool // sessions whose connections and deadlines are copied
	hosts    []string        // hosts whose connections are copied
}

type listSize struct{ entries, bytes, watchers int }

func (f *filter) take(l *listSize, s *session.Server, full string, watchers int) (path string, ok bool) {
	if path, ok = f.election.inner(f.chroot, full); !ok {
		return "", false
	}
	l.bytes += len(path)
	l.watchers += watchers
	if l.entries == maxListed || len(path) > maxPath || l.bytes > maxPaths || l.watchers > maxWatchers {
		s.Leftover = true
		return "", false
	}
	l.entries++
	return path, true
}

func (f *filter) znodes(r *result, s *session.Server) {
	var ephemerals, watches listSize
	for _, x := range r.ephemerals {
		if path, ok := f.take(&ephemerals, s, x.Path, 0); ok {
			s.Ephemerals = append(s.Ephemerals, session.Ephemeral{Session: x.Session, Path: path})
			f.sessions[x.Session] = true
		}
	}
	slices.SortFunc(s.Ephemerals, func(a, b session.Ephemeral) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Session, b.Session))
	})
	for _, w := range r.watches {
		if path, ok := f.take(&watches, s, w.Path, len(w.Sessions)); ok {
			ids := slices.Sorted(slices.Values(w.Sessions))
			s.Watched = append(s.Watched, session.Watch{Path: path, Sessions: slices.Compact(ids)})
			for _, id := range ids {
				f.sessions[id] = true
			}
		}
	}
	slices.SortFunc(s.Watched, func(a, b session.Watch) int { return cmp.Compare(a.Path, b.Path) })
}

func (f *filter) clients(r *result, s *session.Server) {
	for _, x := range r.conns {
		if !f.sessions[x.Session] && (x.Session == 0 || !slices.Contains(f.hosts, session.HostOf(x.Addr))) {
			continue
		}
		if len(s.Clients) == maxListed {
			s.Leftover = true
			break
		}
		s.Clients = append(s.Clients, x)
	}
	slices.SortFunc(s.Clients, func(a, b session.Client) int {
		return cmp.Or(cmp.Compare(a.Session, b.Session), cmp.Compare(a.Addr, b.Addr))
	})
	latest := make(map[uint64]int) // index in s.Deadlines by session; a dump can have a session twice
	for _, x := range r.deadlines {
		if !f.sessions[x.Session] {
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
	slices.SortFunc(s.Deadlines, func(a, b session.Deadline) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Session, b.Session))
	})
}
