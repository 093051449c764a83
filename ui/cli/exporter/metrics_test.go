package exporter

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"

	"electop/model"
	"electop/model/doctor"
	"electop/model/session"
	"electop/model/znode"
	"electop/ui/cli/election"
)

var update = flag.Bool("update", false, "rewrite the golden files")

type script struct {
	at       time.Time
	path     string
	mu       sync.Mutex // the registry may call state concurrently
	journal  *doctor.Journal
	metrics  []prometheus.Collector
	count    func([]model.Event) error
	overview overview
	parent   znode.Parent
	next     int
}

func newScript(path string) *script {
	s := &script{
		at: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), path: path,
		journal: doctor.NewJournal(model.Config{Path: path, AckPath: path + "-leader", AckExpected: true}),
	}
	s.parent = znode.Parent{Czxid: 1, Ctime: s.at, Pzxid: 10}
	s.metrics, s.count = metricsOf(path, s.state)
	return s
}

func (s *script) state() *doctor.State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.journal.State()
}

func (s *script) all() []prometheus.Collector {
	return append(s.metrics, describe(commonMetrics(), nil, func(put put) {
		o := s.overview
		o.elections = []*doctor.State{s.state()}
		o.sample(put)
	}))
}

func (s *script) apply(o model.Observation) { s.count(s.journal.Apply(o)) }

func (s *script) pass(d time.Duration) *script {
	s.at = s.at.Add(d)
	return s
}

func (s *script) link(l model.Link) {
	s.apply(&model.Connection{At: s.at, Link: l, Server: "127.0.0.1:2181", Session: 7, Timeout: 10 * time.Second})
}

func name(sequence int) string { return fmt.Sprintf("n_%010d", sequence) }

// read applies a read. missed counts the candidates that were created and deleted between two reads.
func (s *script) read(data string, joins, missed int, leavers ...int) {
	r := &model.Read{At: s.at, Presence: model.Present, Full: s.next == 0,
		Notified: s.at.Add(-time.Millisecond), AppliedAfter: s.at.Add(-2 * time.Millisecond), Sent: s.at.Add(-time.Millisecond)}
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

func (s *script) ack(sequence int) {
	var czxid int64
	for _, c := range s.journal.State().Queue.All() {
		if c.Name == name(sequence) {
			czxid = c.Czxid
		}
	}
	s.apply(&model.Ack{
		At: s.at, Presence: model.Present, Session: uint64(0x100 + sequence), Czxid: czxid,
		Notified: s.at.Add(-time.Millisecond), AppliedAfter: s.at.Add(-2 * time.Millisecond), Sent: s.at.Add(-time.Millisecond),
		Data: znode.NewData(model.AckData(znode.Join(s.path, name(sequence)), czxid)),
	})
}

func withHistory() *script {
	s := newScript("/election")
	s.link(model.Connected)
	s.read("host", 3, 0)
	answered := session.Answer{State: session.Answered, At: s.at}
	s.apply(&session.Table{At: s.at, End: s.at, Whole: true, Servers: []session.Server{{
		Addr: "127.0.0.1:2181", Mode: session.ModeStandalone, Basic: answered, Connections: answered,
		Clients: []session.Client{{Session: 0x100, Timeout: 10 * time.Second}},
	}}})
	s.ack(0)
	s.apply(&model.Cast{At: s.at, Member: model.Member{ID: "z", Session: 0x100, Belief: model.Waiting, Znode: name(0), Timeout: 10 * time.Second}})
	s.pass(time.Minute).read("host", 0, 0, 0) // a handoff, acknowledged after 40 ms
	s.pass(40 * time.Millisecond).ack(1)
	s.pass(time.Minute).read("host", 0, 1, 1) // a second handoff, not acknowledged; one candidate was missed
	s.pass(time.Minute).read("host", 0, 0, 2)
	s.pass(2*time.Second).read("host", 2, 0)
	s.pass(300 * time.Millisecond).ack(3)
	s.pass(time.Minute).link(model.Disconnected)
	s.pass(time.Second).link(model.Connected)
	s.pass(time.Millisecond).read("host", 1, 0)
	s.apply(&model.Cast{At: s.at, Member: model.Member{ID: "a", Session: 0x103, Belief: model.Leading, Znode: name(3)}})
	s.overview = overview{
		Health:   election.Health{Connected: s.at, Answered: s.at.Add(1500 * time.Millisecond), Requests: 42, ServerRequests: 7},
		searches: &searches{ended: true, unwatched: 1, requests: 12},
	}
	return s
}

func exposition(t *testing.T, all ...prometheus.Collector) string {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(all...)
	families, err := registry.Gather()
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
	lost := withHistory()
	lost.pass(time.Minute).link(model.Disconnected)
	lost.overview.Connected = time.Time{}
	for file, s := range map[string]*script{"unseen": newScript("/election"), "history": withHistory(), "lost": lost} {
		file, got := "testdata/"+file+".txt", exposition(t, s.all()...)
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
			t.Errorf("%s: the metrics differ (go test ./ui/cli/exporter -update rewrites the file), got:\n%s", file, got)
		}
	}
}

