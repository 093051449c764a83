package history_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/history"
	"electop/model/internal/modeltest"
	"electop/model/znode"

	"pgregory.net/rapid"
)

func recording(t testing.TB) []string {
	var b bytes.Buffer
	enc, err := history.NewEncoder(&b, history.NewHeader(model.Config{Path: "/e", AckPath: "/a", AckExpected: true}, modeltest.Start))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []model.Observation{
		&model.Connection{At: modeltest.Start, Link: model.Connected, Server: "127.0.0.1:2181", Session: 1 << 63, Timeout: time.Second},
		&model.Read{At: modeltest.Start, Presence: model.Present, Parent: modeltest.Stat(3, 2, 2), Full: true, New: []znode.Znode{
			{Name: "n_0000000000", Session: 1, Czxid: 4, Ctime: modeltest.Start, Data: znode.NewData([]byte("\x1b\xff"))},
			{Name: "n_0000000001", Unread: true}}},
		&model.Refresh{At: modeltest.Start, Znode: znode.Znode{Name: "n_0000000000", Session: 1, Czxid: 4}},
		&model.Ack{At: modeltest.Start, Presence: model.Present, Data: znode.NewData(model.AckData("/e/n_0000000000", 4))},
		&model.Directory{At: modeltest.Start, Path: "/d", Presence: model.Present, Parent: modeltest.Stat(3, 2, 2), Names: []string{"\x1b"},
			Children: []znode.Znode{{Name: "\x1b", Session: 1, Czxid: 4}}},
		&model.Cast{At: modeltest.Start, Member: model.Member{ID: "a", Session: 1, Belief: model.Leading, Fault: model.Frozen, FaultAt: modeltest.Start}},
		&model.Switch{At: modeltest.Start, Recipe: "herd"},
		&model.Advance{At: modeltest.Start.Add(time.Minute)},
	} {
		if err := enc.Encode(o); err != nil {
			t.Fatal(err)
		}
	}
	return strings.SplitAfter(strings.TrimSuffix(b.String(), "\n"), "\n")
}

func decode(r io.Reader) (n int, err error) {
	dec, _, err := history.NewDecoder(r)
	if err != nil {
		return 0, err
	}
	for {
		if _, err := dec.Decode(); err != nil {
			return n, err
		}
		n++
	}
}

func TestRecordingHasOnlySafeText(t *testing.T) {
	lines := recording(t)
	const want = `{"kind":"electop-recording","format":1,"path":"/e","recipe":"recognised","ack_path":"/a","ack_expected":true,"started":"2026-01-02T03:04:05Z"}`
	if got := strings.TrimSpace(lines[0]); got != want {
		t.Errorf("header %s, want %s", got, want)
	}
	for _, l := range lines {
		if got := znode.Safe(strings.TrimSuffix(l, "\n"), len(l)); got+"\n" != l && got != l {
			t.Errorf("unsafe line %q", l)
		}
	}
}

func TestDecodeContinuesAfterABadLine(t *testing.T) {
	lines := recording(t)
	for _, garbage := range []string{"", "{}", "null", "[]", "garbage", "\x00\x00",
		`{"read":7}`, `{"read":null}`, `{"later":{}}`, `{"read":{"at":"yesterday"}}`, `{"cast":{"member":{"session":-1}}}`} {
		dec, _, err := history.NewDecoder(strings.NewReader(lines[0] + garbage + "\n" + lines[1] + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		if o, err := dec.Decode(); err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("line %q: got %+v, error %v; want an error that names line 2", garbage, o, err)
		}
		if _, err := dec.Decode(); err != nil {
			t.Errorf("the line after %q: error %v", garbage, err)
		}
	}
}

func TestWrongHeadersAreRefused(t *testing.T) {
	for header, want := range map[string]string{
		"":                     "not a header",
		"\n":                   "not a header",
		"{}\n":                 "not a header",
		"[1]\n":                "not a header",
		"GIF89a\n":             "not a header",
		`{"kind":"electop-rec`: "not a header",
		`{"kind":"other","format":1,"recipe":"election"}` + "\n":                                                  "not a header",
		`{"kind":"electop-recording","format":2,"recipe":"election"}` + "\n":                                      "format 2",
		`{"kind":"electop-recording","format":1,"recipe":"x\u001by"}` + "\n":                                      "unknown recipe",
		`{"kind":"electop-recording","format":1,"recipe":"` + strings.Repeat("0123456789abcdef", 4) + `"}` + "\n": "unknown recipe",
	} {
		dec, _, err := history.NewDecoder(strings.NewReader(header))
		if err == nil || dec != nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 120 || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("header %q: got error %v, want %q in at most 120 safe bytes", header, err, want)
		}
	}
}

