package demo

import "sync"

// Tokens is a resource outside of ZooKeeper that is fenced: with each write it
// wants the fencing token of the leader in whose name it is made, and refuses
// one that is lower than the highest it has seen. It knows nothing else of the
// election. So a deposed leader is kept out from the first write of its
// successor on, and not before.
//
// The zero Tokens has seen none.
type Tokens struct {
	mu      sync.Mutex
	highest int64
	holder  string
}

// Take offers a write with a token. It reports whether that was accepted, and
// the highest token so far with who brought it.
func (t *Tokens) Take(token int64, who string) (accepted bool, highest int64, holder string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if token < t.highest {
		return false, t.highest, t.holder
	}
	t.highest, t.holder = token, who
	return true, token, who
}
