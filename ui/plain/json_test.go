package plain_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/exp/golden"

	"electop/model"
	"electop/model/doctor"
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

// Every line of the interface.
func TestJSON(t *testing.T) {
	for i, sc := range scenes(t) {
		t.Run(sc.name, func(t *testing.T) {
			golden.RequireEqual(t, line(t, plain.Event(path, model.Event{N: uint64(i + 1), At: start, Body: sc.body})))
		})
	}
	t.Run("status", func(t *testing.T) {
		golden.RequireEqual(t, line(t, plain.Status(scenes(t)[0].body.(doctor.Snapshot).State)))
	})
	t.Run("status-unseen", func(t *testing.T) {
		golden.RequireEqual(t, line(t, plain.Status(doctor.NewJournal(model.Config{Path: "/"}).State())))
	})
}

// What electop help json promises of format 1, as a stranger would write it down.
type (
	statusDoc struct {
		Format       int             `json:"format"`
		Path         string          `json:"path"`
		System       *string         `json:"system"`
		Server       *string         `json:"server"`
		ObservedAt   *time.Time      `json:"observed_at"`
		Parent       *parentDoc      `json:"parent"`
		NextSequence *uint32         `json:"next_sequence"`
		Kind         string          `json:"kind"`
		Leader       *znodeDoc       `json:"leader"`
		LeaderState  *string         `json:"leader_state"`
		First        *firstDoc       `json:"first"`
		Ack          *string         `json:"ack"`
		Candidates   []*candidateDoc `json:"candidates"`
		Members      []znodeDoc      `json:"members"`
		Leaderless   *leaderlessDoc  `json:"leaderless"`
		Standbys     []string        `json:"standbys"`
		SystemEpoch  *string         `json:"system_epoch"`
		Ignored      []znodeDoc      `json:"ignored"`
	}
	parentDoc struct {
		Czxid    hexDoc `json:"czxid"`
		Cversion int32  `json:"cversion"`
		Children int32  `json:"children"`
	}
	candidateDoc struct {
		Znode      znodeDoc   `json:"znode"`
		Sequence   *int64     `json:"sequence"`
		Session    *hexDoc    `json:"session"`
		Name       *string    `json:"name"`
		Data       *string    `json:"data"`
		DataBase64 []byte     `json:"data_base64"`
		DataLength *int       `json:"data_length"`
		Address    *string    `json:"address"`
		Server     *string    `json:"server"`
		Watched    []znodeDoc `json:"watched"`
		Expires    *float64   `json:"expires_within_ms"`
		Epoch      *int64     `json:"ensemble_epoch"`
		Czxid      *hexDoc    `json:"czxid"`
		CreatedAt  *time.Time `json:"created_at"`
		Role       string     `json:"role"`
		Watches    *znodeDoc  `json:"watches"`
		WatchState string     `json:"watch_state"`
	}
	headDoc struct {
		N    uint64    `json:"n"`
		At   time.Time `json:"at"`
		Type string    `json:"type"`
	}
	stateDoc struct {
		headDoc
		statusDoc
	}
	childDoc struct {
		headDoc
		Znode      znodeDoc `json:"znode"`
		Sequence   *int64   `json:"sequence"`
		Session    *hexDoc  `json:"session"`
		Data       *string  `json:"data"`
		DataBase64 []byte   `json:"data_base64"`
		DataLength *int     `json:"data_length"`
		Ignored    bool     `json:"ignored"`
	}
	handoffDoc struct {
		headDoc
		From          *znodeDoc     `json:"from"`
		To            *znodeDoc     `json:"to"`
		ToSession     *hexDoc       `json:"to_session"`
		ToData        *string       `json:"to_data"`
		ToDataBase64  []byte        `json:"to_data_base64"`
		ToDataLength  *int          `json:"to_data_length"`
		Fence         *hexDoc       `json:"fence"`
		Cause         string        `json:"cause"`
		Evidence      *string       `json:"evidence"`
		SilentMS      *float64      `json:"silent_ms"`
		TakeoverMS    *float64      `json:"takeover_ms"`
		VacantMS      *float64      `json:"vacant_ms"`
		Between       *[2]time.Time `json:"between"`
		SilentRange   *[2]float64   `json:"silent_range_ms"`
		TakeoverRange *[2]float64   `json:"takeover_range_ms"`
		VacantRange   *[2]float64   `json:"vacant_range_ms"`
	}
	missedDoc struct {
		headDoc
		Creates *int `json:"creates"`
		Deletes *int `json:"deletes"`
	}
	connectionDoc struct {
		headDoc
		State   string  `json:"state"`
		Server  *string `json:"server"`
		Session *hexDoc `json:"session"`
	}
	findingDoc struct {
		ID         string     `json:"id"`
		Severity   string     `json:"severity"`
		Title      string     `json:"title"`
		Evidence   []string   `json:"evidence"`
		Harm       string     `json:"harm"`
		Znodes     []znodeDoc `json:"znodes"`
		Sessions   []hexDoc   `json:"sessions"`
		Advice     string     `json:"advice"`
		References []string   `json:"references"`
	}
	findingEventDoc struct {
		headDoc
		State string  `json:"state"`
		Was   *string `json:"was"`
		Key   string  `json:"key"`
		findingDoc
	}
	riskDoc struct {
		headDoc
		State    string    `json:"state"`
		Znode    znodeDoc  `json:"znode"`
		Sequence *int64    `json:"sequence"`
		Session  *hexDoc   `json:"session"`
		Leader   bool      `json:"leader"`
		Expires  *float64  `json:"expires_within_ms"`
		Epoch    *int64    `json:"ensemble_epoch"`
		Evidence string    `json:"evidence"`
		Next     *znodeDoc `json:"next"`
		Gone     bool      `json:"gone"`
		Cause    *string   `json:"cause"`
	}
	doctorDoc struct {
		Format     int            `json:"format"`
		Path       string         `json:"path"`
		System     *string        `json:"system"`
		ObservedAt *time.Time     `json:"observed_at"`
		Findings   []findingDoc   `json:"findings"`
		Unchecked  []uncheckedDoc `json:"unchecked"`
	}
	uncheckedDoc struct {
		What    string   `json:"what"`
		Servers []string `json:"servers"`
		Why     string   `json:"why"`
		Setting *string  `json:"setting"`
	}
	discoveryDoc struct {
		Format    int           `json:"format"`
		Elections []electionDoc `json:"elections"`
		Visited   int           `json:"visited"`
		Denied    int           `json:"denied"`
		Stopped   *string       `json:"stopped"`
	}
	leaderlessDoc struct {
		Since   time.Time `json:"since"`
		KnownBy string    `json:"known_by"`
	}
	firstDoc struct {
		Znode   znodeDoc `json:"znode"`
		Name    *string  `json:"name"`
		Session *string  `json:"session"`
		Why     string   `json:"why"`
	}
	electionDoc struct {
		Path   string    `json:"path"`
		System *string   `json:"system"`
		Kind   string    `json:"kind"`
		Leader *znodeDoc `json:"leader"`
		First  *firstDoc `json:"first"`

		Leaderless *leaderlessDoc `json:"leaderless"`
		Standbys   []string       `json:"standbys"`
		Waiting    int            `json:"waiting"`
		Reign      *float64       `json:"reign_ms"`
		Findings   int            `json:"findings"`
	}
	hexDoc   string
	znodeDoc string
)

