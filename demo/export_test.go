package demo

import "electop/model"

// Fault returns the fault of a candidate; none for one that is not in the cast.
func (c *Cast) Fault(id string) (f model.Fault) {
	c.with(id, func(m *member) {
		f = m.fault
	})
	return f
}

// Session returns the session of a candidate; 0 for none.
func (c *Cast) Session(id string) (session uint64) {
	c.with(id, func(m *member) {
		if st := m.candidate.Status(); !st.State.Terminal() {
			session = st.SessionID
		}
	})
	return session
}
