package metrics_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"

	"electop/model"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/ui/metrics"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// script is an election that a test plays to a journal and a collector.
type script struct {
	at        time.Time
	path      string
	journal   *doctor.Journal
	collector *metrics.Collector
	observer  metrics.Observer
	parent    znode.Parent
	next      int
}

func newScript(path string) *script {
	s := &script{
		at: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), path: path,
		journal: doctor.NewJournal(model.Config{Path: path, AckPath: path + "-leader", AckExpected: true}),
	}
	s.parent = znode.Parent{Czxid: 1, Ctime: s.at, Pzxid: 10}
	s.collector = metrics.New([]metrics.Election{{Path: path, State: s.journal.State}}, func() metrics.Observer { return s.observer })
	return s
}

func (s *script) apply(o model.Observation) { s.collector.Count(s.path, s.journal.Apply(o)) }

func (s *script) after(d time.Duration) *script {
	s.at = s.at.Add(d)
	return s
}

func (s *script) link(l model.Link) {
	s.apply(&model.Connection{At: s.at, Link: l, Server: "127.0.0.1:2181", Session: 7, Timeout: 10 * time.Second})
}

func name(sequence int) string { return fmt.Sprintf("n_%010d", sequence) }

// read is a read after joins creates and the deletion of the leavers, all within the
// last milliseconds, and missed changes before. data is that of the new ones.
func (s *script) read(data string, joins, missed int, leavers ...int) {
	r := &model.Read{At: s.at, Presence: model.Present, Full: s.next == 0,
		Notified: s.at.Add(-time.Millisecond), Heard: s.at.Add(-2 * time.Millisecond), Sent: s.at.Add(-time.Millisecond)}
	for range joins {
		s.parent.Pzxid++
		r.New = append(r.New, znode.Znode{
			Name: name(s.next), Session: uint64(0x100 + s.next), Czxid: s.parent.Pzxid, Ctime: s.at, Data: znode.NewData([]byte(data)),
		})
		s.next++
	}
	for _, l := range leavers {
		s.parent.Pzxid++
		r.Gone = append(r.Gone, name(l))
	}
	s.parent.Cversion += int32(joins + len(leavers) + 2*missed)
	s.parent.Pzxid += int64(2 * missed)
	s.parent.Children += int32(joins - len(leavers))
	r.Parent = s.parent
	s.apply(r)
}

// ack is the acknowledgement of a candidate.
func (s *script) ack(sequence int) {
	var czxid int64
	for _, c := range s.journal.State().Queue.All() {
		if c.Name == name(sequence) {
			czxid = c.Czxid
		}
	}
	s.apply(&model.Ack{
		At: s.at, Presence: model.Present, Session: uint64(0x100 + sequence), Czxid: czxid,
		Notified: s.at.Add(-time.Millisecond), Heard: s.at.Add(-2 * time.Millisecond), Sent: s.at.Add(-time.Millisecond),
		Data: znode.NewData(model.AckData(znode.Join(s.path, name(sequence)), czxid)),
	})
}

// played is a history with handoffs, a vacancy, missed changes and a lost connection.
func played() *script {
	s := newScript("/election")
	s.link(model.Connected)
	s.read("host", 3, 0)
	s.ack(0)
	s.after(time.Minute).read("host", 0, 0, 0) // a handoff, acknowledged after 40 ms
	s.after(40 * time.Millisecond).ack(1)
	s.after(time.Minute).read("host", 0, 1, 1) // another, not acknowledged; and a candidate that was not seen
	s.after(time.Minute).read("host", 0, 0, 2) // nobody is left
	s.after(2*time.Second).read("host", 2, 0)
	s.after(300 * time.Millisecond).ack(3)
	s.after(time.Minute).link(model.Disconnected)
	s.after(time.Second).link(model.Connected)
	s.after(time.Millisecond).read("host", 1, 0)
	s.apply(&model.Cast{At: s.at, Member: model.Member{ID: "a", Session: 0x103, Belief: model.Leading, Znode: name(3)}})
	s.observer = metrics.Observer{Answered: s.at.Add(1500 * time.Millisecond), Requests: 42, Questions: 7}
	return s
}

// text is what a collector exposes.
func text(t *testing.T, c prometheus.Collector) string {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	if err := registry.Register(c); err != nil {
		t.Fatal(err)
	}
	families, err := registry.Gather() // pedantic: consistent with Describe
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range families {
		if _, err := expfmt.MetricFamilyToText(&b, f); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

func TestExposition(t *testing.T) {
	t.Parallel()
	lost := played()
	lost.after(time.Minute).link(model.Disconnected)
	for file, c := range map[string]*metrics.Collector{
		"unseen":  newScript("/election").collector,
		"history": played().collector,
		"lost":    lost.collector,
	} {
		file, got := "testdata/"+file+".txt", text(t, c)
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s differs (go test ./ui/metrics -update shows how):\n%s", file, got)
		}
	}
}

// A duration whose bounds are not known is not measured.
func TestDurationWithoutBounds(t *testing.T) {
	t.Parallel()
	c, took := newScript("/election").collector, 30*time.Millisecond
	c.Count("/election", []model.Event{{Body: model.Handoff{Takeover: &took, Vacant: &took}}})
	got := text(t, c)
	for _, metric := range []string{"takeover", "vacancy"} {
		for quality, want := range map[string]int{"guess": 1, "measured": 0} {
			if line := fmt.Sprintf("electop_%s_seconds_count{path=\"/election\",quality=%q} %d\n", metric, quality, want); !strings.Contains(got, line) {
				t.Errorf("no %q in\n%s", line, got)
			}
		}
	}
}

func TestLint(t *testing.T) {
	t.Parallel()
	problems, err := promlint.New(strings.NewReader(text(t, played().collector))).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

// TestServersAddNoSeries: whatever the names and the data of znodes are, the series stay
// the same, and nothing of them is exposed.
func TestServersAddNoSeries(t *testing.T) {
	t.Parallel()
	s := played()
	few := testutil.CollectAndCount(s.collector)
	if few < 20 {
		t.Errorf("%d series: too few to compare", few)
	}
	for i := range 200 {
		s.after(time.Second).read(fmt.Sprintf("s3cret-%d\x1b[2J\"} 1\n", i), 1, 0, s.next-1)
	}
	if n := testutil.CollectAndCount(s.collector); n != few {
		t.Errorf("%d series after 200 more candidates, %d before", n, few)
	}
	if got := text(t, s.collector); strings.Contains(got, "s3cret") || strings.Contains(got, "\x1b") {
		t.Errorf("data of znodes is exposed:\n%s", got)
	}
}
