package dialect

import (
	"slices"
	"strings"

	"electop/model/znode"
)

// Unsupported reports whether electop does not read the elections of this system.
func (d *Dialect) Unsupported() bool { return slices.Contains(unsupported, d) }

// Blocker returns a child that is no contender, but blocks clients that read only names; nil for
// none. It is persistent with a contender's name, or first in Curator's order of names.
func (d *Dialect) Blocker(queue Queue, others []*Candidate) *Candidate {
	if d == nil || queue.Len() == 0 || d.Unsupported() {
		return nil
	}
	head, curators := queue.At(0), slices.Contains(curator, d)
	for _, c := range others {
		if curators && d.Outranks(queue, c) {
			return c
		}
		if c.Session != 0 || c.Unread || !c.HasSequence || !d.Recipe.Before(c, head) {
			continue
		}
		owned := *c
		owned.Session = 1 // for a client that reads only names, the child may be ephemeral
		if d.Recipe.Contends(&owned) && d.Recipe.Holders(queue.Insert(0, &owned)) == 1 {
			return c
		}
	}
	return nil
}

// Outranks reports whether Curator's clients order c before the head of the queue, though c does
// not have a contender's name. See curatorKey for the order.
func (d *Dialect) Outranks(queue Queue, c *Candidate) bool {
	if d == nil || queue.Len() == 0 || c.Unread {
		return false
	}
	head := queue.At(0)
	if !head.HasSequence || !slices.Contains(curator, d) {
		return false
	}
	for _, lock := range [...]string{"latch-", "lock-"} {
		if strings.HasSuffix(Stem(head.Name), lock) {
			return curatorKey(c.Name, lock) < curatorKey(head.Name, lock) &&
				!d.Recipe.Contends(&Candidate{Znode: znode.Znode{Name: c.Name, Session: 1}, Sequence: c.Sequence, HasSequence: c.HasSequence})
		}
	}
	return false
}
