package dialect

import (
	"slices"
	"strings"
	"time"

	"electop/model/znode"
)

// neighbours describes the znodes beside an election, which show its system and possible leaders.
type neighbours struct {
	// siblings are names beside the election that show the system if all of them exist. "a|b" means
	// a or b, and "!a" means that a does not exist.
	siblings []string
	// queues are the paths (see endsIn) at which an empty queue means that nobody leads; nil: all of
	// Dialect.at.
	queues   []string
	while    string        // a sibling that exists until the system is shut down, "" for none
	vacancy  time.Duration // how long a healthy system may be without a leader; 0: unknown, so an empty queue shows nothing
	standbys []Programs
	watch    bool // only programs that could lead watch the leader's znode
	notes    Notes
	fences   bool // the next leader has to fence the last leader, if that was an HDFS namenode
}

// Notes has paths of other znodes that describe an election, "" if the system has no such znode.
// In a [Dialect] they are relative to the election's path, see from.
type Notes struct {
	at      string // paths of the elections that have these znodes, see endsIn; "": all elections of the dialect
	Epoch   string // the znode whose text is the leader epoch
	Last    string // the znode with the last leader's data, if no acknowledgement has that data
	Backlog string // the znode with a child for each request that waits for the leader
}

// Programs is a directory with a znode for each running program of a system.
type Programs struct {
	Dir string // the path; in a [Dialect] it is relative to the election's path, see from
	at  string // paths of the elections that have this directory, see endsIn; "": all elections of the dialect
	// Who names the program of a znode as [Dialect.Who] names a leader, "" if the program never
	// leads; nil if the directory does not show who could lead.
	Who   func(z *znode.Znode) string
	If    string                           // a condition for leading that no znode shows, "" for none
	Leads bool                             // the leader has a znode in the directory too
	state func(z *znode.Znode, p *Program) // reads the program's state; nil: the znode has no state
}

// Program is a running program, according to its znode. The texts are safe for a terminal.
type Program struct {
	Who    string `json:"name"`                  // as [Dialect.Who] names a leader, "" if the program never leads
	State  string `json:"state,omitempty"`       // the program's own report, "" for none
	Cannot string `json:"cannot_lead,omitempty"` // why the program cannot lead now, "" if nothing shows that
	Down   bool   `json:"-"`                     // the state shows that the program does not do a leader's work
	Off    string `json:"-"`                     // why no program of the system may take over, "" if a program may
}

// Read returns the program that a znode shows.
func (p *Programs) Read(z *znode.Znode) (out Program) {
	if p.Who != nil {
		out.Who = znode.Safe(p.Who(z), labelMax)
	}
	if p.state != nil {
		p.state(z, &out)
		out.State, out.Cannot = znode.Safe(out.State, labelMax), znode.Safe(out.Cannot, labelMax)
	}
	return out
}

// Programs returns the directories that list the running programs of the system.
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

// WatchersCouldLead reports whether only programs that could lead watch the leader's znode.
func (d *Dialect) WatchersCouldLead() bool { return d != nil && d.beside.watch }

// StandbyPatterns returns the directories that list who could lead, relative to the election's path.
func (d *Dialect) StandbyPatterns() (out []string) {
	for _, s := range d.beside.standbys {
		if s.Who != nil {
			out = append(out, s.Dir)
		}
	}
	return out
}

// Shown reports whether siblings, the names beside the election, show the system.
func (d *Dialect) Shown(siblings []string) bool {
	for _, want := range d.beside.siblings {
		want, not := strings.CutPrefix(want, "!")
		if slices.ContainsFunc(strings.Split(want, "|"), func(s string) bool { return slices.Contains(siblings, s) }) == not {
			return false
		}
	}
	return len(d.beside.siblings) > 0
}

// Vacancy returns how long a healthy system may be without a leader, 0 if unknown.
func (d *Dialect) Vacancy() time.Duration { return d.beside.vacancy }

func (d *Dialect) vacantIfEmpty(path string) bool {
	_, ok := endsIn(path, d.beside.queues...)
	return d.beside.vacancy > 0 && (ok || d.beside.queues == nil && d.listsPath(path))
}

// Down reports whether the names beside the election's path show that the system was shut down.
func (d *Dialect) Down(siblings []string) bool {
	return d.beside.while != "" && !slices.Contains(siblings, d.beside.while)
}

// Notes returns the [Notes] of the election at path.
func (d *Dialect) Notes(path string) (n Notes) {
	if d == nil {
		return n
	}
	if n = d.beside.notes; n.at != "" {
		if _, ok := endsIn(path, n.at); !ok {
			return Notes{}
		}
	}
	for _, p := range []*string{&n.Epoch, &n.Last, &n.Backlog} {
		if *p != "" {
			*p = from(path, *p, "")
		}
	}
	return n
}

// Ack describes how a system's leader acknowledges, zero if the leader does not.
type Ack struct {
	Child    string        // the stem of a child that the leader creates, "" if the leader acknowledges by other znodes
	ByData   bool          // the znode is persistent, and its data shows which leader took over last
	Takeover time.Duration // how long a leader may take to acknowledge

	at     string   // paths of the elections that this entry describes, see endsIn
	znodes []string // the acknowledgements, relative to the election's path, see from

	path, star string
}

// Ack returns how the leader of the election at path acknowledges. d may be nil.
func (d *Dialect) Ack(path string) Ack {
	if d != nil {
		for _, a := range d.ack {
			if star, ok := endsIn(path, a.at); ok {
				a.path, a.star = path, star
				return a
			}
		}
	}
	return Ack{}
}

// Paths returns the znodes by which a leader acknowledges. One of them is enough.
func (a Ack) Paths() (paths []string) {
	for _, z := range a.znodes {
		paths = append(paths, from(a.path, z, a.star))
	}
	return paths
}

// AckPatterns returns the acknowledgements relative to the election's path, and the stems in [Ack.Child].
func (d *Dialect) AckPatterns() (out []string) {
	for _, a := range d.ack {
		if out = append(out, a.znodes...); a.Child != "" {
			out = append(out, a.Child)
		}
	}
	return out
}
