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

// TestJSON compares every line of the interface, its names, values and order, with those
// that `electop help json` documents: any change of format 1 is seen here.
func TestJSON(t *testing.T) {
	var b bytes.Buffer
	all := scenes(t)
	for i, sc := range all {
		l := line(t, plain.Event("zk1:2181", path, model.Event{N: uint64(i + 1), At: start, Body: sc.body}))
		unprintable(t, string(l))
		b.Write(l)
	}
	b.Write(line(t, plain.Status(all[0].body.(doctor.Snapshot).State)))
	b.Write(line(t, plain.Status(doctor.NewJournal(model.Config{Path: "/"}).State())))
	golden.RequireEqual(t, b.Bytes())
}

// decode reads a line into a T.
func decode[T any](t *testing.T, b []byte) (v T) {
	t.Helper()
	unprintable(t, string(b))
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	return v
}

// statusDoc and candidateDoc are the parts of the status object that anybody may write to.
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

// Whatever strangers write, a line is one line of printable text, and says
// what they wrote.
func TestJSONOfHostileChildren(t *testing.T) {
	s := decode[statusDoc](t, line(t, plain.Status(strangers(t))))
	if len(s.Candidates) != len(hostile) || len(s.Ignored) != 1 {
		t.Fatalf("%d candidates, %d ignored", len(s.Candidates), len(s.Ignored))
	}
	for i, h := range hostile {
		at := slices.IndexFunc(s.Candidates, func(c *candidateDoc) bool { return c.Session == fmt.Sprintf("%#x", 0xb0+i) })
		if at < 0 {
			t.Fatalf("%s: not among the candidates", h.what)
		}
		c := s.Candidates[at]
		name, cut := strings.ToValidUTF8(h.name, "\ufffd\ufffd"), znode.NewData(h.data).Bytes
		if h.what != "not UTF-8" && c.Znode != path+"/"+name {
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
		b := line(t, plain.Event("zk1:2181", path, model.Event{N: 1, At: start, Body: model.Joined{Candidate: c}}))
		v := decode[candidateDoc](t, b)
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
