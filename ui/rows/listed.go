package rows

import (
	"cmp"
	"slices"
	"strings"

	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/immutable"
	"electop/model/znode"
)

// Order is another order of the contenders than the queue's. Equal ones stay in the order
// of the queue.
type Order struct {
	Name string
	// Key is what contenders are compared by, as long as they stand.
	Key func(c *dialect.Candidate) Key
	// Rises is set in place of Key where the order depends on the moment: how far the
	// contender at a position rises above those of rank 0.
	Rises func(s *doctor.State, c *dialect.Candidate, position int) (rank int)
}

// Key is compared by its number, and then by its text.
type Key struct {
	Number uint64
	Text   string
}

func (k Key) compare(other Key) int {
	if k.Number != other.Number {
		return cmp.Compare(k.Number, other.Number)
	}
	return cmp.Compare(k.Text, other.Text)
}

// listed are the contenders that match the filter, in the order wanted, if that is not all
// in the order of the queue.
type listed struct {
	filter string
	order  *Order // nil for the queue's
	some   bool   // false: the queue as it is
	shown  dialect.Queue
	lasts  dialect.Queue // the same, but that none rises for the moment
}

// fewChanges is up to how many changes are taken over one by one. To list all again is
// cheaper than more of them.
const fewChanges = 256

// list lists the contenders of s. was is the list of the state before: where nothing but a
// few contenders changed, the new one has these changes.
func (l *listed) list(s, before *doctor.State, was *listed) {
	if l.some = l.filter != "" || l.order != nil; !l.some {
		return
	}
	l.last(s, before, was)
	l.shown = l.lasts
	if l.order != nil && l.order.Rises != nil {
		l.rise(s)
	}
}

func (l *listed) last(s, before *doctor.State, was *listed) {
	if o := before; was.some && was.filter == l.filter && was.order == l.order && o.Dialect == s.Dialect && o.Recipe.Name() == s.Recipe.Name() {
		if gone, come := immutable.Changed(o.Queue, s.Queue); len(gone)+len(come) <= fewChanges {
			l.lasts = was.lasts
			l.change(s.Recipe, gone, come)
			return
		}
	}
	l.all(s)
}

// rise puts those that rise before the others.
func (l *listed) rise(s *doctor.State) {
	type riser struct {
		of   *dialect.Candidate
		rank int
	}
	var up []riser
	want := strings.ToLower(l.filter)
	for i, c := range s.Queue.All() {
		if rank := l.order.Rises(s, c, i); rank > 0 && matches(c, want) {
			up = append(up, riser{c, rank})
		}
	}
	slices.SortStableFunc(up, func(a, b riser) int { return b.rank - a.rank })
	if len(up) > fewChanges {
		first := make(map[*dialect.Candidate]bool, len(up))
		all := make([]*dialect.Candidate, 0, l.lasts.Len())
		for _, x := range up {
			first[x.of] = true
			all = append(all, x.of)
		}
		for _, c := range l.lasts.All() {
			if !first[c] {
				all = append(all, c)
			}
		}
		l.shown = immutable.ListOf(all)
		return
	}
	for _, x := range up { // before any is put in front, where the order is another
		i, _ := l.find(s.Recipe, l.shown, x.of)
		l.shown = l.shown.Delete(i)
	}
	for i, x := range up {
		l.shown = l.shown.Insert(i, x.of)
	}
}

// change takes contenders out and puts others in.
func (l *listed) change(r dialect.Recipe, gone, come []*dialect.Candidate) {
	want := strings.ToLower(l.filter)
	for _, c := range gone {
		if i, ok := l.find(r, l.lasts, c); ok {
			l.lasts = l.lasts.Delete(i)
		}
	}
	for _, c := range come {
		if matches(c, want) {
			i, _ := l.find(r, l.lasts, c)
			l.lasts = l.lasts.Insert(i, c)
		}
	}
}

// keyed reports whether contenders are compared by a key.
func (l *listed) keyed() bool { return l.order != nil && l.order.Key != nil }

// find returns where in the order that lasts a contender is, or belongs.
func (l *listed) find(r dialect.Recipe, in dialect.Queue, c *dialect.Candidate) (int, bool) {
	if !l.keyed() {
		return in.Find(func(x *dialect.Candidate) int { return dialect.Compare(r, x, c) })
	}
	key := l.order.Key(c)
	return in.Find(func(x *dialect.Candidate) int {
		if by := l.order.Key(x).compare(key); by != 0 {
			return by
		}
		return dialect.Compare(r, x, c)
	})
}

// all lists all contenders, in the order that lasts.
func (l *listed) all(s *doctor.State) {
	if l.lasts = s.Queue; l.filter == "" && !l.keyed() {
		return
	}
	want := strings.ToLower(l.filter)
	type entry struct {
		of  *dialect.Candidate
		key Key
	}
	matching := make([]entry, 0, s.Queue.Len())
	for _, c := range s.Queue.All() {
		if !matches(c, want) {
			continue
		}
		e := entry{of: c}
		if l.keyed() {
			e.key = l.order.Key(c)
		}
		matching = append(matching, e)
	}
	if l.keyed() {
		slices.SortStableFunc(matching, func(a, b entry) int { return a.key.compare(b.key) })
	}
	shown := make([]*dialect.Candidate, len(matching))
	for i := range matching {
		shown[i] = matching[i].of
	}
	l.lasts = immutable.ListOf(shown)
}

// matches reports whether a filter, in lower case, is in the label, the
// znode's name or the session. It does the cheap things first.
func matches(c *dialect.Candidate, want string) bool {
	if want == "" || strings.Contains(strings.ToLower(c.Name), want) {
		return true
	}
	if len(c.Data.Bytes) > 0 && strings.Contains(strings.ToLower(c.Label()), want) {
		return true
	}
	return c.Session != 0 && strings.Trim(want, "x0123456789abcdef") == "" && strings.Contains(znode.Hex(c.Session), want)
}
