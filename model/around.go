package model

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"

	"electop/model/dialect"
	"electop/model/znode"
)

// Around returns the directories to read beside the election.
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

// applyDirectory stores o. The siblings of a single znode may show the election's system.
func (j *Journal) applyDirectory(o *Directory) {
	j.directories = maps.Clone(j.directories)
	j.directories[o.Path] = o
	if d := j.naming.dialect; !j.single || d != nil && d != dialect.SingleZnode(j.naming.named) || j.naming.preset || j.naming.given != nil {
		return
	}
	e := dialect.Evidence{Path: j.cfg.Path, Siblings: j.directories[znode.Dir(j.cfg.Path)].names()}
	for _, c := range j.queue.All() {
		e.Children = append(e.Children, c.Znode)
	}
	if found := dialect.Recognise(e); found != nil && found.Single {
		j.interpret(found)
	}
}

// names returns the names of the children, nil if unknown.
func (d *Directory) names() []string {
	if d == nil || d.Presence != Present || d.Names == nil && d.Parent.Children > 0 {
		return nil
	}
	return append([]string{}, d.Names...)
}

// Standbys has the programs that could take over from the leader.
type Standbys struct {
	Listed bool     // a list of programs or the watches show the standbys
	Names  []string // as [dialect.Dialect.Who] names a leader; for watchers, their addresses or sessions
	If     string   // a condition for leading that no znode shows, "" for none
	// Programs are the standbys, the leader's program (LeaderProgram), and listed programs that cannot lead.
	Programs      []dialect.Program
	LeaderProgram dialect.Program
	Entry         string // the path of the leader's znode in the list, "" if unknown
	Missing       bool   // Entry does not exist
	Unread        int    // counts listed znodes that may be standbys, but exceed the bounds of a [Directory]
	Off           string // why no standby may take over, "" if a standby may
	Gone          bool   // according to the znodes, no program of the system runs
	ShutDown      bool   // the system was shut down
}

// Standbys returns the programs that could take over.
func (s *State) Standbys() (out Standbys) {
	leader, mayRun := "", false
	if l := s.First(); l != nil {
		leader = l.Who
	}
	for _, p := range s.Dialect.Programs(s.Path) {
		d := s.Directories[p.Dir]
		if d == nil || d.Presence != Present {
			mayRun = mayRun || d == nil || d.Presence == Denied
			continue
		}
		for i := range d.Children {
			z := &d.Children[i]
			if z.Session == 0 || z.Unread {
				continue
			}
			mayRun = true
			r := p.Read(z)
			out.Off = cmp.Or(out.Off, r.Off)
			if r.Who == "" {
				continue
			}
			out.Programs = append(out.Programs, r)
			switch {
			case r.Who == leader:
				out.LeaderProgram = r
			case r.Cannot == "":
				out.Names = append(out.Names, r.Who)
			}
		}
		out.findEntry(s, &p, d)
		if p.Who == nil {
			continue
		}
		out.Listed, out.If = true, p.If
		if d.Names == nil {
			out.Unread += int(d.Parent.Children)
			mayRun = mayRun || out.Unread > 0
		}
		for _, name := range d.Names[min(len(d.Names), ChildrenMax):] {
			if r := p.Read(&znode.Znode{Name: name}); r.Who != "" && r.Who != leader {
				out.Unread++
			}
		}
	}
	if s.Dialect.WatchersCouldLead() && s.watchers != nil {
		out.addWatchers(s)
		mayRun = mayRun || len(out.Names) > 0
	}
	if siblings := s.Directories[znode.Dir(s.Path)].names(); s.Dialect != nil {
		out.ShutDown = siblings != nil && s.Dialect.Down(siblings)
		out.Gone = out.ShutDown || !mayRun && (out.Listed || !s.Single || !s.Dialect.Shown(siblings))
	}
	return out
}

func (o *Standbys) addWatchers(s *State) {
	leader := s.First()
	// If nobody leads, the watches have fired, so an empty list means unknown.
	o.Listed = leader != nil || len(s.watchers.Others) > 0
	for _, id := range s.watchers.Others {
		if leader != nil && leader.Session == id {
			continue
		}
		name := "session " + znode.Hex(id)
		if at := s.Tracked.Client(id).Conn; at != nil {
			name = znode.Safe(at.Addr, 64)
		}
		o.Names, o.Programs = append(o.Names, name), append(o.Programs, dialect.Program{Who: name})
	}
}

