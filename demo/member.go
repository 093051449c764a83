package demo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/znode"
	"electop/zkwatch/candidate"
	"electop/zkwatch/client"
	"electop/zkwatch/fault"
)

type runner interface {
	Run(ctx context.Context) error
	Kill() client.Status
	Thaw()
	Resign()
	Status() client.Status
	EndLease()
}

type member struct {
	cast        *Cast
	id, name    string
	you         bool
	kind        dialect.Kind
	nth         int // index of the newest name in the cast when the member was added
	barrierSize int
	setsBarrier bool
	done        chan struct{} // closed when the member has left
	// A rejoining member keeps gate and line, so its fault lasts.
	gate fault.Gate
	line fault.Line

	mu          sync.Mutex
	runner      runner
	recipe      dialect.Recipe // nil: the recipe of the dialect
	rejoins     bool
	leaving     bool         // it never rejoins
	last        model.Member // the runner's last report, without the fault
	fault       model.Fault
	faultAt     time.Time
	expiresFrom time.Time
	session     uint64 // ID of the session when the partition began
	thawing     bool   // thawed, but published as frozen until the candidate calls awake
	noGuid      bool
	loses       bool
	slow        chan struct{} // the leader procedure waits until slow is closed; nil: no wait
	gone        bool
	previous    <-chan struct{} // closed when the previous member has rejoined or left; nil: do not wait
	ahead       int
	placed      chan struct{} // closed when it has joined or left, and then nil
}

func (m *member) newRunner(members int) runner {
	conn := m.cast.cfg.Conn
	conn.BufferSize, conn.MaxReply = bufferSize, max(minReply, 2*nameBytes*members)
	conn.Gate, conn.Line = &m.gate, &m.line
	if recipes[m.kind] != nil {
		return newParticipant(m, conn)
	}
	return candidate.New(candidate.Config{
		Conn:    conn,
		Path:    m.cast.cfg.Path,
		Create:  m.cast.cfg.Create,
		Data:    []byte(m.name),
		Ack:     m.cast.cfg.Ack,
		Dialect: cmp.Or(dialect.OwnLock(m.kind, m.nth), m.cast.dialect.Load()),
		Recipe:  m.recipe,
		NoGuid:  m.withoutGuid,
		Lead:    m.lead,
		Report:  m.report,
		Awake:   m.awake,
		Now:     m.cast.cfg.Now,
	})
}

func (m *member) run() {
	defer func() {
		m.mu.Lock()
		m.gone = true
		m.place()
		m.publish(true)
		m.mu.Unlock()
		m.cast.mu.Lock()
		delete(m.cast.members, m.id)
		m.cast.mu.Unlock()
		close(m.done)
	}()
	for {
		m.mu.Lock()
		r := m.runner
		m.mu.Unlock()
		err := m.runOnce(r)
		lost := errors.Is(err, errLost)
		if err != nil && !lost && m.cast.ctx.Err() == nil {
			if m.cast.cfg.Notice != nil {
				m.cast.cfg.Notice(znode.Safe(fmt.Sprintf("%s cannot take part: %v", m.name, err), 0))
			}
			return
		}
		m.awaitPrevious()
		members := m.cast.Len()
		m.mu.Lock()
		rejoins := (m.rejoins || lost && !m.leaving) && m.fault != model.Killed && m.cast.ctx.Err() == nil
		if rejoins {
			m.rejoins = false
			m.runner = m.newRunner(members)
			if m.loses {
				m.loses = false
				m.runner.(*candidate.Candidate).LoseReply()
				m.last.LosesReply = true
			}
		}
		m.mu.Unlock()
		if !rejoins {
			return
		}
	}
}

func (m *member) runOnce(r runner) (err error) {
	defer func() { // a panic ends the member, not the program
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	if err := r.Run(m.cast.ctx); err != nil && err != context.Canceled {
		return err
	}
	return nil
}

func (m *member) report(_ time.Time, r model.Member) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.last = r
	m.publish(false)
	if (r.Znode != "" || r.Belief == model.Active || r.Belief == model.Waiting) && !m.rejoins {
		m.place()
	}
}

// place requires that the caller holds m.mu.
func (m *member) place() {
	if m.placed != nil {
		close(m.placed)
		m.placed = nil
	}
}

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

// publish requires that the caller holds m.mu.
func (m *member) publish(gone bool) {
	if m.gone && !gone {
		return
	}
	v := m.last
	v.ID, v.Name, v.You = m.id, m.name, m.you
	v.Fault, v.FaultAt = m.fault, m.faultAt
	// If a partitioned member has lost its session, expiresFrom no longer applies.
	if m.fault != model.NoFault && !m.expiresFrom.IsZero() && (m.fault != model.Partitioned || v.Session == m.session) {
		v.ExpiresFrom = m.expiresFrom
	}
	v.NoGuid, v.SlowLead = m.noGuid, m.slow != nil
	v.LosesReply = v.LosesReply || m.loses
	w := &model.Cast{At: m.cast.cfg.Now(), Member: v, Gone: gone}
	m.cast.cfg.Put(w)
	if m.cast.sandbox != nil {
		m.cast.sandbox.update(w)
	}
}

// resign requires that the caller holds m.mu.
func (m *member) resign() {
	m.rejoins, m.leaving = false, true
	m.runner.Resign()
}

// follow requires that the caller holds m.mu. placed is nil if the member was already leaving or gone.
func (m *member) follow(r dialect.Recipe, previous <-chan struct{}, ahead int) (placed <-chan struct{}) {
	if m.leaving || m.gone {
		return nil
	}
	m.recipe, m.rejoins, m.previous, m.ahead = r, true, previous, ahead
	if m.placed == nil {
		m.placed = make(chan struct{})
	}
	m.runner.Resign()
	return m.placed
}

// previousTimeout bounds the wait for the previous member, which may be frozen. The bound grows by
// previousEach for each member ahead, because members rejoin one after the other.
const (
	previousTimeout = time.Second
	previousEach    = 20 * time.Millisecond
)

func (m *member) awaitPrevious() {
	m.mu.Lock()
	previous, ahead := m.previous, m.ahead
	m.previous = nil
	m.mu.Unlock()
	if previous == nil {
		return
	}
	timeout := time.NewTimer(previousTimeout + time.Duration(ahead)*previousEach)
	defer timeout.Stop()
	select {
	case <-previous:
	case <-timeout.C:
	case <-m.cast.ctx.Done():
	}
}

func (m *member) number() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if seq, ok := znode.Sequence(m.last.Znode); ok {
		return seq
	}
	return math.MaxInt64
}

// utc returns t in UTC without a monotonic clock reading, as recordings store it.
func utc(t time.Time) time.Time { return t.UTC().Round(0) }