func (h *hexDoc) UnmarshalText(b []byte) error {
	if !regexp.MustCompile(`^0x(0|[1-9a-f][0-9a-f]{0,15})$`).Match(b) {
		return fmt.Errorf("%q is no hex number", b)
	}
	*h = hexDoc(b)
	return nil
}

func (z *znodeDoc) UnmarshalText(b []byte) error {
	if !strings.HasPrefix(string(b), path+"/") {
		return fmt.Errorf("%q is no path of a child", b)
	}
	*z = znodeDoc(b)
	return nil
}

// optional are the fields that are left out where they say nothing.
var optional = []string{"data_base64", "data_length", "to_data_base64", "to_data_length", "ignored", "stopped"}

// decode reads a line strictly: every field is documented, and every
// documented one is there.
func decode[T any](t *testing.T, b []byte) T {
	t.Helper()
	var v T
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	var got, want map[string]json.RawMessage
	again, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(again, &want); err != nil {
		t.Fatal(err)
	}
	for _, field := range slices.Sorted(maps.Keys(want)) {
		if _, ok := got[field]; !ok && !slices.Contains(optional, field) {
			t.Errorf("no %q in %s", field, b)
		}
	}
	return v
}

func TestJSONIsAsDocumented(t *testing.T) {
	for i, sc := range scenes(t) {
		b := line(t, plain.Event(path, model.Event{N: uint64(i + 1), At: start, Body: sc.body}))
		var head headDoc
		switch sc.body.(type) {
		case doctor.Snapshot:
			v := decode[stateDoc](t, b)
			head = v.headDoc
			checkStatus(t, v.statusDoc)
		case model.Joined, model.Left:
			head = decode[childDoc](t, b).headDoc
		case model.Handoff:
			v := decode[handoffDoc](t, b)
			head = v.headDoc
			if !slices.Contains([]string{"resigned", "closed", "expired", "left", "unknown"}, v.Cause) {
				t.Errorf("%s: cause %q", sc.name, v.Cause)
			}
		case model.Missed:
			head = decode[missedDoc](t, b).headDoc
		case model.LinkChanged:
			v := decode[connectionDoc](t, b)
			head = v.headDoc
			if !slices.Contains([]string{"connected", "disconnected", "expired"}, v.State) {
				t.Errorf("%s: state %q", sc.name, v.State)
			}
		case doctor.FindingChanged:
			v := decode[findingEventDoc](t, b)
			head = v.headDoc
			if !slices.Contains([]string{"raised", "cleared"}, v.State) || v.Key == "" || v.Evidence == nil || v.Sessions == nil || v.References == nil {
				t.Errorf("%s: %+v", sc.name, v)
			}
		case doctor.RiskChanged:
			v := decode[riskDoc](t, b)
			head = v.headDoc
			if raised := v.State == "raised"; !raised && v.State != "cleared" || raised != (v.Expires != nil) {
				t.Errorf("%s: %+v", sc.name, v)
			}
		}
		if kind := strings.SplitN(sc.name, "-", 2)[0]; head.N != uint64(i+1) || !head.At.Equal(start) ||
			head.Type != kind && head.Type != "connection" {
			t.Errorf("%s begins %+v", sc.name, head)
		}
	}
	checkStatus(t, decode[statusDoc](t, line(t, plain.Status(strangers(t)))))
}

