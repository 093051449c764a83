package demo

import (
	"context"
	"time"

	"electop/model"
)

// The caller of these methods holds m.mu, except for awake, nameless and lead, which
// the candidate calls.

// unfit returns what prevents a fault, nil for nothing.
func (m *member) unfit(kind Fault, on bool) error {
	switch {
	case !on:
	case kind == SlowLead && m.slow == nil && (m.last.Belief == model.Leading || m.last.Belief == model.Elected && m.last.Step == model.StepAcknowledge):
		return notNow(m.name + " has already finished its leader procedure. Select one that waits")
	case kind == Expire && m.cast.stage == nil:
		return notNow("it needs the embedded server. Start electop demo")
	case kind == NoGuid && m.cast.foreign():
		return ErrForeign
	case kind == SlowLead, kind == NoGuid, kind == Kill, kind == Expire:
	case m.fault == model.Killed:
		return notNow(m.name + " is dead")
	case m.fault == model.Frozen && kind != Freeze:
		return notNow(m.name + " is frozen. Thaw it first")
	case m.fault == model.Partitioned && (kind == Freeze || kind == LoseReply):
		return notNow(m.name + " is partitioned. Heal it first")
	case kind == LoseReply && (m.leaving || m.gone):
		return notNow(m.name + " is leaving")
	}
	return nil
}

// apply applies a fault for which the member is not unfit, or ends it.
func (m *member) apply(kind Fault, on bool) {
	switch kind {
	case Resign:
		m.resign()
	case Kill:
		m.kill()
	case LoseReply:
		m.loses = true
		m.publish(false)
		m.follow(m.recipe, nil, 0)
	case Freeze:
		if on {
			m.freeze()
		} else {
			m.thaw()
		}
	case Partition:
		if on {
			m.part()
		} else {
			m.heal()
		}
	case NoGuid:
		m.setNoGuid(on)
	case SlowLead:
		m.setSlow(on)
	}
}

// mark notes a fault and since when.
func (m *member) mark(f model.Fault, leaseEnd time.Time) {
	m.fault, m.faultAt, m.leaseEnd, m.thawing = f, m.cast.cfg.Now(), utc(leaseEnd), false
}

// mend notes that the fault is over.
func (m *member) mend() {
	m.fault, m.faultAt, m.leaseEnd, m.thawing = model.NoFault, time.Time{}, time.Time{}, false
	m.publish(false)
}

func (m *member) kill() {
	if m.fault == model.Killed {
		return // and the time of its death stays
	}
	silent := m.stuck() || m.fault == model.Partitioned
	st := m.candidate.Kill()
	if silent { // since the earlier fault
		m.fault = model.Killed
	} else {
		m.mark(model.Killed, st.ExpiresFrom)
	}
	m.publish(false)
}

func (m *member) freeze() {
	if m.stuck() {
		return
	}
	st := m.candidate.Freeze()
	m.mark(model.Frozen, st.ExpiresFrom)
	m.publish(false)
}

// thaw lets the member continue. If it believes that it leads, which may be wrong by
// now, it is reported as frozen until it has checked, see awake.
func (m *member) thaw() {
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

// stuck reports whether the member can do nothing for itself.
func (m *member) stuck() bool { return m.fault == model.Frozen && !m.thawing }

func (m *member) part() {
	if m.fault == model.Partitioned {
		return
	}
	m.line.Partition()
	st := m.candidate.Status()
	m.session = st.SessionID
	m.mark(model.Partitioned, st.ExpiresFrom)
	m.publish(false)
}

func (m *member) heal() {
	if m.fault != model.Partitioned {
		return
	}
	m.mend()
	m.line.Heal()
}

func (m *member) setNoGuid(on bool) {
	if m.noGuid != on {
		m.noGuid = on
		m.publish(false)
	}
}

// nameless reports whether the next znode has no guid.
func (m *member) nameless() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.noGuid
}

func (m *member) setSlow(on bool) {
	switch {
	case on == (m.slow != nil):
		return
	case on:
		m.slow = make(chan struct{})
	default:
		close(m.slow)
		m.slow = nil
	}
	m.publish(false)
}

// lead is the leader procedure. It takes as long as SlowLead is on, and does not end
// while the member is frozen.
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

// dismiss makes the member leave for good, whatever its fault.
func (m *member) dismiss() {
	m.resign()
	m.heal()
	m.thaw()
}
