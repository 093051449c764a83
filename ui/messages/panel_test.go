package messages

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/lipgloss"
	"pgregory.net/rapid"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/ui/input"
	"electop/ui/term"
)

var start = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

type election struct {
	t    *rapid.T
	j    *doctor.Journal
	now  time.Time
	n    int
	held []model.Message
}

var names = []string{"a", "b", "c", "d"}

func znodeOf(i int) string { return fmt.Sprintf("n_%010d", i) }

func newElection(t *rapid.T) *election {
	e := &election{t: t, j: doctor.NewJournal(model.Config{Path: "/e", Recipe: dialect.Election()}), now: start}
	r := &model.Read{At: e.now, Presence: model.Present, Full: true, Parent: znode.Parent{Czxid: 1, Children: int32(len(names)), Cversion: int32(len(names))}}
	for i := range names {
		r.New = append(r.New, znode.Znode{Name: znodeOf(i), Session: uint64(i + 1), Czxid: int64(i + 2), Data: znode.NewData([]byte(names[i]))})
	}
	e.j.Apply(r)
	for i, id := range names {
		e.j.Apply(&model.Cast{At: e.now, Member: model.Member{ID: id, Name: id, Session: uint64(i + 1), Znode: znodeOf(i), Belief: model.Waiting}})
	}
	return e
}

func randomElection(t *rapid.T) *election {
	e := newElection(t)
	pick := func(what string, n int) int { return rapid.IntRange(0, n-1).Draw(t, what) }
	for range rapid.IntRange(1, 60).Draw(t, "events") {
		e.now = e.now.Add(time.Duration(pick("ms", 900)) * time.Millisecond)
		p := model.Pace{At: e.now, Steps: true}
		switch pick("what", 4) {
		case 0, 1:
			e.n++
			m := model.Message{N: e.n, Session: uint64(pick("to", 5) + 1), Since: e.now, Path: "/e/" + znodeOf(pick("znode", 4))}
			m.Op = rapid.SampledFrom([]string{"create", "getChildren", "getData", model.Notification}).Draw(t, "op")
			if m.Op == model.Notification {
				m.Event = "deleted"
			}
			e.held = append(e.held, m)
		case 2:
			for range min(len(e.held), 1+pick("released", 3)) {
				p.Passed = append(p.Passed, model.Passed{Message: e.held[0], Left: e.now, Dropped: pick("dropped", 5) == 0})
				e.held = e.held[1:]
			}
		default:
			i := pick("member", len(names))
			step := model.Step(1 + pick("step", 8))
			e.j.Apply(&model.Cast{At: e.now, Member: model.Member{ID: names[i], Name: names[i], Session: uint64(i + 1), Znode: znodeOf(i), Belief: model.Waiting, Step: step, StepAt: e.now}})
			continue
		}
		p.Held, p.Waiting = slices.Clone(e.held), len(e.held)
		e.j.Apply(&p)
	}
	return e
}

func (e *election) hasMessage(session uint64) bool {
	is := func(m model.Message) bool { return m.Session == session }
	return slices.ContainsFunc(e.held, is) || slices.ContainsFunc(e.j.State().Exchanges, func(x model.Exchange) bool { return is(x.Message) })
}

func (e *election) othersHaveMessages(session uint64) bool {
	for i := range names {
		if s := uint64(i + 1); s != session && e.hasMessage(s) {
			return true
		}
	}
	return false
}

func (e *election) checkLanes(v *Panel, selected int) {
	members := map[string]bool{}
	othersShown := false
	for _, l := range v.lanes {
		members[l.member] = true
		othersShown = othersShown || l.member != names[selected] && e.hasMessage(l.session)
	}
	behind := selected + 1
	if !members[names[selected]] || behind < len(names) && !members[names[behind]] && e.hasMessage(uint64(behind+1)) ||
		!othersShown && e.othersHaveMessages(uint64(selected+1)) || len(members) != len(v.lanes) {
		e.t.Fatalf("%s is selected: got lanes %+v, want its lane, the next candidate's lane if it has messages, otherwise another lane with messages if there is one, and no lane twice", names[selected], v.lanes)
	}
	if want := max(2, min(4, (v.place.W-4-stampRoom)/laneRoom)); len(v.lanes) != want {
		e.t.Fatalf("got %d lanes on %d cells, want %d", len(v.lanes), v.place.W, want)
	}
}

type event struct {
	at   time.Time
	text string
}

