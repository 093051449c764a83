package demo

import "sync"

// Tokens is a resource outside ZooKeeper that checks fencing tokens: each write must have the fencing
// token of its leader, and a token lower than the highest seen is refused. The
// resource knows nothing else about the election. So it refuses an old leader from
// the first write of the new leader on, and not earlier.
//
// The zero Tokens has seen no token.
type Tokens struct {
	mu      sync.Mutex
	highest int64
	holder  string
}

// Take offers a write with a token. It reports whether the write was accepted, and
// the highest token so far with its holder.
func (t *Tokens) Take(token int64, who string) (accepted bool, highest int64, holder string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if token < t.highest {
		return false, t.highest, t.holder
	}
	t.highest, t.holder = token, who
	return true, token, who
}
