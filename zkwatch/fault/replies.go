package fault

import (
	"errors"
	"sync/atomic"
)

// ErrReplyLost is the error of a connection that was closed instead of delivering a reply.
var ErrReplyLost = errors.New("the reply to a create was lost on demand")

// Replies makes a client lose a server's reply together with the connection. The zero Replies loses no reply.
type Replies struct{ lose atomic.Bool }

// LoseCreate loses the next reply to a successful create of an ephemeral sequential znode. A
// candidate joins an election with such a create.
func (r *Replies) LoseCreate() { r.lose.Store(true) }

// Losing reports whether LoseCreate was called and no reply has been lost since.
func (r *Replies) Losing() bool { return r.lose.Load() }

// Lose reports whether to lose the reply to a candidate's create. It returns true once after LoseCreate.
func (r *Replies) Lose() bool { return r.lose.CompareAndSwap(true, false) }
