package travel

import (
	"strings"
	"testing"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/history"
	"electop/ui/term"
)

func TestWordsAboutDroppedHistory(t *testing.T) {
	for n, want := range map[uint64]string{1: "the earliest moment kept", 7: "earlier history was dropped, 64 MiB are kept"} {
		_, got := Words(&term.Frame{Canvas: new(term.Canvas)}, Found{At: history.Moment{N: n, First: true, MaxBytes: history.DefaultMax}})
		if !strings.HasSuffix(got, "  "+want) {
			t.Errorf("moment %d: got %q, want at its end %q", n, got, want)
		}
	}
}

func TestSentWords(t *testing.T) {
	j := doctor.NewJournal(model.Config{Path: "/e"})
	now := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	n := 0
	pass := func(ps ...model.Passed) string {
		t.Helper()
		before := j.State()
		for i := range ps {
			n++
			ps[i].N, ps[i].Session, ps[i].Left = n, 1, now
		}
		j.Apply(&model.Pace{At: now, Steps: true, Passed: ps})
		return changeWords(before, j.State())
	}
	member := model.Member{ID: "birch", Name: "birch", Session: 1}
	report := func() { m := member; j.Apply(&model.Cast{At: now, Member: m}) }
	report()
	list := model.Passed{Message: model.Message{Op: "getChildren", Path: "/e"}}
	create := model.Passed{Message: model.Message{Op: "create", Path: "/e/guid-n_0000000007"}}
	deleted := model.Passed{Message: model.Message{Op: model.Notification, Event: "deleted", Path: "/e/guid-n_0000000003"}}
	want := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	want(pass(), "")
	want(pass(deleted), "the notification to birch, n_3 deleted: sent")
	want(pass(list, list, list), "the reply to birch, getChildren: sent, and 2 more")
	dropped := list
	dropped.Dropped = true
	want(pass(dropped), "the reply to birch, getChildren: dropped with its connection")
	member.LosesReply = true
	report()
	want(pass(create), "the reply to birch, create n_7: lost")
	member.LosesReply, member.Fault, member.FaultAt = false, model.Frozen, now
	report()
	want(pass(deleted), "the notification to birch, n_3 deleted: sent, but the client is frozen")
	for range 2 * model.ExchangesMax {
		want(pass(list), "the reply to birch, getChildren: sent, but the client is frozen")
	}
}
