package candidate

import (
	"context"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model"
	"electop/model/dialect"
	"electop/zkwatch/client"
)

// Config says in which election, and how, a [Candidate] takes part.
type Config struct {
	// Conn is the cluster. Each candidacy opens a connection of its own: a
	// request that the client library still had queued would otherwise run
	// under the next session.
	Conn client.Config
	// Path is the election's parent.
	Path string
	// Create creates a missing parent, with its own parents.
	Create bool
	// Data is the content of the znode: who this is.
	Data []byte
	// Ack is the acknowledgement znode, whose parent exists if the election does; "" for none.
	Ack string
	// Dialect is the system that runs the election: it names the znode and says
	// which znode to watch. nil is electop's own. In a third-party election no
	// acknowledgement is created, even if Ack is set.
	Dialect *dialect.Dialect
	// Recipe replaces the dialect's recipe; nil is the dialect's, or
	// [dialect.Election].
	Recipe dialect.Recipe
	// ACL is the ACL of created znodes. nil means: with credentials (Conn.Auth, Conn.SASL)
	// everybody may read them and only these credentials may do more; without
	// credentials they are open to all.
	ACL []zk.ACL

	// Lead is the leader procedure: it is called when the candidate finds
	// itself lowest, and once more after each suspension. The acknowledgement is
	// created when Lead returns. Its context ends when the candidate stops leading,
	// which may be long after Lead returned, but not when only the acknowledgement
	// is lost: the candidate is still the lowest and has its lease.
	// An error ends the candidacy. nil does nothing.
	Lead func(ctx context.Context, fence int64) error

	// Stopped, if set, is called after each reign in which Leading was reported, by the
	// goroutine of Run. It returns when what was started as leader has ended. Until then
	// the candidate does not lead again and does not close its session, so its
	// acknowledgement stays: a successor that waits for that does not lead either, even
	// if somebody else deleted the candidate's znode. The servers can end the session
	// meanwhile: see Status.LeaseEnd.
	Stopped func()

	// NoGuid is called when a candidacy begins. If it returns true, the znode's
	// name has no guid: after a lost reply the candidate then creates a second
	// znode, as a naive program does. nil means false; third-party elections
	// ignore it.
	NoGuid func() bool

	// Report gets every step and change, in order, from the goroutine of Run. It
	// must not block. The member's ID, You, Fault, NoGuid and SlowLead are
	// not set.
	Report func(at time.Time, m model.Member)
	// Awake, if set, is called by the goroutine of Run after a Thaw, when the
	// candidate knows its state: that it does not lead, which it reported before,
	// or that its lease holds and its own znode exists. After two Thaws in a row
	// it may be called once; if the candidate did not lead, it is called at its
	// next step.
	Awake func()
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}