func checkStatus(t *testing.T, s statusDoc) {
	t.Helper()
	if s.Format != 1 || s.Path != path || s.Candidates == nil || s.Ignored == nil {
		t.Errorf("status %+v", s)
	}
	for i, c := range s.Candidates {
		role := "waiting"
		if i == 0 {
			role = "leader"
			if s.Leader == nil || *s.Leader != c.Znode {
				t.Errorf("leader %v, the first is %q", s.Leader, c.Znode)
			}
		}
		if c.Role != role || c.WatchState != "unknown" || c.Watched == nil || (c.Watches == nil) != (i == 0) {
			t.Errorf("place %d is %+v", i, c)
		}
		if i > 0 && *c.Watches != s.Candidates[i-1].Znode {
			t.Errorf("place %d watches %q", i, *c.Watches)
		}
	}
	if len(s.Candidates) == 0 && s.Leader != nil {
		t.Errorf("%q leads and nobody stands", *s.Leader)
	}
}

// Whatever strangers write, a line is one line of printable text, and says
// what they wrote.
func TestJSONOfHostileChildren(t *testing.T) {
	b := line(t, plain.Status(strangers(t)))
	unprintable(t, string(b))
	s := decode[statusDoc](t, b)
	if len(s.Candidates) != len(hostile) || len(s.Ignored) != 1 {
		t.Fatalf("%d candidates, %d ignored", len(s.Candidates), len(s.Ignored))
	}
	for i, h := range hostile {
		at := slices.IndexFunc(s.Candidates, func(c *candidateDoc) bool { return *c.Session == hexDoc(fmt.Sprintf("%#x", 0xb0+i)) })
		if at < 0 {
			t.Fatalf("%s: not among the candidates", h.what)
		}
		c := s.Candidates[at]
		name, cut := strings.ToValidUTF8(h.name, "\ufffd\ufffd"), znode.NewData(h.data).Bytes
		if h.what != "not UTF-8" && string(c.Znode) != path+"/"+name {
			t.Errorf("%s: the name is %q", h.what, c.Znode)
		}
		switch {
		case utf8.Valid(cut) && (c.Data == nil || *c.Data != string(cut) || c.DataBase64 != nil):
			t.Errorf("%s: the data is %v and %q", h.what, c.Data, c.DataBase64)
		case !utf8.Valid(cut) && (c.Data != nil || !bytes.Equal(c.DataBase64, cut)):
			t.Errorf("%s: the data is %v and %q", h.what, c.Data, c.DataBase64)
		}
		if long := len(h.data) > len(cut); long != (c.DataLength != nil) || long && *c.DataLength != len(h.data) {
			t.Errorf("%s: %d bytes, cut to %d, data_length %v", h.what, len(h.data), len(cut), c.DataLength)
		}
	}
	for i, c := range strangers(t).Queue.All() {
		b := line(t, plain.Event(path, model.Event{N: 1, At: start, Body: model.Joined{Candidate: c}}))
		unprintable(t, string(b))
		v := decode[childDoc](t, b)
		if v.Znode != s.Candidates[i].Znode || v.Data == nil != (s.Candidates[i].Data == nil) || !bytes.Equal(v.DataBase64, s.Candidates[i].DataBase64) {
			t.Errorf("joined %+v, in the status %+v", v, s.Candidates[i])
		}
		if len(b) > 32<<10 {
			t.Errorf("a line of %d bytes", len(b))
		}
	}
}

