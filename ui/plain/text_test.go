package plain_test

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"electop/model"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/ui/plain"
)

// Every line of text.
func TestText(t *testing.T) {
	var b strings.Builder
	for i, sc := range scenes(t) {
		l := plain.Line(model.Event{N: uint64(i + 1), At: start, Body: sc.body}, time.UTC)
		unprintable(t, l+"\n")
		b.WriteString(l + "\n")
	}
	golden.RequireEqual(t, []byte(b.String()))
}

func TestTextOfHostileChildren(t *testing.T) {
	var b strings.Builder
	for _, c := range strangers(t).Queue.All() {
		for _, body := range []model.EventBody{
			model.Joined{Candidate: c}, model.Left{Candidate: c, Ignored: true},
			model.Handoff{From: c, To: c, Cause: model.CauseResigned, Fence: c.Czxid},
		} {
			l := plain.Line(model.Event{N: 1, At: start, Body: body}, time.UTC)
			unprintable(t, l+"\n")
			if len(l) > 600 {
				t.Errorf("a line of %d bytes: %q", len(l), l)
			}
			b.WriteString(l + "\n")
		}
	}
	evil := doctor.NewJournal(model.Config{Path: "/\x1b[2J\u202e"})
	evil.Apply(&model.Read{At: start, Presence: model.Absent})
	for _, body := range []model.EventBody{
		doctor.Snapshot{State: evil.State()},
		model.LinkChanged{Link: model.Connected, Server: "\x1b[2J:2181", Session: 1},
	} {
		l := plain.Line(model.Event{N: 1, At: start, Body: body}, time.UTC)
		unprintable(t, l+"\n")
		b.WriteString(l + "\n")
	}
	golden.RequireEqual(t, []byte(b.String()))
}

func TestStatusText(t *testing.T) {
	all := scenes(t)
	for name, s := range map[string]*doctor.State{
		"state":   all[0].body.(doctor.Snapshot).State,
		"absent":  all[1].body.(doctor.Snapshot).State,
		"empty":   all[2].body.(doctor.Snapshot).State,
		"hostile": strangers(t),
	} {
		t.Run(name, func(t *testing.T) {
			text := plain.StatusText(s)
			for l := range strings.Lines(text) {
				unprintable(t, l)
			}
			golden.RequireEqual(t, text)
		})
	}
}

// Where several hold the role, it is not said of one that it leads alone.
func TestStatusTextOfLeases(t *testing.T) {
	a := child("ddbaecd457ed4d3da7640142e07fe7b7", 5, 2, []byte("amber"))
	b := child("67af19a6e11f43a0a5d7217e32a030ee", 6, 3, []byte("birch"))
	j := doctor.NewJournal(model.Config{Path: "/sem"})
	j.Apply(&model.Connection{At: start, Link: model.Connected})
	j.Apply(&model.Read{At: start, Presence: model.Present, Parent: znode.Parent{Czxid: 1, Cversion: 2, Children: 2}, New: []znode.Znode{a, b}, Witnesses: []string{"/sem-__lock__"}})
	s := j.State()
	if text := plain.StatusText(s); !strings.Contains(text, " and 1 other hold, 0 waiting\n") {
		t.Error(text)
	}
}
