package feed_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"electop/model"
	"electop/zkwatch/feed"
)

// recorded is a recording of minutes minutes, one join each, with the events
// as they were live.
func recorded(t *testing.T, minutes int) (recording []byte, live *log) {
	t.Helper()
	live = new(log)
	record, b := recorder(t, election)
	f := feed.New(feed.Config{Election: election, Events: live.take, Record: record})
	s := newStory()
	f.Put(s.connected())
	f.Put(s.change(1))
	for i := range minutes {
		f.Put(s.pass(time.Minute).change(1))
		if i%3 == 2 {
			f.Put(s.change(0, i/3)) // the leader
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.Run(ctx); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), live
}

func decoder(t *testing.T, recording []byte) *model.Decoder {
	t.Helper()
	d, h, err := model.NewDecoder(bytes.NewReader(recording))
	if err != nil {
		t.Fatal(err)
	}
	if c, err := h.Config(); err != nil || c.Path != path {
		t.Fatalf("header %+v: %v", h, err)
	}
	return d
}

func TestReplayAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		recording, live := recorded(t, 60)
		var again log
		f := feed.New(feed.Config{Election: election, Events: again.take, Notice: again.notice})
		var p feed.Player
		began := time.Now()
		if err := f.Replay(t.Context(), decoder(t, recording), &p); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != 0 { // virtual
			t.Errorf("a replay that waits for nothing took %v", took)
		}
		if !p.Ended() || !p.Now().Equal(newStory().at.Add(time.Hour)) {
			t.Errorf("ended %v, at %v", p.Ended(), p.Now())
		}
		if a, b := live.lines(t), again.lines(t); !slices.Equal(a, b) {
			t.Errorf("live     %q\nreplayed %q", a, b)
		}
		if len(again.notices) > 0 {
			t.Errorf("notices %q", again.notices)
		}
	})
}

func TestReplayPaced(t *testing.T) {
	for _, speed := range []float64{0.01, 0.5, 1, 60, 1e6, math.Inf(1)} {
		synctest.Test(t, func(t *testing.T) {
			recording, live := recorded(t, 9)
			var again log
			f := feed.New(feed.Config{Election: election, Events: again.take})
			p := &feed.Player{Speed: speed}
			began := time.Now()
			if err := f.Replay(t.Context(), decoder(t, recording), p); err != nil {
				t.Fatal(err)
			}
			want, took := time.Duration(float64(9*time.Minute)/speed), time.Since(began)
			if took < want-want/100 || took > want+want/100 {
				t.Errorf("at speed %v it took %v, want %v", speed, took, want)
			}
			if a, b := live.lines(t), again.lines(t); !slices.Equal(a, b) {
				t.Errorf("at speed %v: live %q\nreplayed %q", speed, a, b)
			}
		})
	}
}

// The clock of a paced replay runs between the observations too, and the
// screen is told.
func TestReplayClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		recording, _ := recorded(t, 9)
		f := feed.New(feed.Config{Election: election})
		p := &feed.Player{Speed: 2}
		done := make(chan error, 1)
		go func() { done <- f.Replay(t.Context(), decoder(t, recording), p) }()
		synctest.Wait()
		marks := 0
		for range 100 {
			last := p.Now()
			time.Sleep(100 * time.Millisecond)
			synctest.Wait()
			if d := p.Now().Sub(last); d != 200*time.Millisecond {
				t.Fatalf("in 100 ms at speed 2 its clock moved by %v", d)
			}
			select {
			case <-f.Dirty():
				marks++
			default:
			}
		}
		if marks < 99 {
			t.Errorf("%d marks in 100 frames", marks)
		}
		if p.Ended() {
			t.Error("it has ended already")
		}
		if err := <-done; err != nil || !p.Ended() {
			t.Errorf("Replay: %v, ended %v", err, p.Ended())
		}
	})
}

