package dialect

import (
	"cmp"
	"slices"
	"strings"

	"electop/model/znode"
)

// Recipe is the rule of an election. The role is leadership, a lock or a lease. A queue is in
// the recipe's order, and a position is an index in a queue.
type Recipe interface {
	// Name is the recipe's name in recordings and on screen.
	Name() string
	// Contends reports whether the child takes part.
	Contends(c *Candidate) bool
	Before(a, b *Candidate) bool
	// Holders returns how many contenders at the front of the queue hold the role.
	Holders(queue Queue) int
	// Watches returns the position of the contender that the contender at i should watch; false
	// if it should watch no contender.
	Watches(queue Queue, i int) (int, bool)
	// Notified returns how many contenders the deletion of the contender at i notifies.
	Notified(queue Queue, i int) int
	// Target returns the next step of the candidate whose znode's name is own. skip, which may be
	// nil, reports children that do not contend although their names fit.
	Target(own string, children []string, skip func(name string) bool) Target
}

// Target is a candidate's next step.
type Target struct {
	Listed bool // the candidate's znode is among the children, and its name fits
	Leads  bool
	Watch  string // the child to watch, "" for none
}

// Election returns the recipe of ZooKeeper's documentation.
func Election() Recipe { return election }

// Herd returns the variant in which all other contenders watch the leader. This causes the herd effect.
func Herd() Recipe { return theHerd }

var (
	election = &line{name: "election"}
	theHerd  = herd{&line{name: "herd"}}
)

// line orders contenders by their sequence numbers. Some systems have writers and readers, which differ by name.
type line struct {
	name           string
	writer, reader func(stem string) bool // nil writer: every name; nil reader: no name
	first          bool                   // as in Curator, a reader waits for the first writer in the list
	byName         bool
}

func endsWith(with ...string) func(stem string) bool {
	return func(stem string) bool {
		return slices.ContainsFunc(with, func(end string) bool { return strings.HasSuffix(stem, end) })
	}
}

func (r *line) Name() string { return r.name }

func (r *line) Contends(c *Candidate) bool {
	return c.HasSequence && (c.Session != 0 || c.Unread) && (r.reads(c.Name) || r.writes(c.Name))
}

func (r *line) reads(name string) bool  { return r.reader != nil && r.reader(Stem(name)) }
func (r *line) writes(name string) bool { return r.writer == nil || r.writer(Stem(name)) }

func (r *line) accessOf(c *Candidate) access {
	switch {
	case r.reader == nil:
		return unknownAccess
	case r.reads(c.Name):
		return readAccess
	}
	return writeAccess
}

func (r *line) shares(c *Candidate) bool {
	if c.access != unknownAccess && r.reader != nil {
		return c.access == readAccess
	}
	return r.reads(c.Name)
}

func (r *line) Before(a, b *Candidate) bool {
	if r.byName && a.Sequence == b.Sequence {
		return a.Name < b.Name
	}
	return before(a, b)
}

// Holders also counts readers that have the number and the session of a writer at the head (Curator 5.5).
func (r *line) Holders(queue Queue) int {
	n := 0
	for n < queue.Len() && r.shares(queue.At(n)) {
		n++
	}
	if n > 0 || queue.Len() == 0 {
		return n
	}
	for n = 1; r.first && n < queue.Len() && r.shares(queue.At(n)) && queue.At(n).Sequence == queue.At(0).Sequence && reentrant(queue, 0, n); n++ {
	}
	return n
}

func (r *line) Watches(queue Queue, i int) (int, bool) {
	if !r.shares(queue.At(i)) {
		return i - 1, i > 0
	}
	if !r.first {
		for k := i - 1; k >= 0; k-- {
			if !r.shares(queue.At(k)) {
				return k, true
			}
		}
		return -1, false
	}
	for k := range i {
		if !r.shares(queue.At(k)) {
			return k, !reentrant(queue, k, i)
		}
	}
	return -1, false
}

func reentrant(queue Queue, w, i int) bool {
	// In Curator, one thread may own the write lock and the read lock.
	return w == 0 && queue.At(w).Session == queue.At(i).Session && queue.At(w).Session != 0
}

func (r *line) Notified(queue Queue, i int) int {
	n := 0
	if i+1 < queue.Len() && !r.shares(queue.At(i+1)) {
		n++ // a writer watches its predecessor
	}
	if r.reader == nil || r.shares(queue.At(i)) {
		return n
	}
	if r.first && queue.Index(func(c *Candidate) bool { return !r.shares(c) }) < i {
		return n
	}
	for k := i + 1; k < queue.Len(); k++ {
		switch {
		case !r.shares(queue.At(k)):
			if !r.first {
				return n
			}
		case !r.first || !reentrant(queue, i, k):
			n++
		}
	}
	return n
}

