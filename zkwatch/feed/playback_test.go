package feed_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/history"
	"electop/zkwatch/feed"
)

func writeRecording(t *testing.T, recording []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "recording")
	if err := os.WriteFile(file, recording, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// recordMinutes records a join at the start and after each of n minutes. The connection reports between the joins add no moment.
func recordMinutes(t *testing.T, n int) (file string) {
	t.Helper()
	record, b := newRecorder(t, election)
	s := newScenario()
	put := func(o model.Observation) {
		if err := record.Encode(o, nil); err != nil {
			t.Fatal(err)
		}
	}
	put(s.connected())
	put(s.change(1))
	for range n {
		for range 60 {
			link := s.pass(time.Second).connected()
			link.RTT = time.Duration(s.at.Second()+1) * time.Millisecond
			put(link)
		}
		put(s.change(1))
	}
	return writeRecording(t, b.Bytes())
}

func startPlayback(t *testing.T, file string, speed float64) (p *feed.Playback, l *log, end func() error) {
	t.Helper()
	p, err := feed.OpenPlayback(file, speed)
	if err != nil {
		t.Fatal(err)
	}
	l = new(log)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx, l.notice) }()
	return p, l, func() error {
		cancel()
		return <-done
	}
}

func endPlayback(t *testing.T, end func() error) {
	t.Helper()
	if err := end(); !errors.Is(err, context.Canceled) {
		t.Errorf("Run: got error %v, want %v", err, context.Canceled)
	}
}

func TestPlaybackSpeed(t *testing.T) {
	for _, speed := range []float64{0.01, 0.5, 1, 60, 1e6} {
		synctest.Test(t, func(t *testing.T) {
			p, l, end := startPlayback(t, recordMinutes(t, 9), speed)
			synctest.Wait()
			if n := p.State().Queue.Len(); n != 1 || !p.Now().Equal(newScenario().at) {
				t.Fatalf("at the start: got %d candidates at %v, want 1 at %v", n, p.Now(), newScenario().at)
			}
			want := time.Duration(float64(9*time.Minute) / speed)
			time.Sleep(want / 2)
			synctest.Wait()
			if n := p.State().Queue.Len(); speed < 1e5 && n != 5 || p.Ended() && speed < 1e5 {
				t.Errorf("half way at speed %v: got %d candidates, ended %v; want 5, false", speed, n, p.Ended())
			}
			time.Sleep(want/2 + want/100 + time.Millisecond)
			synctest.Wait()
			if n := p.State().Queue.Len(); n != 10 || !p.Ended() {
				t.Errorf("after %v at speed %v: got %d candidates, ended %v; want 10, true", want, speed, n, p.Ended())
			}
			if first, last := p.Span(); !first.Equal(newScenario().at) || last.Sub(first) != 9*time.Minute {
				t.Errorf("got a span from %v to %v, want 9m from %v", first, last, newScenario().at)
			}
			if len(l.notices) > 0 {
				t.Errorf("got notices %q, want none", l.notices)
			}
			endPlayback(t, end)
		})
	}
}

func TestPlaybackClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _, end := startPlayback(t, recordMinutes(t, 9), 2)
		synctest.Wait()
		marks := 0
		for range 100 {
			last := p.Now()
			time.Sleep(100 * time.Millisecond)
			synctest.Wait()
			if d := p.Now().Sub(last); d != 200*time.Millisecond {
				t.Fatalf("after 100 ms at speed 2: got a clock step of %v, want 200ms", d)
			}
			select {
			case <-p.Dirty():
				marks++
			default:
			}
		}
		if marks < 99 {
			t.Errorf("got %d receives from Dirty in 100 steps, want at least 99", marks)
		}
		endPlayback(t, end)
	})
}

func TestPlaybackStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _, end := startPlayback(t, recordMinutes(t, 9), 1)
		time.Sleep(90*time.Second + time.Millisecond)
		synctest.Wait()
		if !p.Toggle() {
			t.Error("Toggle did not stop the playback")
		}
		synctest.Wait()
		at := p.Now()
		if d := at.Sub(newScenario().at); d < 89*time.Second || d > 91*time.Second {
			t.Errorf("stopped after 90 s: got position %v, want about 90s", d)
		}
		time.Sleep(time.Hour)
		if n, stopped, ended := p.Playing(); !p.Now().Equal(at) || !stopped || ended || n != 2 || p.State().Queue.Len() != 2 {
			t.Errorf("1h after %v: got %v, moment %d, stopped %v, ended %v; want %[1]v, 2, true, false", at, p.Now(), n, stopped, ended)
		}
		if p.Toggle() {
			t.Error("Toggle did not continue the playback")
		}
		time.Sleep(9*time.Minute - 90*time.Second + time.Second)
		synctest.Wait()
		if !p.Ended() || p.State().Queue.Len() != 10 {
			t.Errorf("got ended %v with %d candidates, want true with 10", p.Ended(), p.State().Queue.Len())
		}
		endPlayback(t, end)
	})
}

