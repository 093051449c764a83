package candidate

import (
	"context"

	"github.com/go-zookeeper/zk"

	"electop/model"
	"electop/model/znode"
	"electop/zkwatch/client"
)

// Kill ends the candidate like a crash, without closing the session, and returns the last status.
func (c *Candidate) Kill() client.Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.killed = true
	if c.end != nil {
		c.end(errKilled)
	}
	if c.conn == nil {
		return client.Status{}
	}
	s := c.conn.Status()
	c.conn.Cut()
	return s
}

// EndLease ends the connection and the lease of the current candidacy: see [client.Conn.EndLease].
func (c *Candidate) EndLease() {
	c.mu.Lock()
	conn := c.conn
	c.mu.Unlock()
	if conn != nil {
		conn.EndLease()
	}
}

// LoseReply loses the connection and the reply after a server has executed the next create of the
// candidate's own znode. This happens once.
func (c *Candidate) LoseReply() { c.cfg.Conn.Replies.LoseCreate() }

// Freeze stops all reads, writes and decisions of the candidate until Thaw, like a long pause of its
// process, except that a running Config.Lead continues. Freeze returns the status at the start of the freeze.
func (c *Candidate) Freeze() client.Status {
	c.gate.Freeze()
	return c.Status()
}

// Thaw ends a Freeze; see Config.Awake.
func (c *Candidate) Thaw() {
	select { // before the gate opens: a goroutine that passes the gate must find the token
	case c.thawed <- struct{}{}:
	default:
	}
	c.gate.Thaw()
}

func (c *Candidate) believesToLead() bool {
	return c.m.Belief == model.Elected || c.m.Belief == model.Leading
}

func (c *Candidate) reportAwake() {
	select {
	case <-c.thawed:
		c.awakeDue = true
	default:
	}
	if c.awakeDue && c.cfg.Awake != nil {
		c.cfg.Awake()
	}
	c.awakeDue = false
}

func (s *candidacy) verifyAfterThaw(ctx context.Context) error {
	s.awakeDue = true
	for {
		if err := s.gate.Wait(ctx); err != nil {
			return err
		}
		switch {
		case s.expiryLeft() <= 0:
			return errLeaseOver
		case s.leased && s.leaseLeft() <= 0:
			return errSuspended
		}
		var stat *zk.Stat
		err := s.whileLeased(ctx, func(ctx context.Context) (err error) {
			_, stat, err = s.conn.Get(ctx, znode.Join(s.cfg.Path, s.name))
			return err
		})
		if err := s.owns(stat, err); err != nil {
			return err
		}
		select {
		case <-s.thawed: // after another freeze the answer may be out of date
		default:
			s.reportAwake()
			return nil
		}
	}
}
