package plain_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/exp/golden"
	"go.uber.org/goleak"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/session"
	"electop/model/znode"
	"electop/ui/plain"
)

func line(t *testing.T, v any) []byte {
	t.Helper()
	b, err := znode.SafeJSON(v)
	if err != nil {
		t.Fatal(err)
	}
	return append(b, '\n')
}

// TestJSON checks that format 1 does not change by accident.
func TestJSON(t *testing.T) {
	var b bytes.Buffer
	all := allEvents(t)
	for i, body := range all {
		l := line(t, plain.Event("zk1:2181", path, model.Event{N: uint64(i + 1), At: start, Body: body}))
		printable(t, string(l))
		b.Write(l)
	}
	b.Write(line(t, plain.Status(all[0].(doctor.Snapshot).State)))
	b.Write(line(t, plain.Status(doctor.NewJournal(model.Config{Path: "/"}).State())))
	golden.RequireEqual(t, b.Bytes())
}

func decode[T any](t *testing.T, b []byte) (v T) {
	t.Helper()
	printable(t, string(b))
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	return v
}

type (
	statusDoc struct {
		Candidates []*candidateDoc `json:"candidates"`
		Ignored    []string        `json:"ignored"`
	}
	candidateDoc struct {
		Znode      string     `json:"znode"`
		Session    string     `json:"session"`
		Data       *string    `json:"data"`
		DataBase64 []byte     `json:"data_base64"`
		DataLength *int       `json:"data_length"`
		Czxid      *string    `json:"czxid"`
		CreatedAt  *time.Time `json:"created_at"`
	}
)

func TestJSONOfHostileChildren(t *testing.T) {
	s := decode[statusDoc](t, line(t, plain.Status(hostileElection(t))))
	if len(s.Candidates) != len(hostile) || len(s.Ignored) != 1 {
		t.Fatalf("got %d candidates and %d ignored children, want %d and 1", len(s.Candidates), len(s.Ignored), len(hostile))
	}
	for i, h := range hostile {
		at := slices.IndexFunc(s.Candidates, func(c *candidateDoc) bool { return c.Session == fmt.Sprintf("%#x", 0xb0+i) })
		if at < 0 {
			t.Fatalf("%s: got no candidate with session %#x", h.what, 0xb0+i)
		}
		c := s.Candidates[at]
		cut := znode.NewData(h.data).Bytes
		if want := path + "/" + h.name; utf8.ValidString(want) && c.Znode != want {
			t.Errorf("%s: got the path %q, want %q", h.what, c.Znode, want)
		}
		switch {
		case utf8.Valid(cut) && (c.Data == nil || *c.Data != string(cut) || c.DataBase64 != nil):
			t.Errorf("%s: got %s, want only data", h.what, line(t, c))
		case !utf8.Valid(cut) && (c.Data != nil || !bytes.Equal(c.DataBase64, cut)):
			t.Errorf("%s: got %s, want only data_base64", h.what, line(t, c))
		}
		if long := len(h.data) > len(cut); long != (c.DataLength != nil) || long && *c.DataLength != len(h.data) {
			t.Errorf("%s: got data_length %s of %d bytes, cut to %d", h.what, line(t, c.DataLength), len(h.data), len(cut))
		}
	}
	for i, c := range hostileElection(t).Queue.All() {
		b := line(t, plain.Event("zk1:2181", path, model.Event{N: 1, At: start, Body: model.Joined{Candidate: c}}))
		v := decode[candidateDoc](t, b)
		if v.Znode != s.Candidates[i].Znode || v.Data == nil != (s.Candidates[i].Data == nil) || !bytes.Equal(v.DataBase64, s.Candidates[i].DataBase64) {
			t.Errorf("got candidate %s in the event, want %s as in the status", line(t, v), line(t, s.Candidates[i]))
		}
		if len(b) > 32<<10 {
			t.Errorf("got a line of %d bytes, want at most 32 kB", len(b))
		}
	}
}

func printable(t *testing.T, s string) {
	t.Helper()
	s, ok := strings.CutSuffix(s, "\n")
	if !ok || !utf8.ValidString(s) {
		t.Errorf("got %.200q, want one line of text", s)
	}
	for i, r := range s {
		if znode.Unsafe(r) {
			t.Errorf("got the unsafe character %q at %d of %.200q", r, i, s)
			return
		}
	}
}