func TestReplayPause(t *testing.T) {
	for _, speed := range []float64{0, 1} {
		synctest.Test(t, func(t *testing.T) {
			recording, live := recorded(t, 9)
			var again log
			f := feed.New(feed.Config{Election: election, Events: again.take})
			p := &feed.Player{Speed: speed}
			if speed == 0 {
				p.Toggle()
			}
			began := time.Now()
			done := make(chan error, 1)
			go func() { done <- f.Replay(t.Context(), decoder(t, recording), p) }()
			if speed > 0 {
				time.Sleep(90 * time.Second)
				if !p.Toggle() {
					t.Error("Toggle did not stop it")
				}
			}
			time.Sleep(time.Second) // the frame under way
			at, events := p.Now(), again.count()
			time.Sleep(time.Hour)
			if !p.Now().Equal(at) || again.count() != events || events == live.count() {
				t.Errorf("paused at %v with %d events it went on to %v with %d", at, events, p.Now(), again.count())
			}
			if p.Toggle() {
				t.Error("Toggle did not continue it")
			}
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			want := time.Duration(float64(9*time.Minute)*speed) + time.Hour + time.Second
			if took := time.Since(began); took < want-time.Second || took > want {
				t.Errorf("it took %v, want about %v", took, want)
			}
			if a, b := live.lines(t), again.lines(t); !slices.Equal(a, b) {
				t.Errorf("live     %q\nreplayed %q", a, b)
			}
		})
	}
}

func TestReplayEndsWithItsContext(t *testing.T) {
	for _, how := range []string{"at once", "paced", "paused"} {
		synctest.Test(t, func(t *testing.T) {
			recording, live := recorded(t, 9)
			var again log
			f := feed.New(feed.Config{Election: election, Events: again.take})
			p := &feed.Player{Speed: 1}
			if how == "at once" {
				p.Speed = 0
			}
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			if how == "at once" {
				cancel()
			}
			go func() { done <- f.Replay(ctx, decoder(t, recording), p) }()
			time.Sleep(90 * time.Second)
			if how == "paused" {
				p.Toggle()
				time.Sleep(time.Minute)
			}
			cancel()
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", how, err)
			}
			if p.Ended() || again.count() >= live.count() {
				t.Errorf("%s: ended %v with %d of %d events", how, p.Ended(), again.count(), live.count())
			}
		})
	}
}

func TestReplayOfATornRecording(t *testing.T) {
	recording, live := recorded(t, 9)
	var again log
	f := feed.New(feed.Config{Election: election, Events: again.take, Notice: again.notice})
	var p feed.Player
	torn := bytes.LastIndex(recording, []byte(`{"read"`)) + 40
	if err := f.Replay(t.Context(), decoder(t, recording[:torn]), &p); err != nil {
		t.Fatal(err)
	}
	if len(again.notices) != 1 || !strings.Contains(again.notices[0], "torn") || !p.Ended() {
		t.Errorf("notices %q, ended %v", again.notices, p.Ended())
	}
	if a, b := live.lines(t), again.lines(t); len(b) < 5 || len(b) >= len(a) || !slices.Equal(a[:len(b)], b) {
		t.Errorf("live     %q\nreplayed %q", a, b)
	}
}

// A crash leaves a handoff that waited for its acknowledgement.
func TestReplayReleasesTheLastHandoff(t *testing.T) {
	record, b := recorder(t, acking)
	_, os, _ := held()
	for _, o := range os {
		if err := record.Encode(o); err != nil {
			t.Fatal(err)
		}
	}
	for _, torn := range []string{"", `{"read":{"at":"20`} {
		var l log
		f := feed.New(feed.Config{Election: acking, Events: l.take, Notice: l.notice})
		if err := f.Replay(t.Context(), decoder(t, append(slices.Clone(b.Bytes()), torn...)), new(feed.Player)); err != nil {
			t.Fatal(err)
		}
		if got := kinds(t, &l); got != "Snapshot Left Handoff Joined" {
			t.Errorf("torn %q: %s", torn, got)
		}
	}
}

func TestReplayOfABrokenRecording(t *testing.T) {
	recording, _ := recorded(t, 9)
	lines := bytes.SplitAfter(recording, []byte("\n"))
	lines[4] = []byte("{\"read\":7}\n")
	f := feed.New(feed.Config{Election: election})
	if err := f.Replay(t.Context(), decoder(t, bytes.Join(lines, nil)), new(feed.Player)); err == nil || !strings.Contains(err.Error(), "line 5") {
		t.Errorf("Replay: %v", err)
	}
	if n := len(f.State().Queue); n != 2 {
		t.Errorf("%d stand, want the 2 from before the broken line", n)
	}
}

func TestReplayEndsWithTheErrorOfEvents(t *testing.T) {
	recording, _ := recorded(t, 9)
	broken := errors.New("broken pipe")
	f := feed.New(feed.Config{Election: election, Events: func([]model.Event) error { return broken }})
	if err := f.Replay(t.Context(), decoder(t, recording), new(feed.Player)); !errors.Is(err, broken) {
		t.Errorf("Replay: %v", err)
	}
}
