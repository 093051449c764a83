package plain_test

import (
	"strings"
	"testing"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/znode"
	"electop/ui/plain"
)

// Where a queue does not show who leads, text and screen say so, and why.
func TestNobodySaidToLead(t *testing.T) {
	const (
		gone  = "_c_0123456789abcdef0123456789abcdef-lock-0000000000"
		kazoo = "0123456789abcdef0123456789abcdef__lock__0000000001=kz1"
	)
	for _, c := range []struct {
		children []string
		why      model.NoLeader
		status   string // the first line
		rows     []string
	}{
		{[]string{gone + "=go1", kazoo}, model.MixedClients, "/e: unknown who leads: go1 is first, and kz1, of another library, may not wait for it", []string{"another may lead too", "may lead too"}},
		{[]string{"leader_election-0000000000=r1", "leader_election-0000000001=r2"}, model.Unsupported, "/e: unknown who leads: electop does not know how ClickHouse before 21.12 elects", []string{"lowest number", ""}},
		{[]string{"!_c_0123456789abcdef0123456789abcdef-lock-0000000000", "_c_0123456789abcdef0123456789abcde1-lock-0000000001=go1", "_c_0123456789abcdef0123456789abcde2-lock-0000000002=go2"}, model.Blocked, "/e: unknown who leads: go1 may wait for 0, which is no candidate: clients that read only names do", []string{"may wait for 0", ""}},
	} {
		at := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
		r := &model.Read{At: at, Presence: model.Present, Full: true, Parent: znode.Parent{Czxid: 1, Cversion: 20, Children: int32(len(c.children))}}
		for i, child := range c.children {
			name, data, _ := strings.Cut(child, "=")
			z := znode.Znode{Name: strings.TrimPrefix(name, "!"), Session: uint64(i + 1), Czxid: int64(i + 2), Ctime: at, Data: znode.NewData([]byte(data))}
			if name != z.Name {
				z.Session = 0
			}
			r.New = append(r.New, z)
		}
		j := doctor.NewJournal(model.Config{Path: "/e"})
		j.Apply(&model.Connection{At: at, Link: model.Connected})
		j.Apply(r)
		s := j.State()
		if s.NoLeader() != c.why || s.Leader() != nil {
			t.Errorf("%q: %v leads, %q", c.children, s.Leader(), s.NoLeader())
		}
		text := plain.StatusText(s)
		if first, _, _ := strings.Cut(text, "\n"); first != c.status {
			t.Errorf("status says %q, want %q", first, c.status)
		}
		if !strings.Contains(text, "next volunteer") {
			t.Errorf("of the next volunteer:\n%s", text)
		}
		for i, want := range c.rows {
			if words := phrase.Standing(s, i).Row; words != want {
				t.Errorf("%s: row %d is %q, want %q", c.why, i, words, want)
			}
		}
	}
}

// A leader that acknowledges by a child is named by the session of that child.
func TestAcknowledgedByAnother(t *testing.T) {
	at := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	const path = "/aurora/scheduler"
	j := doctor.NewJournal(model.Config{Path: path})
	j.Apply(&model.Connection{At: at, Link: model.Connected})
	j.Apply(&model.Read{At: at, Presence: model.Present, Full: true, Parent: znode.Parent{Czxid: 1, Cversion: 2, Children: 2}, New: []znode.Znode{
		{Name: "_c_0a1b2c3d-1111-4222-8333-444455556661-lock-0000000000", Session: 0xa, Czxid: 2, Data: znode.NewData([]byte("192.0.2.1"))},
		{Name: "member_0000000001", Session: 0xb, Czxid: 3},
	}})
	s := j.State()
	if first, _, _ := strings.Cut(plain.StatusText(s), "\n"); first != path+": unknown who leads: 192.0.2.1 is first, and session 0xb acknowledged" {
		t.Errorf("status says %q", first)
	}
}
