package feed_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"electop/model"
	"electop/model/history"
	"electop/zkwatch/feed"
)

const least = 1 << 20 // the smallest bound of a recording

// live runs observations through a feed that records them, and returns its
// events and where the recording is.
func live(t *testing.T, max int64, put func(func(model.Observation))) (file string, l *log) {
	t.Helper()
	file, l = filepath.Join(t.TempDir(), "recording"), new(log)
	r, err := feed.Create(file, max, history.NewHeader(acking, newStory().at))
	if err != nil {
		t.Fatal(err)
	}
	// Its clock stands: what waits for time to pass, waits for the end.
	f := feed.New(feed.Config{Election: acking, Record: r, Events: l.take, Notice: l.notice, Now: func() time.Time { return newStory().at }})
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

// read returns what a recording tells.
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

// ending cuts the events off that b does not have.
func ending(a, b []string) []string { return a[max(0, len(a)-len(b)):] }

func TestRecorderRotates(t *testing.T) {
	file, was := live(t, least, func(put func(model.Observation)) { churned(20, 8*time.Minute, put) })
	if len(was.notices) > 0 {
		t.Fatalf("notices %q", was.notices)
	}
	for _, name := range []string{file, file + ".1"} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 || info.Size() > least/2 || name != file && info.Size() < least/4 {
			t.Errorf("%s: mode %v, %d bytes", filepath.Base(name), info.Mode(), info.Size())
		}
	}
	if more, _ := filepath.Glob(file + "*"); len(more) != 2 {
		t.Errorf("files %q", more)
	}
	before := header(t, file+".1")
	newest := header(t, file)
	if newest.Part < 4 || before.Part != newest.Part-1 || newest.Events <= before.Events || newest.Baseline == 0 || !newest.Started.Equal(before.Started) {
		t.Errorf("headers %+v and %+v", before, newest)
	}

	// Both parts together tell what was told live since the older one began, with
	// the same numbers.
	both := read(t, file)
	if len(both.notices) != 1 || !strings.Contains(both.notices[0], "not kept") {
		t.Errorf("notices %q", both.notices)
	}
	lines, told := briefly(was), briefly(both)
	if want := ending(lines, told); len(told) < 100 || !slices.Equal(want, told) {
		differ(t, want, told)
	}
	if first := both.events[0].N; first != before.Events+1 {
		t.Errorf("the first event is %d, after %d", first, before.Events)
	}

	// So does the newest alone.
	if err := os.Remove(file + ".1"); err != nil {
		t.Fatal(err)
	}
	alone := read(t, file)
	told = briefly(alone)
	if want := ending(lines, told); len(told) == 0 || !slices.Equal(want, told) || alone.events[0].N != newest.Events+1 {
		differ(t, want, told)
	}
}

// briefly returns the events without what only who looked on all the while can
// know of a candidate: since when it was seen.
func briefly(l *log) (out []string) {
	for _, e := range l.events {
		s := fmt.Sprintf("%d %v %T", e.N, e.At, e.Body)
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

func differ(t *testing.T, want, got []string) {
	t.Helper()
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] {
			t.Fatalf("%d and %d events; live %s\nread %s", len(want), len(got), want[i], got[i])
		}
	}
	t.Fatalf("%d events live, %d read", len(want), len(got))
}

