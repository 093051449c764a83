package plain_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/session"
	"electop/model/znode"
)

const path = "/app/election"

var start = time.Date(2024, 2, 29, 23, 59, 58, 987654321, time.FixedZone("east", 2*3600))

// hostile are names and data as anybody who can write to the cluster may
// choose them.
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

// election is the state of an election with these children.
func election(t *testing.T, zs ...znode.Znode) *doctor.State {
	t.Helper()
	return observed(t, zs...).State()
}

// observed is a journal that has read these children.
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
		t.Fatalf("%d events of a first read", len(events))
	}
	return j
}

// asked is an election of three candidates, of the sessions 1 to 3, whose only server
// answered at once with these watches. Session 70 is connected to it, too.
func asked(t *testing.T, watched ...session.Watch) *doctor.State {
	t.Helper()
	j := askedJournal(t)
	j.Apply(answers(start.Add(time.Second), watched, 1, 2, 3, 70))
	return j.State()
}

// askedJournal is that of asked, whose server answered with the connections of these sessions.
func askedJournal(t *testing.T, connected ...uint64) *doctor.Journal {
	t.Helper()
	j := observed(t, child("n_0000000001", 1, 0x11, nil), child("n_0000000002", 2, 0x12, nil), child("n_0000000003", 3, 0x13, nil))
	if connected != nil {
		j.Apply(answers(start.Add(time.Second), nil, connected...))
	}
	return j
}

// answers are those of a server that is alone, with the connections of these sessions and electop's.
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

// scene is one event, by name.
type scene struct {
	name string
	body model.EventBody
}

func scenes(t *testing.T) []scene {
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
	return []scene{
		{"state", doctor.Snapshot{State: election(t, amber.Znode, birch.Znode, config.Znode, unread.Znode, denied.Znode)}},
		{"state-absent", doctor.Snapshot{State: absent.State()}},
		{"state-empty", doctor.Snapshot{State: election(t)}},
		{"state-ignored-only", doctor.Snapshot{State: election(t, config.Znode)}},
		{"joined", model.Joined{Candidate: amber}},
		{"joined-ignored", model.Joined{Candidate: config, Ignored: true}},
		{"joined-unread", model.Joined{Candidate: unread}},
		{"joined-denied", model.Joined{Candidate: denied}},
		{"joined-binary", model.Joined{Candidate: binary}},
		{"left", model.Left{Candidate: birch}},
		{"left-ignored", model.Left{Candidate: config, Ignored: true}},
		{"handoff-resigned", handoff(amber, birch, model.CauseResigned, nil, duration(3*time.Millisecond), nil)},
		{"handoff-closed", handoff(amber, birch, model.CauseClosed, nil, duration(999*time.Nanosecond), nil)},
		{"handoff-expired", handoff(amber, birch, model.CauseExpired, duration(4020123456*time.Nanosecond), duration(12345678*time.Nanosecond), nil)},
		{"handoff-left", handoff(amber, birch, model.CauseLeft, nil, nil, nil)},
		{"handoff-unknown", handoff(amber, birch, model.CauseUnknown, nil, nil, nil)},
		{"handoff-to-nobody", handoff(birch, nil, model.CauseExpired, duration(0), nil, nil)},
		{"handoff-from-nobody", handoff(nil, amber, model.CauseUnknown, nil, duration(time.Second), duration(90*time.Minute))},
		{"handoff-to-unread", handoff(amber, unread, model.CauseUnknown, nil, nil, nil)},
		{"handoff-to-binary", handoff(amber, binary, model.CauseUnknown, nil, nil, nil)},
		{"handoff-to-large", handoff(amber, large, model.CauseUnknown, nil, nil, nil)},
		{"missed", model.Missed{Creates: 3, Known: true}},
		{"missed-unknown", model.Missed{}},
		{"connected", model.LinkChanged{Link: model.Connected, Server: "[::1]:2181", Session: 0xf00d000000000001}},
		{"disconnected", model.LinkChanged{Link: model.Disconnected, Server: "zk1:2181", Session: 1}},
		{"expired", model.LinkChanged{Link: model.Expired, Session: 1}},
		{"connecting", model.LinkChanged{Link: model.Connecting}},
		{"finding-raised", doctor.FindingChanged{Finding: ghost(), Raised: true}},
		{"finding-cleared", doctor.FindingChanged{Finding: &doctor.Finding{ID: "herd", Key: "herd", Severity: doctor.Warning, Title: "A herd"}}},
		{"risk-raised", doctor.RiskChanged{Raised: true, Risk: doctor.Risk{
			Candidate: amber, Leader: true, Next: birch,
			Danger: session.Danger{By: start.Add(3500 * time.Millisecond), Since: start, Evidence: "no member of the ensemble has a connection of its session"},
		}}},
		{"risk-raised-alone", doctor.RiskChanged{Raised: true, Risk: doctor.Risk{Candidate: unread, Danger: by(start.Add(-time.Second)), Leader: true}}},
		{"risk-cleared", doctor.RiskChanged{Risk: doctor.Risk{Candidate: birch, Danger: by(start)}}},
		{"risk-cleared-expired", doctor.RiskChanged{Gone: true, Cause: model.CauseExpired, Risk: doctor.Risk{Candidate: birch, Danger: by(start), Leader: true}}},
		{"risk-cleared-gone", doctor.RiskChanged{Gone: true, Cause: model.CauseUnknown, Risk: doctor.Risk{Candidate: birch, Danger: by(start)}}},
		{"risk-cleared-left", doctor.RiskChanged{Gone: true, Cause: model.CauseLeft, Risk: doctor.Risk{Candidate: birch, Danger: by(start), Leader: true}}},
		{"cause", model.Explained{Handoff: model.Handoff{From: amber, To: birch, Cause: model.CauseDeleted, Evidence: "its session is alive without its znode"}}},
		{"finding-worse", doctor.FindingChanged{Finding: ghost(), Raised: true, Was: doctor.Warning}},
		{"risk-raised-queueless", doctor.RiskChanged{Raised: true, Risk: doctor.Risk{
			Candidate: birch, Danger: by(start.Add(2 * time.Second)), Leader: true, Queueless: true,
		}}},
	}
}

// strangers is an election of hostile children, read from the first of them.
func strangers(t *testing.T) *doctor.State {
	t.Helper()
	var zs []znode.Znode
	for i, h := range hostile {
		zs = append(zs, child(h.name, uint64(0xb0+i), int64(0x100000010+i), h.data))
	}
	return election(t, append(zs, child("\x1b[2Jconfig\u202e", 0, 0x100000050, []byte("\x1b[2J")))...)
}

// ghost is a finding, in the words of a stranger where it quotes one.
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

// by is a danger whose bound is known.
func by(at time.Time) session.Danger { return session.Danger{By: at} }
