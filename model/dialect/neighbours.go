package dialect

import (
	"slices"
	"strings"
	"time"

	"electop/model/znode"
)

// neighbours are the znodes beside an election: they show which system's election
// it is while nobody leads, and who could lead.
type neighbours struct {
	// siblings are children of the election's parent, all of which are there where the
	// system is; "a|b" is either of two, and "!a" one that must not be there.
	siblings []string
	// queue is where (see endsIn) nobody leads if a queue is empty, "" for each of the
	// dialect's elections.
	queue string
	// while is a sibling that is there as long as the system has not been shut down, ""
	// for none.
	while string
	// vacancy is how long the system may be without a leader before somebody has to
	// look. It comes from a setting of the system, or is a generous guess.
	vacancy  time.Duration
	standbys []standbys
	// watch says that only programs that wait to lead watch the leader's znode, so the
	// servers' tables show who could lead.
	watch bool
	// epoch is a sibling whose text counts the leaders, "" for none.
	epoch string
}

// standbys is a directory with a znode for each running program of a system.
type standbys struct {
	at  string // which elections, see endsIn; "": all of the dialect
	dir string // from the election's path, see from
	// who names the program as [Dialect.Who] names a leader, "" if it may not lead; nil
	// for programs that never lead.
	who func(z *znode.Znode) string
	// off says why no program may take over, "" where one may; nil: there is no such
	// setting.
	off func(z *znode.Znode) string
}

// at calls found for each directory that belongs to the election at path.
func (n *neighbours) at(path string, found func(dir string, s *standbys)) {
	for i := range n.standbys {
		s := &n.standbys[i]
		if star, ok := endsIn(path, s.at); ok || s.at == "" {
			found(from(path, s.dir, star), s)
		}
	}
}

// show reports whether the siblings show that the system is there.
func (n *neighbours) show(siblings []string) bool {
	for _, want := range n.siblings {
		want, not := strings.CutPrefix(want, "!")
		if slices.ContainsFunc(strings.Split(want, "|"), func(s string) bool { return slices.Contains(siblings, s) }) == not {
			return false
		}
	}
	return len(n.siblings) > 0
}

// Programs are the directories with a znode for each running program of the system
// that holds the election at path, nil where its system has none.
func (d *Dialect) Programs(path string) (dirs []string) {
	if d != nil {
		d.beside.at(path, func(dir string, _ *standbys) { dirs = append(dirs, dir) })
	}
	return dirs
}

// Standby is the program behind a znode of one of [Dialect.Programs], named as
// [Dialect.Who] names a leader, "" if it may not lead. off says why no program of
// this system may take over, "" where one may. ok is false for a directory whose
// programs never lead.
func (d *Dialect) Standby(path, dir string, z *znode.Znode) (who, off string, ok bool) {
	d.beside.at(path, func(at string, s *standbys) {
		if at != dir || s.who == nil {
			return
		}
		who, ok = znode.Safe(s.who(z), labelMax), true
		if s.off != nil {
			off = znode.Safe(s.off(z), labelMax)
		}
	})
	return who, off, ok
}

// WatchersStand reports whether a session that watches the leader's znode is of a
// program that could lead.
func (d *Dialect) WatchersStand() bool { return d != nil && d.beside.watch }

// StandbyPatterns are the directories that list who could lead, from the election's
// path; for people.
func (d *Dialect) StandbyPatterns() (out []string) {
	for _, s := range d.beside.standbys {
		if s.who != nil {
			out = append(out, s.dir)
		}
	}
	return out
}

// Shown reports whether the names beside the election's path show that the system is
// there.
func (d *Dialect) Shown(siblings []string) bool { return d.beside.show(siblings) }

// Vacancy is how long a healthy system may be without a leader, 0 where that is not
// known.
func (d *Dialect) Vacancy() time.Duration { return d.beside.vacancy }

// matters reports whether an empty queue at path, where the system has elections, means
// that nobody leads.
func (n *neighbours) matters(path string) bool {
	_, ok := endsIn(path, n.queue)
	return n.vacancy > 0 && (ok || n.queue == "")
}

// Down reports whether the siblings of the election's znode show that the system was
// shut down.
func (d *Dialect) Down(siblings []string) bool {
	return d.beside.while != "" && !slices.Contains(siblings, d.beside.while)
}

// Epoch is the sibling of the election whose text counts the system's leaders, ""
// where it has none.
func (d *Dialect) Epoch(path string) string {
	if d == nil || d.beside.epoch == "" {
		return ""
	}
	return znode.Join(znode.Dir(path), d.beside.epoch)
}
