package model

// The lines that scanLine knows, field by field as they are declared.

func (s *scan) cast() *Cast {
	o := &Cast{}
	s.open()
	if s.has("at") {
		o.At = s.time()
	}
	if s.has("member") {
		s.member(&o.Member)
	}
	if s.has("gone") {
		o.Gone = s.bool()
	}
	s.close()
	return o
}

func (s *scan) member(m *Member) {
	s.open()
	if s.has("id") {
		m.ID = s.string()
	}
	if s.has("name") {
		m.Name = s.string()
	}
	if s.has("you") {
		m.You = s.bool()
	}
	if s.has("recipe") {
		m.Recipe = s.string()
	}
	if s.has("belief") {
		m.Belief = Belief(s.string())
	}
	if s.has("session") {
		m.Session = s.uint64()
	}
	if s.has("znode") {
		m.Znode = s.string()
	}
	if s.has("watches") {
		m.Watches = s.string()
	}
	if s.has("fence") {
		m.Fence = s.int64()
	}
	if s.has("step") {
		m.Step = Step(s.int64())
	}
	if s.has("step_at") {
		m.StepAt = s.time()
	}
	if s.has("detail") {
		m.Detail = s.string()
	}
	if s.has("ending") {
		m.Ending = Ending(s.string())
	}
	if s.has("fault") {
		m.Fault = Fault(s.string())
	}
	if s.has("fault_at") {
		m.FaultAt = s.time()
	}
	if s.has("no_guid") {
		m.NoGuid = s.bool()
	}
	if s.has("loses_reply") {
		m.LosesReply = s.bool()
	}
	if s.has("slow_lead") {
		m.SlowLead = s.bool()
	}
	if s.has("obstacle") {
		m.Obstacle = s.string()
	}
	if s.has("lease") {
		m.LeaseEnd = s.time()
	}
	if s.has("lease_end") {
		m.ExpiresFrom = s.time()
	}
	if s.has("timeout") {
		m.Timeout = s.duration()
	}
	s.close()
}

func (s *scan) table() *ServerTable {
	o := &ServerTable{}
	s.open()
	if s.has("at") {
		o.At = s.time()
	}
	if s.has("end") {
		o.End = s.time()
	}
	if s.has("whole") {
		o.Whole = s.bool()
	}
	if s.has("unwhole") {
		o.Unwhole = s.string()
	}
	if s.has("every") {
		o.Every = s.duration()
	}
	if s.has("servers") {
		scanList(s, &o.Servers, s.server)
	}
	if s.has("anchors") {
		scanList(s, &o.Anchors, s.anchor)
	}
	s.close()
	return o
}

func (s *scan) server(x *Server) {
	s.open()
	if s.has("addr") {
		x.Addr = s.string()
	}
	if s.has("version") {
		x.Version = s.string()
	}
	if s.has("mode") {
		x.Mode = Mode(s.string())
	}
	if s.has("zxid") {
		x.Zxid = s.int64()
	}
	if s.has("basic") {
		x.Basic = s.answer()
	}
	if s.has("connections") {
		x.Connections = s.answer()
	}
	if s.has("clients") {
		scanList(s, &x.Clients, s.client)
	}
	if s.has("connection_count") {
		x.ConnectionCount = int(s.int64())
	}
	if s.has("sessions") {
		x.Sessions = s.answer()
	}
	if s.has("deadlines") {
		scanList(s, &x.Deadlines, s.deadline)
	}
	if s.has("tick") {
		x.Tick = s.duration()
	}
	if s.has("ephemerals") {
		scanList(s, &x.Ephemerals, s.ephemeral)
	}
	if s.has("watches") {
		x.Watches = s.answer()
	}
	if s.has("watched") {
		scanList(s, &x.Watched, s.watch)
	}
	if s.has("watch_count") {
		x.WatchCount = int(s.int64())
	}
	if s.has("data_watches") {
		x.DataWatches = int(s.int64())
	}
	if s.has("leftover") {
		x.Leftover = s.bool()
	}
	s.close()
}

func (s *scan) answer() (a Answer) {
	s.open()
	if s.has("state") {
		a.State = AnswerState(s.string())
	}
	if s.has("via") {
		a.Via = s.string()
	}
	if s.has("at") {
		a.At = s.time()
	}
	if s.has("why") {
		a.Why = s.string()
	}
	if s.has("hint") {
		a.Hint = s.string()
	}
	s.close()
	return a
}

func (s *scan) client(c *ServerConn) {
	s.open()
	if s.has("session") {
		c.Session = s.uint64()
	}
	if s.has("addr") {
		c.Addr = s.string()
	}
	if s.has("timeout") {
		c.Timeout = s.duration()
	}
	if s.has("last_op") {
		c.LastOp = s.string()
	}
	if s.has("established") {
		c.Established = s.time()
	}
	if s.has("last_response") {
		c.LastResponse = s.duration()
	}
	if s.has("received") {
		c.Received = s.int64()
	}
	if s.has("outstanding") {
		c.Outstanding = int(s.int64())
	}
	s.close()
}

func (s *scan) deadline(d *Deadline) {
	s.open()
	if s.has("session") {
		d.Session = s.uint64()
	}
	if s.has("at") {
		d.At = s.duration()
	}
	if s.has("wall") {
		d.Wall = s.bool()
	}
	s.close()
}

func (s *scan) ephemeral(e *Ephemeral) {
	s.open()
	if s.has("session") {
		e.Session = s.uint64()
	}
	if s.has("path") {
		e.Path = s.string()
	}
	s.close()
}

func (s *scan) watch(w *Watch) {
	s.open()
	if s.has("path") {
		w.Path = s.string()
	}
	if s.has("sessions") {
		scanList(s, &w.Sessions, func(id *uint64) { *id = s.uint64() })
	}
	s.close()
}

func (s *scan) anchor(a *Anchor) {
	s.open()
	if s.has("session") {
		a.Session = s.uint64()
	}
	if s.has("sent") {
		a.Sent = s.time()
	}
	if s.has("answered") {
		a.Answered = s.time()
	}
	if s.has("timeout") {
		a.Timeout = s.duration()
	}
	s.close()
}
