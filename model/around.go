package model

import (
	"cmp"
	"maps"

	"electop/model/dialect"
	"electop/model/znode"
)

// Around returns the directories to read besides the election: those that show its
// system, who could lead, and since when nobody has. A queue with candidates shows enough.
func (s *State) Around() (dirs []string) {
	switch d := s.Dialect; {
	case d == nil && !s.Single, d != nil && !d.Single && s.Queue.Len() > 0:
		return nil
	case d == nil && dialect.MaybeSingle(s.Path), d != nil && d.Single:
		dirs = append(dirs, znode.Dir(s.Path))
	}
	for _, p := range s.Dialect.Programs(s.Path) {
		dirs = append(dirs, p.Dir)
	}
	return dirs
}

// around applies a read of a directory beside the election. The names beside a
// leader's own znode show whose election it is.
func (j *Journal) around(o *Directory) {
	j.directories = maps.Clone(j.directories)
	if j.directories == nil {
		j.directories = make(map[string]*Directory)
	}
	j.directories[o.Path] = o
	if d := j.naming.dialect; !j.single || d != nil && d != dialect.SingleZnode() || j.naming.preset || j.naming.fixed != nil {
		return
	}
	e := dialect.Evidence{Path: j.cfg.Path, Siblings: j.siblings()}
	for _, c := range j.queue.All() {
		e.Children = append(e.Children, c.Znode)
	}
	if found := dialect.Recognise(e); found != nil && found.Single {
		j.interpret(found)
	}
}

// siblings are the names beside the election's path, nil if they are not known.
func (j *Journal) siblings() []string { return j.directories[znode.Dir(j.cfg.Path)].names() }

// names returns the names of the children, nil if they are not known.
func (d *Directory) names() []string {
	if d == nil || d.Presence != Present || d.Names == nil && d.Parent.Children > 0 {
		return nil
	}
	return append([]string{}, d.Names...)
}

// Epoch is the number that the system counts its leaders by, "" if there is none or
// it was not read.
func (s *State) Epoch() string {
	name, d := s.Dialect.Epoch(), s.Directories[znode.Dir(s.Path)]
	if name == "" || d == nil {
		return ""
	}
	for i := range d.Children {
		if z := &d.Children[i]; z.Name == name && !z.Data.Truncated() && len(z.Data.Bytes) <= 20 {
			return znode.Safe(string(z.Data.Bytes), 20)
		}
	}
	return ""
}

// Standbys are the programs that could lead besides the leader, as far as their
// system lists them.
type Standbys struct {
	// Listed says that the system lists them, and that the list was read.
	Listed bool
	Names  []string // as [dialect.Dialect.Who] names a leader
	Unread int      // further znodes of the list, which were not read
	Off    string   // why none of them may take over, "" where one may
	// Gone says that no program of the system runs, as far as its znodes show.
	// ShutDown says that it was shut down, so that nobody has to lead.
	Gone, ShutDown bool
}

// Standbys returns who could take over from a leader without a queue, or lead where
// the queue is empty.
func (s *State) Standbys() (out Standbys) {
	leader, alive := "", false
	if l := s.First(); l != nil {
		leader = l.Who
	}
	for _, p := range s.Dialect.Programs(s.Path) {
		d := s.Directories[p.Dir]
		if d == nil || d.Presence != Present {
			continue
		}
		for i := range d.Children {
			z := &d.Children[i]
			if z.Session == 0 || z.Unread {
				continue
			}
			alive = true
			who, off := p.Read(z)
			out.Off = cmp.Or(out.Off, off)
			if who != "" && who != leader {
				out.Names = append(out.Names, who)
			}
		}
		if p.Who == nil {
			continue
		}
		out.Listed = true
		if d.Names == nil {
			out.Unread += int(d.Parent.Children)
		}
		for _, name := range d.Names[min(len(d.Names), ChildrenMax):] {
			if who, _ := p.Read(&znode.Znode{Name: name}); who != "" && who != leader {
				out.Unread++
			}
		}
	}
	if s.Dialect.WatchersStand() && s.watchers != nil {
		out.watching(s)
		alive = alive || len(out.Names) > 0
	}
	if siblings := s.Directories[znode.Dir(s.Path)].names(); s.Dialect != nil {
		out.ShutDown = siblings != nil && s.Dialect.Down(siblings)
		out.Gone = out.ShutDown || !alive && (out.Listed || !s.Single || !s.Dialect.Shown(siblings))
	}
	return out
}

// watching adds the sessions that watch the leader's znode, by the servers' tables.
func (o *Standbys) watching(s *State) {
	o.Listed = true
	leader := s.First()
	for _, id := range s.watchers.Others {
		if leader != nil && leader.Session == id {
			continue
		}
		name := "session " + znode.Hex(id)
		if at := s.Tracked.Client(id).Conn; at != nil {
			name = znode.Safe(at.Addr, 64)
		}
		o.Names = append(o.Names, name)
	}
}
