package election_test

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zktest"
	"electop/model"
	"electop/model/doctor"
	"electop/ui/cli/cluster"
	"electop/ui/cli/election"
	"electop/ui/cli/process"
	"electop/zkwatch/admin"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
)

type end struct {
	name    string
	stopped bool   // the test first stops the process; act follows
	act     string // what happens to the candidate, its process or its znode; "": nothing
	expired bool
}

var ends = []end{
	{name: "stopped", stopped: true, expired: true},
	{name: "killed", act: "kill", expired: true},
	{name: "resigns", act: "resign"},
	{name: "leaves", act: "leave"},
	{name: "closes", act: "close"},
	{name: "deleted by another client", act: "delete"},
	{name: "stopped, continues, closes", stopped: true, act: "close"},
	{name: "stopped, continues, leaves", stopped: true, act: "leave"},
	{name: "stopped, deleted by another client", stopped: true, act: "delete"},
}

type reign struct {
	end
	path        string
	timeout     time.Duration
	leader      *zktest.ThirdParty
	znode       string
	feed        *feed.Feed
	at, actAt   time.Duration // delays of the first and the second step
	paused      time.Time
	risk        <-chan time.Time
	ahead       time.Duration // from the first risk to the handoff; 0: there was no risk
	first, last model.Handoff // the first report of the handoff, and the report after corrections
}

func TestHandoffCausesOfThirdPartyLeaders(t *testing.T) {
	t.Parallel()
	// n leaders are stopped until their sessions expire, for each protocol.
	n := fewExpirations
	if s := os.Getenv("ELECTOP_TEST_CAUSES"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatalf("ELECTOP_TEST_CAUSES: %v", err)
		}
	}
	server := zktest.NewApache(t, zktest.WithAdmin(), zktest.WithStockSessions())
	servers, err := client.ParseConnectString(server.Addr)
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range []admin.Mode{admin.HTTP, admin.FourLetter} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			if mode == admin.FourLetter {
				zktest.SecondTier(t)
			}
			cfg := election.Config{
				Conn:     client.Config{Servers: servers},
				Requests: cluster.Requests{Mode: mode, Interval: 5 * time.Second, Sessions: 2 * time.Second, Cheap: true},
				Notice:   func(s string) { t.Log(s) },
				Log:      slog.New(slog.DiscardHandler),
			}
			if mode == admin.HTTP {
				cfg.Requests.URL = "http://" + server.Admin
			}
			checkCauses(t, server.Addr, cfg, n)
		})
	}
}

const fewExpirations = 4

const batchSize = 24

func checkCauses(t *testing.T, addr string, cfg election.Config, expirations int) {
	random := rand.New(rand.NewPCG(zktest.Seed(t), 0))
	correct, total := count(t, endAll(t, addr, cfg, expirations, random))
	if expirations == fewExpirations {
		// One correct cause is enough, because the machine may be busy.
		for round := 1; correct == 0 && round < 5; round++ {
			correct, total = count(t, endAll(t, addr, cfg, expirations, random))
		}
		if correct == 0 {
			t.Errorf("got cause expired for none of %d expired leaders, want at least 1", total)
		}
		return
	}
	if want := total - max(1, total/10); correct < want {
		t.Errorf("got cause expired for %d of %d expired leaders, want at least %d", correct, total, want)
	}
}

func endAll(t *testing.T, addr string, cfg election.Config, expirations int, random *rand.Rand) (reigns []*reign) {
	timeouts, within, tenths := []time.Duration{4 * time.Second, 6 * time.Second, 10 * time.Second}, 6*time.Second, 6
	if expirations == fewExpirations { // the machine may be busy, so pings are late
		timeouts, within, tenths = timeouts[:2], within/2, 3
	}
	for _, e := range ends {
		n := max(1, expirations/4)
		if e.expired && e.stopped {
			n = expirations
		}
		for i := range n {
			timeout := timeouts[i%len(timeouts)]
			x := &reign{end: e, timeout: timeout, path: fmt.Sprintf("/causes-%s-%x", cfg.Requests.Mode, random.Uint32())}
			x.at = time.Duration(random.Int64N(int64(within)))
			if e.stopped {
				x.actAt = x.at + time.Duration(random.Int64N(int64(timeout)*int64(tenths)/10))
			}
			reigns = append(reigns, x)
		}
	}
	random.Shuffle(len(reigns), func(i, k int) { reigns[i], reigns[k] = reigns[k], reigns[i] })
	for batch := range slices.Chunk(reigns, batchSize) {
		endTogether(t, addr, cfg, batch, random)
	}
	return reigns
}

