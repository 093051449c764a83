package history_test

import (
	"bytes"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/history"
	"electop/model/internal/modeltest"
	"electop/model/session"
	"electop/model/znode"
)

type instant struct {
	at     time.Time
	state  *doctor.State
	events []model.Event
}

func (i instant) handoff() bool {
	for _, e := range i.events {
		if _, ok := e.Body.(model.Handoff); ok {
			return true
		}
	}
	return false
}

type momentRule struct {
	members   map[string]model.Member
	deletions map[dialect.ID]bool
	events    uint64
}

func (n *momentRule) isMoment(o model.Observation, s *doctor.State) bool {
	more := s.Events > n.events
	n.events = s.Events
	switch o := o.(type) {
	case *model.Cast:
		old, known := n.members[o.Member.ID]
		if o.Gone {
			delete(n.members, o.Member.ID)
			return known || more
		}
		n.members[o.Member.ID] = o.Member
		m := o.Member
		m.ExpiresFrom, m.Session, m.FaultAt = old.ExpiresFrom, old.Session, old.FaultAt // their change alone is no moment
		return !reflect.DeepEqual(m, old) || more
	case *model.DeletionReport:
		id := dialect.ID{Name: o.Znode, Czxid: o.Zxid}
		again := n.deletions[id]
		n.deletions[id] = true
		return !again || more
	case *model.Pace:
		return len(o.Passed) > 0 || more
	case *model.Write, *model.Switch, *model.Rules:
		return true
	}
	return more
}

// target returns the number of the moment to which m leads from n. The timeline dropped the moments
// before first.
func target(all []instant, first, n int, m history.Move) int {
	last := len(all)
	n = min(n, last)
	find := func(from, by int, ok func(instant) bool) int {
		for i := from; i >= first && i <= last; i += by {
			if ok(all[i-1]) {
				return i
			}
		}
		return max(n, first)
	}
	event := func(i instant) bool { return len(i.events) > 0 }
	switch m {
	case history.MoveBack:
		return max(first, n-1)
	case history.MoveOn:
		return min(max(first, n+1), last)
	case history.MoveToEvent:
		return find(max(first, n+1), 1, event)
	case history.MoveBackToEvent:
		return find(n-1, -1, event)
	case history.MoveToHandoff:
		return find(max(first, n+1), 1, instant.handoff)
	case history.MoveBackToHandoff:
		return find(n-1, -1, instant.handoff)
	case history.MoveToFirst:
		return first
	case history.MoveToLast:
		return last
	}
	return max(first, n)
}

var moves = []history.Move{
	history.MoveTo, history.MoveBack, history.MoveOn, history.MoveToEvent, history.MoveBackToEvent,
	history.MoveToHandoff, history.MoveBackToHandoff, history.MoveToFirst, history.MoveToLast,
}

