package demo

import (
	"context"
	"time"

	"electop/model"
)

// unfit says what keeps the member from something, nil for nothing. The caller
// holds m.mu.
func (m *member) unfit() error {
	switch m.fault {
	case model.Killed:
		return notNow(m.name + " is dead")
	case model.Frozen:
		return notNow(m.name + " is frozen: thaw it first")
	case model.Partitioned:
		return notNow(m.name + " is partitioned: heal it first")
	}
	return nil
}

// mark notes a fault and since when. The caller holds m.mu.
func (m *member) mark(f model.Fault, leaseEnd time.Time) {
	m.fault, m.faultAt, m.leaseEnd, m.thawing = f, m.cast.cfg.Now(), utc(leaseEnd), false
}

// mend notes that the fault is over. The caller holds m.mu.
func (m *member) mend() {
	m.fault, m.faultAt, m.leaseEnd, m.thawing = model.NoFault, time.Time{}, time.Time{}, false
	m.publish(false)
}

func (m *member) kill() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fault == model.Killed {
		return // dead already, and that since then
	}
	silent := m.fault == model.Frozen && !m.thawing || m.fault == model.Partitioned
	st := m.candidate.Kill()
	if silent { // for longer
		m.fault = model.Killed
	} else {
		m.mark(model.Killed, st.ExpiresFrom)
	}
	m.publish(false)
}

func (m *member) freeze() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fault == model.Killed || m.fault == model.Frozen && !m.thawing {
		return nil
	}
	if err := m.unfit(); err != nil && !m.thawing {
		return err
	}
	st := m.candidate.Freeze()
	m.mark(model.Frozen, st.ExpiresFrom)
	m.publish(false)
	return nil
}

// thaw lets the member go on. If it believes to lead, which may be long over,
// it is said to be frozen until it knows better, see awake.
func (m *member) thaw() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fault != model.Frozen {
		return
	}
	m.thawing = true
	if m.last.Belief != model.Leading && m.last.Belief != model.Elected {
		m.mend()
	}
	m.candidate.Thaw()
}

// awake is called when the candidate knows its state.
func (m *member) awake() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.thawing {
		m.mend()
	}
}

func (m *member) frozen() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.fault == model.Frozen
}

// stuck tells whether the member can do nothing for itself.
func (m *member) stuck() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.fault == model.Frozen && !m.thawing
}

func (m *member) part() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fault == model.Killed || m.fault == model.Partitioned {
		return nil
	}
	if err := m.unfit(); err != nil {
		return err
	}
	m.line.Partition()
	st := m.candidate.Status()
	m.session = st.SessionID
	m.mark(model.Partitioned, st.ExpiresFrom)
	m.publish(false)
	return nil
}

func (m *member) heal() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fault != model.Partitioned {
		return
	}
	m.mend()
	m.line.Heal()
}

func (m *member) loseReply() error {
	m.mu.Lock()
	if err := m.unfit(); err != nil {
		m.mu.Unlock()
		return err
	}
	if m.leaving || m.gone {
		m.mu.Unlock()
		return notNow(m.name + " is leaving")
	}
	m.loses = true
	recipe := m.recipe
	m.publish(false)
	m.mu.Unlock()
	m.follow(recipe, nil)
	return nil
}

func (m *member) setNoGuid(on bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.noGuid != on {
		m.noGuid = on
		m.publish(false)
	}
}

// nameless is asked by a candidate that is about to name its znode.
func (m *member) nameless() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.noGuid
}

func (m *member) setSlow(on bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case on == (m.slow != nil):
		return nil
	case on && (m.last.Belief == model.Leading || m.last.Belief == model.Elected && m.last.Step == model.StepAcknowledge):
		return notNow(m.name + " has already finished its leader procedure")
	case on:
		m.slow = make(chan struct{})
	default:
		close(m.slow)
		m.slow = nil
	}
	m.publish(false)
	return nil
}

// lead is the leader procedure, which takes as long as it was told to. A frozen
// one does not end.
func (m *member) lead(ctx context.Context, _ int64) error {
	for {
		if err := m.gate.Wait(ctx); err != nil {
			return err
		}
		m.mu.Lock()
		slow := m.slow
		m.mu.Unlock()
		if slow == nil {
			return nil
		}
		select {
		case <-slow:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// dismiss makes the member leave for good, whatever is the matter with it.
func (m *member) dismiss() {
	m.resign()
	m.heal()
	m.thaw()
}
