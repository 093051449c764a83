package dialect

import "bytes"

// together is a chain in which some contenders say in their data that they lead beside
// others. They do, all of them, if the first is one of those: ClickHouse from 20.6 on.
type together struct {
	*locks
	suffix string // of their data
}

func (r *together) kindOf(c *Candidate) kind {
	if bytes.HasSuffix(c.Data.Bytes, []byte(r.suffix)) {
		return kindLeader
	}
	return kindFollower
}

func (r *together) joins(c *Candidate) bool {
	if c.kind != kindUnknown {
		return c.kind == kindLeader
	}
	return r.kindOf(c) == kindLeader
}

func (r *together) Holders(queue Queue) int {
	n := 0
	for n < queue.Len() && r.joins(queue.At(n)) {
		n++
	}
	return max(n, min(1, queue.Len()))
}

func (r *together) Watches(queue Queue, i int) (int, bool) {
	return i - 1, i > 0 && !(r.joins(queue.At(0)) && r.joins(queue.At(i)))
}

func (r *together) Notified(queue Queue, i int) int {
	if i+1 < queue.Len() {
		if _, waits := r.Watches(queue, i+1); waits {
			return 1
		}
	}
	return 0
}

// mixed doubts a queue in which one that leads beside others is behind one that does
// not know of that: both lead, if the first does.
func (r *together) mixed(queue Queue) Doubt {
	if queue.Len() == 0 || !r.joins(queue.At(0)) {
		return ""
	}
	for _, c := range queue.From(r.Holders(queue)) {
		if r.joins(c) {
			return MixedClients
		}
	}
	return ""
}
