package dialect

import (
	"cmp"
	"slices"
	"strings"

	"electop/model/znode"
)

// locks is the recipe of the systems that order contenders by their sequence
// and distinguish them by name: writers, of which one holds the role,
// and readers, who share it. With writers alone it is an election.
//
// A writer waits for its predecessor, whatever that is. A reader waits for the
// nearest writer before it, or, where first is set (Curator), for the first
// writer in the list.
type locks struct {
	name           string
	writer, reader func(stem string) bool // reader may be nil: there are none
	first          bool
	byName         bool // ties are in the order of the names
}

// chain is locks with writers alone.
func chain(name string, takes func(stem string) bool) *locks {
	return &locks{name: name, writer: takes}
}

// endsWith is true for stems with one of the endings.
func endsWith(with ...string) func(stem string) bool {
	return func(stem string) bool {
		return slices.ContainsFunc(with, func(end string) bool { return strings.HasSuffix(stem, end) })
	}
}

// exactly is true for the stems themselves.
func exactly(stems ...string) func(stem string) bool {
	return func(stem string) bool { return slices.Contains(stems, stem) }
}

func either(a, b func(string) bool) func(string) bool {
	return func(stem string) bool { return a(stem) || b(stem) }
}

func (r *locks) Name() string { return r.name }

func (r *locks) Contends(c *Candidate) bool {
	return c.HasSequence && (c.Session != 0 || c.Unread) && (r.reads(c.Name) || r.writer(Stem(c.Name)))
}

// reads reports whether the name is a reader's.
func (r *locks) reads(name string) bool { return r.reader != nil && r.reader(Stem(name)) }

func (r *locks) kindOf(c *Candidate) kind {
	switch {
	case r.reader == nil:
		return kindUnknown
	case r.reads(c.Name):
		return kindReader
	}
	return kindWriter
}

// shares reports whether the contender is a reader.
func (r *locks) shares(c *Candidate) bool {
	if r.reader == nil {
		return false
	}
	if c.kind != kindUnknown {
		return c.kind == kindReader
	}
	return r.reads(c.Name)
}

func (r *locks) Before(a, b *Candidate) bool {
	if r.byName && a.Sequence == b.Sequence {
		return a.Name < b.Name
	}
	return before(a, b)
}

// Holders: the writer at the front, or all readers before the first writer. A
// writer that reads as well (Curator 5.5 gives its read lock the same number)
// holds both.
func (r *locks) Holders(queue Queue) int {
	n := 0
	for n < queue.Len() && r.shares(queue.At(n)) {
		n++
	}
	if n > 0 || queue.Len() == 0 {
		return n
	}
	for n = 1; r.first && n < queue.Len() && r.shares(queue.At(n)) && sameLock(queue.At(0), queue.At(n)); n++ {
	}
	return n
}

func sameLock(writer, reader *Candidate) bool {
	return writer.Sequence == reader.Sequence && writer.Session == reader.Session && writer.Session != 0
}

func (r *locks) Watches(queue Queue, i int) (int, bool) {
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

// reentrant reports whether the reader at i need not wait for the writer at w:
// Curator lets a thread that holds the write lock read as well. Threads are not
// seen, sessions are: the reader can as well be another thread, which waits.
func reentrant(queue Queue, w, i int) bool {
	return w == 0 && queue.At(w).Session == queue.At(i).Session && queue.At(w).Session != 0
}

func (r *locks) Notified(queue Queue, i int) int {
	n := 0
	if i+1 < queue.Len() && !r.shares(queue.At(i+1)) {
		n++ // a writer watches whatever is before it
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

// Target scans once and allocates nothing, as [Election]'s does.
func (r *locks) Target(own string, children []string, skip func(string) bool) Target {
	var t Target
	mine, ok := znode.Sequence(own)
	reads := r.reads(own)
	if !ok || !reads && !r.writer(Stem(own)) {
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
		// A reader waits for writers only.
		if reader := r.reads(name); reader && reads || !reader && !r.writer(Stem(name)) {
			continue
		}
		order := cmp.Or(cmp.Compare(seq, best), cmp.Compare(name, t.Watch))
		if reads && r.first {
			order = -order
		}
		if t.Watch == "" || order > 0 {
			best, t.Watch = seq, name
		}
	}
	t.Leads = t.Listed && t.Watch == ""
	return t
}

// listing is a chain in which everybody watches the list of children: there is
// no znode to watch, and every change wakes all others.
type listing struct{ *locks }

func (listing) Watches(queue Queue, i int) (int, bool) { return -1, false }

func (listing) Notified(queue Queue, i int) int { return max(0, queue.Len()-1) }

func (r listing) Target(own string, children []string, skip func(string) bool) Target {
	t := r.locks.Target(own, children, skip)
	t.Watch = ""
	return t
}
