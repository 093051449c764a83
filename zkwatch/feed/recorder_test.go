package feed_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/history"
	"electop/model/znode"
	"electop/zkwatch/feed"
)

const smallest = 1 << 20 // the smallest bound of a recording

func recordFile(t *testing.T, max int64, put func(func(model.Observation))) (file string, l *log) {
	t.Helper()
	file, l = filepath.Join(t.TempDir(), "recording"), new(log)
	r, err := feed.Create(file, max, history.NewHeader(ackElection, newScenario().at))
	if err != nil {
		t.Fatal(err)
	}
	// The clock is constant, so no deadline releases held events.
	f := feed.New(feed.Config{Election: ackElection, Record: r, Events: l.take, Notice: l.notice, Now: func() time.Time { return newScenario().at }})
	put(f.Put)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return file, l
}

func read(t *testing.T, file string) *log {
	t.Helper()
	r, err := feed.OpenRecording(file)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	l := new(log)
	if err := r.Each(t.Context(), l.take, l.notice); err != nil {
		t.Fatal(err)
	}
	return l
}

func TestRecorderRotates(t *testing.T) {
	file, recorded := recordFile(t, smallest, func(put func(model.Observation)) { putElection(20, 8*time.Minute, put) })
	if len(recorded.notices) > 0 {
		t.Fatalf("got notices %q, want none", recorded.notices)
	}
	if files, _ := filepath.Glob(file + "*"); len(files) != 2 {
		t.Errorf("got files %q, want 2", files)
	}
	lines := summaries(recorded)
	for _, name := range []string{file, file + ".1"} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 || info.Size() > smallest/2 || name != file && info.Size() < smallest/4 {
			t.Errorf("%s: got mode %v, %d bytes, want 0600, at most %d, in the older part at least %d", name, info.Mode(), info.Size(), smallest/2, smallest/4)
		}
		l := read(t, name)
		want := []string{"this is part"}
		if name == file {
			want[0] = "the part before it is " + file + ".1"
		}
		wantNotices(t, name, l, want...)
		s, ok := l.events[0].Body.(doctor.Snapshot)
		if !ok || l.events[0].N != 1 || s.State.Queue.Len() < 19 || len(s.State.Members) < 19 {
			t.Errorf("%s: got first event %d %T, want 1, Snapshot, at least 19 candidates and members", name, l.events[0].N, l.events[0].Body)
		}
		got := summaries(l)[1:]
		from := slices.Index(lines, got[0])
		if from < 0 || len(got) < 5 || name == file && from+len(got) != len(lines) || !slices.Equal(lines[from:][:len(got)-1], got[:len(got)-1]) {
			failWithDifference(t, lines[max(0, from):], got)
		}
	}
	if before, newest := readHeader(t, file+".1"), readHeader(t, file); newest.Part < 4 || before.Part != newest.Part-1 || !newest.Started.Equal(before.Started) {
		t.Errorf("got headers %+v and %+v, want consecutive parts of one recording, the newest at least part 4", before, newest)
	}
}

// summaries describes events without the details that differ in later parts.
func summaries(l *log) (out []string) {
	for _, e := range l.events {
		s := fmt.Sprintf("%v %T", e.At, e.Body)
		switch b := e.Body.(type) {
		case model.Joined:
			s += " " + b.Candidate.Name
		case model.Left:
			s += " " + b.Candidate.Name
		case model.Handoff:
			s += fmt.Sprintf(" %s %s %s %s %d", b.From.Name, b.To.Name, b.Cause, b.Evidence, b.Fence)
		}
		out = append(out, s)
	}
	return out
}

func failWithDifference(t *testing.T, want, got []string) {
	t.Helper()
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] {
			t.Fatalf("got %d events, want %d; got event %s\nwant %s", len(got), len(want), got[i], want[i])
		}
	}
	t.Fatalf("got %d events, want %d; if the counts are equal, the test has too few events", len(got), len(want))
}

