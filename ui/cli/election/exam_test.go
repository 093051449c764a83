package election_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/model"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/ui/cli/cluster"
	"electop/ui/cli/election"
	"electop/ui/cli/process"
	"electop/zkwatch/admin"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
)

// TestExamLooksLonger: an exam that would end before it is known whether a suspicion is
// critical looks longer, if half a minute is enough and nobody said how long to look.
func TestExamLooksLonger(t *testing.T) {
	const overseer, shard = "/overseer_elect/election", "/collections/books/leader_elect/shard1/election"
	for _, x := range []struct {
		name, path, ack string
		fixed           bool // for how long to look is given
		early           bool // the election is read before anything else is done
		longer          bool
		found, pending  bool
	}{
		{name: "enough", path: overseer, longer: true, found: true},
		{name: "early", path: overseer, early: true, longer: true, found: true},
		{name: "given", path: overseer, fixed: true, pending: true},
		{name: "too long", path: shard, pending: true},
		{name: "healthy", path: overseer, ack: "/overseer_elect/leader"},
	} {
		t.Run(x.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &patient{t: t, path: x.path, server: zkserver.New(zkserver.Options{})}
				defer p.server.Close()
				p.setup = p.client()
				for i, c := range x.path[1:] {
					if c == '/' {
						p.create(p.setup, x.path[:i+1], 0)
					}
				}
				p.create(p.setup, x.path, 0)
				first := p.client()
				read := &model.Read{At: feed.Now(), Presence: model.Present, Full: true}
				for i, c := range []*zk.Conn{first, p.client()} {
					name := p.create(c, fmt.Sprintf("%s/7205770053301043%d-10.0.0.%d:8983_solr-n_", x.path, i, i+1), zk.FlagEphemeral|zk.FlagSequence)
					read.New = append(read.New, znode.Znode{Name: znode.Base(name), Session: uint64(c.SessionID())})
				}
				if x.ack != "" {
					p.create(first, x.ack, zk.FlagEphemeral)
				}
				servers, err := client.ParseConnectString("127.0.0.1:2181")
				if err != nil {
					t.Fatal(err)
				}
				w, err := election.New(election.Config{
					Conn: client.Config{Servers: servers, Dial: p.dial}, Asking: cluster.Asking{Mode: admin.Off},
					Elections: []model.Config{{Path: x.path, AckPath: x.path + "-leader", AckFollows: true}},
					Notice:    func(s string) { t.Log(s) }, Log: slog.New(slog.DiscardHandler),
				})
				if err != nil {
					t.Fatal(err)
				}
				if x.early {
					over, cancel := context.WithCancel(t.Context())
					cancel()
					w.First().Feed.Put(read)
					if err := w.First().Feed.Run(over); err != nil || w.First().Feed.State().Dialect == nil {
						t.Fatalf("the election is not recognised: %v", err)
					}
				}
				tasks := process.NewTasks(t.Context())
				w.Observe(tasks)
				exam, longer := election.Exam{For: 6 * time.Second, Reach: cluster.Reach{For: time.Minute}}, time.Duration(0)
				if !x.fixed {
					exam.Longer = func(by time.Duration, p doctor.Pending) {
						if p.Rule != "no-leader" || by <= 0 || by > 30*time.Second || longer != 0 {
							t.Errorf("%v longer for %+v, after %v", by, p, longer)
						}
						longer += by
					}
				}
				s, observed, err := w.Examine(tasks.Context(), w.First(), exam)
				if err != nil {
					t.Fatal(err)
				}
				found := slices.ContainsFunc(s.Findings, func(f *doctor.Finding) bool {
					return f.ID == "no-leader" && f.Severity == doctor.Critical
				})
				pending := slices.ContainsFunc(s.Pending, func(p doctor.Pending) bool {
					return p.Rule == "no-leader" && p.Severity == doctor.Critical && p.Left > 0
				})
				if found != x.found || pending != x.pending || (longer > 0) != x.longer || observed != exam.For+longer {
					t.Errorf("found %v, pending %v, observed %v, %v longer; the findings: %s", found, pending, observed, longer, titles(s.Findings))
				}
				if err := tasks.Stop(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func titles(fs []*doctor.Finding) string {
	var out []string
	for _, f := range fs {
		out = append(out, f.ID+": "+f.Title)
	}
	return strings.Join(out, "; ")
}
