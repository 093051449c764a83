package detail

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"electop/model"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/ui/term"
)

func TestControllerEpochIsShown(t *testing.T) {
	at := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	controller := znode.Znode{Name: "/controller", Session: 1, Czxid: 100, Data: znode.NewData([]byte(`{"version":2,"brokerid":1}`))}
	j := doctor.NewJournal(model.Config{Path: "/controller"})
	j.Apply(&model.Read{At: at, Presence: model.Present, Single: true, New: []znode.Znode{controller}})
	j.Apply(&model.Directory{At: at, Path: "/", Presence: model.Present, Names: []string{"brokers", "controller", "controller_epoch"}})
	j.Apply(&model.Ack{At: at, Path: "/controller_epoch", Presence: model.Present, Data: znode.NewData([]byte("7"))})
	s := j.State()
	v := Panel{State: s, Row: model.Row{Candidate: s.Leader()}}
	facts := v.facts(&term.Frame{Canvas: new(term.Canvas), Now: at, Picture: at, Theme: &term.Theme{}}, v.Row)
	if i := slices.IndexFunc(facts, func(f term.Fact) bool { return f.Name == "epoch" }); i < 0 || !strings.HasPrefix(facts[i].Text, "7 ") {
		t.Errorf("got facts %+v, want epoch 7 in them", facts)
	}
}

func TestDataText(t *testing.T) {
	for _, c := range []struct{ data, want string }{
		{"", ""}, {"amber\n", "amber"}, {"a\tb", `a\tb`}, {"{\"a\":1}\n{}", `{"a":1}\n{}`},
		{"\x00\x01", "00000000  00 01                                             |..|"},
	} {
		if got := dataText(znode.NewData([]byte(c.data))); got != c.want {
			t.Errorf("data %q: got text %q, want %q", c.data, got, c.want)
		}
	}
	if got := dataText(znode.NewData(bytes.Repeat([]byte{0x1b}, 10000))); strings.Count(got, "\n") != 8 || strings.ContainsFunc(strings.ReplaceAll(got, "\n", ""), unicode.IsControl) {
		t.Errorf("10 kB of binary data: got text %q, want 8 lines of a dump and …", got)
	}
}
