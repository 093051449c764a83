package fault

import (
	"errors"
	"sync/atomic"
)

// ErrReplyLost is why a connection ended in place of a reply.
var ErrReplyLost = errors.New("the reply to a create was lost on request")

// Replies are the servers' replies to a client. One of them can get lost together
// with its connection; then the client cannot know what the server did.
//
// The zero Replies loses none.
type Replies struct{ lose atomic.Bool }

// LoseCreate loses the next reply to a create of an ephemeral sequential znode: a
// candidate joins an election with such a create.
func (r *Replies) LoseCreate() { r.lose.Store(true) }

// Losing tells whether a reply is still to be lost.
func (r *Replies) Losing() bool { return r.lose.Load() }

// Lose reports, once, that the reply which has come is to be lost.
func (r *Replies) Lose() bool { return r.lose.CompareAndSwap(true, false) }
