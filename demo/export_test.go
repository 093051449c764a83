package demo

import "electop/model"

// Has reports whether a candidate is in the cast.
func (c *Cast) Has(id string) bool { return c.Why(id, NoGuid, false) == nil }

// FaultOf returns the fault of a candidate; NoFault if it is not in the cast.
func (c *Cast) FaultOf(id string) (f model.Fault) {
	c.with(id, func(m *member) error {
		f = m.fault
		return nil
	})
	return f
}

// Session returns the session ID of a candidate; 0 if it has no session.
func (c *Cast) Session(id string) (session uint64) {
	c.with(id, func(m *member) error {
		if st := m.candidate.Status(); !st.State.Terminal() {
			session = st.SessionID
		}
		return nil
	})
	return session
}
