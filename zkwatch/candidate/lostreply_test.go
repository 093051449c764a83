package candidate_test

import (
	"slices"
	"testing"

	"github.com/go-zookeeper/zk"

	"electop/model"
	"electop/model/znode"
	"electop/zkwatch/candidate"
	"electop/zkwatch/internal/electiontest"
)

// creates counts the creates of its own znode that a candidate reported.
func creates(s *electiontest.Stander) (n int, last model.Member) {
	reports := s.All()
	for i, m := range reports {
		if m.Step == model.StepCreate && m.Znode == "" && (i == 0 || reports[i-1].Step != model.StepCreate || !reports[i-1].StepAt.Equal(m.StepAt)) {
			n, last = n+1, m
		}
	}
	return n, last
}

// With a guid in its name the znode is found again: no ghost.
func TestLoseReplyWithAGuid(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		on.Make(on.Path, 0)
		s := electiontest.NewStander(candidate.Config{Conn: on.Config(), Path: on.Path})
		s.LoseReply()
		s.Start(t)
		m := s.Believes(t, model.Leading)
		if first := s.All()[0]; !first.LosesReply || m.LosesReply {
			t.Errorf("armed %v at first, %v in the end", first.LosesReply, m.LosesReply)
		}
		s.Await(t, 0, "found again", func(m model.Member) bool { return m.StepOn.Found })
		if mine := owned(t, on.Conn, on.Path, m); len(mine) != 1 || mine[0] != m.Znode {
			t.Errorf("it owns %q, its znode is %q", mine, m.Znode)
		}
		if n, _ := creates(s); n != 1 {
			t.Errorf("%d creates", n)
		}
	})
}

// A naive program makes another, and its first stands before it in the queue:
// a ghost. It waits for a predecessor that goes when it goes itself.
func TestLoseReplyWithoutAGuid(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		on.Make(on.Path, 0)
		s := electiontest.NewStander(candidate.Config{Conn: on.Config(), Path: on.Path, NoGuid: func() bool { return true }})
		s.LoseReply()
		s.Start(t)
		m := s.Believes(t, model.Waiting)
		mine := owned(t, on.Conn, on.Path, m)
		if want := []string{"n_0000000000", "n_0000000001"}; !slices.Equal(mine, want) || m.Znode != want[1] || m.Watches != want[0] || m.LosesReply {
			t.Fatalf("it owns %q and is %+v, want %q", mine, m, want)
		}
		if n, last := creates(s); n != 2 || last.StepOn.Name != "n_" {
			t.Errorf("%d creates, the last %+v", n, last)
		}
		after := electiontest.Stand(t, candidate.Config{Conn: on.Config(), Path: on.Path})
		if m := after.Believes(t, model.Waiting); m.Watches != mine[1] {
			t.Errorf("the next one watches %q", m.Watches)
		}
		// Nobody leads, until it leaves: both go with its session.
		s.Resign()
		after.Believes(t, model.Leading)
		if got := beliefs(s, 0); slices.Contains(got, model.Elected) || slices.Contains(got, model.Leading) {
			t.Errorf("behind its own ghost it believed %q", got)
		}
		children, _, err := on.Children(on.Path)
		if err != nil || len(children) != 1 {
			t.Errorf("children %q, %v", children, err)
		}
	})
}

// A create that fails, and any of another znode, is answered: the loss waits
// for the one that it is meant for, and is over with it.
func TestLoseReplyIsOfOneCreate(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		s := electiontest.NewStander(candidate.Config{Conn: on.Config(), Path: on.Path + "/deep/down", Create: true, Ack: on.Path + "/leader", NoGuid: func() bool { return true }})
		s.LoseReply()
		s.Start(t)
		m := s.Believes(t, model.Waiting)
		if mine := owned(t, on.Conn, on.Path+"/deep/down", m); len(mine) != 2 {
			t.Errorf("it owns %q", mine)
		}
		// It notices that its znode is gone, and its session ends with both. Its
		// next candidacy is as good as any.
		on.Remove(znode.Join(on.Path+"/deep/down", m.Znode))
		m = s.Believes(t, model.Leading)
		if mine := owned(t, on.Conn, on.Path+"/deep/down", m); len(mine) != 1 || mine[0] != m.Znode {
			t.Errorf("it owns %q, its znode is %q", mine, m.Znode)
		}
	})
}

// owned are the children that the session of m owns, in the queue's order.
func owned(t *testing.T, c *zk.Conn, path string, m model.Member) (mine []string) {
	t.Helper()
	children, _, err := c.Children(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range children {
		ok, stat, err := c.Exists(znode.Join(path, name))
		if err != nil {
			t.Fatal(err)
		}
		if ok && uint64(stat.EphemeralOwner) == m.Session {
			mine = append(mine, name)
		}
	}
	slices.SortFunc(mine, func(a, b string) int {
		m, _ := znode.Sequence(a)
		n, _ := znode.Sequence(b)
		return int(m - n)
	})
	return mine
}
