package candidate

import (
	"cmp"
	"fmt"
	"strings"

	"electop/model/znode"
)

// listedMax is how many children a step names.
const listedMax = 8

// listed is C as a step tells of it: the numbers of the children in the order
// of the queue, as many as a line has room for, and after them the names, cut,
// of those that have none. One pass and nothing sorted: thousands cost little,
// where a handoff waits for it.
func listed(children []string) string {
	var first [listedMax + 1]child
	n := 0
	for _, name := range children {
		c := child{name: name}
		c.seq, c.numbered = znode.Sequence(name)
		if n == listedMax && !c.before(first[n-1]) {
			continue
		}
		at := n
		for ; at > 0 && c.before(first[at-1]); at-- {
			first[at] = first[at-1]
		}
		first[at] = c
		n = min(n+1, listedMax)
	}
	words := make([]string, 0, listedMax+1)
	for _, c := range first[:n] {
		words = append(words, sequenceText(c.name))
	}
	if more := len(children) - n; more > 0 {
		words = append(words, fmt.Sprintf("… %d more", more))
	}
	return "C := {" + strings.Join(words, ", ") + "}"
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

// sequenceText is how a step names a znode: by its number.
func sequenceText(name string) string {
	if seq, ok := znode.Sequence(name); ok {
		return fmt.Sprint(seq)
	}
	return znode.Safe(name, numberlessMax)
}

// numberlessMax is how much of a name that has no number a step shows, in
// characters.
const numberlessMax = 16
