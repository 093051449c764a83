package dialect

import (
	"electop/model/immutable"
	"electop/model/znode"
)

// Recipe is a kind of election: who contends in which order, who holds the role and whom each contender should watch. The journal and
// the screen ask it and know no rule of their own, so a new kind (read/write
// locks, leases, a single ephemeral) is a new implementation.
//
// Queues are in the recipe's own order; positions are those in them.
type Recipe interface {
	// Name is the recipe's name in recordings and on screen.
	Name() string
	// Contends reports whether the child takes part.
	Contends(c *Candidate) bool
	// Before reports whether a is before b in the queue.
	Before(a, b *Candidate) bool
	// Holders returns how many at the front of the queue hold the role.
	Holders(queue Queue) int
	// Watches returns the position that the contender at i should watch; false
	// for one that has nothing to wait for.
	Watches(queue Queue, i int) (int, bool)
	// Notified returns how many contenders the deletion of the one at i wakes.
	Notified(queue Queue, i int) int
	// Target decides for the candidate whose znode is own, from the names of
	// the children; skip (may be nil) reports those that are no contenders.
	Target(own string, children []string, skip func(name string) bool) Target
}

// Queue is contenders in a recipe's order. It is immutable, as they are.
type Queue = immutable.List[*Candidate]

// Election returns the recipe of ZooKeeper's documentation: the lowest
// sequence leads, everybody else watches the predecessor.
func Election() Recipe { return election{} }

// Herd returns the variant in which everybody watches the leader: what the
// predecessor rule is there to avoid.
func Herd() Recipe { return herd{} }

type election struct{}

func (election) Name() string { return "election" }

// Contends: ephemeral and numbered. A child that vanished before it could be
// read gets the benefit of the doubt.
func (election) Contends(c *Candidate) bool {
	return c.HasSequence && (c.Session != 0 || c.Unread)
}

func (election) Before(a, b *Candidate) bool { return before(a, b) }

func (election) Holders(queue Queue) int { return min(1, queue.Len()) }

func (election) Watches(queue Queue, i int) (int, bool) { return i - 1, i > 0 }

func (election) Notified(queue Queue, i int) int {
	if i+1 < queue.Len() {
		return 1
	}
	return 0
}

type herd struct{ election }

func (herd) Name() string { return "herd" }

func (herd) Watches(queue Queue, i int) (int, bool) { return 0, i > 0 }

func (herd) Notified(queue Queue, i int) int {
	if i == 0 {
		return max(0, queue.Len()-1)
	}
	return 0
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

// Target is what a candidate does next, decided from the names of the
// children alone, as the recipe asks of it.
type Target struct {
	Listed bool   // its own znode is among the children; if not, it is lost
	Leads  bool   // it holds the role
	Watch  string // else the child to watch
}

// target finds the contenders below own. skip reports children known to be
// no contenders though their names look so. One pass and no allocation: this
// runs between a notification and knowing.
func target(own string, children []string, skip func(string) bool) (t Target, lowest, highestBelow string) {
	mine, ok := znode.Sequence(own)
	if !ok {
		return t, "", ""
	}
	var low, high int64
	for _, name := range children {
		if name == own {
			t.Listed = true
			continue
		}
		seq, ok := znode.Sequence(name)
		if !ok || seq > mine || seq == mine && name > own || skip != nil && skip(name) {
			continue
		}
		if lowest == "" || seq < low || seq == low && name < lowest {
			low, lowest = seq, name
		}
		if highestBelow == "" || seq > high || seq == high && name > highestBelow {
			high, highestBelow = seq, name
		}
	}
	t.Leads = t.Listed && lowest == ""
	return t, lowest, highestBelow
}

func (election) Target(own string, children []string, skip func(string) bool) Target {
	t, _, predecessor := target(own, children, skip)
	t.Watch = predecessor
	return t
}

func (herd) Target(own string, children []string, skip func(string) bool) Target {
	t, head, _ := target(own, children, skip)
	t.Watch = head
	return t
}
