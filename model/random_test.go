package model_test

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/internal/modeltest"
	"electop/model/znode"
)

type kept struct {
	states []*doctor.State
	texts  [][]byte
}

func (k *kept) add(t rapid.TB, s *doctor.State) {
	k.states, k.texts = append(k.states, s), append(k.texts, modeltest.Text(t, s))
}

func (k *kept) unchanged(t rapid.TB) {
	t.Helper()
	for i, s := range k.states {
		if text := modeltest.Text(t, s); !bytes.Equal(text, k.texts[i]) {
			t.Fatalf("an older state changed from\n%s\nto\n%s", k.texts[i], text)
		}
	}
}

type randomElection struct {
	*rapid.T
	tree      *modeltest.Tree
	w         *modeltest.Watcher
	cfg       model.Config
	j         *doctor.Journal
	events    []model.Event
	kept      kept
	began     bool
	connected bool

	parent           int64                          // czxid of the parent in the last read
	creates, deletes int                            // of children before the first event; creates is -1 if unknown
	counted          struct{ creates, deletes int } // of this parent's children, according to the events
	unknown          int                            // counts Missed events with unknown numbers
	allowed          int                            // the maximum of unknown

	// These are computed from the events.
	exists map[string]bool
	leader *dialect.Candidate
	totals model.Totals
}

func (w *randomElection) advance() {
	w.tree.Now = w.tree.Now.Add(time.Duration(rapid.IntRange(0, 400).Draw(w.T, "ms")) * time.Millisecond)
}

func (w *randomElection) change() {
	t := w.tree
	pick := func(what string) string {
		if names := t.Names(); len(names) > 0 {
			return rapid.SampledFrom(names).Draw(w.T, what)
		}
		return ""
	}
	session := uint64(rapid.IntRange(1, 6).Draw(w.T, "session"))
	switch rapid.IntRange(0, 13).Draw(w.T, "change") {
	case 0, 1, 2, 3, 4:
		t.Create("n_", true, session, fmt.Sprint("host", session))
	case 5:
		t.Create("n_", true, 0, "persistent")
	case 6:
		t.Create(rapid.SampledFrom([]string{"DONE", "log_replicas", "n_000000001"}).Draw(w.T, "foreign"), false, session, "")
	case 7: // the name may have existed before
		n := rapid.IntRange(0, 8).Draw(w.T, "number")
		t.Create(fmt.Sprintf("%s_%010d", rapid.SampledFrom([]string{"n", "m"}).Draw(w.T, "prefix"), n), false, session, "")
	case 8, 9, 10:
		t.Delete(pick("delete"))
	case 11:
		if names := t.Names(); len(names) > 0 {
			t.Delete(names[0])
		}
	case 12:
		name := pick("recreate")
		z := t.Children[name]
		t.Delete(name)
		t.Create(name, false, z.Session, "again")
	case 13:
		if !t.Exists {
			t.CreateParent(rapid.SampledFrom([]uint32{0, 0, 7, 1<<30 - 3, modeltest.CreatesMax - 8}).Draw(w.T, "creates so far"))
		} else if rapid.IntRange(0, 2).Draw(w.T, "delete the parent") == 0 {
			t.DeleteParent()
		}
	}
}

func (w *randomElection) apply(o model.Observation) {
	for _, e := range w.j.Apply(o) {
		w.event(e)
	}
	s := w.j.State()
	if len(w.kept.states) < 20 || rapid.IntRange(0, 9).Draw(w.T, "keep the state") == 0 {
		w.kept.add(w.T, s)
	}
	if _, waiting := w.j.Held(); !waiting && w.began {
		if got, want := modeltest.ID(w.leader), modeltest.ID(atHead(s)); got != want {
			w.Fatalf("the handoffs end at %v, want %v as in the state", got, want)
		}
		if diff := gocmp.Diff(w.totals, s.Totals, cmpopts.IgnoreFields(model.Totals{}, "Led", "Vacant")); diff != "" {
			w.Fatalf("totals of the events (-) and of the state (+):\n%s", diff)
		}
	}
}

