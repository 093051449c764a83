package fault

import (
	"errors"
	"sync/atomic"
)

// ErrReplyLost is the error of a connection that ended instead of delivering a reply.
var ErrReplyLost = errors.New("the reply to a create was lost on request")

// Replies can lose one of the servers' replies to a client, together with the connection.
type Replies struct{ lose atomic.Bool }

// LoseCreate loses the next reply to a successful create of an ephemeral sequential znode.
func (r *Replies) LoseCreate() { r.lose.Store(true) }

// Losing reports whether a reply is still to be lost.
func (r *Replies) Losing() bool { return r.lose.Load() }

// Lose returns true once after LoseCreate: the reply that has just arrived is lost.
func (r *Replies) Lose() bool { return r.lose.CompareAndSwap(true, false) }