func TestJSONWithoutCreationTime(t *testing.T) {
	z := child("n_0000000001", 1, 2, nil)
	z.Ctime = time.Time{}
	s := decode[statusDoc](t, line(t, plain.Status(election(t, z))))
	if c := s.Candidates[0]; c.CreatedAt != nil || c.Czxid == nil {
		t.Errorf("got %s, want a czxid and no created_at", line(t, c))
	}
}

func TestJSONOfSingleZnode(t *testing.T) {
	j := doctor.NewJournal(model.Config{Path: "/controller"})
	j.Apply(&model.Connection{At: start, Link: model.Connected})
	j.Apply(&model.Read{At: start, Presence: model.Present, Single: true, New: []znode.Znode{
		{Name: "controller", Session: 5, Czxid: 5, Ctime: start, Data: znode.NewData([]byte(`{"version":1,"brokerid":1}`))},
	}})
	if got := string(line(t, plain.Status(j.State()))); !strings.Contains(got, `"parent":null,"next_sequence":null,"leader":"/controller"`) {
		t.Errorf("got %s, want a leader, and null for the parent and the next sequence number", got)
	}
}

const path = "/app/election"

var start = time.Date(2024, 2, 29, 23, 59, 58, 987654321, time.FixedZone("east", 2*3600))

var hostile = []struct {
	what string
	name string
	data []byte
}{
	{"escape sequences", "\x1b[2J\x1b]0;title\x07-n_0000000010", []byte("\x1b[31mred\x1b[0m\x1bP\x9c")},
	{"C1", "\u009b2J\u0085-n_0000000011", []byte("\u009b31mred\u0090")},
	{"bidi", "\u202etfel\u2066-n_0000000012", []byte("amber\u202egninrom\u2069")},
	{"not UTF-8", "n-\xff\xfe_0000000013", []byte("\xff\xfe\x00amber")},
	{"a megabyte", strings.Repeat("é", 200) + "-n_0000000014", bytes.Repeat([]byte("ä"), 1<<19)},
	{"a megabyte, not UTF-8", "n_0000000015", bytes.Repeat([]byte{0x80}, 1<<20)},
	{"quotes and markup", `"}\<script>&-n_0000000016`, []byte("\"},{\"leader\":null}\n</script>\u2028")},
	{"marks", "e\u0301\u0301\u0301-n_0000000017", []byte("z\u0353\u0353\u0353algo\u200b\ufeff")},
	{"nothing", "n_0000000018", nil},
	{"NUL and tabs", "\x00\t\v\r\n-n_0000000019", []byte("a\x00b\tc\r\nd")},
	{"beyond the first plane", "\U000e0041\U0001f600-n_0000000020", []byte("\U000e0041\U0001f600")},
	{"a negative number", "n_-2147483648", []byte("early")},
}

func child(name string, session uint64, czxid int64, data []byte) znode.Znode {
	return znode.Znode{Name: name, Session: session, Czxid: czxid, Ctime: start.Add(-time.Hour).Round(time.Millisecond), Data: znode.NewData(data)}
}

func duration(d time.Duration) *time.Duration { return &d }

func election(t *testing.T, zs ...znode.Znode) *doctor.State {
	t.Helper()
	return observed(t, zs...).State()
}

func observed(t *testing.T, zs ...znode.Znode) *doctor.Journal {
	t.Helper()
	j := doctor.NewJournal(model.Config{Path: path})
	j.Apply(&model.Connection{At: start, Link: model.Connected, Server: "zk1:2181", Session: 0xf00d000000000001})
	n := int32(len(zs))
	events := j.Apply(&model.Read{
		At: start, Presence: model.Present, Full: true, New: zs,
		Parent: znode.Parent{Czxid: 0x100000002, Ctime: start, Cversion: 2*40 - n, Children: n, Pzxid: 9},
	})
	if len(events) < 1 || events[0].N != 1 {
		t.Fatalf("got events %+v of the first read, want event 1 first", events)
	}
	return j
}

func answeredState(t *testing.T, watched ...session.Watch) *doctor.State {
	t.Helper()
	j := answeredJournal(t)
	j.Apply(answers(start.Add(time.Second), watched, 1, 2, 3, 70))
	return j.State()
}

