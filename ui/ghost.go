package ui

import (
	"slices"

	"electop/model"
	"electop/model/dialect"
	"electop/model/znode"
)

// ghostOf returns the name of the candidate whose ghost r is: a znode of its
// session that it does not know of, because the reply to the create was lost.
// "" for a row that is none. sure says that the owner itself told which is its
// znode; of strangers the doctor only infers it.
func (d *dashboard) ghostOf(r row) (of string, sure bool) {
	s, c := d.rows.state, r.candidate
	if c == nil || c.Session == 0 {
		return "", false
	}
	if m := r.member; m != nil {
		if m.Znode == "" || m.Znode == c.Name || m.Session != c.Session || m.Belief == model.Volunteering {
			return "", false
		}
		if slices.ContainsFunc(s.Queue, func(x *dialect.Candidate) bool { return x.Session == c.Session && x.Name == m.Znode }) {
			return znode.Safe(m.Name, nameMax), true
		}
		return "", false
	}
	if known := s.Ghost(c); known != nil {
		return known.Label(), false
	}
	return "", false
}

// haunts reports whether r is the ghost of a candidate of ours.
func (d *dashboard) haunts(r row) bool { _, sure := d.ghostOf(r); return sure }
