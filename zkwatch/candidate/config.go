package candidate

import (
	"context"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model"
	"electop/model/dialect"
	"electop/zkwatch/client"
)

// Config says for what, and how, a [Candidate] stands.
type Config struct {
	// Conn is the cluster. Each candidacy opens a connection of its own: a
	// request that the client library still had queued would otherwise run
	// under the next session.
	Conn client.Config
	// Path is the election's parent.
	Path string
	// Create makes a missing parent, with its own parents.
	Create bool
	// Data is the content of the znode: who this is.
	Data []byte
	// Ack is the acknowledgement znode; "" for none.
	Ack string
	// Dialect is whose election this is: it gives the znode its name and says
	// whom to watch. nil is electop's own. In a foreign one no acknowledgement is
	// made, whatever Ack says.
	Dialect *dialect.Dialect
	// Recipe says whom to watch instead; nil is the dialect's, or
	// [dialect.Election].
	Recipe dialect.Recipe
	// ACL is given to the znodes that are created. nil means that with
	// credentials (Conn.Auth) everybody may read them and only they may do more,
	// and that without any they are open to all.
	ACL []zk.ACL

	// Lead is the leader procedure: it is called when the candidate finds
	// itself lowest, and again when it leads again after a suspension, and
	// returns when it is done; the acknowledgement follows. Its context ends
	// when the candidate stops leading, which may be long after Lead returned. It
	// goes on where only the acknowledgement is lost: the candidate is the lowest
	// and has its lease.
	// An error ends the candidacy. nil does nothing.
	Lead func(ctx context.Context, fence int64) error

	// NoGuid, if it returns true when a candidacy begins, has its znode named
	// without a guid. After a lost reply the candidate creates another then, as a
	// naive program does, and has two. nil, and any in a foreign dialect, is false.
	NoGuid func() bool

	// Report is told of every step and change, in order, by the goroutine of
	// Run. It must not block. The member's ID, You, Fault, NoGuid and SlowLead are
	// not set.
	Report func(at time.Time, m model.Member)
	// Awake, if set, is told by the goroutine of Run after a Thaw that the
	// candidate knows where it stands: that it does not lead, which was reported
	// before, or that its lease holds and its znode is there and its own. Of two
	// in a row it may be told once, and of one that did not lead at its next step.
	Awake func()
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}
