package dialect

import (
	"slices"
	"strings"
	"time"
)

// Library is a client library that its znodes' names show, and of which it is known which names
// its clients count.
type Library struct {
	Counts string // the names that it counts: "kazoo's names"
	Source string // the origin of that rule
	names  []string
	marks  []string // a name that is counted has one of these; nil: each numbered name
	byText bool     // clients count all names, in the order of the text after the mark
}

var libraries = []*Library{
	{"numbered names", sourceRecipes, []string{"{hex}-n_"}, nil, false}, // electop's
	{"kazoo's names", sourceKazoo, []string{"{hex}__lock__", "{hex}__rlock__"}, []string{"__lock__", "__rlock__"}, false},
	{"names with latch-", sourceLatch, []string{"_c_{uuid}-latch-"}, []string{"latch-"}, true},
	{"names with lock-", "Curator: LockInternals", []string{"_c_{uuid}-lock-"}, []string{"lock-"}, true},
	{"names with __WRIT__ or __READ__", "Curator: InterProcessReadWriteLock",
		[]string{"_c_{uuid}-__WRIT__", "_c_{uuid}-__READ__"}, []string{"__WRIT__", "__READ__"}, true},
}

// libraryOf returns the library whose clients create such a name, nil if it is unknown.
func libraryOf(name string) *Library {
	stem := Stem(name)
	for _, l := range libraries {
		if slices.ContainsFunc(l.names, func(p string) bool { _, ok := match(p, stem); return ok }) {
			return l
		}
	}
	return nil
}

// Library returns the library of the candidate's client, nil if it is unknown.
func (c *Candidate) Library() *Library { return c.library }

// Counts reports whether the client that created c counts another child, and orders it before c,
// by the default of its library: a client without such a child leads. A client of an unknown
// library counts every number. kazoo's WriteLock counts readers, and its Lock, which has the same
// name, does not: so both are said to count them.
func (c *Candidate) Counts(other *Candidate) bool {
	l := c.library
	if l != nil && l.byText {
		return curatorKey(other.Name, l.marks...) < curatorKey(c.Name, l.marks...)
	}
	return other.HasSequence && other.Sequence <= c.Sequence && (l == nil || l.marks == nil || endsWith(l.marks...)(Stem(other.Name)))
}

// curatorKey returns the text by which Curator's clients order a name: what is after the lock's
// name, or the whole name without one.
func curatorKey(name string, locks ...string) string {
	for _, lock := range locks {
		if i := strings.LastIndex(name, lock); i >= 0 {
			return name[i+len(lock):]
		}
	}
	return name
}

// Rival is a candidate that leads beside the head of the queue, because clients of two libraries
// share the parent: Blind, the later one of the two, does not count Other. A client that is set
// to count more names than its library does by default waits nevertheless.
type Rival struct {
	*Candidate
	Blind, Other *Candidate
	Since        time.Time // zero: since before electop observed
}

// Rivals returns the rivals of the head of the queue. others are the other children.
func (d *Dialect) Rivals(queue Queue, others []*Candidate) (rivals []Rival) {
	if d == nil || !d.Elects() || queue.Len() == 0 || Queueless(d.Recipe) {
		return nil
	}
	head, all := queue.At(0), append(queue.Slice(), others...)
	_, same := d.named(head.Name)
	for _, l := range libraries {
		var c *Candidate // the first of l: the others count it
		for _, x := range all {
			if x.library == l && x.HasSequence && x.Session != 0 && !x.Unread && (c == nil || x.Sequence < c.Sequence) {
				c = x
			}
		}
		if c == nil || l == head.library || slices.ContainsFunc(all, func(x *Candidate) bool { return x != c && c.Counts(x) }) {
			continue
		}
		r := Rival{Candidate: c, Blind: c, Other: head}
		if c.Sequence < head.Sequence {
			r.Blind, r.Other = head, c
		}
		_, named := d.named(c.Name)
		if named && same || r.Blind == head && (head.library == nil || head.Counts(c)) {
			continue // the system has both names, or nothing shows that the head does not wait
		}
		rivals = append(rivals, r)
	}
	return rivals
}
