package model

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"electop/model/dialect"
	"electop/model/znode"
)

// EpochChanged is a change of the number by which a system counts its leaders. Each new
// leader adds one to it.
type EpochChanged struct {
	From, To   int64
	Before, At time.Time // when From was read, and when To was
}

func (EpochChanged) EventBody() {}

// Followed are the znodes to follow by their data: acknowledgements, and those of
// [dialect.Notes].
func (s *State) Followed() []string {
	n := s.Dialect.Notes(s.Path)
	return append(append(s.AckPaths[:len(s.AckPaths):len(s.AckPaths)], listed(n.Epoch)...), listed(n.Last)...)
}

// FollowedRead reports whether a path of [State.Followed] was read.
func (s *State) FollowedRead(path string) bool {
	return s.notes[path] != nil || slices.ContainsFunc(s.acks, func(z ackZnode) bool { return z.Path == path && !z.At.IsZero() })
}

// note applies a read of a znode of [dialect.Notes].
func (j *Journal) note(o *Ack, counts bool) {
	from, before := j.notes[o.Path].number()
	if to, now := o.number(); counts && before && now && from != to {
		j.epoch = &EpochChanged{from, to, wall(j.notes[o.Path].At), wall(o.At)}
		j.emit(wall(o.At), *j.epoch)
	}
	j.notes = maps.Clone(j.notes)
	j.notes[o.Path] = o
}

// number is the number that the znode's data is.
func (o *Ack) number() (n int64, ok bool) {
	if o == nil || o.Presence != Present || o.Data.Truncated() {
		return 0, false
	}
	n, err := strconv.ParseInt(string(o.Data.Bytes), 10, 64)
	return n, err == nil
}

// Epoch is the number that the system counts its leaders by, "" if there is none or
// it was not read.
func (s *State) Epoch() string {
	if n, ok := s.notes[s.Dialect.Notes(s.Path).Epoch].number(); ok {
		return strconv.FormatInt(n, 10)
	}
	return ""
}

// LedLast is who led an election last, in which nobody leads now.
type LedLast struct {
	Who    string `json:"name"`           // as [dialect.Dialect.Who] names a leader
	Path   string `json:"known_by"`       // of the znode that says so
	Fenced bool   `json:"must_be_fenced"` // by the next leader
}

// LedLast returns who led last, if nobody leads and a znode says that, else nil.
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

// Counted are the directories of which the number of children is wanted.
func (s *State) Counted() []string { return listed(s.Dialect.Notes(s.Path).Backlog) }

// Backlog is how many requests wait for the leader.
type Backlog struct {
	Path     string `json:"path"`
	Requests int32  `json:"requests"`
}

// Backlog returns how many requests wait, nil if the system has no queue of them or it was
// not read.
func (s *State) Backlog() *Backlog {
	path := s.Dialect.Notes(s.Path).Backlog
	if d := s.Directories[path]; d != nil && d.Presence == Present {
		return &Backlog{path, d.Parent.Children}
	}
	return nil
}

// member finds the leader in a list of programs that it is one of.
func (out *Standbys) member(s *State, p *dialect.Programs, d *Directory) {
	l := s.Leader()
	if !p.Leads || l == nil || l.Who == "" || d.At.Before(l.SeenAt) || d.names() == nil {
		return
	}
	out.Member, out.Missing = znode.Join(p.Dir, l.Who), true
	for _, name := range d.Names {
		out.Missing = out.Missing && p.Read(&znode.Znode{Name: name}).Who != l.Who
	}
}