func readHeader(t *testing.T, file string) history.Header {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, h, err := history.NewDecoder(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestRecorderOfOnePart(t *testing.T) {
	for _, max := range []int64{0, 1 << 30} {
		file, recorded := recordFile(t, max, func(put func(model.Observation)) { putElection(5, 20*time.Second, put) })
		replayed := read(t, file)
		if a, b := recorded.lines(t), replayed.lines(t); !slices.Equal(a, b) || len(a) < 50 {
			failWithDifference(t, a, b)
		}
		if _, err := os.Stat(file + ".1"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("older part: got error %v, want no such file", err)
		}
	}
}

func TestCreateRefuses(t *testing.T) {
	dir := t.TempDir()
	h := history.NewHeader(election, newScenario().at)
	exists := filepath.Join(dir, "exists")
	if err := os.WriteFile(exists, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := feed.Create(exists, 0, h); !errors.Is(err, os.ErrExist) {
		t.Errorf("over a file: got error %v, want %v", err, os.ErrExist)
	}
	if err := os.Rename(exists, filepath.Join(dir, "new.1")); err != nil {
		t.Fatal(err)
	}
	if _, err := feed.Create(filepath.Join(dir, "new"), smallest, h); !errors.Is(err, os.ErrExist) {
		t.Errorf("with a file in place of the older part: got error %v, want %v", err, os.ErrExist)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "new.1")); string(b) != "mine" {
		t.Errorf("got file content %q, error %v; want %q", b, err, "mine")
	}
	for _, max := range []int64{-1, 1, smallest - 1} {
		if _, err := feed.Create(filepath.Join(dir, "small"), max, h); err == nil || !strings.Contains(err.Error(), "too small") {
			t.Errorf("bound %d: got error %v, want %q", max, err, "too small")
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "small*")); len(left) > 0 {
		t.Errorf("got files %q after a refused Create, want none", left)
	}
	if _, err := feed.Create(filepath.Join(dir, "no", "such", "folder"), 0, h); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("in a missing folder: got error %v, want %v", err, os.ErrNotExist)
	}
}

func TestElectionLargerThanAPart(t *testing.T) {
	file, l := recordFile(t, smallest, func(put func(model.Observation)) {
		s := newScenario()
		put(s.connected())
		for range 100 {
			put(s.pass(time.Second).change(100))
		}
	})
	if len(l.notices) != 1 || !strings.Contains(l.notices[0], "higher limit") {
		t.Errorf("got notices %q, want one about the limit", l.notices)
	}
	if n := l.count(); n != 1+99*100 { // a snapshot, and one event for each later candidate
		t.Errorf("got %d events, want %d", n, 1+99*100)
	}
	info, err := os.Stat(file)
	if err != nil || info.Size() > smallest/2 {
		t.Errorf("got file %v, error %v; want at most %d bytes", info, err, smallest/2)
	}
	if replayed := read(t, file); replayed.count() < 100 {
		t.Errorf("got %d recorded events, want at least 100", replayed.count())
	}
}

func TestRecorderCannotRotate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "recording")
	r, err := feed.Create(file, smallest, history.NewHeader(ackElection, newScenario().at))
	if err != nil {
		t.Fatal(err)
	}
	l := new(log)
	f := feed.New(feed.Config{Election: ackElection, Record: r, Events: l.take, Notice: l.notice, Now: func() time.Time { return newScenario().at }})
	putElection(20, 4*time.Minute, f.Put)
	// A rename cannot replace a directory with a file.
	if err := os.MkdirAll(filepath.Join(file+".1", "other"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := start(f)(); err != nil {
		t.Error(err)
	}
	wantNotices(t, "after Run", l, "recording stopped: recording: rename")
	if err := r.Close(); err != nil {
		t.Errorf("Close: got error %v, want none", err)
	}
	replayed := read(t, file)
	if n := replayed.count(); n < 100 || n >= l.count() {
		t.Errorf("got %d recorded events of %d, want at least 100 but not all", n, l.count())
	}
}

func TestCrashWhileRotating(t *testing.T) {
	file, _ := recordFile(t, smallest, func(put func(model.Observation)) { putElection(20, 4*time.Minute, put) })
	newest, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{-1, 0, 10, bytes.IndexByte(newest, '\n')} { // no file, an empty file, incomplete headers
		err := os.Remove(file)
		if size >= 0 {
			err = os.WriteFile(file, newest[:size], 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := feed.OpenRecording(file); err == nil || !strings.Contains(err.Error(), "the part before it is "+file+".1") {
			t.Errorf("newest part of %d bytes (-1: no file): got error %v, want the path of the older part", size, err)
		}
	}
}

func TestPartOfAnOlderVersion(t *testing.T) {
	// The header has fields that the present version ignores.
	file := writeRecording(t, []byte(`{"kind":"electop-recording","format":1,"path":"/election","recipe":"recognised","started":"2000-01-01T00:00:00Z","part":2,"events":7,"baseline":2,"last":"2000-01-01T01:00:00Z","standing":["ghost-node 0x1"]}
{"connection":{"at":"2000-01-01T00:00:00Z","link":"connected","session":7}}
{"read":{"at":"2000-01-01T00:30:00Z","presence":"present","full":true,"parent":{"czxid":1,"children":1,"cversion":1},"new":[{"name":"n_0000000000","session":1,"czxid":2}]}}
{"advance":{"at":"2000-01-01T01:00:00Z"}}
`))
	l := read(t, file)
	wantNotices(t, "an older part", l, "this is part 2")
	if _, ok := l.events[0].Body.(doctor.Snapshot); !ok || l.count() != 1 {
		t.Errorf("got events %q, want one snapshot", summaries(l))
	}
}

func wantNotices(t *testing.T, what string, l *log, parts ...string) {
	t.Helper()
	ok := len(l.notices) == len(parts)
	for i := 0; ok && i < len(parts); i++ {
		ok = strings.Contains(l.notices[i], parts[i])
	}
	if !ok {
		t.Fatalf("%s: got notices %q, want notices with %q, in this order", what, l.notices, parts)
	}
}

func TestIncompleteRecordingIsRead(t *testing.T) {
	file, recorded := recordFile(t, 0, func(put func(model.Observation)) { putElection(3, 3*time.Second, put) })
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := recorded.lines(t)
	for size := bytes.IndexByte(whole, '\n') + 1; size < len(whole); size += 97 {
		if err := os.WriteFile(file, whole[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		l := read(t, file)
		if cut := whole[size-1] != '\n'; (len(l.notices) == 1 && strings.Contains(l.notices[0], "incomplete")) != cut || len(l.notices) > 1 {
			t.Fatalf("cut to %d bytes: got notices %q, want one only for an incomplete line", size, l.notices)
		}
		got := l.lines(t)
		// At the end of a cut recording, a held handoff is released without its takeover.
		for i, s := range got {
			if s != lines[i] && !strings.HasPrefix(s, "model.Handoff") {
				t.Fatalf("cut to %d bytes: got event %s\nwant %s", size, s, lines[i])
			}
		}
	}
	if n := read(t, file).count(); n < len(lines)/2 {
		t.Errorf("got %d events from the longest cut recording, want at least half of %d", n, len(lines))
	}
}

func TestRecorderWritesLines(t *testing.T) {
	var writes []string
	r, err := feed.NewRecorder(writer(func(b []byte) { writes = append(writes, string(b)) }), history.NewHeader(election, newScenario().at))
	if err != nil {
		t.Fatal(err)
	}
	s := newScenario()
	for range 3 {
		if err := r.Encode(s.change(1), nil); err != nil {
			t.Fatal(err)
		}
	}
	if len(writes) != 4 {
		t.Errorf("got %d writes, want 4", len(writes))
	}
	for _, w := range writes {
		if strings.Count(w, "\n") != 1 || !strings.HasSuffix(w, "\n") {
			t.Errorf("got write %q, want one line", w)
		}
	}
}

type writer func([]byte)

func (w writer) Write(b []byte) (int, error) { w(b); return len(b), nil }

const path = "/election"

type scenario struct {
	at     time.Time
	parent znode.Parent
	next   int
}

func newScenario() *scenario {
	at := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // the start of synctest's clock
	return &scenario{at: at, parent: znode.Parent{Czxid: 1, Ctime: at}}
}

func (s *scenario) pass(d time.Duration) *scenario {
	s.at = s.at.Add(d)
	return s
}

func name(sequence int) string { return fmt.Sprintf("n_%010d", sequence) }

func (s *scenario) change(joins int, leavers ...int) *model.Read {
	r := &model.Read{At: s.at, Presence: model.Present, Full: s.parent.Pzxid == 0}
	s.parent.Pzxid = max(s.parent.Pzxid, 10)
	for range joins {
		s.parent.Pzxid++
		r.New = append(r.New, znode.Znode{
			Name: name(s.next), Session: uint64(0x100 + s.next), Czxid: s.parent.Pzxid, Ctime: s.at,
			Data: znode.NewData(fmt.Appendf(nil, "c%d", s.next)),
		})
		s.next++
	}
	for _, l := range leavers {
		s.parent.Pzxid++
		r.Gone = append(r.Gone, name(l))
	}
	s.parent.Cversion += int32(joins + len(leavers))
	s.parent.Children += int32(joins - len(leavers))
	r.Parent = s.parent
	return r
}

func (s *scenario) connected() *model.Connection {
	return &model.Connection{At: s.at, Link: model.Connected, Server: "127.0.0.1:2181", Session: 7}
}

func (s *scenario) acked(z znode.Znode) *model.Ack {
	return &model.Ack{
		At: s.at, Presence: model.Present, Session: z.Session,
		Data: znode.NewData(model.AckData(znode.Join(path, z.Name), z.Czxid)),
	}
}

type log struct {
	mu      sync.Mutex
	events  []model.Event
	notices []string
}

func (l *log) take(es []model.Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, es...)
	return nil
}

func (l *log) notice(s string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.notices = append(l.notices, s)
}

func (l *log) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.events)
}

func (l *log) lines(t *testing.T) []string {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	for _, e := range l.events {
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%T %s", e.Body, b))
	}
	return out
}

func start(f *feed.Feed) (end func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- f.Run(ctx) }()
	return func() error {
		cancel()
		return <-done
	}
}

func newRecorder(t *testing.T, c model.Config) (*feed.Recorder, *bytes.Buffer) {
	t.Helper()
	b := new(bytes.Buffer)
	e, err := feed.NewRecorder(b, history.NewHeader(c, newScenario().at))
	if err != nil {
		t.Fatal(err)
	}
	return e, b
}

func hasQueueOf(n int) func(*doctor.State) bool {
	return func(s *doctor.State) bool { return s.Phase == model.Live && s.Queue.Len() == n }
}