func TestTimeline(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg, observed := modeltest.DrawPast(t)
		bound := rapid.SampledFrom([]int{0, 1 << 12, 1 << 14, 1 << 16, 1 << 18}).Draw(t, "bound")
		timeline, j := history.NewTimeline(cfg, bound), doctor.NewJournal(cfg)
		if _, ok := timeline.Seek(1, history.MoveTo); ok {
			t.Fatal("an empty timeline has a moment")
		}
		rule := &momentRule{members: map[string]model.Member{}, deletions: map[dialect.ID]bool{}}
		var all []instant
		for _, o := range observed {
			events := j.Apply(o)
			if diff := modeltest.Diff(events, timeline.Apply(o)); diff != "" {
				t.Fatalf("events of the journal (-) and of the timeline (+):\n%s", diff)
			}
			s := j.State()
			if rule.isMoment(o, s) || len(events) > 0 {
				all = append(all, instant{o.When(), s, events})
			}
			if rapid.IntRange(0, 9).Draw(t, "seek before the next observation") == 0 {
				timeline.Seek(uint64(rapid.IntRange(0, len(all)+1).Draw(t, "from")), history.MoveBack)
			}
		}
		if diff := modeltest.Diff(j.State(), timeline.State()); diff != "" {
			t.Fatalf("last state of the journal (-) and of the timeline (+):\n%s", diff)
		}
		kept, ok := timeline.Seek(0, history.MoveToFirst)
		if !ok {
			if bound == 0 && len(all) > 0 {
				t.Fatalf("the timeline has none of %d moments", len(all))
			}
			return
		}
		first := int(kept.N)
		if bound == 0 && first != 1 {
			t.Fatalf("the first moment is %d, want 1", first)
		}
		from, to := timeline.Span()
		if !from.Equal(all[first-1].at) || !to.Equal(all[len(all)-1].at) {
			t.Fatalf("the timeline is from %v to %v, want %v to %v", from, to, all[first-1].at, all[len(all)-1].at)
		}
		for range 4 {
			n := rapid.IntRange(0, len(all)+2).Draw(t, "n")
			m := rapid.SampledFrom(moves).Draw(t, "move")
			want := target(all, first, n, m)
			got, ok := timeline.Seek(uint64(n), m)
			if !ok || got.N != uint64(want) || got.First != (want == first) || got.Last != (want == len(all)) {
				t.Fatalf("from %d of %d..%d, %q leads to %d (first %v, last %v), want %d", n, first, len(all), m, got.N, got.First, got.Last, want)
			}
			was := all[want-1]
			if !got.At.Equal(was.at) {
				t.Fatalf("moment %d is at %v, want %v", want, got.At, was.at)
			}
			if diff := modeltest.Diff(was.events, got.Events); diff != "" {
				t.Fatalf("moment %d of %d: events live (-) and in the timeline (+):\n%s", want, len(all), diff)
			}
			if a, b := modeltest.Text(t, was.state), modeltest.Text(t, got.State); !bytes.Equal(a, b) {
				t.Fatalf("moment %d of %d: state live (-) and in the timeline (+):\n%s", want, len(all), modeltest.Diff(was.state, got.State))
			}
		}
		if got, ok := timeline.Seek(math.MaxUint64, history.MoveTo); !ok || got.N != uint64(len(all)) || !got.Last {
			t.Fatalf("Seek beyond the last moment returned moment %d, want %d", got.N, len(all))
		}
	})
}

func TestPositionStaysValid(t *testing.T) {
	c := modeltest.NewCrowd(20)
	timeline := history.NewTimeline(model.Config{Path: "/e"}, 1<<20)
	timeline.Apply(&model.Connection{At: c.At, Link: model.Connected})
	timeline.Apply(&model.Read{At: c.At, Presence: model.Present, Full: true, New: c.First, Parent: c.Stat()})
	for i := range 50 {
		timeline.Apply(c.Change(i))
	}
	p, ok := timeline.Find(math.MaxUint64, history.MoveBack)
	want := p.N
	before := modeltest.Text(t, p.Moment().State)
	journal, next := p.Journal()
	if !ok || want == 0 || string(modeltest.Text(t, journal.State())) != string(before) {
		t.Fatalf("found moment %d (%v), want one whose journal has the same state", want, ok)
	}
	if o, n, ok := timeline.Observation(next); !ok || n != want+1 || o == nil {
		t.Errorf("the observation after moment %d is %T of moment %d, want moment %d", want, o, n, want+1)
	}
	for i := range 20000 {
		timeline.Apply(c.Change(i))
	}
	if first, _ := timeline.Seek(0, history.MoveToFirst); first.N <= want {
		t.Fatalf("the timeline still has moment %d: the test needs more changes", want)
	}
	if m := p.Moment(); m.N != want || string(modeltest.Text(t, m.State)) != string(before) {
		t.Errorf("the position has moment %d, want %d with the same state", m.N, want)
	}
	if o, _, ok := timeline.Observation(next); !ok || o != nil {
		t.Errorf("Observation of a dropped observation = %v, %v; want nil, true", o, ok)
	}
	if _, _, ok := timeline.Observation(math.MaxUint64); ok {
		t.Error("Observation found an observation beyond the last")
	}
}

