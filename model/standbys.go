package model

import (
	"cmp"

	"electop/model/session"
	"electop/model/znode"
)

// Standbys are the programs that could lead besides the leader, as far as their
// system lists them.
type Standbys struct {
	// Listed says that the system lists them, and that the list was read.
	Listed bool
	Names  []string // as [dialect.Dialect.Who] names a leader
	Unread int      // further znodes of the list, which were not read
	Off    string   // why none of them may take over, "" where one may
	// Alive says that some program of the system runs, even if none of them could
	// lead.
	Alive bool
}

// Standbys returns who could take over from a leader without a queue, or stand where
// the queue is empty.
func (s *State) Standbys() (out Standbys) {
	leader := ""
	if l := s.First(); l != nil {
		leader = l.Who
	}
	for _, path := range s.Dialect.Programs(s.Path) {
		d := directory(s.Directories, path)
		if d == nil || d.Presence != Present {
			continue
		}
		_, _, lists := s.Dialect.Standby(s.Path, path, &znode.Znode{})
		out.Listed = out.Listed || lists
		read := make(map[string]bool, len(d.Children))
		for i := range d.Children {
			z := &d.Children[i]
			read[z.Name] = true
			if z.Session == 0 || z.Unread {
				continue
			}
			out.Alive = true
			who, off, _ := s.Dialect.Standby(s.Path, path, z)
			out.Off = cmp.Or(out.Off, off)
			if who != "" && who != leader {
				out.Names = append(out.Names, who)
			}
		}
		for _, name := range d.Names {
			if who, _, _ := s.Dialect.Standby(s.Path, path, &znode.Znode{Name: name}); !read[name] && who != "" && who != leader {
				out.Unread++
			}
		}
		if d.Names == nil && lists {
			out.Unread += int(d.Parent.Children)
		}
	}
	if s.Dialect.WatchersStand() {
		s.watchers(&out)
	}
	return out
}

// watchers adds the sessions that watch the leader's znode, by the servers' tables,
// without the leader's own and electop's.
func (s *State) watchers(out *Standbys) {
	if s.Answers == nil {
		return
	}
	skip := map[uint64]bool{s.Link.Session: true}
	for _, a := range s.Answers.Anchors {
		skip[a.Session] = true
	}
	if l := s.First(); l != nil {
		skip[l.Session] = true
	}
	for i := range s.Answers.Servers {
		x := &s.Answers.Servers[i]
		out.Listed = out.Listed || x.Watches.State == session.Answered
		for _, w := range x.Watched {
			for _, id := range w.Sessions {
				if w.Path != s.Path || skip[id] {
					continue
				}
				skip[id], out.Alive = true, true
				name := "session " + znode.Hex(id)
				if at := s.Tracked.Client(id).Conn; at != nil {
					name = znode.Safe(at.Addr, 64)
				}
				out.Names = append(out.Names, name)
			}
		}
	}
}
