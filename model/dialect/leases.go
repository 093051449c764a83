package dialect

import (
	"cmp"
	"slices"

	"electop/model/znode"
)

// leases is the recipe of a semaphore: every child holds one, and those that wait
// are elsewhere.
type leases struct {
	name     string
	numbered bool
	takes    func(name string) bool // the stem, where numbered
}

func (r leases) Name() string { return r.name }

func (r leases) Contends(c *Candidate) bool {
	return (c.Session != 0 || c.Unread) && r.has(c.Name)
}

func (r leases) has(name string) bool {
	if !r.numbered {
		return r.takes(name)
	}
	_, ok := znode.Sequence(name)
	return ok && r.takes(Stem(name))
}

func (r leases) Before(a, b *Candidate) bool {
	if r.numbered {
		return before(a, b)
	}
	return cmp.Or(cmp.Compare(a.Czxid, b.Czxid), cmp.Compare(a.Name, b.Name)) < 0
}

func (leases) Holders(queue Queue) int                { return queue.Len() }
func (leases) Watches(queue Queue, i int) (int, bool) { return -1, false }
func (leases) Notified(queue Queue, i int) int        { return 0 }

func (r leases) Target(own string, children []string, _ func(string) bool) Target {
	return held(own, children, r.has(own))
}

// alone is the recipe of a single ephemeral znode, whose creator leads. The
// path is that of the znode, which is listed as the only contender; those who
// wait for it are nowhere to be seen.
type alone struct{ name string }

func (r alone) Name() string                         { return r.name }
func (alone) Contends(c *Candidate) bool             { return c.Session != 0 || c.Unread }
func (alone) Before(a, b *Candidate) bool            { return leases{}.Before(a, b) }
func (alone) Holders(queue Queue) int                { return min(1, queue.Len()) }
func (alone) Watches(queue Queue, _ int) (int, bool) { return -1, false }
func (alone) Notified(queue Queue, i int) int        { return 0 }

func (alone) Target(own string, children []string, _ func(string) bool) Target {
	return held(own, children, true)
}

// held is the target of one that holds the role by being there.
func held(own string, children []string, takes bool) Target {
	there := takes && slices.Contains(children, own)
	return Target{Listed: there, Leads: there}
}

// Queueless reports whether those who wait by the recipe stand nowhere among the
// children, so that nobody in the queue is next.
func Queueless(r Recipe) bool {
	_, single := r.(alone)
	return single || SessionsShare(r)
}

// SessionsShare reports whether one session may hold several places by the
// recipe, as it may hold several leases.
func SessionsShare(r Recipe) bool {
	_, ok := r.(leases)
	return ok
}