func header(t *testing.T, file string) history.Header {
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

// A recording that was begun with a bound and did not reach it is as one
// without, and replays to what was told live.
func TestRecorderOfOnePart(t *testing.T) {
	for _, max := range []int64{0, 1 << 30} {
		file, was := live(t, max, func(put func(model.Observation)) { churned(5, 20*time.Second, put) })
		again := read(t, file)
		if a, b := was.lines(t), again.lines(t); !slices.Equal(a, b) || len(a) < 50 {
			differ(t, a, b)
		}
		if _, err := os.Stat(file + ".1"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("an older part: %v", err)
		}
	}
}

func TestCreateRefuses(t *testing.T) {
	dir := t.TempDir()
	h := history.NewHeader(election, newStory().at)
	there := filepath.Join(dir, "there")
	if err := os.WriteFile(there, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := feed.Create(there, 0, h); !errors.Is(err, os.ErrExist) {
		t.Errorf("over a file: %v", err)
	}
	if err := os.Rename(there, filepath.Join(dir, "new.1")); err != nil {
		t.Fatal(err)
	}
	if _, err := feed.Create(filepath.Join(dir, "new"), least, h); !errors.Is(err, os.ErrExist) {
		t.Errorf("where the older part would replace a file: %v", err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "new.1")); string(b) != "mine" {
		t.Errorf("the file is %q, %v", b, err)
	}
	for _, max := range []int64{-1, 1, least - 1} {
		if _, err := feed.Create(filepath.Join(dir, "small"), max, h); err == nil || !strings.Contains(err.Error(), "too small") {
			t.Errorf("a bound of %d: %v", max, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "small*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	if _, err := feed.Create(filepath.Join(dir, "no", "such", "folder"), 0, h); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("in no folder: %v", err)
	}
}

// An election that does not fit into a part ends the recording, and the feed
// goes on.
func TestRecorderOfACrowd(t *testing.T) {
	file, l := live(t, least, func(put func(model.Observation)) {
		s := newStory()
		put(s.connected())
		for range 100 {
			put(s.pass(time.Second).change(100))
		}
	})
	if len(l.notices) != 1 || !strings.Contains(l.notices[0], "higher limit") {
		t.Errorf("notices %q", l.notices)
	}
	if n := l.count(); n != 10_001-99 && n < 9_000 {
		t.Errorf("%d events", n)
	}
	info, err := os.Stat(file)
	if err != nil || info.Size() > least/2 {
		t.Errorf("%v, %v", info, err)
	}
	if again := read(t, file); again.count() < 1000 {
		t.Errorf("%d events are recorded", again.count())
	}
}

// Where no new part can be begun the recording ends, which is told once, and the
// feed goes on.
func TestRecorderCanNotRotate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "folder", "recording")
	if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	r, err := feed.Create(file, least, history.NewHeader(acking, newStory().at))
	if err != nil {
		t.Fatal(err)
	}
	l := new(log)
	f := feed.New(feed.Config{Election: acking, Record: r, Events: l.take, Notice: l.notice, Now: func() time.Time { return newStory().at }})
	churned(20, 4*time.Minute, f.Put)
	// In the place of the older part is what no file can replace.
	if err := os.MkdirAll(filepath.Join(file+".1", "other"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := running(f)(); err != nil {
		t.Error(err)
	}
	tells(t, "in the end", l, "recording stopped: recording: rename")
	if err := r.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	again := read(t, file)
	if n := again.count(); n < 100 || n >= l.count() {
		t.Errorf("%d events are recorded, there were %d", n, l.count())
	}
}

// A crash while a new part is begun loses nothing of the older one, and is said.
func TestCrashWhileRotating(t *testing.T) {
	file, _ := live(t, least, func(put func(model.Observation)) { churned(20, 4*time.Minute, put) })
	whole := read(t, file).lines(t)
	newest := content(t, file)
	h := header(t, file)
	lines := bytes.SplitAfter(newest, []byte("\n"))
	sizes := []int{-1, 0, 1, 10, len(lines[0]) - 2, len(lines[0]) - 1} // no file, an empty one, a torn header
	for n := 0; n <= h.Baseline+1; n += 11 {
		size := len(bytes.Join(lines[:n+1], nil))
		sizes = append(sizes, size, size+5)
	}
	for _, size := range sizes {
		cut(t, file, newest, size)
		l := read(t, file)
		want := []string{"not kept"}
		switch {
		case size < len(lines[0]):
			want = []string{"while it began a new part", "not kept"}
		case newest[size-1] != '\n':
			want = append(want, "torn")
		}
		tells(t, fmt.Sprintf("cut to %d bytes", size), l, want...)
		if got := l.lines(t); len(got) < 100 || !slices.Equal(got[:len(got)-2], whole[:len(got)-2]) {
			differ(t, whole[:len(got)], got)
		}
	}
}

// What is read of a part that was cut anywhere in its last line is what was told
// live, and what is missing is said.
func TestCutInTheLastLine(t *testing.T) {
	file, was := live(t, least, func(put func(model.Observation)) { churned(20, 4*time.Minute, put) })
	live := briefly(was)
	for _, cutting := range []string{file, file + ".1"} {
		whole := content(t, cutting)
		last := bytes.LastIndexByte(whole[:len(whole)-1], '\n') + 1
		for _, size := range []int{last, last + 1, last + 2, (last + len(whole)) / 2, len(whole) - 2, len(whole) - 1} {
			cut(t, cutting, whole, size)
			l := read(t, file)
			told := briefly(l)
			first := int(l.events[0].N) - 1
			want := []string{"not kept"}
			if size > last {
				want = append(want, "torn")
			}
			if cutting != file && len(l.notices) > len(want) { // if only one was made at that time
				want = append(want, "are missing, from")
			}
			// The end lets go of what was held back, without its takeover.
			if n := len(told) - 1; n < 100 || cutting == file && !slices.Equal(live[first:first+n], told[:n]) {
				differ(t, live[first:], told)
			}
			tells(t, fmt.Sprintf("%s cut to %d bytes", filepath.Base(cutting), size), l, want...)
		}
		if cutting != file { // and of whole lines
			cut(t, cutting, whole, bytes.LastIndex(whole, []byte(`{"read":`)))
			tells(t, "the last event cut off", read(t, file), "not kept", "are missing, from")
			p, l, end := played(t, file, 0)
			for !p.Ended() {
				<-p.Dirty()
			}
			tells(t, "and played", l, "not kept", "are missing, from")
			over(t, end)
		}
		cut(t, cutting, whole, len(whole))
	}
	// The newest alone, cut in what stood then.
	newest := content(t, file)
	if err := os.Remove(file + ".1"); err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(newest, []byte("\n"))
	cut(t, file, newest, len(bytes.Join(lines[:header(t, file).Baseline/2], nil)))
	l := read(t, file)
	tells(t, "cut in the baseline", l, "not kept", "not complete")
	if l.count() > 0 {
		t.Errorf("events of what only stood: %q", briefly(l))
	}
}

func content(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// cut leaves so much of a file; -1: there is none.
func cut(t *testing.T, file string, whole []byte, size int) {
	t.Helper()
	err := os.Remove(file)
	if size >= 0 {
		err = os.WriteFile(file, whole[:size], 0o600)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
}

// tells checks the notices, by a part of each.
func tells(t *testing.T, what string, l *log, parts ...string) {
	t.Helper()
	ok := len(l.notices) == len(parts)
	for i := 0; ok && i < len(parts); i++ {
		ok = strings.Contains(l.notices[i], parts[i])
	}
	if !ok {
		t.Fatalf("%s: notices %q, want %q", what, l.notices, parts)
	}
}

// Any prefix of a recording is a recording.
func TestEveryPrefixIsRead(t *testing.T) {
	file, was := live(t, 0, func(put func(model.Observation)) { churned(3, 3*time.Second, put) })
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := was.lines(t)
	for size := bytes.IndexByte(whole, '\n') + 1; size < len(whole); size += 97 {
		if err := os.WriteFile(file, whole[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		l := read(t, file)
		if torn := whole[size-1] != '\n'; (len(l.notices) == 1 && strings.Contains(l.notices[0], "torn")) != torn || len(l.notices) > 1 {
			t.Fatalf("cut to %d bytes: notices %q", size, l.notices)
		}
		got := l.lines(t)
		// The end lets go of a handoff that still waited, without its takeover.
		for i, s := range got {
			if s != lines[i] && !strings.HasPrefix(s, "model.Handoff") {
				t.Fatalf("cut to %d bytes: live %s\nread %s", size, lines[i], s)
			}
		}
	}
}

// A file that is beside the recording by chance is not taken for its older part.
func TestOlderPartOfAnother(t *testing.T) {
	file, _ := live(t, least, func(put func(model.Observation)) { churned(20, 4*time.Minute, put) })
	other, _ := live(t, 0, func(put func(model.Observation)) { churned(3, time.Second, put) })
	if err := os.Rename(other, file+".1"); err != nil {
		t.Fatal(err)
	}
	h := header(t, file)
	l := read(t, file)
	if len(l.notices) != 2 || !strings.Contains(l.notices[0], "another recording") || !strings.Contains(l.notices[1], "not kept") {
		t.Errorf("notices %q", l.notices)
	}
	if l.count() > 0 && l.events[0].N != h.Events+1 {
		t.Errorf("the first event is %d, after %d", l.events[0].N, h.Events)
	}
}

// A line is one write, of a whole line.
func TestRecorderWritesLines(t *testing.T) {
	var writes []string
	r, err := feed.NewRecorder(writer(func(b []byte) { writes = append(writes, string(b)) }), history.NewHeader(election, newStory().at))
	if err != nil {
		t.Fatal(err)
	}
	s := newStory()
	for range 3 {
		if err := r.Encode(s.change(1), nil); err != nil {
			t.Fatal(err)
		}
	}
	if len(writes) != 4 {
		t.Errorf("%d writes", len(writes))
	}
	for _, w := range writes {
		if strings.Count(w, "\n") != 1 || !strings.HasSuffix(w, "\n") {
			t.Errorf("write %q", w)
		}
	}
}

type writer func([]byte)

func (w writer) Write(b []byte) (int, error) { w(b); return len(b), nil }