func TestDurationWithoutBounds(t *testing.T) {
	t.Parallel()
	s, took := newScript("/election"), 30*time.Millisecond
	s.count([]model.Event{{Body: model.Handoff{Takeover: &took, Vacant: &took}}})
	got := exposition(t, s.all()...)
	for _, metric := range []string{"takeover", "vacancy"} {
		for quality, want := range map[string]int{"guess": 1, "measured": 0} {
			if line := fmt.Sprintf("electop_%s_seconds_count{path=\"/election\",quality=%q} %d\n", metric, quality, want); !strings.Contains(got, line) {
				t.Errorf("got no %q in\n%s", line, got)
			}
		}
	}
}

func TestLint(t *testing.T) {
	t.Parallel()
	problems, err := promlint.New(strings.NewReader(exposition(t, withHistory().all()...))).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("the linter on %s: %s", p.Metric, p.Text)
	}
}

func TestZnodesAddNoSeries(t *testing.T) {
	t.Parallel()
	s := withHistory()
	few := series(t, s)
	if few < 20 {
		t.Errorf("got %d series, want at least 20 to compare", few)
	}
	s.pass(time.Second).read("leader", 1, 0, 3, 4, 5)
	for i := range 200 {
		s.pass(time.Second).read(fmt.Sprintf("leader%d", i), 1, 0, s.next-1)
	}
	if n := series(t, s); n != few {
		t.Errorf("got %d series after 201 more candidates, want %d as before", n, few)
	}
	if got := leaders(t, s); !slices.Equal(got, []string{"leader199"}) {
		t.Errorf("got leaders %q, want only leader199", got)
	}
}

func TestHostileLeader(t *testing.T) {
	t.Parallel()
	const breaks = "\"\\} 1\nelectop_up 7\n"
	for _, c := range []struct{ what, name, data, want string }{
		{"plain", "n_", "host-1:8080", "host-1:8080"},
		{"quoted", "n_", `a"b\c`, `a"b\c`},
		{"in the data", "n_", breaks + "\x1b[2J", "n_0000000000"},
		{"in the name", breaks + "\x1b[2J\u202e\u009b\xff-n_", "", `"\} 1\nelectop_up 7\n\x1b[2J\u202e\x9b\xff-n_0000000000`},
		{"long data", "n_", strings.Repeat("x", 10<<10), "n_0000000000"},
		{"long name", strings.Repeat("x", 10<<10) + "-n_", "", strings.Repeat("x", 63) + "…"},
	} {
		s := oneCandidate(c.name, c.data)
		if got := leaders(t, s); !slices.Equal(got, []string{c.want}) {
			t.Errorf("%s: got leaders %q, want %q", c.what, got, c.want)
		}
		got := exposition(t, s.all()...)
		if strings.Contains(got, "\nelectop_up 7") || strings.ContainsFunc(got, func(r rune) bool { return r != '\n' && znode.Unsafe(r) }) {
			t.Errorf("%s: got unescaped text of the znode in\n%s", c.what, got)
		}
	}
}

func oneCandidate(name, data string) *script {
	s := newScript("/election")
	s.link(model.Connected)
	s.parent.Children, s.parent.Cversion = 1, 1
	s.apply(&model.Read{At: s.at, Presence: model.Present, Full: true, Parent: s.parent, New: []znode.Znode{
		{Name: name + "0000000000", Session: 7, Czxid: s.parent.Pzxid, Ctime: s.at, Data: znode.NewData([]byte(data))},
	}})
	return s
}

func noCandidate(name string) *script {
	s := oneCandidate(name, "")
	s.parent.Children, s.parent.Cversion, s.parent.Pzxid = 0, 2, s.parent.Pzxid+1
	s.apply(&model.Read{At: s.at, Presence: model.Present, Parent: s.parent, Gone: []string{name + "0000000000"}})
	return s
}

func TestLeaderStates(t *testing.T) {
	t.Parallel()
	lost := oneCandidate("n_", "")
	lost.link(model.Disconnected)
	const guid = "_c_01234567-89ab-cdef-0123-456789abcdef"
	for want, s := range map[string]*script{"known": oneCandidate("n_", ""), "none": noCandidate("n_"), "free": noCandidate(guid + "-__READ__"), "unknown": lost} {
		got := exposition(t, s.all()...)
		for _, state := range []string{"known", "none", "free", "unknown"} {
			value := 0
			if state == want {
				value = 1
			}
			if line := fmt.Sprintf("electop_leader_state{path=\"/election\",state=%q} %d\n", state, value); !strings.Contains(got, line) {
				t.Errorf("state %s: got no %s in\n%s", want, line, got)
			}
		}
		if all := leaders(t, s); (len(all) == 1) != (want == "known") {
			t.Errorf("state %s: got leaders %q, want one only in state known", want, all)
		}
	}
}

func series(t *testing.T, s *script) int {
	t.Helper()
	n := 0
	for line := range strings.Lines(exposition(t, s.all()...)) {
		if !strings.HasPrefix(line, "#") {
			n++
		}
	}
	return n
}

func leaders(t *testing.T, s *script) (values []string) {
	t.Helper()
	for _, m := range regexp.MustCompile(`(?m)^electop_leader_info\{leader=("(?:[^"\\]|\\.)*"),path="/election"\} 1$`).FindAllStringSubmatch(exposition(t, s.all()...), -1) {
		leader, err := strconv.Unquote(m[1])
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, leader)
	}
	return values
}