// EpochChanged is a change of the system's leader epoch, which each new leader increments.
type EpochChanged struct {
	From, To   int64
	Before, At time.Time // when From and To were read
}

func (EpochChanged) EventBody() {}

// Followed returns the paths of the znodes whose data the observer must follow.
func (s *State) Followed() []string {
	n := s.Dialect.Notes(s.Path)
	return append(append(s.AckPaths[:len(s.AckPaths):len(s.AckPaths)], nonEmpty(n.Epoch)...), nonEmpty(n.Last)...)
}

// FollowedRead reports whether a path of [State.Followed] was read.
func (s *State) FollowedRead(path string) bool {
	return s.notes[path] != nil || slices.ContainsFunc(s.acks, func(z ackZnode) bool { return z.Path == path && !z.At.IsZero() })
}

func (j *Journal) applyNote(o *Ack, isEpoch bool) {
	from, before := j.notes[o.Path].number()
	if to, now := o.number(); isEpoch && before && now && from != to {
		change := EpochChanged{from, to, wallClock(j.notes[o.Path].At), wallClock(o.At)}
		if j.emit(change.At, change); j.epochReconnects == j.link.reconnects {
			j.epoch = &change
		}
	}
	if isEpoch {
		j.epochReconnects = j.link.reconnects
	}
	j.notes = maps.Clone(j.notes)
	j.notes[o.Path] = o
}

func (o *Ack) number() (n int64, ok bool) {
	if o == nil || o.Presence != Present || o.Data.Truncated() {
		return 0, false
	}
	n, err := strconv.ParseInt(string(o.Data.Bytes), 10, 64)
	return n, err == nil
}

// Epoch returns the system's leader epoch, "" for none or unknown.
func (s *State) Epoch() string {
	if n, ok := s.notes[s.Dialect.Notes(s.Path).Epoch].number(); ok {
		return strconv.FormatInt(n, 10)
	}
	return ""
}

// LedLast is the last leader of an election without a leader.
type LedLast struct {
	Who    string `json:"name"`           // as [dialect.Dialect.Last] names a leader
	Path   string `json:"known_by"`       // the znode that shows Who
	Fenced bool   `json:"must_be_fenced"` // the next leader must fence Who first
}

// LedLast returns the last leader of a [Live] election with [NoCandidate] or [NotAcknowledged], nil if unknown.
func (s *State) LedLast() *LedLast {
	if why := s.NoLeader(); why != NoCandidate && why != NotAcknowledged || s.Dialect == nil || s.Phase != Live {
		return nil
	}
	last, c := &LedLast{}, &dialect.Candidate{}
	if n := s.notes[s.Dialect.Notes(s.Path).Last]; n != nil && n.Presence == Present {
		last.Path, c.Data = n.Path, n.Data
	} else if s.Ack.ByData && s.Ack.Presence == Present {
		last.Path, c.Data = s.Ack.Path, s.Ack.Data
	}
	if last.Who, last.Fenced = s.Dialect.Last(c); last.Who == "" {
		return nil
	}
	return last
}

// Counted returns the directories whose number of children the observer must read.
func (s *State) Counted() []string { return nonEmpty(s.Dialect.Notes(s.Path).Backlog) }

// Backlog counts the requests that wait for the leader.
type Backlog struct {
	Path     string `json:"path"`
	Requests int32  `json:"requests"`
}

// Backlog returns the backlog, nil if unknown.
func (s *State) Backlog() *Backlog {
	path := s.Dialect.Notes(s.Path).Backlog
	if d := s.Directories[path]; d != nil && d.Presence == Present {
		return &Backlog{path, d.Parent.Children}
	}
	return nil
}

func (out *Standbys) findEntry(s *State, p *dialect.Programs, d *Directory) {
	l := s.Leader()
	if !p.Leads || l == nil || l.Who == "" || d.At.Before(l.SeenAt) || d.names() == nil {
		return
	}
	out.Entry, out.Missing = znode.Join(p.Dir, l.Who), true
	for _, name := range d.Names {
		out.Missing = out.Missing && p.Read(&znode.Znode{Name: name}).Who != l.Who
	}
}
