package candidate_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"electop/demo/zkserver"
	"electop/model"
	"electop/zkwatch/candidate"
	"electop/zkwatch/fault"
	"electop/zkwatch/internal/electiontest"
)

// virtual runs an election of n candidates in virtual time, each over a line of its own.
// It calls f when all have done what they do before they wait for the election to change.
func virtual(t *testing.T, n int, f func(t *testing.T, server *zkserver.Server, s []*electiontest.Stander, lines []*fault.Line)) {
	synctest.Test(t, func(t *testing.T) {
		server := zkserver.New(zkserver.Options{})
		t.Cleanup(func() { server.Close() })
		var standers []*electiontest.Stander
		var lines []*fault.Line
		for i := range n {
			line := new(fault.Line)
			s := electiontest.Stand(t, candidate.Config{Conn: electiontest.Conn(server, line), Path: "/election", Create: true, Ack: "/election-leader"})
			if i == 0 {
				s.Believes(t, model.Leading)
			} else {
				s.Believes(t, model.Waiting)
			}
			standers, lines = append(standers, s), append(lines, line)
		}
		synctest.Wait() // a leader believes before it has set its last watch
		f(t, server, standers, lines)
	})
}

// beliefs are the beliefs that were reported from the from-th report on, each
// once in a row.
func beliefs(s *electiontest.Stander, from int) (out []model.Belief) {
	for _, m := range s.All()[from:] {
		out = append(out, m.Belief)
	}
	return slices.Compact(out)
}

// when returns how long after now the first report from the from-th on comes that holds.
func when(t *testing.T, s *electiontest.Stander, from int, what string, holds func(model.Member) bool) <-chan time.Duration {
	start, took := time.Now(), make(chan time.Duration, 1)
	go func() {
		s.Await(t, from, what, holds)
		took <- time.Since(start)
	}()
	return took
}

func believing(b model.Belief) func(model.Member) bool {
	return func(m model.Member) bool { return m.Belief == b }
}

func leads(m model.Member) bool { return m.Belief == model.Leading || m.Belief == model.Elected }

// ping waits until the candidate's ping has just been answered.
func ping(s *electiontest.Stander) {
	for end := s.Status().ExpiresFrom; s.Status().ExpiresFrom.Equal(end); {
		time.Sleep(10 * time.Millisecond)
	}
}
