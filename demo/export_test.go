package demo

import "electop/model"

func (c *Cast) Has(id string) bool { return c.Why(id, NoGuid, false) == nil }

func (c *Cast) FaultOf(id string) (f model.Fault) {
	c.with(id, func(m *member) error {
		f = m.fault
		return nil
	})
	return f
}

func (c *Cast) Session(id string) (session uint64) {
	c.with(id, func(m *member) error {
		if st := m.runner.Status(); !st.State.Terminal() {
			session = st.SessionID
		}
		return nil
	})
	return session
}
