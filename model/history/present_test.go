package history_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/internal/modeltest"
	"electop/model/session"
	"electop/model/znode"
)

// present is what [model.State.Observations] must show.
type present struct {
	Path, Recipe, Dialect string
	Phase                 model.Phase
	Link                  model.Connection
	DownSince             time.Time
	At, ReadAt            time.Time
	Parent                znode.Parent
	Queue, Ignored        []child
	Members               []*model.Member
	Owners                []string // of Queue: our member, by ID
	Ack                   model.AckState
	Directories           map[string]*model.Directory
	Table                 *session.Table
	Pace                  *model.Pace
	Rules                 model.Rules
	Believers             []string
	Next                  uint32
	NextKnown             bool
}

type child struct {
	Znode    znode.Znode
	Who      string
	Sequence int64
	Numbered bool
}

func presentOf(s *doctor.State) present {
	p := present{
		Path: s.Path, Recipe: s.Recipe.Name(), Phase: s.Phase, Link: s.Link, DownSince: s.DownSince, At: s.At, ReadAt: s.ReadAt,
		Parent: s.Parent, Members: s.Members, Ack: s.Ack, Directories: s.Directories, Table: s.Table, Pace: s.Pace, Rules: s.Work.Rules,
		Believers: s.Properties.Believers, Next: s.NextSequence, NextKnown: s.NextSequenceKnown,
	}
	if s.Dialect != nil {
		p.Dialect = s.Dialect.ID
	}
	children := func(cs []*dialect.Candidate) (out []child) {
		for _, c := range cs {
			out = append(out, child{c.Znode, c.Who, c.Sequence, c.HasSequence})
		}
		return out
	}
	p.Queue, p.Ignored = children(s.Queue.Slice()), children(s.Ignored)
	for _, c := range s.Queue.All() {
		owner := ""
		if m := s.Member(c); m != nil {
			owner = m.ID
		}
		p.Owners = append(p.Owners, owner)
	}
	return p
}

// The observations of a state show a new journal the same election, without a past.
func TestObservations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg, all := modeltest.DrawPast(t)
		j := doctor.NewJournal(cfg)
		for _, o := range all {
			j.Apply(o)
		}
		s := j.State()
		part := doctor.NewJournal(cfg)
		for _, o := range s.Observations() {
			part.Apply(o)
		}
		st := part.State()
		if diff := cmp.Diff(presentOf(s), presentOf(st), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("the election (-) and what its observations show (+):\n%s", diff)
		}
		if len(st.Handoffs)+len(st.Wakes) > 0 || len(st.Reigns) > 1 || st.Totals.Handoffs+st.Totals.Joined+st.Totals.Left > 0 {
			t.Fatalf("a past was made up: %+v", st.Totals)
		}
	})
}
