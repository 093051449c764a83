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
	standbys []Programs
	// watch says that only programs that wait to lead watch the leader's znode, so the
	// servers' tables show who could lead.
	watch bool
	// epoch is a sibling whose text counts the leaders, "" for none.
	epoch string
}

// Programs is a directory with a znode for each running program of a system.
type Programs struct {
	Dir string // in the table of systems from the election's path, see from
	at  string // which elections, see endsIn; "": all of the dialect
	// Who names the program of a znode as [Dialect.Who] names a leader, "" if it may not
	// lead; nil for programs that never lead.
	Who func(z *znode.Znode) string
	// off says why no program may take over, "" where one may; nil: there is no such
	// setting.
	off func(z *znode.Znode) string
}

// Read returns the program behind a znode, named as [Dialect.Who] names a leader, "" if it
// may not lead, and why no program of this system may take over, "" where one may.
func (p *Programs) Read(z *znode.Znode) (who, off string) {
	if p.Who != nil {
		who = znode.Safe(p.Who(z), labelMax)
	}
	if p.off != nil {
		off = znode.Safe(p.off(z), labelMax)
	}
	return who, off
}

// Programs returns the directories with a znode for each running program of the system
// that holds the election at path, nil where its system has none.
func (d *Dialect) Programs(path string) (out []Programs) {
	if d == nil {
		return nil
	}
	for _, p := range d.beside.standbys {
		if star, ok := endsIn(path, p.at); ok || p.at == "" {
			p.Dir = from(path, p.Dir, star)
			out = append(out, p)
		}
	}
	return out
}

// WatchersStand reports whether a session that watches the leader's znode is of a
// program that could lead.
func (d *Dialect) WatchersStand() bool { return d != nil && d.beside.watch }

// StandbyPatterns are the directories that list who could lead, from the election's
// path; for people.
func (d *Dialect) StandbyPatterns() (out []string) {
	for _, s := range d.beside.standbys {
		if s.Who != nil {
			out = append(out, s.Dir)
		}
	}
	return out
}

// Shown reports whether the names beside the election's path show that the system is
// there.
func (d *Dialect) Shown(siblings []string) bool {
	for _, want := range d.beside.siblings {
		want, not := strings.CutPrefix(want, "!")
		if slices.ContainsFunc(strings.Split(want, "|"), func(s string) bool { return slices.Contains(siblings, s) }) == not {
			return false
		}
	}
	return len(d.beside.siblings) > 0
}

// Vacancy returns how long a healthy system may be without a leader, 0 if that is not
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

// Epoch is the name beside the election whose text counts the system's leaders, ""
// where it has none.
func (d *Dialect) Epoch() string {
	if d == nil {
		return ""
	}
	return d.beside.epoch
}
