package candidate

import (
	"cmp"

	"electop/model"
	"electop/model/znode"
)

// listed is C as a step tells of it: the first children in the order of the
// queue, those without a number last. One pass and nothing sorted: thousands cost
// little, where a handoff waits for it.
func listed(children []string) model.StepOn {
	var first [model.ListedMax + 1]child
	n := 0
	for _, name := range children {
		c := child{name: name}
		c.seq, c.numbered = znode.Sequence(name)
		if n == model.ListedMax && !c.before(first[n-1]) {
			continue
		}
		at := n
		for ; at > 0 && c.before(first[at-1]); at-- {
			first[at] = first[at-1]
		}
		first[at] = c
		n = min(n+1, model.ListedMax)
	}
	on := model.StepOn{More: len(children) - n}
	for _, c := range first[:n] {
		on.Children = append(on.Children, bounded(c.name))
	}
	return on
}

type child struct {
	name     string
	seq      int64
	numbered bool
}

// before tells whether c is named before d: by their numbers, and those that
// have none last.
func (c child) before(d child) bool {
	if c.numbered != d.numbered {
		return c.numbered
	}
	return cmp.Or(cmp.Compare(c.seq, d.seq), cmp.Compare(c.name, d.name)) < 0
}

// nameMax is how much of a name a step tells, in bytes. Anybody who can write to
// the cluster makes names.
const nameMax = 128

// bounded cuts a long name. Its number stays.
func bounded(name string) string {
	if len(name) <= nameMax {
		return name
	}
	tail := name[len(name)-znode.SequenceDigits-2:] // with a sign, and what is before it
	return name[:nameMax-len(tail)] + tail
}
