package model

// Work has the writes of leaders' workers. Each worker has its own session.
type Work struct {
	Rules Rules // the last settings

	// Value is the counter after the last accepted write. Writer is the leader whose worker wrote it.
	Value  int64
	Writer string // [Member.ID]
	// Highest is the highest token that the resource [Tokens] accepted.
	Highest int64

	Counter, Tokens Tries
	Last            []Tried // the last attempts, at most [HistoryMax], oldest first
}

// Tries counts attempts to write.
type Tries struct {
	Accepted, Refused int
	Stale             int // accepted for a leader whose znode was deleted before the write
}

// Tried is an attempt to write.
type Tried struct {
	*Write
	Stale bool // the leader's znode was deleted before the write, see deletionReports.stale
}

type work struct {
	Work
	written int64 // zxid of the last accepted write to the counter
}

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
		// Replies of two workers may come in another order than their writes.
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
