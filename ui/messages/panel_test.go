package messages

import (
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

// election is a journal with three candidates, and what was reported of its messages.
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

// drawElection has messages of four candidates and of somebody else.
func drawElection(t *rapid.T) *election {
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

// talked reports whether the session has a message.
func (e *election) talked(session uint64) bool {
	is := func(m model.Message) bool { return m.Session == session }
	return slices.ContainsFunc(e.held, is) || slices.ContainsFunc(e.j.State().Exchanges, func(x model.Exchange) bool { return is(x.Message) })
}

// othersTalked reports whether one of ours has a message besides that session.
func (e *election) othersTalked(session uint64) bool {
	for i := range names {
		if s := uint64(i + 1); s != session && e.talked(s) {
			return true
		}
	}
	return false
}

// The ladder has every message and every step of its two candidates, each with all of
// it and in the order in which they happened, and counts the messages of all others.
func TestLadderTellsAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawElection(t)
		s := e.j.State()
		at := rapid.IntRange(0, len(names)-1).Draw(t, "selected")
		var v Panel
		v.Settle(Shown{State: s, Selected: model.Row{Candidate: s.Queue.At(at), Member: s.Member(s.Queue.At(at)), Position: at}}, term.Rect{W: 80, H: 400})
		own, other := &v.left, &v.right
		if own.member != names[at] {
			own, other = other, own
		}
		if neighbour := at + 1; own.member != names[at] || neighbour < len(names) && other.member != names[neighbour] && e.talked(uint64(neighbour+1)) || other.member != "" && !e.talked(other.session) && e.othersTalked(own.session) {
			t.Fatalf("with %s selected the lanes are %+v and %+v", names[at], v.left, v.right)
		}
		type event struct {
			at   time.Time
			text string
		}
		var want []event
		elsewhere := 0
		first := e.now
		add := func(at time.Time, session uint64, text string) {
			switch session {
			case v.left.session:
				want = append(want, event{at, "left " + text})
			case v.right.session:
				want = append(want, event{at, "right " + text})
			default:
				elsewhere++
			}
		}
		ask := func(m *model.Message) {
			if m.Since.Before(first) {
				first = m.Since
			}
			if m.Op != model.Notification {
				add(m.Since, m.Session, "asks "+asks(s, m))
			}
		}
		for i := range s.Exchanges {
			x := &s.Exchanges[i]
			ask(&x.Message)
			text := "gets " + says(s, &x.Message)
			if x.Dropped {
				text += " not"
			}
			add(x.Left, x.Session, text)
		}
		for i := range e.held {
			ask(&e.held[i])
		}
		for _, x := range s.Steps {
			if session := uint64(slices.Index(names, x.Member) + 1); (session == v.left.session || session == v.right.session) && !x.At.Before(first.Add(-before)) && e.n > 0 {
				add(x.At, session, fmt.Sprint("step ", int(x.Step)))
			}
		}
		slices.SortStableFunc(want, func(a, b event) int { return a.at.Compare(b.at) })
		var got []event
		counted := 0
		for _, x := range v.entries {
			text := map[side]string{left: "left ", right: "right "}[x.side]
			switch x.kind {
			case request:
				text += "asks " + x.text
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
		if counted != elsewhere {
			t.Fatalf("%d messages of others are counted, want %d", counted, elsewhere)
		}
		if len(got) != len(want) {
			t.Fatalf("the ladder has %v, want %v", got, want)
		}
		// What happens at one moment may be in either order here.
		sortMoment := func(all []event) {
			slices.SortStableFunc(all, func(a, b event) int {
				if c := a.at.Compare(b.at); c != 0 {
					return c
				}
				return strings.Compare(a.text, b.text)
			})
		}
		if !slices.IsSortedFunc(got, func(a, b event) int { return a.at.Compare(b.at) }) {
			t.Fatalf("not in their order: %v", got)
		}
		sortMoment(got)
		sortMoment(want)
		if !slices.Equal(got, want) {
			t.Fatalf("the ladder has\n%v, want\n%v", got, want)
		}
	})
}

// What is drawn at any size is the newest of it, what is held first in the order of
// its release, and says how much is not shown.
func TestDrawn(t *testing.T) {
	theme := term.NewTheme(term.Mono, lipgloss.DefaultRenderer())
	rapid.Check(t, func(t *rapid.T) {
		e := drawElection(t)
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
			t.Errorf("nothing is next of %d held:\n%s", n, text)
		}
		shown := v.inView()
		if len(shown) != min(len(v.entries), v.page) || len(shown) > 0 && shown[len(shown)-1] != v.entries[len(v.entries)-1] {
			t.Errorf("%d of %d entries in view, of which %d fit", len(shown), len(v.entries), v.page)
		}
		if len(v.entries) > v.page { // it can be scrolled to its beginning and back
			v.Move(input.CmdTop)
			if v.inView()[0] != v.entries[0] {
				t.Error("the top is not the first entry")
			}
			for range len(v.entries) {
				v.Move(input.CmdDown)
			}
			if v.back != 0 {
				t.Errorf("%d lines below the bottom", v.back)
			}
		}
	})
}