// unprintable fails for text of more than its last line, or with something in
// it that a terminal would act on.
func unprintable(t *testing.T, s string) {
	t.Helper()
	s, ok := strings.CutSuffix(s, "\n")
	if !ok || !utf8.ValidString(s) {
		t.Errorf("no line of text: %.200q", s)
	}
	for i, r := range s {
		if znode.Unsafe(r) {
			t.Errorf("%q at %d of %.200q", r, i, s)
			return
		}
	}
}

// Times by a server's clock that no clock shows are not known.
func TestJSONWithoutTimes(t *testing.T) {
	z := child("n_0000000001", 1, 2, nil)
	z.Ctime = time.Time{}
	s := decode[statusDoc](t, line(t, plain.Status(election(t, z))))
	if c := s.Candidates[0]; c.CreatedAt != nil || c.Czxid == nil {
		t.Errorf("created at %v, czxid %v", c.CreatedAt, c.Czxid)
	}
}

// A znode that is an election by itself has no parent to tell of.
func TestJSONOfSingleZnode(t *testing.T) {
	j := doctor.NewJournal(model.Config{Path: "/controller"})
	j.Apply(&model.Connection{At: start, Link: model.Connected})
	j.Apply(&model.Read{At: start, Presence: model.Present, Single: true, New: []znode.Znode{
		{Name: "controller", Session: 5, Czxid: 5, Ctime: start, Data: znode.NewData([]byte(`{"version":1,"brokerid":1}`))},
	}})
	if got := string(line(t, plain.Status(j.State()))); !strings.Contains(got, `"parent":null,"next_sequence":null,"leader":"/controller"`) {
		t.Errorf("%s", got)
	}
}
