package session_test

import (
	"testing"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/session"
)

func TestMergedOverKeepsOlderAnswers(t *testing.T) {
	at := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	answered := func(s int) session.Answer {
		return session.Answer{State: session.Answered, At: at.Add(time.Duration(s) * time.Second)}
	}
	round := func(s int, servers ...session.Server) *session.Table {
		end := at.Add(time.Duration(s) * time.Second)
		return &session.Table{At: end, End: end, Whole: true, Servers: servers}
	}
	j := doctor.NewJournal(model.Config{Path: "/e"})
	j.Apply(round(1,
		session.Server{Addr: "a:1", Basic: answered(1), Watches: answered(1), Watched: []session.Watch{{Path: "/e/x", Sessions: []uint64{7}}}, Leftover: true},
		session.Server{Addr: "b:1", Basic: answered(1), Watches: session.Answer{State: session.Refused, Why: "no"}}))
	j.Apply(round(2,
		session.Server{Addr: "b:1", Basic: answered(2)},
		session.Server{Addr: "a:1", Basic: answered(2), Connections: answered(2)},
		session.Server{Addr: "c:1", Basic: answered(2)}))
	s := j.State()
	if n := len(s.Answers.Servers); n != 3 {
		t.Fatalf("%d servers, want the 3 of the last round", n)
	}
	b, a, c := s.Answers.Servers[0], s.Answers.Servers[1], s.Answers.Servers[2]
	if a.Watches != answered(1) || len(a.Watched) != 1 || a.Connections != answered(2) || a.Basic != answered(2) || !a.Leftover {
		t.Errorf("answers of a: got %+v, want the watches and Leftover from round 1, and the other fields from round 2", a)
	}
	if b.Watches.State != session.Refused || b.Basic != answered(2) {
		t.Errorf("answers of b: got %+v, want the refusal of watches from round 1 and Basic from round 2", b)
	}
	if c.Watches.State != session.NotRequested {
		t.Errorf("answers of c: got %+v, want no answer about watches", c)
	}
	if s.Table.Servers[1].Watches.State != session.NotRequested {
		t.Error("MergedOver changed the table of the last round")
	}
	j.Apply(round(3, session.Server{Addr: "a:1", Basic: answered(3), Connections: answered(3), Sessions: answered(3), Watches: answered(3)}))
	if a := j.State().Answers.Servers[0]; a.Watches != answered(3) || len(a.Watched) != 0 || a.Leftover {
		t.Errorf("answers of a after a full round: got %+v, want no watches and no Leftover", a)
	}
}

func TestExpirerIsTheLeaderOfTheLatestEpoch(t *testing.T) {
	server := func(addr string, mode session.Mode, epoch int64) session.Server {
		return session.Server{Addr: addr, Mode: mode, Zxid: epoch << 32, Sessions: session.Answer{State: session.Answered}, Deadlines: []session.Deadline{{Session: 1}}}
	}
	x := &session.Table{Servers: []session.Server{
		server("follower:1", session.ModeFollower, 9), server("leader:1", session.ModeLeader, 7), server("former:1", session.ModeLeader, 6),
	}}
	if got := x.Expirer().Addr; got != "leader:1" {
		t.Errorf("got %s, want leader:1", got)
	}
}
