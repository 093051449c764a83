package fault

import (
	"errors"
	"sync/atomic"
)

// ErrReplyLost is the error of a connection that ended instead of delivering a reply.
var ErrReplyLost = errors.New("the reply to a create was lost on request")

// Replies can lose one of the servers' replies to a client. The connection ends too, so the client
// cannot know whether its request was executed.
//
// The zero Replies loses no reply.
type Replies struct{ lose atomic.Bool }

// LoseCreate loses the next reply to a successful create of an ephemeral sequential znode, with
// which a candidate joins an election.
func (r *Replies) LoseCreate() { r.lose.Store(true) }

// Losing reports whether a reply is still to be lost.
func (r *Replies) Losing() bool { return r.lose.Load() }

// Lose reports whether the reply that has just arrived is lost. It returns true once after LoseCreate.
func (r *Replies) Lose() bool { return r.lose.CompareAndSwap(true, false) }