func count(t *testing.T, reigns []*reign) (correct, total int) {
	withCause, all := map[string]int{}, map[string]int{}
	for _, x := range reigns {
		all[x.name]++
		if x.last.Cause == model.CauseExpired {
			withCause[x.name]++
		}
		if (x.first.Cause == model.CauseExpired || x.last.Cause == model.CauseExpired) && !x.expired && !x.mayHaveExpired() {
			t.Errorf("leader %s, session timeout %v: got cause expired, want another; evidence: %s, then %s", x.name, x.timeout, x.first.Evidence, x.last.Evidence)
		}
		t.Logf("%-28s %-4v %-8v then %-8v risk %v ahead: %s", x.name, x.timeout, x.first.Cause, x.last.Cause, x.ahead, x.last.Evidence)
	}
	for _, e := range ends {
		t.Logf("%s: cause expired for %d of %d", e.name, withCause[e.name], all[e.name])
		if e.expired {
			correct, total = correct+withCause[e.name], total+all[e.name]
		}
	}
	return correct, total
}

// mayHaveExpired reports whether the session may have expired. The last ping may be half a timeout older than the stop.
func (x *reign) mayHaveExpired() bool {
	return x.stopped && x.first.At.Sub(x.paused) > x.timeout/2
}

func endTogether(t *testing.T, addr string, cfg election.Config, reigns []*reign, random *rand.Rand) {
	successors := zktest.Kazoo(t, addr, 20*time.Second)
	for i, x := range reigns {
		x.leader = zktest.Kazoo(t, addr, x.timeout)
		x.znode = x.leader.Join(t, "election", x.path, "amber").Znode
		successors.Join(t, "election", x.path, fmt.Sprint("birch", i))
	}
	tasks := process.NewTasks(t.Context())
	defer func() {
		if err := tasks.Stop(); err != nil {
			t.Error(err)
		}
		for _, x := range reigns {
			x.leader.Kill()
		}
		successors.Kill()
	}()
	// The observers start at random times, so their polls are independent of the server's expiry times.
	for _, x := range reigns {
		cfg.Elections = []model.Config{{Path: x.path}}
		w, err := election.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		w.Start(tasks)
		if _, err := w.FirstRead(t.Context(), w.First(), cluster.Reach{For: time.Minute}); err != nil {
			t.Fatal(err)
		}
		x.feed = w.First().Feed
		sleepUntil(t, time.Now().Add(time.Duration(random.Int64N(int64(200*time.Millisecond)))))
	}
	other := zktest.Client(t, addr)
	var steps []step
	for _, x := range reigns {
		x.awaitState(t, "two candidates, and the servers' answers", func(s *doctor.State) bool {
			return s.Queue.Len() == 2 && s.Answers != nil && s.Answers.Every > 0
		})
		x.watchRisk(tasks)
		steps = append(steps, x.steps(t, other)...)
	}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Compare(a.at, b.at) })
	began := time.Now()
	for _, s := range steps {
		sleepUntil(t, began.Add(s.at))
		s.do()
	}
	for _, x := range reigns {
		s := x.awaitState(t, "the handoff", func(s *doctor.State) bool { return len(s.Handoffs) > 0 })
		x.first = *s.Handoffs[0]
	}
	for _, x := range reigns {
		// A later table of sessions may show another cause.
		s := x.awaitState(t, "a table 2 s after the handoff", func(s *doctor.State) bool {
			return s.Answers.At.After(x.first.At.Add(2 * time.Second))
		})
		x.last = *s.Handoffs[0]
		select {
		case at := <-x.risk:
			x.ahead = x.first.At.Sub(at).Round(time.Millisecond)
		default:
		}
	}
}

type step struct {
	at time.Duration
	do func()
}

func (x *reign) steps(t *testing.T, other *zk.Conn) []step {
	act := func() {
		if x.stopped && x.end.act != "" && x.end.act != "delete" {
			x.leader.Resume(t)
		}
		switch x.end.act {
		case "kill":
			x.leader.Kill()
		case "delete":
			if err := other.Delete(x.znode, -1); err != nil {
				t.Error(err)
			}
		case "resign":
			x.leader.Resign(t, "amber")
		case "leave":
			x.leader.Leave(t, "amber")
		case "close":
			x.leader.Close(t, "amber")
		}
	}
	if !x.stopped {
		return []step{{x.at, act}}
	}
	return []step{{x.at, func() {
		x.paused = time.Now()
		x.leader.Pause(t)
	}}, {x.actAt, act}}
}

func (x *reign) awaitState(t *testing.T, what string, holds func(*doctor.State) bool) *doctor.State {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s, err := x.feed.Await(ctx, holds)
	if err != nil {
		t.Fatalf("leader %s, session timeout %v: waiting for %s: %v; queue %d, servers %s", x.name, x.timeout, what, err, s.Queue.Len(), s.Answers.Unrequested())
	}
	return s
}

func (x *reign) watchRisk(tasks *process.Tasks) {
	risk := make(chan time.Time, 1)
	x.risk = risk
	tasks.Start("risk", func(ctx context.Context) error {
		if _, err := x.feed.Await(ctx, func(s *doctor.State) bool { return len(s.Risks) > 0 && s.Risks[0].Leader }); err == nil {
			risk <- time.Now()
		}
		return nil
	})
}

func sleepUntil(t *testing.T, at time.Time) {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.Context().Done():
	}
}