func (e *election) wantEvents(v *Panel) (want []event, others int) {
	s, first := e.j.State(), e.now
	sides := map[uint64]string{}
	for i, l := range v.lanes {
		sides[l.session] = fmt.Sprint("lane ", i, " ")
	}
	add := func(at time.Time, session uint64, text string) {
		if side, ok := sides[session]; ok {
			want = append(want, event{at, side + text})
		} else {
			others++
		}
	}
	request := func(m *model.Message) {
		if m.Since.Before(first) {
			first = m.Since
		}
		if m.Op != model.Notification {
			add(m.Since, m.Session, "requests "+requestText(s, m))
		}
	}
	for i := range s.Exchanges {
		x := &s.Exchanges[i]
		request(&x.Message)
		text := "gets " + sentText(s, &x.Message)
		if x.Dropped {
			text += " not"
		}
		add(x.Left, x.Session, text)
	}
	for i := range e.held {
		request(&e.held[i])
	}
	for _, x := range s.Steps {
		session := uint64(slices.Index(names, x.Member) + 1)
		if sides[session] != "" && !x.At.Before(first.Add(-before)) && e.n > 0 {
			add(x.At, session, fmt.Sprint("step ", int(x.Step)))
		}
	}
	return want, others
}

func gotEvents(v *Panel) (got []event, counted int) {
	for _, x := range v.entries {
		text := fmt.Sprint("lane ", x.side, " ")
		switch x.kind {
		case request:
			text += "requests " + x.text
		case sent:
			text += "gets " + x.text
			if x.lost != arrived {
				text += " not"
			}
		case step:
			text += "step " + x.text[:1]
		case others:
			counted += x.n
			continue
		}
		got = append(got, event{x.at, text})
	}
	return got, counted
}

func TestLadderIsComplete(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := randomElection(t)
		s := e.j.State()
		at := rapid.IntRange(0, len(names)-1).Draw(t, "selected")
		var v Panel
		v.Settle(Shown{State: s, Selected: model.Row{Candidate: s.Queue.At(at), Member: s.Member(s.Queue.At(at)), Position: at}}, term.Rect{W: rapid.IntRange(60, 140).Draw(t, "width"), H: 400})
		e.checkLanes(&v, at)
		want, others := e.wantEvents(&v)
		got, counted := gotEvents(&v)
		if counted != others {
			t.Fatalf("got %d messages without a lane, want %d", counted, others)
		}
		if !slices.IsSortedFunc(got, func(a, b event) int { return a.at.Compare(b.at) }) {
			t.Fatalf("got entries %v, want them in the order of their times", got)
		}
		// The order of events with the same time is free.
		for _, all := range [][]event{got, want} {
			slices.SortFunc(all, func(a, b event) int { return cmp.Or(a.at.Compare(b.at), strings.Compare(a.text, b.text)) })
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got the entries\n%v, want\n%v", got, want)
		}
	})
}

func TestNextMessageIsMarkedAndEntriesScroll(t *testing.T) {
	theme := term.NewTheme(term.Mono, lipgloss.DefaultRenderer())
	rapid.Check(t, func(t *rapid.T) {
		e := randomElection(t)
		s := e.j.State()
		w, h := rapid.IntRange(40, 120).Draw(t, "width"), rapid.IntRange(Lines, 60).Draw(t, "height")
		f := &term.Frame{Canvas: &term.Canvas{}, Theme: theme, Now: e.now, Picture: e.now}
		f.Resize(w, h)
		var v Panel
		x := Shown{State: s, Selected: model.Row{Candidate: s.Queue.At(0), Member: s.Member(s.Queue.At(0))}}
		v.Settle(x, term.Rect{W: w, H: h})
		v.Draw(f)
		text := f.Render(theme)
		if n := len(e.held); n > 0 && !strings.Contains(text, " . ") {
			t.Errorf("got no mark of the next of %d held messages:\n%s", n, text)
		}
		shown := v.inView()
		if len(shown) != min(len(v.entries), v.page) || len(shown) > 0 && shown[len(shown)-1] != v.entries[len(v.entries)-1] {
			t.Errorf("got %d of %d entries in view, want the last %d", len(shown), len(v.entries), v.page)
		}
		if len(v.entries) > v.page {
			v.Move(input.CmdTop)
			if v.inView()[0] != v.entries[0] {
				t.Errorf("got entry %+v at the top, want the first, %+v", v.inView()[0], v.entries[0])
			}
			for range len(v.entries) {
				v.Move(input.CmdDown)
			}
			if v.back != 0 {
				t.Errorf("scrolled to the bottom: got %d entries below the view, want none", v.back)
			}
		}
	})
}
