package model

// Work says what leaders' workers did to the shared resources. A worker is a
// program of its own with its own session, which carries out its leader's orders
// until it gets others.
type Work struct {
	Rules Rules // the last ones

	// Value is the counter's, as of the last accepted write, by Writer.
	Value  int64
	Writer string // [Member.ID]
	// Highest is the highest token that the outside resource has seen.
	Highest int64

	// Counter and Tokens count the attempts at each, since the first.
	Counter, Tokens Tries
	// Last are the last attempts, at most [HistoryMax], oldest first.
	Last []Tried
}

// Tries counts attempts to write.
type Tries struct {
	Accepted, Refused int
	// Stale counts the accepted writes in the name of a leader whose znode had
	// been deleted.
	Stale int
}

// Tried is an attempt to write, judged.
type Tried struct {
	*Write
	// Stale says that its leader's znode had been deleted before.
	Stale bool
}

// work has what was done in leaders' names, and what the journal keeps to judge it.
type work struct {
	Work
	written int64 // zxid of the last accepted write to the counter
}

// add applies an attempt; stale says that its leader's znode had been deleted
// before.
func (w *work) add(o *Write, stale bool) {
	t := Tried{o, stale}
	tries := &w.Tokens
	if o.Resource == Counter {
		tries = &w.Counter
	}
	switch {
	case o.Refused:
		tries.Refused++
	case o.Resource == Counter:
		tries.Accepted++
		// The replies of two workers may come in another order than the writes.
		if o.Zxid >= w.written {
			w.written, w.Value, w.Writer = o.Zxid, o.Value, o.Member
		}
	default:
		tries.Accepted++
		w.Highest = max(w.Highest, o.Token)
	}
	if t.Stale && !o.Refused {
		tries.Stale++
	}
	w.Last = keep(w.Last, t, HistoryMax)
}
