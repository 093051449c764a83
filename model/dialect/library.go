package dialect

import (
	"slices"
	"strings"
	"time"
)

// Library is a client library with a known rule for waiting. Names of children show the library.
type Library struct {
	CountedNames string                 // the library's names, for texts: "kazoo's names"
	Source       string                 // defines the rule for waiting
	named        func(stem string) bool // reports whether the library creates such a name
	marks        []string               // ends of stems that mark a lock; if byText is false, clients count only these stems; nil: every numbered name
	byText       bool                   // clients count all names, ordered by the text after the mark
}

var libraries = []*Library{
	{"numbered names", sourceRecipes, matches("{hex}-n_"), nil, false},
	{"kazoo's names", sourceKazoo, matches("{hex}__lock__", "{hex}__rlock__"), []string{"__lock__", "__rlock__"}, false},
	{"names with latch-", sourceLatch, matches("_c_{uuid}-latch-"), []string{"latch-"}, true},
	{"names with lock-", "Curator: LockInternals", matches("_c_{uuid}-lock-"), []string{"lock-"}, true},
	{"names with __WRIT__ or __READ__", "Curator: InterProcessReadWriteLock",
		matches("_c_{uuid}-__WRIT__", "_c_{uuid}-__READ__"), []string{"__WRIT__", "__READ__"}, true},
}

func libraryOf(name string) *Library {
	stem := Stem(name)
	for _, l := range libraries {
		if l.named(stem) {
			return l
		}
	}
	return nil
}

// Library returns the library of the candidate's client, nil if it is unknown.
func (c *Candidate) Library() *Library { return c.library }

// Counts reports whether the client of c, with the library's default options, waits for other. For
// kazoo, Counts assumes that every client counts readers, as WriteLock does.
func (c *Candidate) Counts(other *Candidate) bool {
	l := c.library
	if l != nil && l.byText {
		return curatorKey(other.Name, l.marks...) < curatorKey(c.Name, l.marks...)
	}
	return other.HasSequence && other.Sequence <= c.Sequence && (l == nil || l.marks == nil || endsWith(l.marks...)(Stem(other.Name)))
}

// curatorKey returns the text after the lock's name, by which Curator's clients order names.
func curatorKey(name string, locks ...string) string {
	for _, lock := range locks {
		if i := strings.LastIndex(name, lock); i >= 0 {
			return name[i+len(lock):]
		}
	}
	return name
}

// Rival is a candidate that may lead at the same time as the head of the queue. Unaware and Other are
// these two candidates. Unaware does not count Other, although Other's number is not higher.
type Rival struct {
	*Candidate
	Unaware, Other *Candidate
	Since          time.Time // zero: since before electop observed the election
}

// Rivals returns the rivals of the head of the queue. others are the other children.
func (d *Dialect) Rivals(queue Queue, others []*Candidate) (rivals []Rival) {
	if d == nil || !d.Elects() || queue.Len() == 0 || Queueless(d.Recipe) {
		return nil
	}
	head, all := queue.At(0), append(queue.Slice(), others...)
	_, same := d.match(head.Name)
	for _, l := range libraries {
		var c *Candidate
		for _, x := range all {
			if x.library == l && x.HasSequence && x.Session != 0 && !x.Unread && (c == nil || x.Sequence < c.Sequence) {
				c = x
			}
		}
		if c == nil || l == head.library || slices.ContainsFunc(all, func(x *Candidate) bool { return x != c && c.Counts(x) }) {
			continue
		}
		r := Rival{Candidate: c, Unaware: c, Other: head}
		if c.Sequence < head.Sequence {
			r.Unaware, r.Other = head, c
		}
		_, named := d.match(c.Name)
		if named && same || r.Unaware == head && (head.library == nil || head.Counts(c)) {
			continue // both names fit d, or the head may wait for c
		}
		rivals = append(rivals, r)
	}
	return rivals
}