func (w *randomElection) event(e model.Event) {
	if want := uint64(len(w.events) + 1); e.N != want {
		w.Fatalf("event %d is numbered %d", want, e.N)
	}
	if n := len(w.events); n > 0 && e.At.Before(w.events[n-1].At) {
		w.Fatalf("event %d at %v is before the previous one, at %v", e.N, e.At, w.events[n-1].At)
	}
	w.events = append(w.events, e)
	if _, ok := e.Body.(doctor.Snapshot); !w.began && !ok {
		w.Fatalf("the first event is %+v, not a snapshot", e.Body)
	}
	switch b := e.Body.(type) {
	case doctor.Snapshot:
		names := map[string]bool{}
		for _, c := range slices.Concat(b.State.Queue.Slice(), b.State.Ignored) {
			names[c.Name] = true
		}
		if !w.began {
			w.began, w.exists, w.leader = true, names, atHead(b.State)
		}
		if diff := gocmp.Diff(w.exists, names); diff != "" {
			w.Fatalf("event %d: children according to the events (-) and in the snapshot (+):\n%s", e.N, diff)
		}
		if modeltest.ID(w.leader) != modeltest.ID(atHead(b.State)) {
			w.Fatalf("event %d: the handoffs end at %v, but in the snapshot %v is first", e.N, modeltest.ID(w.leader), modeltest.ID(atHead(b.State)))
		}
	case model.Joined:
		if w.exists[b.Candidate.Name] {
			w.Fatalf("event %d: %s joined, but it existed", e.N, b.Candidate.Name)
		}
		w.exists[b.Candidate.Name] = true
		w.totals.Joined++
	case model.Left:
		if !w.exists[b.Candidate.Name] {
			w.Fatalf("event %d: %s left, but it did not exist", e.N, b.Candidate.Name)
		}
		delete(w.exists, b.Candidate.Name)
		w.totals.Left++
	case model.Missed:
		if !b.Known {
			w.unknown++
			w.totals.Unknown++
			break
		}
		if b.Creates < 0 || b.Deletes < 0 || b.Creates+b.Deletes == 0 {
			w.Fatalf("event %d has wrong numbers of missed changes: %+v", e.N, b)
		}
		w.totals.MissedCreates += b.Creates
		w.totals.MissedDeletes += b.Deletes
	case model.Handoff:
		if modeltest.ID(b.From) != modeltest.ID(w.leader) {
			w.Fatalf("event %d: handoff from %v, but %v led", e.N, modeltest.ID(b.From), modeltest.ID(w.leader))
		}
		if modeltest.ID(b.From) == modeltest.ID(b.To) || b.To != nil && b.Fence != b.To.Czxid || b.To == nil && b.Fence != 0 {
			w.Fatalf("event %d: a handoff to the same leader or with a wrong fencing token: %+v", e.N, b)
		}
		for _, d := range []*time.Duration{b.Silent, b.Takeover, b.Vacant} {
			if d != nil && *d < 0 {
				w.Fatalf("event %d: a negative duration: %+v", e.N, b)
			}
		}
		w.leader = b.To
		w.totals.Handoffs++
	}
}

func (w *randomElection) flush() {
	if due, ok := w.j.Held(); ok {
		if due.After(w.tree.Now) {
			w.tree.Now = due
		}
		w.apply(&model.Advance{At: w.tree.Now})
		if _, ok := w.j.Held(); ok {
			w.Fatalf("events wait after their deadline, want them released")
		}
	}
}

