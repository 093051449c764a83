package candidate

import (
	"cmp"
	"math"
	"slices"

	"electop/model"
	"electop/model/znode"
)

// listed returns the children with the lowest numbers. Sorting all children would delay a handoff.
func listed(children []string) model.StepOn {
	first := make([]child, 0, model.ListedMax+1)
	for _, name := range children {
		c := child{name: name, seq: math.MaxInt64}
		if seq, numbered := znode.Sequence(name); numbered {
			c.seq = seq
		}
		if len(first) == model.ListedMax && byNumber(c, first[model.ListedMax-1]) >= 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(first, c, byNumber)
		first = slices.Insert(first, at, c)
		first = first[:min(len(first), model.ListedMax)]
	}
	on := model.StepOn{More: len(children) - len(first)}
	for _, c := range first {
		on.Children = append(on.Children, bounded(c.name))
	}
	return on
}

type child struct {
	name string
	seq  int64
}

func byNumber(a, b child) int { return cmp.Or(cmp.Compare(a.seq, b.seq), cmp.Compare(a.name, b.name)) }

// nameMax bounds a name in bytes, because any client can choose a long name.
const nameMax = 128

func bounded(name string) string {
	if len(name) <= nameMax {
		return name
	}
	tail := name[len(name)-znode.SequenceDigits-2:] // room for the digits, a sign and one byte before the sign
	return name[:nameMax-len(tail)] + tail
}
