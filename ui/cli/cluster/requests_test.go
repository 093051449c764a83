package cluster_test

import (
	"context"
	"net"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"electop/model"
	"electop/model/doctor"
	"electop/model/session"
	"electop/model/znode"
	"electop/ui/cli/cluster"
	"electop/zkwatch/admin"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func atRisk(t *testing.T) *doctor.Journal {
	t.Helper()
	now := time.Now()
	ok := session.Answer{State: session.Answered, Via: "4lw", At: now}
	j := doctor.NewJournal(model.Config{Path: "/e"})
	j.Apply(&model.Connection{At: now, Link: model.Connected, Session: 9})
	j.Apply(&model.Read{At: now, Presence: model.Present, Full: true,
		New: []znode.Znode{{Name: "n_0000000001", Session: 1, Czxid: 2, Ctime: now}}, Parent: znode.Parent{Czxid: 1, Children: 1, Cversion: 1}})
	j.Apply(&session.Table{At: now, End: now, Whole: true, Every: time.Second, Servers: []session.Server{{
		Addr: "zk1:2181", Mode: session.ModeStandalone, Basic: ok, Connections: ok, Clients: []session.Client{{Session: 9, Addr: "10.0.0.9:1"}},
	}}})
	if r := j.State().Risks; len(r) != 1 || !r[0].By.IsZero() {
		t.Fatalf("risks %+v, want one without a bound", r)
	}
	return j
}

func TestRequestReportsKeepsFirstAnswersIfInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, dials := time.Now(), 0
		poller := admin.New(admin.Config{Mode: admin.FourLetter, Servers: []string{"zk1:2181"}, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			if time.Since(began) < time.Second {
				return nil, syscall.ECONNREFUSED
			}
			dials++
			<-ctx.Done()
			return nil, ctx.Err()
		}})
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		j := atRisk(t)
		if err := cluster.RequestReports(ctx, poller, []*doctor.Journal{j}); err != nil || dials == 0 {
			t.Errorf("error %v after %d further requests, want nil after at least one", err, dials)
		}
		if s := j.State(); s.Answers == nil || s.Answers.Servers[0].Watches.State != session.Failed {
			t.Errorf("answers %+v, want that zk1 failed to list its watches", s.Answers)
		}
	})
}

func TestSessionsOfBarrier(t *testing.T) {
	now, ok := time.Now(), session.Answer{State: session.Answered, Via: "4lw"}
	j := doctor.NewJournal(model.Config{Path: "/app/gate"})
	j.Apply(&model.Connection{At: now, Link: model.Connected, Session: 9})
	j.Apply(&model.Directory{At: now, Path: "/app", Presence: model.Present})
	j.Apply(&model.Read{At: now, Presence: model.Present, Full: true, Parent: znode.Parent{Czxid: 1}})
	for range 2 {
		now = now.Add(time.Second)
		j.Apply(&session.Table{At: now, End: now, Whole: true, Every: time.Second, Servers: []session.Server{{
			Addr: "zk1:2181", Mode: session.ModeStandalone, Basic: ok, Connections: ok, Watches: ok, Watched: []session.Watch{{Path: "/app/gate", Sessions: []uint64{4, 5}}},
		}}})
	}
	if got := cluster.SessionsOf(j.State()); !slices.Contains(got, 4) || !slices.Contains(got, 5) {
		t.Errorf("SessionsOf: got %v of a %s, want 4 and 5", got, j.State().Kind())
	}
}