func TestPlaybackSeeks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _, end := startPlayback(t, recordMinutes(t, 9), 1)
		time.Sleep(30 * time.Second)
		synctest.Wait()
		for _, to := range []struct {
			n    uint64
			m    history.Move
			want uint64
		}{
			{1, history.MoveTo, 1}, {1, history.MoveOn, 2}, {10, history.MoveBack, 9}, {0, history.MoveToLast, 10},
			{4, history.MoveToEvent, 5}, {7, history.MoveToHandoff, 7}, {99, history.MoveTo, 10},
		} {
			at, ok := p.Seek(to.n, to.m)
			if !ok || at.N != to.want || at.First != (to.want == 1) || at.Last != (to.want == 10) {
				t.Errorf("seek from %d by %q: got moment %d, first %t, last %t; want %d of 10", to.n, to.m, at.N, at.First, at.Last, to.want)
			}
			time.Sleep(time.Minute)
			synctest.Wait()
			n, stopped, ended := p.Playing()
			if p.State() != at.State || !p.Now().Equal(at.At) || n != at.N || !stopped || ended {
				t.Errorf("a minute after the seek to moment %d: got moment %d at %v, stopped %v, ended %v; want it stopped there", at.N, n, p.Now(), stopped, ended)
			}
		}
		at, _ := p.Seek(5, history.MoveTo)
		if p.Toggle() {
			t.Error("Toggle did not continue the playback")
		}
		time.Sleep(119*time.Second + 10*time.Millisecond)
		synctest.Wait()
		if n, _, _ := p.Playing(); n != 6 || p.Now().Sub(at.At) != 119*time.Second || p.State().Link.RTT != 60*time.Millisecond {
			t.Errorf("119 s after moment 5: got moment %d, %v later, with a round trip of %v; want 6, 119s, 60ms", n, p.Now().Sub(at.At), p.State().Link.RTT)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if !p.Ended() || p.State().Queue.Len() != 10 {
			t.Errorf("got ended %v, %d candidates; want true, 10", p.Ended(), p.State().Queue.Len())
		}
		if at, ok := p.Seek(10, history.MoveBack); !ok || at.N != 9 || p.Ended() {
			t.Errorf("back from the end: got moment %d, ended %v; want 9, false", at.N, p.Ended())
		}
		p.Toggle()
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if !p.Ended() {
			t.Error("the playback did not reach the end again")
		}
		endPlayback(t, end)
	})
}

func TestPlaybackShowsTheLiveMoments(t *testing.T) {
	file, recorded := recordFile(t, 0, func(put func(model.Observation)) { putElection(8, 40*time.Second, put) })
	p, l, end := startPlayback(t, file, 0)
	j := doctor.NewJournal(p.Election())
	for !p.Ended() {
		<-p.Dirty()
	}
	putElection(8, 40*time.Second, func(o model.Observation) { j.Apply(o) })
	if a, b := marshal(t, j.State()), marshal(t, p.State()); a != b {
		t.Errorf("got state at the end:\n%s\nwant:\n%s", b, a)
	}
	sought := new(log)
	at, ok := p.Seek(0, history.MoveToFirst)
	for n := at.N; ok; {
		if err := sought.take(at.Events); err != nil {
			t.Fatal(err)
		}
		if at.Last {
			break
		}
		if at, ok = p.Seek(n, history.MoveOn); at.N != n+1 {
			t.Fatalf("got moment %d, want %d", at.N, n+1)
		}
		n = at.N
	}
	if a, b := recorded.lines(t), sought.lines(t); strings.Join(a, "\n") != strings.Join(b, "\n") {
		failWithDifference(t, a, b)
	}
	if len(l.notices) > 0 {
		t.Errorf("got notices %q, want none", l.notices)
	}
	endPlayback(t, end)
}

func TestPlaybackConcurrently(t *testing.T) {
	file, _ := recordFile(t, 0, func(put func(model.Observation)) { putElection(8, time.Minute, put) })
	p, _, end := startPlayback(t, file, 1000)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			n := uint64(i * 37)
			for k := range 200 {
				switch (k + i) % 5 {
				case 0:
					p.Toggle()
				case 1:
					if s := p.State(); s == nil {
						t.Error("got no state")
					}
					p.Span()
				case 2:
					p.Now()
					p.Ended()
				default:
					if at, ok := p.Seek(n, history.MoveOn); ok {
						if n = at.N; at.Last {
							n = 0
						}
					}
				}
			}
		})
	}
	wg.Wait()
	endPlayback(t, end)
}

func TestPlaybackReleasesTheLastHandoff(t *testing.T) {
	record, b := newRecorder(t, ackElection)
	// The recording ends before the next leader's acknowledgement, as after a crash.
	for _, o := range heldHandoff() {
		if err := record.Encode(o, nil); err != nil {
			t.Fatal(err)
		}
	}
	p, _, end := startPlayback(t, writeRecording(t, b.Bytes()), 0)
	for !p.Ended() {
		<-p.Dirty()
	}
	at, ok := p.Seek(0, history.MoveToLast)
	if !ok || len(at.Events) != 2 || at.State.Totals.Handoffs != 1 {
		t.Errorf("got events %+v in the last moment, want 2 events, and 1 handoff in total", at.Events)
	}
	endPlayback(t, end)
}