func TestDiskErrorsAreReturned(t *testing.T) {
	broken := errors.New("broken disk")
	if _, _, err := history.NewDecoder(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("NewDecoder on a broken disk: got error %v, want %v", err, broken)
	}
	part := io.MultiReader(strings.NewReader(strings.Join(recording(t)[:2], "")), iotest.ErrReader(broken))
	if n, err := decode(part); n != 1 || !errors.Is(err, broken) {
		t.Errorf("a disk that breaks after one observation: got %d observations, error %v; want 1 and %v", n, err, broken)
	}
	r, w := io.Pipe()
	r.CloseWithError(broken)
	if _, err := history.NewEncoder(w, history.NewHeader(model.Config{}, modeltest.Start)); !errors.Is(err, broken) {
		t.Errorf("NewEncoder on a broken disk: got error %v, want %v", err, broken)
	}
}

func TestParseAckReadsAckData(t *testing.T) {
	for _, z := range []int64{0, 1, 0x10000002a, -1, 1<<63 - 1} {
		if znode, czxid := model.ParseAck(model.AckData("/e/n_1", z)); znode != "/e/n_1" || czxid != z {
			t.Errorf("ParseAck(AckData(/e/n_1, %d)) = %s, %d; want both unchanged", z, znode, czxid)
		}
	}
	for _, bad := range []string{"", "amber", "{}", `{"znode":"relative","czxid":"0x1"}`,
		`{"znode":"/e","czxid":"x"}`, `{"znode":"/e","czxid":7}`, `{"znode":"/e","czxid":"0x10000000000000000"}`} {
		if znode, czxid := model.ParseAck([]byte(bad)); znode != "" || czxid != 0 {
			t.Errorf("ParseAck(%s) = %s, %d; want no path and 0", bad, znode, czxid)
		}
	}
}

func FuzzDecoder(f *testing.F) {
	lines := recording(f)
	whole := strings.Join(lines, "")
	f.Add([]byte(whole + "\n"))
	f.Add([]byte(whole))
	f.Add([]byte(lines[0] + "garbage\n" + lines[1] + lines[2]))
	f.Add([]byte(lines[0] + `{"read":{"presence":"present","parent":{"czxid":1,"cversion":-2147483648,"children":-5},` +
		`"new":[{"name":""},{"name":"","unread":true}],"gone":["",""]}}` + "\n"))
	f.Add([]byte(strings.Join(append(lines[:3:3], lines[2], strings.Replace(lines[2], `"full":true`, `"gap":true`, 1), lines[5], lines[6]), "")))
	f.Fuzz(func(t *testing.T, b []byte) {
		dec, h, err := history.NewDecoder(bytes.NewReader(b))
		if err != nil {
			return
		}
		cfg, err := h.Config()
		if err != nil {
			t.Fatal(err)
		}
		j := doctor.NewJournal(cfg)
		n := uint64(0)
		for range bytes.Count(b, []byte("\n")) + 2 {
			o, err := dec.Decode()
			if err == io.EOF {
				return
			}
			if err != nil {
				continue
			}
			for _, e := range j.Apply(o) {
				if n++; e.N != n {
					t.Fatalf("event %d is numbered %d", n, e.N)
				}
			}
			s := j.State()
			names := map[string]bool{}
			for _, c := range append(s.Queue.Slice(), s.Ignored...) {
				if names[c.Name] {
					t.Fatalf("the state has the child %q twice", c.Name)
				}
				names[c.Name] = true
			}
			if l := s.Leader(); l != nil && fmt.Sprint(l.ID()) != fmt.Sprint(s.Queue.At(0).ID()) {
				t.Fatalf("leader %v, want the first contender %v", l.ID(), s.Queue.At(0).ID())
			}
		}
		t.Fatal("Decode never returned EOF")
	})
}

func TestRecordingReplays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg, all := modeltest.DrawPast(t)
		var b bytes.Buffer
		enc, err := history.NewEncoder(&b, history.NewHeader(cfg, modeltest.Start))
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range all {
			if err := enc.Encode(o); err != nil {
				t.Fatal(err)
			}
		}
		dec, h, err := history.NewDecoder(&b)
		if err != nil {
			t.Fatal(err)
		}
		recorded, err := h.Config()
		if err != nil {
			t.Fatal(err)
		}
		live, replayed := doctor.NewJournal(cfg), doctor.NewJournal(recorded)
		for i, o := range all {
			read, err := dec.Decode()
			if err != nil {
				t.Fatalf("observation %d of %d: %v", i, len(all), err)
			}
			if diff := modeltest.Diff(live.Apply(o), replayed.Apply(read)); diff != "" {
				t.Fatalf("observation %d of %d, %T: events live (-) and in the replay (+):\n%s", i, len(all), o, diff)
			}
		}
		if _, err := dec.Decode(); !errors.Is(err, io.EOF) {
			t.Fatalf("Decode after the last observation: got error %v, want EOF", err)
		}
		if diff := modeltest.Diff(live.State(), replayed.State()); diff != "" {
			t.Fatalf("state live (-) and in the replay (+):\n%s", diff)
		}
	})
}
