package candidate_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/znode"
	"electop/zkwatch/candidate"
	"electop/zkwatch/internal/clienttest"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/observer"
)

// TestStandingInForeignElections: in every dialect that has a way in, a
// candidate queues behind the system's own, watches whom they would, leaves
// the election recognisable, and makes no acknowledgement.
func TestStandingInForeignElections(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		ways := 0
		for _, d := range dialect.All() {
			t.Run(d.ID, func(t *testing.T) {
				path := clienttest.ElectionPath(t)
				on.T = t
				cfg := candidate.Config{Conn: on.Config(), Path: path, Data: []byte("us"), Ack: path + "-leader", Dialect: d}
				if d.Why != "" {
					err := candidate.New(cfg).Run(t.Context())
					if err == nil || d.Why == "" || !strings.Contains(err.Error(), d.Why) {
						t.Errorf("Run = %v, want %q", err, d.Why)
					}
					return
				}
				ways++
				on.Make(path, 0)
				first := on.Make(path+"/"+d.Prefix([16]byte{1}), clienttest.Contender)
				second := on.Make(path+"/"+d.Prefix([16]byte{2}), clienttest.Contender)
				s := electiontest.Stand(t, cfg)
				m := s.Believes(t, model.Waiting)
				if m.Watches != znode.Base(second) || m.Recipe != d.Recipe.Name() {
					t.Errorf("%s by the recipe %s watches %s, want %s by %s", m.Znode, m.Recipe, m.Watches, znode.Base(second), d.Recipe.Name())
				}
				conn := clienttest.Connected(t, on.Config())
				read, err := observer.ReadOnce(t.Context(), conn, path, time.Now)
				if err != nil {
					t.Fatal(err)
				}
				if got := dialect.Recognise(dialect.Evidence{Path: path, Children: read.New, Parent: read.Parent}); got == nil || got.Recipe.Name() != d.Recipe.Name() {
					t.Errorf("with us it is taken for %+v", got)
				}
				on.Remove(second, first)
				s.Believes(t, model.Leading)
				ok, _, err := on.Exists(path + "-leader")
				if err != nil || ok == d.Foreign() {
					t.Errorf("foreign %v: acknowledged %v, %v", d.Foreign(), ok, err)
				}
			})
		}
		if ways < 5 {
			t.Errorf("%d ways in: the test shows nothing", ways)
		}
	})
}

// TestLostReplyInADialect: whether or not the name has a guid, the znode of a
// create whose reply was lost is found again, among others that look the same. A znode has
// the name that it must have, whatever NoGuid says.
func TestLostReplyInADialect(t *testing.T) {
	for _, id := range []string{"curator-lock", "kazoo-lock", "recipe-lock"} {
		t.Run(id, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, ok := dialect.ByID(id)
				if !ok || d.Why != "" {
					t.Fatalf("no such dialect to stand in: %+v", d)
				}
				server, c := clienttest.Embedded(t)
				create := clienttest.Creator(t, c)
				create("/election", 0)
				for i := range 20 {
					create("/election/"+d.Prefix([16]byte{byte(i)}), clienttest.Contender)
				}
				s := electiontest.NewStander(candidate.Config{Conn: electiontest.Conn(server, nil), Path: "/election", Dialect: d, NoGuid: func() bool { return true }})
				s.LoseReply()
				s.Start(t)
				time.Sleep(10 * electiontest.LeaseTimeout)
				children, _, err := c.Children("/election")
				if err != nil {
					t.Fatal(err)
				}
				last := s.Now()
				if !s.All()[0].LosesReply || last.LosesReply {
					t.Fatal("no reply was lost: the test shows nothing")
				}
				if len(children) != 21 || last.Belief != model.Waiting || !strings.HasSuffix(last.Znode, "0000000020") {
					t.Errorf("%d children, the candidate %+v", len(children), last)
				}
				// In a dialect its guid is its own each time.
				if _, stat, err := c.Get("/election/" + last.Znode); err != nil || uint64(stat.EphemeralOwner) != last.Session {
					t.Errorf("%s is owned by %+v (%v), the candidate has %#x", last.Znode, stat, err, last.Session)
				}
			})
		})
	}
}