func answeredJournal(t *testing.T, connected ...uint64) *doctor.Journal {
	t.Helper()
	j := observed(t, child("n_0000000001", 1, 0x11, nil), child("n_0000000002", 2, 0x12, nil), child("n_0000000003", 3, 0x13, nil))
	if connected != nil {
		j.Apply(answers(start.Add(time.Second), nil, connected...))
	}
	return j
}

// answers returns the table of a standalone server, with electop's own connection beside the connected sessions.
func answers(at time.Time, watched []session.Watch, connected ...uint64) *session.Table {
	const own = 0xf00d000000000001
	answered := session.Answer{State: session.Answered, At: at}
	s := session.Server{
		Addr: "zk1:2181", Mode: session.ModeStandalone, Zxid: 0x100, Tick: time.Second,
		Basic: answered, Connections: answered, Sessions: answered, Watches: answered, Watched: watched,
	}
	for _, id := range append(connected, own) {
		s.Clients = append(s.Clients, session.Client{Session: id, Addr: fmt.Sprintf("10.0.0.%d:4000", byte(id)), Timeout: 10 * time.Second, Received: at.Unix()})
	}
	return &session.Table{
		At: at, End: at, Whole: true, Every: time.Second, Servers: []session.Server{s},
		Anchors: []session.Anchor{{Session: own, Sent: at, Timeout: 10 * time.Second}},
	}
}

func allEvents(t *testing.T) []model.EventBody {
	t.Helper()
	amber := &dialect.Candidate{Znode: child("guid-n_0000000001", 0xa1, 0x100000004, []byte("amber")), Sequence: 1, HasSequence: true}
	birch := &dialect.Candidate{Znode: child("guid-n_0000000002", 1<<63, 0x100000005, []byte("birch")), Sequence: 2, HasSequence: true}
	config := &dialect.Candidate{Znode: child("config", 0, 0x100000003, []byte("{}"))}
	unread := &dialect.Candidate{Znode: znode.Znode{Name: "n_0000000003", Unread: true}, Sequence: 3, HasSequence: true}
	denied := &dialect.Candidate{Znode: child("n_0000000004", 0xa4, 0x100000007, nil), Sequence: 4, HasSequence: true}
	denied.Data.Denied = true
	binary := &dialect.Candidate{Znode: child("n_0000000005", 0xa5, 0x100000008, []byte{0xff, 0}), Sequence: 5, HasSequence: true}
	large := &dialect.Candidate{Znode: child("n_0000000006", 0xa6, 0x100000009, bytes.Repeat([]byte("x"), 1<<20)), Sequence: 6, HasSequence: true}

	absent := doctor.NewJournal(model.Config{Path: path})
	absent.Apply(&model.Read{At: start, Presence: model.Absent})
	handoff := func(from, to *dialect.Candidate, cause model.Cause, silent, takeover, vacant *time.Duration) model.Handoff {
		h := model.Handoff{At: start, From: from, To: to, Cause: cause, Silent: silent, Takeover: takeover, Vacant: vacant}
		if to != nil {
			h.Fence = to.Czxid
		}
		if cause == model.CauseExpired {
			h.Evidence = "no connection of its session for 4 s before"
		}
		return h
	}
	return []model.EventBody{
		doctor.Snapshot{State: election(t, amber.Znode, birch.Znode, config.Znode, unread.Znode, denied.Znode)},
		doctor.Snapshot{State: absent.State()},
		doctor.Snapshot{State: election(t)},
		doctor.Snapshot{State: election(t, config.Znode)},
		model.Joined{Candidate: amber},
		model.Joined{Candidate: config, Ignored: true},
		model.Joined{Candidate: unread},
		model.Joined{Candidate: denied},
		model.Joined{Candidate: binary},
		model.Left{Candidate: birch},
		model.Left{Candidate: config, Ignored: true},
		handoff(amber, birch, model.CauseResigned, nil, duration(3*time.Millisecond), nil),
		handoff(amber, birch, model.CauseClosed, nil, duration(999*time.Nanosecond), nil),
		handoff(amber, birch, model.CauseExpired, duration(4020123456*time.Nanosecond), duration(12345678*time.Nanosecond), nil),
		handoff(amber, birch, model.CauseLeft, nil, nil, nil),
		handoff(amber, birch, model.CauseUnknown, nil, nil, nil),
		handoff(birch, nil, model.CauseExpired, duration(0), nil, nil),
		handoff(nil, amber, model.CauseUnknown, nil, duration(time.Second), duration(90*time.Minute)),
		handoff(amber, unread, model.CauseUnknown, nil, nil, nil),
		handoff(amber, binary, model.CauseUnknown, nil, nil, nil),
		handoff(amber, large, model.CauseUnknown, nil, nil, nil),
		model.Missed{Creates: 3, Known: true},
		model.Missed{},
		model.LinkChanged{Link: model.Connected, Server: "[::1]:2181", Session: 0xf00d000000000001},
		model.LinkChanged{Link: model.Disconnected, Server: "zk1:2181", Session: 1},
		model.LinkChanged{Link: model.Expired, Session: 1},
		model.LinkChanged{Link: model.Connecting},
		doctor.FindingChanged{Finding: ghost(), Raised: true},
		doctor.FindingChanged{Finding: &doctor.Finding{ID: "herd", Key: "herd", Severity: doctor.Warning, Title: "A herd"}},
		doctor.RiskChanged{Raised: true, Risk: doctor.Risk{
			Candidate: amber, Leader: true, Next: birch,
			Danger: session.Danger{By: start.Add(3500 * time.Millisecond), Since: start, Evidence: "no member of the ensemble has a connection of its session"},
		}},
		doctor.RiskChanged{Raised: true, Risk: doctor.Risk{Candidate: unread, Danger: by(start.Add(-time.Second)), Leader: true}},
		doctor.RiskChanged{Risk: doctor.Risk{Candidate: birch, Danger: by(start)}},
		doctor.RiskChanged{Gone: true, Cause: model.CauseExpired, Risk: doctor.Risk{Candidate: birch, Danger: by(start), Leader: true}},
		doctor.RiskChanged{Gone: true, Cause: model.CauseUnknown, Risk: doctor.Risk{Candidate: birch, Danger: by(start)}},
		doctor.RiskChanged{Gone: true, Cause: model.CauseLeft, Risk: doctor.Risk{Candidate: birch, Danger: by(start), Leader: true}},
		doctor.RiskChanged{Gone: true, Cause: model.CauseLeft, Risk: doctor.Risk{Candidate: birch, Danger: by(start), Leader: true, Lock: true}},
		model.Explained{Handoff: model.Handoff{From: amber, To: birch, Cause: model.CauseDeleted, Evidence: "its session is alive without its znode"}},
		doctor.FindingChanged{Finding: ghost(), Raised: true, Was: doctor.Warning},
		doctor.RiskChanged{Raised: true, Risk: doctor.Risk{
			Candidate: birch, Danger: by(start.Add(2 * time.Second)), Leader: true, Queueless: true,
		}},
	}
}

