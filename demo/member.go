package demo

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/znode"
	"electop/zkwatch/candidate"
	"electop/zkwatch/fault"
)

// member is one candidate of the cast, under one name; a change of recipe
// gives it another candidate.Candidate.
type member struct {
	cast     *Cast
	id, name string
	you      bool
	done     chan struct{} // closed when it is gone
	// One for all its candidates: a fault lasts from one to the next.
	gate fault.Gate
	line fault.Line

	mu        sync.Mutex
	candidate *candidate.Candidate
	recipe    dialect.Recipe // nil: that of the dialect
	again     bool           // rejoin after resigning
	leaving   bool           // it resigns for good
	last      model.Member   // as reported, without the fault
	fault     model.Fault
	faultAt   time.Time
	leaseEnd  time.Time // as of the fault
	session   uint64    // as of a partition
	thawing   bool      // reported as frozen until it has checked its state
	noGuid    bool
	loses     bool          // its next candidate loses a reply
	slow      chan struct{} // the leader procedure waits for its closing; nil: for nothing
	gone      bool
	turn      <-chan struct{} // to be awaited before it rejoins
	ahead     int             // how many are before it then
	placed    chan struct{}   // closed when it has a znode, or is gone; nil then
}

func (m *member) newCandidate(size int) *candidate.Candidate {
	conn := m.cast.cfg.Conn
	conn.BufferSize, conn.MaxReply = bufferSize, max(minReply, 2*nameBytes*size)
	conn.Gate, conn.Line = &m.gate, &m.line
	return candidate.New(candidate.Config{
		Conn:    conn,
		Path:    m.cast.cfg.Path,
		Create:  m.cast.cfg.Create,
		Data:    []byte(m.name),
		Ack:     m.cast.cfg.Ack,
		Dialect: m.cast.dialect.Load(),
		Recipe:  m.recipe,
		NoGuid:  m.nameless,
		Lead:    m.lead,
		Report:  m.report,
		Awake:   m.awake,
		Now:     m.cast.cfg.Now,
	})
}

// run is the member's life: a candidate, and another one for as long as it
// resigned only to follow another recipe.
func (m *member) run() {
	defer func() {
		m.mu.Lock()
		m.gone = true
		m.place()
		m.publish(true)
		m.mu.Unlock()
		m.cast.remove(m)
		close(m.done)
	}()
	for {
		m.mu.Lock()
		c := m.candidate
		m.mu.Unlock()
		if err := m.stand(c); err != nil && m.cast.ctx.Err() == nil {
			if m.cast.cfg.Notice != nil {
				m.cast.cfg.Notice(znode.Safe(fmt.Sprintf("%s cannot join: %v", m.name, err), 0))
			}
			return
		}
		m.awaitTurn()
		size := m.cast.Len()
		m.mu.Lock()
		again := m.again && m.fault != model.Killed && m.cast.ctx.Err() == nil
		if again {
			m.again = false
			m.candidate = m.newCandidate(size)
			if m.loses {
				m.loses = false
				m.candidate.LoseReply()
				m.last.LosesReply = true
			}
		}
		m.mu.Unlock()
		if !again {
			return
		}
	}
}

// stand runs one candidate. A panic in it is the end of the candidate, not of
// the program and its screen.
func (m *member) stand(c *candidate.Candidate) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	if err := c.Run(m.cast.ctx); err != nil && err != context.Canceled {
		return err
	}
	return nil
}

// report takes what the candidate says of itself.
func (m *member) report(_ time.Time, r model.Member) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.last = r
	m.publish(false)
	if r.Znode != "" && !m.again {
		m.place() // after it is published
	}
}

// place notes that the member has its place in the queue, or gets none. The caller
// holds m.mu.
func (m *member) place() {
	if m.placed != nil {
		close(m.placed)
		m.placed = nil
	}
}

// joined returns what is closed when the member has a znode, or is gone.
func (m *member) joined() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.placed != nil {
		return m.placed
	}
	now := make(chan struct{})
	close(now)
	return now
}

// publish passes on the member as it is. The caller holds m.mu.
func (m *member) publish(gone bool) {
	if m.gone && !gone {
		return
	}
	v := m.last
	v.ID, v.Name, v.You = m.id, m.name, m.you
	v.Fault, v.FaultAt = m.fault, m.faultAt
	// A partitioned one may have another session by now, or none.
	if m.fault != model.NoFault && !m.leaseEnd.IsZero() && (m.fault != model.Partitioned || v.Session == m.session) {
		v.ExpiresFrom = m.leaseEnd
	}
	v.NoGuid, v.SlowLead = m.noGuid, m.slow != nil
	v.LosesReply = v.LosesReply || m.loses
	w := &model.Cast{At: m.cast.cfg.Now(), Member: v, Gone: gone}
	m.cast.cfg.Put(w)
	if m.cast.sandbox != nil {
		m.cast.sandbox.heard(w)
	}
}

// resign makes the member leave. The caller holds m.mu.
func (m *member) resign() {
	m.again, m.leaving = false, true
	m.candidate.Resign()
}

// follow makes the member resign and rejoin with another recipe, once
// turn is closed (nil: at once), as the last of ahead+1. It returns what is closed when
// it stands again, nil if it will not. The caller holds m.mu.
func (m *member) follow(r dialect.Recipe, turn <-chan struct{}, ahead int) (placed <-chan struct{}) {
	if m.leaving || m.gone {
		return nil
	}
	m.recipe, m.again, m.turn, m.ahead = r, true, turn, ahead
	if m.placed == nil {
		m.placed = make(chan struct{})
	}
	m.candidate.Resign()
	return m.placed
}

// turnPatience bounds the wait for the one before in a change of recipe: that
// may be frozen, or in trouble of its own. Those that are ahead rejoin one after the
// other, each in a few milliseconds: turnEach allows for a busy machine.
const (
	turnPatience = time.Second
	turnEach     = 20 * time.Millisecond
)

// awaitTurn waits for the one before it in the old queue to stand again.
func (m *member) awaitTurn() {
	m.mu.Lock()
	turn, ahead := m.turn, m.ahead
	m.turn = nil
	m.mu.Unlock()
	if turn == nil {
		return
	}
	patience := time.NewTimer(turnPatience + time.Duration(ahead)*turnEach)
	defer patience.Stop()
	select {
	case <-turn:
	case <-patience.C:
	case <-m.cast.ctx.Done():
	}
}

// number is that of the member's znode, the highest of all if it has none.
func (m *member) number() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if seq, ok := znode.Sequence(m.last.Znode); ok {
		return seq
	}
	return math.MaxInt64
}

// utc is t as it is recorded.
func utc(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.UTC().Round(0)
}
