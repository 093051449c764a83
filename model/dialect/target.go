package dialect

import "electop/model/znode"

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
