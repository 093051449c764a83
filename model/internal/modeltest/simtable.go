package modeltest

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"electop/model/session"
)

// Poll asks the servers: what they say is of now, and comes a moment later.
func (s *Sim) Poll(watches bool) {
	if s.Dated && s.own.Server >= 0 && s.Leader >= 0 {
		s.touch(s.own)
	}
	t := s.table(watches)
	s.At(10*time.Millisecond, func() { s.apply(t) })
}

func (s *Sim) table(watches bool) *session.Table {
	now := s.Tree.Now
	reply := now.Add(5 * time.Millisecond)
	answered := session.Answer{State: session.Answered, Via: "http", At: reply}
	t := &session.Table{At: now.Add(-5 * time.Millisecond), End: now.Add(10 * time.Millisecond), Whole: true, Every: s.Every}
	for i := range s.servers {
		sv := session.Server{Addr: fmt.Sprintf("s%d:2181", i), Mode: session.ModeFollower, Zxid: s.epoch<<32 + s.Tree.Zxid, Basic: answered, Tick: s.Tick}
		if s.Leader < 0 { // nobody serves
			none := session.Answer{State: session.Failed, At: reply, Why: "not serving"}
			sv.Mode, sv.Zxid, sv.Basic, sv.Connections, sv.Sessions, sv.Watches = session.ModeUnknown, 0, none, none, none, none
			t.Servers = append(t.Servers, sv)
			continue
		}
		if i == s.Leader {
			sv.Mode = session.ModeLeader
			if n := s.expired[i]; s.Counts {
				sv.Expired = &n
			}
		}
		if watches {
			sv.Watches = answered
		}
		if s.SilentConns {
			sv.Connections = session.Answer{State: session.Refused, Why: "not in the whitelist", Hint: "4lw.commands.whitelist"}
		} else {
			sv.Connections = answered
		}
		if !s.SilentDues {
			sv.Sessions = answered
		}
		paths := map[string][]uint64{}
		for _, c := range s.Clients {
			if i == s.Leader && !c.Over && !s.SilentDues {
				d := session.Deadline{Session: c.Session, At: c.deadline}
				if s.Wall { // whole seconds of a clock of its own
					d.At, d.Wall = (c.deadline + 56*365*24*time.Hour + 123*time.Millisecond).Truncate(time.Second), true
				}
				sv.Deadlines = append(sv.Deadlines, d)
			}
			if c.znode != "" && !s.SilentDues {
				sv.Ephemerals = append(sv.Ephemerals, session.Ephemeral{Session: c.Session, Path: "/e/" + c.znode})
			}
			if c.Server != i {
				continue
			}
			if !s.SilentConns {
				sv.Clients = append(sv.Clients, session.Client{
					Session: c.Session, Addr: fmt.Sprintf("10.0.0.1:%d", c.Session), Timeout: c.Timeout,
					LastResponse: s.clock + c.resp.Sub(Start), Received: c.received,
				})
			}
			for name := range c.watches {
				paths["/e/"+name] = append(paths["/e/"+name], c.Session)
			}
		}
		if watches {
			for _, p := range slices.Sorted(maps.Keys(paths)) {
				sv.Watched = append(sv.Watched, session.Watch{Path: p, Sessions: paths[p]})
			}
		}
		t.Servers = append(t.Servers, sv)
	}
	// The last that the observer knows to have been answered.
	t.Anchors = []session.Anchor{{
		Session: s.own.Session, Sent: s.own.resp.Add(-time.Millisecond), Timeout: s.own.Timeout,
	}}
	return t
}

// Polls asks again and again.
func (s *Sim) Polls(every func() time.Duration, watches bool) {
	s.At(every(), func() {
		s.Poll(watches)
		s.Polls(every, watches)
	})
}