func (w *randomElection) read(full, gap, quiet bool) {
	w.flush()
	t := w.tree
	creates, deletes, exists, uncounted := t.Creates, t.Deletes, t.Exists, t.Creates >= modeltest.CreatesMax
	races := 0
	r := w.w.Read(full, gap, func() {
		if !quiet && rapid.IntRange(0, 3).Draw(w.T, "race") == 0 {
			w.change()
			races++
		}
	})
	if rapid.Bool().Draw(w.T, "notified") {
		r.Notified = r.At.Add(-time.Millisecond)
	}
	mark, unknown, first := len(w.events), w.unknown, !w.began
	w.apply(r)
	w.flush()
	events := w.events[mark:]
	if w.parent != 0 && (!exists || w.parent != r.Parent.Czxid) {
		w.parent = 0
		w.allowed++
		end := slices.IndexFunc(events, func(e model.Event) bool {
			m, ok := e.Body.(model.Missed)
			return ok && !m.Known
		})
		if end < 0 {
			w.Fatalf("no Missed event with unknown numbers after the deletion of the parent")
		}
		events = events[end+1:]
	}
	count := &w.counted
	if exists && w.parent == 0 {
		w.parent = r.Parent.Czxid
		count.creates, count.deletes, w.creates, w.deletes = 0, 0, 0, 0
		if first {
			w.creates, w.deletes = int(creates), int(deletes)
		}
	}
	for _, e := range events {
		switch b := e.Body.(type) {
		case model.Joined:
			count.creates++
		case model.Left:
			count.deletes++
		case model.Missed:
			count.creates += b.Creates
			count.deletes += b.Deletes
		}
	}
	if exists && uncounted {
		w.allowed = max(w.allowed, min(w.unknown, unknown+2))
		w.creates = -1
	}
	if s := w.j.State(); !exists && (s.Phase != model.NoParent || s.Leader() != nil || s.Queue.Len()+len(s.Ignored) > 0) {
		w.Fatalf("absent parent: phase %s and %d children, want %s and 0", s.Phase, s.Queue.Len()+len(s.Ignored), model.NoParent)
	}
	if w.unknown > w.allowed {
		w.Fatalf("%d Missed events have unknown numbers, want at most %d", w.unknown, w.allowed)
	}
	if exists && w.creates >= 0 {
		// The stat is from the beginning of the read, so later creates and deletes are not in it.
		wantCreates, wantDeletes := int(creates)-w.creates, int(deletes)-w.deletes
		if more := count.creates - wantCreates; more != count.deletes-wantDeletes || more < 0 || more > races {
			w.Fatalf("the events have %+v, want {creates:%d deletes:%d}, or up to %d more of both (%+v)", *count, wantCreates, wantDeletes, races, r)
		}
	}
	w.check()
}

func (w *randomElection) check() {
	s := w.j.State()
	contenders, others := queueOf(w.w)
	if s.Dialect.Vague() && len(contenders) == 0 {
		return // the children may be members of a group
	}
	var got []dialect.ID
	for _, c := range s.Queue.All() {
		got = append(got, c.ID())
	}
	var ignored []string
	for _, c := range s.Ignored {
		ignored = append(ignored, c.Name)
	}
	if diff := gocmp.Diff(contenders, got, cmpopts.EquateEmpty()); diff != "" {
		w.Fatalf("queue as read (-) and in the state (+):\n%s", diff)
	}
	if diff := gocmp.Diff(others, ignored, cmpopts.EquateEmpty()); diff != "" {
		w.Fatalf("other children as read (-) and in the state (+):\n%s", diff)
	}
	if len(contenders) > 0 && s.First().ID() != contenders[0] {
		w.Fatalf("%v is first, want the lowest, %v", s.First().ID(), contenders[0])
	}
}

