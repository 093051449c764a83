package demo

import (
	"context"
	"time"

	"electop/model"
)

// An order is what a leader wants of its worker: to write in its name until it is
// told to stop. The worker is another program, so an order outlives a leader that
// cannot take it back: a frozen leader's until it thaws and finds that it no longer
// leads, a dead leader's for afterDeath times its session timeout. A worker with the guard
// stops when it is refused, because its leader's znode never comes back.
type order struct {
	member, znode string
	token         int64
	refused       bool
	until         time.Time // by time.Now; zero: no end
}

const afterDeath = 3

// command gives and takes back orders as a member's belief changes. The caller
// holds s.mu.
func (s *Stage) command(m model.Member, gone bool) {
	dead := m.Fault == model.Killed
	leads := m.Belief == model.Leading && m.Fence != 0 && m.Znode != ""
	if leads && s.orders[m.Fence] == nil && !gone {
		s.orders[m.Fence] = &order{member: m.ID, znode: m.Znode, token: m.Fence}
	}
	for token, o := range s.orders {
		switch {
		case o.member != m.ID || !o.until.IsZero():
			// Another's, or of a former life of the same name.
		case dead:
			o.until = time.Now().Add(afterDeath * m.Timeout)
		case m.Fault != model.Frozen && (gone || !leads || token != m.Fence):
			delete(s.orders, token)
		}
	}
}

// supervise sees to it that each order has a worker, while the rules want any,
// until ctx ends, and then ends them.
func (s *Stage) supervise(ctx context.Context) {
	workers := make(map[int64]*worker)
	defer func() {
		for _, w := range workers {
			w.stop()
		}
		for _, w := range workers {
			<-w.done
		}
	}()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		wanted, next := s.wanted()
		for token, w := range workers {
			if w.ended() {
				delete(workers, token)
			} else if _, ok := wanted[token]; !ok {
				w.stop()
			}
		}
		for token, o := range wanted {
			if workers[token] == nil { // also: the one before has ended
				workers[token] = s.startWorker(ctx, o)
			}
		}
		timer.Stop()
		if !next.IsZero() {
			timer.Reset(time.Until(next))
		}
		s.forget()
		select {
		case <-s.changed:
		case <-timer.C:
		case <-ctx.Done():
			return
		}
	}
}

// wanted returns the orders that are to be carried out, and when the first of
// them runs out.
func (s *Stage) wanted() (orders map[int64]order, next time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	orders = make(map[int64]order)
	now := time.Now()
	for token, o := range s.orders {
		switch {
		case o.until.IsZero():
		case !now.Before(o.until):
			delete(s.orders, token)
			continue
		case next.IsZero() || o.until.Before(next):
			next = o.until
		}
		if s.rules.Workers && !o.refused {
			orders[token] = *o
		}
	}
	return orders, next
}

// forget forgets the dead whose sessions are over.
func (s *Stage) forget() {
	for _, m := range s.known() {
		if m.Fault != model.Killed {
			continue
		}
		if _, ok := s.cfg.Server.Deadline(int64(m.Session)); ok {
			continue
		}
		s.mu.Lock()
		if now := s.players[m.ID]; now.Fault == model.Killed && now.Session == m.Session {
			delete(s.players, m.ID)
		}
		s.mu.Unlock()
	}
}

// known returns our own candidates, with those dead ones whose sessions live.
func (s *Stage) known() []model.Member {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]model.Member, 0, len(s.players))
	for _, m := range s.players {
		out = append(out, m)
	}
	return out
}

// refuse notes that an order was refused for good.
func (s *Stage) refuse(token int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.orders[token]; o != nil {
		o.refused = true
	}
}