// TestTimelineIsBounded permits twice the bound, because the timeline estimates its memory.
func TestTimelineIsBounded(t *testing.T) {
	const bound = 8 << 20
	c := modeltest.NewCrowd(500)
	timeline := history.NewTimeline(model.Config{Path: "/e"}, bound)
	timeline.Apply(&model.Connection{At: c.At, Link: model.Connected})
	timeline.Apply(&model.Read{At: c.At, Presence: model.Present, Full: true, New: c.First, Parent: c.Stat()})
	run := func(n int) int64 {
		for i := range n {
			timeline.Apply(c.Change(i))
		}
		return modeltest.Heap()
	}
	empty := modeltest.Heap()
	full := run(20000)
	after := run(20000)
	if full > empty+2*bound || after > full+bound/2 {
		t.Errorf("the heap has %d bytes at first, %d after 20,000 changes, %d after 40,000; want growth of at most %d and %d", empty, full, after, 2*bound, bound/2)
	}
	first, _ := timeline.Seek(0, history.MoveToFirst)
	last, ok := timeline.Seek(0, history.MoveToLast)
	if !ok || first.N < 1000 || last.N-first.N < 3000 {
		t.Errorf("the timeline has moments %d to %d, want at least 3,000, none before 1,000", first.N, last.N)
	}
	timeline.Keep(bound / 8)
	now, _ := timeline.Seek(0, history.MoveToFirst)
	if less := modeltest.Heap(); less > full-bound/4 || now.N <= first.N || now.N == last.N {
		t.Errorf("with bound/8: heap of %d bytes, want at most %d; moments %d to %d, want several above %d", less, full-bound/4, now.N, last.N, first.N)
	}
}

func TestTimelineIsBoundedByDefault(t *testing.T) {
	c := modeltest.NewCrowd(50)
	empty := modeltest.Heap()
	timeline := history.NewTimeline(model.Config{Path: "/e"}, 0)
	timeline.Apply(&model.Connection{At: c.At, Link: model.Connected})
	timeline.Apply(&model.Read{At: c.At, Presence: model.Present, Full: true, New: c.First, Parent: c.Stat()})
	const changes, handoffs = 200_000, 10_000
	for i := range changes / 2 {
		r := c.Change(i)
		timeline.Apply(&model.Delta{At: r.At, Gone: r.Gone[0]})
		timeline.Apply(&model.Delta{At: r.At, New: &r.New[0]})
	}
	if grown := modeltest.Heap() - empty; grown > history.DefaultMax*5/4 {
		t.Errorf("%d changes use %d MiB, want at most 80", changes, grown>>20)
	}
	first, _ := timeline.Seek(0, history.MoveToFirst)
	last, _ := timeline.Seek(0, history.MoveToLast)
	if !first.First || first.N == 1 || first.MaxBytes != history.DefaultMax || last.N-first.N < changes/8 {
		t.Errorf("moments %d to %d, bound of %d bytes; want over %d moments, first above 1, %d bytes", first.N, last.N, first.MaxBytes, changes/8, history.DefaultMax)
	}
	seen := first.State.Totals.Joined + first.State.Totals.Left
	k := last.State.Totals
	if k.Joined != changes/2 || k.Left != changes/2 || k.Handoffs != handoffs || seen != int(first.N)-1 || k.MissedCreates+k.MissedDeletes+k.Unknown != 0 {
		t.Errorf("totals %+v, at moment %d %+v; want %d joins, as many leaves, %d handoffs, nothing missed", k, first.N, first.State.Totals, changes/2, handoffs)
	}
}

type present struct {
	Path, Recipe, Dialect string
	Phase                 model.Phase
	Link                  model.Connection
	DownSince             time.Time
	At, ReadAt            time.Time
	Parent                znode.Parent
	Queue, Ignored        []child
	Members               []*model.Member
	Owners                []string // the ID of the member that owns each znode of Queue, "" for a third-party client
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
			t.Fatalf("the election (-) and the new journal's election (+):\n%s", diff)
		}
		if len(st.Handoffs)+len(st.Deletions) > 0 || len(st.Reigns) > 1 || st.Totals.Handoffs+st.Totals.Joined+st.Totals.Left > 0 {
			t.Fatalf("got %d handoffs, %d deletions, %d reigns, totals %+v; want at most 1 reign, no changes", len(st.Handoffs), len(st.Deletions), len(st.Reigns), st.Totals)
		}
	})
}

func TestMain(m *testing.M) { modeltest.Main(m) }