func TestRandomHistory(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := &randomElection{T: rt, tree: modeltest.NewTree()}
		w.w = &modeltest.Watcher{Tree: w.tree}
		w.cfg = model.Config{Path: "/election"}
		if rapid.Bool().Draw(rt, "ack path") {
			w.cfg.AckPath = "/leader"
			w.cfg.AckExpected = rapid.Bool().Draw(rt, "ack expected")
		}
		if rapid.Bool().Draw(rt, "herd") {
			w.cfg.Recipe = dialect.Herd()
		}
		w.j = doctor.NewJournal(w.cfg)
		if rapid.Bool().Draw(rt, "parent at first") {
			w.tree.CreateParent(rapid.SampledFrom([]uint32{0, 5, 1<<30 - 4, modeltest.CreatesMax - 10}).Draw(rt, "creates before"))
		}
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			w.advance()
			switch rapid.IntRange(0, 19).Draw(rt, "step") {
			default:
				w.change()
			case 8, 9, 10, 11:
				w.read(false, false, rapid.Bool().Draw(rt, "quiet"))
			case 12:
				w.read(true, rapid.Bool().Draw(rt, "gap"), false)
			case 13:
				w.apply(&model.Read{At: w.tree.Now, Presence: model.Denied})
			case 14:
				if names := slices.Sorted(maps.Keys(w.w.Known)); len(names) > 0 {
					if r := w.w.Refresh(rapid.SampledFrom(names).Draw(rt, "refresh")); r != nil {
						w.apply(r)
						w.check()
					}
				}
			case 15:
				w.connected = !w.connected
				link := model.Disconnected
				if w.connected {
					link = model.Connected
				}
				w.apply(&model.Connection{At: w.tree.Now, Link: link, Session: 7, Server: "127.0.0.1:2181"})
			case 16:
				a := &model.Ack{At: w.tree.Now, Presence: model.Absent}
				if l := w.j.State().Leader(); l != nil && rapid.Bool().Draw(rt, "present") {
					a.Presence, a.Session = model.Present, l.Session
					a.Data = znode.NewData(model.AckData(znode.Join("/election", l.Name), l.Czxid))
				}
				w.apply(a)
			case 17:
				n := rapid.IntRange(1, 6).Draw(rt, "member")
				m := model.Member{ID: fmt.Sprint("m", n), Session: uint64(n), Znode: "n", ExpiresFrom: w.tree.Now}
				m.Ending = rapid.SampledFrom([]model.Ending{model.NoEnding, model.Resigning, model.Closing}).Draw(rt, "ending")
				if rapid.Bool().Draw(rt, "killed") {
					m.Fault, m.FaultAt = model.Killed, w.tree.Now
				}
				w.apply(&model.Cast{At: w.tree.Now, Member: m, Gone: rapid.Bool().Draw(rt, "gone")})
			case 18:
				w.apply(&model.Advance{At: w.tree.Now})
			}
		}
		w.read(false, false, true)
		w.kept.unchanged(rt)
	})
}

func TestUnreadChildrenWithTheSameNumberAreSortedByName(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{Recipe: dialect.Election()})
	for _, name := range []string{"n_0000000003", "m_0000000003"} {
		s.Tree.Create(name, false, 1, "")
	}
	s.Apply(s.W.Read(false, false, func() {
		for _, name := range s.Tree.Names() {
			s.Tree.Delete(name)
		}
	}))
	want, _ := queueOf(s.W)
	var got []dialect.ID
	for _, c := range s.J.State().Queue.All() {
		got = append(got, c.ID())
	}
	if diff := gocmp.Diff(want, got); len(want) != 2 || diff != "" {
		t.Errorf("queue as read (-) and in the state (+):\n%s", diff)
	}
}

func atHead(s *doctor.State) *dialect.Candidate {
	if s.NoLeader() == model.Blocked {
		return s.First()
	}
	return s.Leader()
}

func queueOf(w *modeltest.Watcher) (contenders []dialect.ID, others []string) {
	var zs []znode.Znode
	for _, z := range w.Known {
		if _, ok := znode.Sequence(z.Name); ok && (z.Session != 0 || z.Unread && z.Czxid == 0) {
			zs = append(zs, z)
		} else {
			others = append(others, z.Name)
		}
	}
	slices.Sort(others)
	slices.SortFunc(zs, func(a, b znode.Znode) int {
		x, _ := znode.Sequence(a.Name)
		y, _ := znode.Sequence(b.Name)
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(a.Czxid, b.Czxid), cmp.Compare(a.Name, b.Name))
	})
	for _, z := range zs {
		contenders = append(contenders, dialect.ID{Name: z.Name, Czxid: z.Czxid})
	}
	return contenders, others
}
