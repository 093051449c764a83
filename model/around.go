package model

import (
	"cmp"
	"slices"

	"electop/model/znode"
)

func namesIn(all []*Directory, path string) []string {
	d := directory(all, path)
	if d == nil || d.Presence != Present || d.Names == nil && d.Parent.Children > 0 {
		return nil
	}
	return append([]string{}, d.Names...)
}

// Around are the directories to read besides the election: those that say who could
// lead, and since when nobody has. Where a queue has candidates, these say enough.
func (s *State) Around() []string {
	if s.Dialect != nil && !s.Dialect.Single && s.Queue.Len() > 0 || s.Dialect == nil && !s.Single {
		return nil
	}
	return s.Dialect.Directories(s.Path)
}

// Directory returns the last read of a directory beside the election, nil for none.
func (s *State) Directory(path string) *Directory { return directory(s.Directories, path) }

// Shown reports whether the names beside the election's znode show that its system
// is there.
func (s *State) Shown() bool {
	return s.Dialect != nil && s.Dialect.Shown(namesIn(s.Directories, znode.Dir(s.Path)))
}

// Down reports whether the system was shut down, so that nobody has to lead.
func (s *State) Down() bool {
	names := namesIn(s.Directories, znode.Dir(s.Path))
	return s.Dialect != nil && names != nil && s.Dialect.Down(names)
}

// Epoch is the number that the system counts its leaders by, "" if there is none or
// it was not read.
func (s *State) Epoch() string {
	path := s.Dialect.Epoch(s.Path)
	d := directory(s.Directories, znode.Dir(path))
	if path == "" || d == nil {
		return ""
	}
	for i := range d.Children {
		if z := &d.Children[i]; z.Name == znode.Base(path) && !z.Data.Truncated() && len(z.Data.Bytes) <= 20 {
			return znode.Safe(string(z.Data.Bytes), 20)
		}
	}
	return ""
}

func directory(all []*Directory, path string) *Directory {
	i, ok := slices.BinarySearchFunc(all, path, func(d *Directory, path string) int { return cmp.Compare(d.Path, path) })
	if !ok {
		return nil
	}
	return all[i]
}