func hostileElection(t *testing.T) *doctor.State {
	t.Helper()
	var zs []znode.Znode
	for i, h := range hostile {
		zs = append(zs, child(h.name, uint64(0xb0+i), int64(0x100000010+i), h.data))
	}
	return election(t, append(zs, child("\x1b[2Jconfig\u202e", 0, 0x100000050, []byte("\x1b[2J")))...)
}

func ghost() *doctor.Finding {
	return &doctor.Finding{
		ID: "ghost-node", Key: "ghost-node 0xa1", Severity: doctor.Critical, Since: start,
		Title:    "One session owns two candidates",
		Evidence: []string{"session 0xa1 owns guid-n_0000000001 and guid-n_0000000002", "both since 23:59:58"},
		Harm:     "When the first goes the second leads, and nobody knows that it does. " + strings.Repeat("It holds the role for as long as its session lives. ", 4),
		Advice:   "Restart the client that owns the session.",
		Znodes:   []string{path + "/guid-n_0000000001", path + "/\x1b[2J\u202en_0000000002"},
		Sessions: []uint64{0xa1}, References: []string{"CURATOR-644", "ZooKeeper recipes: leader election"},
	}
}

func by(at time.Time) session.Danger { return session.Danger{By: at} }

func TestText(t *testing.T) {
	var b strings.Builder
	for i, body := range allEvents(t) {
		l := plain.Line(model.Event{N: uint64(i + 1), At: start, Body: body}, time.UTC)
		printable(t, l+"\n")
		b.WriteString(l + "\n")
	}
	golden.RequireEqual(t, []byte(b.String()))
}