func (r *line) Target(own string, children []string, skip func(string) bool) Target {
	return r.target(own, children, skip, r.first && r.reads(own))
}

// target runs after each notification, so it must not allocate.
func (r *line) target(own string, children []string, skip func(string) bool, lowest bool) Target {
	var t Target
	mine, ok := znode.Sequence(own)
	reads := r.reads(own)
	if !ok || !reads && !r.writes(own) {
		return t
	}
	var best int64
	for _, name := range children {
		if name == own {
			t.Listed = true
			continue
		}
		seq, ok := znode.Sequence(name)
		if !ok || seq > mine || seq == mine && name > own || skip != nil && skip(name) {
			continue
		}
		if reader := r.reads(name); reader && reads || !reader && !r.writes(name) {
			continue
		}
		order := cmp.Or(cmp.Compare(seq, best), cmp.Compare(name, t.Watch))
		if lowest {
			order = -order
		}
		if t.Watch == "" || order > 0 {
			best, t.Watch = seq, name
		}
	}
	t.Leads = t.Listed && t.Watch == ""
	return t
}

type herd struct{ *line }

func (herd) Watches(queue Queue, i int) (int, bool) { return 0, i > 0 }

func (herd) Notified(queue Queue, i int) int {
	if i == 0 {
		return max(0, queue.Len()-1)
	}
	return 0
}

func (r herd) Target(own string, children []string, skip func(string) bool) Target {
	return r.target(own, children, skip, true)
}

// listing is a line in which each contender watches only the list of children.
type listing struct{ *line }

func (listing) Watches(Queue, int) (int, bool) { return -1, false }

func (listing) Notified(queue Queue, i int) int { return max(0, queue.Len()-1) }

func (r listing) Target(own string, children []string, skip func(string) bool) Target {
	t := r.line.Target(own, children, skip)
	t.Watch = ""
	return t
}

// alone is the recipe of a single ephemeral znode, whose creator leads.
type alone struct{ name string }

func (r alone) Name() string                 { return r.name }
func (alone) Contends(c *Candidate) bool     { return c.Session != 0 || c.Unread }
func (alone) Holders(queue Queue) int        { return min(1, queue.Len()) }
func (alone) Watches(Queue, int) (int, bool) { return -1, false }
func (alone) Notified(Queue, int) int        { return 0 }

func (alone) Before(a, b *Candidate) bool {
	return cmp.Or(cmp.Compare(a.Czxid, b.Czxid), cmp.Compare(a.Name, b.Name)) < 0
}

func (alone) Target(own string, children []string, _ func(string) bool) Target {
	there := slices.Contains(children, own)
	return Target{Listed: there, Leads: there}
}

// leases is the recipe of a semaphore's leases.
type leases struct {
	alone
	isLease func(name string) bool
}

func (r leases) Contends(c *Candidate) bool { return r.alone.Contends(c) && r.isLease(c.Name) }
func (leases) Holders(queue Queue) int      { return queue.Len() }

func (r leases) Target(own string, children []string, skip func(string) bool) Target {
	if !r.isLease(own) {
		return Target{}
	}
	return r.alone.Target(own, children, skip)
}

// members is the recipe of children without a role, such as the members of a group.
type members struct{ alone }

func (members) Contends(c *Candidate) bool { return c.Name != Ready }
func (members) Holders(Queue) int          { return 0 }

func (members) Target(own string, children []string, _ func(string) bool) Target {
	return Target{Listed: slices.Contains(children, own)}
}

type lowestFirst struct{ members }

func (lowestFirst) Contends(c *Candidate) bool  { return election.Contends(c) }
func (lowestFirst) Before(a, b *Candidate) bool { return before(a, b) }

// items is the recipe of a queue, whose persistent children are the items.
type items struct{ members }

func (items) Contends(c *Candidate) bool { return c.HasSequence && c.Session == 0 && !c.Unread }
func (items) Before(a, b *Candidate) bool {
	return cmp.Or(cmp.Compare(withoutID(a.Name), withoutID(b.Name)), cmp.Compare(a.Name, b.Name)) < 0
}

// Queueless reports whether r counts every contender as a holder of the role.
func Queueless(r Recipe) bool {
	switch r.(type) {
	case alone, *leases:
		return true
	}
	return false
}

// Compare compares two contenders in a recipe's order.
func Compare(r Recipe, a, b *Candidate) int {
	switch {
	case a == b:
		return 0
	case r.Before(a, b):
		return -1
	case r.Before(b, a):
		return 1
	}
	return 0
}
