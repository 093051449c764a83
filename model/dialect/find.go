package dialect

import "electop/model/znode"

// Find returns where the contender with that identity is in a queue that is in r's order,
// and whose names were interpreted by d. It goes by the order: what a recipe orders
// contenders by is in their names, in when they were created, and in whether one says that
// it leads.
func (d *Dialect) Find(r Recipe, queue Queue, id ID) (i int, found bool) {
	c := Candidate{Znode: znode.Znode{Name: id.Name, Czxid: id.Czxid}}
	d.number(&c)
	for _, c.kind = range [...]kind{kindFollower, kindLeader} {
		i, _ = queue.Find(func(x *Candidate) int { return Compare(r, x, &c) })
		if i < queue.Len() && queue.At(i).ID() == id {
			return i, true
		}
	}
	return 0, false
}