func TestTextOfHostileChildren(t *testing.T) {
	var b strings.Builder
	for _, c := range hostileElection(t).Queue.All() {
		for _, body := range []model.EventBody{
			model.Joined{Candidate: c}, model.Left{Candidate: c, Ignored: true},
			model.Handoff{From: c, To: c, Cause: model.CauseResigned, Fence: c.Czxid},
		} {
			l := plain.Line(model.Event{N: 1, At: start, Body: body}, time.UTC)
			printable(t, l+"\n")
			if len(l) > 600 {
				t.Errorf("got a line of %d bytes, want at most 600: %q", len(l), l)
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
		printable(t, l+"\n")
		b.WriteString(l + "\n")
	}
	golden.RequireEqual(t, []byte(b.String()))
}

func TestStatusText(t *testing.T) {
	all := allEvents(t)
	for name, s := range map[string]*doctor.State{
		"state":   all[0].(doctor.Snapshot).State,
		"absent":  all[1].(doctor.Snapshot).State,
		"empty":   all[2].(doctor.Snapshot).State,
		"hostile": hostileElection(t),
	} {
		t.Run(name, func(t *testing.T) {
			text := plain.StatusText(s)
			for l := range strings.Lines(text) {
				printable(t, l)
			}
			golden.RequireEqual(t, text)
		})
	}
}

func TestStatusTextCountsHoldersOfLeases(t *testing.T) {
	a := child("ddbaecd457ed4d3da7640142e07fe7b7", 5, 2, []byte("amber"))
	b := child("67af19a6e11f43a0a5d7217e32a030ee", 6, 3, []byte("birch"))
	j := doctor.NewJournal(model.Config{Path: "/sem"})
	j.Apply(&model.Connection{At: start, Link: model.Connected})
	j.Apply(&model.Read{At: start, Presence: model.Present, Parent: znode.Parent{Czxid: 1, Cversion: 2, Children: 2}, New: []znode.Znode{a, b}, Markers: []string{"/sem-__lock__"}})
	s := j.State()
	if text := plain.StatusText(s); !strings.Contains(text, " and 1 other hold, 0 waiting\n") {
		t.Errorf("got status %q, want two holders", text)
	}
}

func TestStatusTextOfUnknownLeader(t *testing.T) {
	const (
		gone  = "_c_0123456789abcdef0123456789abcdef-lock-0000000000"
		kazoo = "0123456789abcdef0123456789abcdef__lock__0000000001=kz1"
	)
	for _, c := range []struct {
		children []string // "name" or "name=data"; "!name" has no session
		why      model.NoLeader
		status   string // its first line
		rows     []string
	}{
		{[]string{gone + "=go1", kazoo}, model.MixedClients, "/e: unknown who holds: kz1 may hold beside go1: by default it counts only kazoo's names", []string{"another may hold too", "may hold too"}},
		{[]string{"0123456789abcdef0123456789abcdef-n_0000000000=amber", "_c_01234567-89ab-cdef-0123-456789abcdef-latch-0000000001=l1"}, model.MixedClients, "/e: unknown who leads: l1 may lead beside amber: by default it counts only names with latch-", []string{"another may lead too", "may lead too"}},
		{[]string{"leader_election-0000000000=r1", "leader_election-0000000001=r2"}, model.Unsupported, "/e: unknown who leads: electop does not know how ClickHouse before 21.12 elects", []string{"lowest number", ""}},
		{[]string{"!_c_0123456789abcdef0123456789abcdef-lock-0000000000", "_c_0123456789abcdef0123456789abcde1-lock-0000000001=go1", "_c_0123456789abcdef0123456789abcde2-lock-0000000002=go2"}, model.Blocked, "/e: unknown who holds: go1 may wait for 0, which is no candidate: some clients compare only names", []string{"may wait for 0", ""}},
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
			t.Errorf("%q: got leader %v, reason %q, want no leader, reason %q", c.children, s.Leader(), s.NoLeader(), c.why)
		}
		text := plain.StatusText(s)
		if first, _, _ := strings.Cut(text, "\n"); first != c.status {
			t.Errorf("got status %q, want %q", first, c.status)
		}
		if !strings.Contains(text, "gets number") {
			t.Errorf("got no line about the next candidate:\n%s", text)
		}
		for i, want := range c.rows {
			if words := phrase.Standing(s, i).Row; words != want {
				t.Errorf("%s: got row %d %q, want %q", c.why, i, words, want)
			}
		}
	}
}

func TestStatusTextNamesOtherSessionThatAcknowledges(t *testing.T) {
	at := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	const path = "/aurora/scheduler"
	j := doctor.NewJournal(model.Config{Path: path})
	j.Apply(&model.Connection{At: at, Link: model.Connected})
	j.Apply(&model.Read{At: at, Presence: model.Present, Full: true, Parent: znode.Parent{Czxid: 1, Cversion: 2, Children: 2}, New: []znode.Znode{
		{Name: "_c_0a1b2c3d-1111-4222-8333-444455556661-lock-0000000000", Session: 0xa, Czxid: 2, Data: znode.NewData([]byte("192.0.2.1"))},
		{Name: "member_0000000001", Session: 0xb, Czxid: 3},
	}})
	s := j.State()
	const want = path + ": unknown who leads: 192.0.2.1 is first, and session 0xb acknowledged"
	if first, _, _ := strings.Cut(plain.StatusText(s), "\n"); first != want {
		t.Errorf("got status %q, want %q", first, want)
	}
}

// herd returns watches of two candidates and two other sessions on the leader's znode.
func herd() session.Watch {
	return session.Watch{Path: path + "/n_0000000001", Sessions: []uint64{2, 3, 70, 71}}
}

func TestLeaderWatchers(t *testing.T) {
	s := answeredState(t, herd())
	const want = "\n2 candidates and 2 other sessions watch the leader's znode, from 10.0.0.70 (1), an unknown host (1).\n"
	if text := plain.StatusText(s); !strings.Contains(text, want) {
		t.Errorf("got status\n%s\nwant in it %s", text, want)
	}
	v := decode[struct {
		Watchers struct{ Total, Candidates, Others int } `json:"leader_watchers"`
	}](t, line(t, plain.Status(s))).Watchers
	if v.Total != 4 || v.Candidates != 2 || v.Others != 2 {
		t.Errorf("got watchers %+v, want 2 candidates and 2 others", v)
	}
}

func TestStatusWithFirstWatchReport(t *testing.T) {
	s := answeredState(t, herd())
	if text := plain.StatusText(s); !strings.Contains(text, "  1, should be 2\n") || strings.Contains(text, "inferred") {
		t.Errorf("got status\n%s\nwant no inferred watch, and that candidate 3 should watch candidate 2", text)
	}
	c := decode[struct {
		Candidates []struct {
			State   string `json:"watch_state"`
			Watched []string
		}
	}](t, line(t, plain.Status(s))).Candidates
	if c[1].State != "verified" || c[2].State != "other" || c[2].Watched[0] != path+"/n_0000000001" {
		t.Errorf("got candidates %+v, want candidate 2 verified, and candidate 3 \"other\", on znode 1", c)
	}
}

func TestStatusAndDoctorShowSameRisk(t *testing.T) {
	j := answeredJournal(t, 1, 2, 3)
	for sec := range 4 {
		j.Apply(answers(start.Add(time.Duration(sec+2)*time.Second), nil, 2, 3))
	}
	s := j.State()
	const sentence = "n_0000000001 is at risk, expires in at most 10 s (session timeout 10 s, silent for at least 3 s): last seen connected at "
	if text := plain.StatusText(s); !strings.Contains(text, sentence) || !strings.Contains(text, "10.0.0.1:4000  not connected, last server zk1:2181") {
		t.Errorf("got status\n%s\nwant in it %s, and the last server", text, sentence)
	}
	if text := plain.DoctorText(s, time.Second); !strings.Contains(text, sentence) {
		t.Errorf("got report of the doctor\n%s\nwant in it %s", text, sentence)
	}
	type risk struct {
		Expires float64 `json:"expires_within_ms"`
		Timeout float64 `json:"session_timeout_ms"`
		Silent  float64 `json:"silent_ms"`
	}
	c := decode[struct {
		Candidates []struct {
			risk
			Address   string
			Connected bool
		}
	}](t, line(t, plain.Status(s))).Candidates[0]
	r := decode[struct{ Risks []risk }](t, line(t, plain.Doctor(s, time.Second))).Risks
	if len(r) != 1 || r[0] != c.risk || r[0].Timeout != 10000 || r[0].Silent != 3000 || c.Address != "10.0.0.1:4000" || c.Connected {
		t.Errorf("got candidate %+v in the status, risks %+v from the doctor, want the same risk: 10 s timeout, 3 s silent, last connected from 10.0.0.1:4000", c, r)
	}
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