func TestPlaybackOfABrokenRecording(t *testing.T) {
	recording, err := os.ReadFile(recordMinutes(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(recording, []byte("\n"))
	lines[4] = []byte("{\"read\":7}\n")
	p, err := feed.OpenPlayback(writeRecording(t, bytes.Join(lines, nil)), 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Run(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "line 5") {
		t.Errorf("Run: got error %v, want one with \"line 5\"", err)
	}
	for _, bad := range []string{"", "{}\n", "GIF89a"} {
		if _, err := feed.OpenPlayback(writeRecording(t, []byte(bad)), 1); err == nil || !strings.Contains(err.Error(), "not a header") {
			t.Errorf("recording %q: got error %v, want %q", bad, err, "not a header")
		}
	}
	if _, err := feed.OpenPlayback(filepath.Join(t.TempDir(), "none"), 1); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a file: got error %v, want %v", err, os.ErrNotExist)
	}
}

func TestPlaybackOfALaterPart(t *testing.T) {
	file, _ := recordFile(t, smallest, func(put func(model.Observation)) { putElection(20, 8*time.Minute, put) })
	synctest.Test(t, func(t *testing.T) {
		p, l, end := startPlayback(t, file, 1)
		synctest.Wait()
		if s := p.State(); s.Queue.Len() < 19 || len(s.Members) < 19 || s.At.Before(newScenario().at.Add(time.Minute)) {
			t.Errorf("at the start: got %d candidates, %d members, at %v; want at least 19 of each after minute 1", s.Queue.Len(), len(s.Members), s.At)
		}
		wantNotices(t, "played", l, "this is part")
		time.Sleep(time.Second)
		endPlayback(t, end)
	})
}

func TestPlaybackOfALargeRecording(t *testing.T) {
	n := 0
	file, _ := recordFile(t, 0, func(put func(model.Observation)) {
		putElection(50, 2*time.Minute, func(o model.Observation) { n++; put(o) })
	})
	p, err := feed.OpenPlaybackMax(file, 0, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	var l log
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx, l.notice) }()
	for !p.Ended() {
		<-p.Dirty()
	}
	first, ok := p.Seek(0, history.MoveToFirst)
	last, _ := p.Seek(0, history.MoveToLast)
	if !ok || first.N < 100 || last.N < first.N+100 || last.N > uint64(n) || last.State.Queue.Len() != 50 {
		t.Errorf("got moments %d to %d of %d observations, %d candidates; want at least 101 moments, none before 100, and 50", first.N, last.N, n, last.State.Queue.Len())
	}
	if len(l.notices) != 1 || !strings.Contains(l.notices[0], "large") {
		t.Errorf("got notices %q, want one about a large recording", l.notices)
	}
	cancel()
	<-done
}

// TestPlaybackWithoutAKeptMoment checks that playback ends, even if the kept end of the recording has no event.
func TestPlaybackWithoutAKeptMoment(t *testing.T) {
	file, _ := recordFile(t, 0, func(put func(model.Observation)) {
		s := newScenario()
		put(s.connected())
		put(s.change(1))
		for i := range 20_000 {
			o := s.pass(time.Second).connected()
			o.RTT = time.Duration(i)
			put(o)
		}
	})
	p, err := feed.OpenPlaybackMax(file, 0, 1<<18)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx, nil) }()
	for !p.Ended() {
		<-p.Dirty()
	}
	cancel()
	<-done
}

func marshal(t *testing.T, s *doctor.State) string {
	t.Helper()
	l := log{events: []model.Event{{Body: doctor.Snapshot{State: s}}}}
	return l.lines(t)[0]
}

func TestPlaybackWholeAndScale(t *testing.T) {
	file := recordMinutes(t, 5)
	synctest.Test(t, func(t *testing.T) {
		p, _, end := startPlayback(t, file, 1)
		defer endPlayback(t, end)
		synctest.Wait()
		s := p.Whole()
		if s == nil || s.Queue.Len() != 6 || p.State().Queue.Len() != 1 {
			t.Fatalf("got end state %v, want 6 candidates; got %d candidates in the playback, want 1", s, p.State().Queue.Len())
		}
		began := p.Now()
		if got := p.Scale(4); got != 4 || p.Speed() != 4 {
			t.Errorf("got speed %v, want 4", got)
		}
		time.Sleep(15 * time.Second)
		synctest.Wait()
		if passed := p.Now().Sub(began); passed < 59*time.Second || passed > 61*time.Second {
			t.Errorf("after 15 s at speed 4: got %v of recorded time, want 1m", passed)
		}
		for range 100 {
			p.Scale(.5)
		}
		if got := p.Speed(); got != 1./64 {
			t.Errorf("got smallest speed %v, want 1/64", got)
		}
	})
}
