package ui

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/ui/candidates"
	"electop/ui/term"
)

var waveLine = regexp.MustCompile(`● (\d+) notified +▸ (\d+) re-reading +✓ (\d+) done`)

// waved is how many the screen says were notified, re-read, and are done.
func waved(m Model) (notified, reading, done int, ok bool) {
	found := waveLine.FindStringSubmatch(screen(m))
	if found == nil {
		return 0, 0, 0, false
	}
	notified, _ = strconv.Atoi(found[1])
	reading, _ = strconv.Atoi(found[2])
	done, _ = strconv.Atoi(found[3])
	return notified, reading, done, true
}

// signsIn counts a sign in the cells of the grid.
func signsIn(m Model, sign string) int {
	n := 0
	for _, line := range inside(m, "Candidates") {
		if strings.Contains(line, "deleted") || strings.Contains(line, "notified") {
			break
		}
		n += strings.Count(line, sign)
	}
	return n
}

// happened counts, from the state, who has read the list again and who is done, of the
// last wave.
func happened(s *model.State) (read, done int) {
	for _, r := range s.Waves[len(s.Waves)-1].Reactions {
		if r.Read > 0 || r.Done > 0 {
			read++
		}
		if r.Done > 0 {
			done++
		}
	}
	return read, done
}

// A storm is shown in slow motion, never ahead of what happened; each of the cells has
// the sign of its candidate, and the numbers are theirs.
func TestWaveLive(t *testing.T) {
	const n = 120
	read, done := 0, 0
	ended := false
	for d := time.Duration(0); d < 8*time.Second; d += 50 * time.Millisecond {
		w := lectured(n, d)
		m := stage(scene{world: w, o: Options{Mode: ModeDemo}, keys: []string{"z"}}, 120, 36, term.Mono)
		notified, reading, finished, ok := waved(m)
		if !ok {
			if d < 2*time.Second {
				t.Fatalf("after %v there is no wave:\n%s", d, screen(m))
			}
			ended = true
			says(t, m, fmt.Sprintf("%d notified, list read again within 132 ms, %d done within 172 ms", n-2, n-2))
			continue
		}
		haveRead, haveDone := happened(w.state().State)
		switch {
		case ended:
			t.Fatalf("after %v the wave is back", d)
		case notified != n-2 || reading+finished > haveRead || finished > haveDone:
			t.Fatalf("after %v %d notified, %d re-reading, %d done; so far %d have read and %d are done", d, notified, reading, finished, haveRead, haveDone)
		case reading+finished < read || finished < done:
			t.Fatalf("after %v the wave went back: %d have read and %d are done, before %d and %d", d, reading+finished, finished, read, done)
		}
		read, done = reading+finished, finished
		leader := 1 // has its own sign
		if got := signsIn(m, "▸") + signsIn(m, "✓") + signsIn(m, "●"); d > time.Millisecond && got != notified-leader {
			t.Fatalf("after %v %d cells have a sign of the wave, want %d:\n%s", d, got, notified-leader, screen(m))
		}
		if after, _ := tick(t, m); after > candidates.TickTravel {
			t.Fatalf("after %v the next frame is in %v", d, after)
		}
	}
	if done != n-2 || !ended {
		t.Errorf("at last %d of %d are done, over %v", done, n-2, ended)
	}
	m := stage(scene{world: lectured(n, time.Minute), o: Options{Mode: ModeDemo}, keys: []string{"z"}}, 120, 36, term.Mono)
	if after, _ := tick(t, m); after > 0 && after < term.TickCalm/2 {
		t.Errorf("long after the wave the next frame is in %v", after)
	}
}

// A moment of the past shows what had happened by then, and nothing in slow motion.
func TestWavePast(t *testing.T) {
	const n = 60
	var p tape
	var last *world
	for _, d := range []time.Duration{time.Millisecond, 20 * time.Millisecond, 44 * time.Millisecond, 60 * time.Millisecond, 80 * time.Millisecond, 100 * time.Millisecond, 112 * time.Millisecond, 200 * time.Millisecond} {
		last = lectured(n, d)
		p.take(last)
	}
	m := stage(scene{world: last, o: Options{Mode: ModeDemo, Past: &p}, keys: []string{"z", "p", "home"}, runs: true}, 120, 36, term.Mono)
	for i := range p.moments {
		read, done := happened(p.moments[i].State.State)
		if notified, reading, finished, ok := waved(m); !ok || notified != n-2 || reading != read-done || finished != done {
			t.Errorf("moment %d says %d notified, %d re-reading, %d done; want %d and %d:\n%s", i+1, notified, reading, finished, read-done, done, screen(m))
		}
		saysNot(t, m, "slow motion")
		keys(m, ".")
	}
}

// Where the server is slowed down, what it holds back shows how far each is: nothing is in
// slow motion besides.
func TestWaveHeld(t *testing.T) {
	w := classroom(30).reseat(dialect.Herd()).pace(model.Pace{Steps: true}).stormed(time.Millisecond)
	q := w.state().Queue.Slice()
	var held []model.Message
	for i, c := range q {
		if i < 3 { // it was notified, and the list is held back
			held = append(held, model.Message{Session: c.Session, Since: w.now.Add(time.Second), Op: "getChildren", Path: "/class"})
		} else {
			held = append(held, model.Message{Session: c.Session, Since: w.now, Op: "notification", Path: "/class/x", Event: "deleted"})
		}
	}
	w.wait(2 * time.Second).pace(model.Pace{Steps: true, Held: held})
	m := stage(scene{world: w, o: Options{Mode: ModeDemo}, keys: []string{"z"}}, 80, 24, term.Mono)
	if notified, reading, done, _ := waved(m); notified != 29 || reading != 3 || done != 0 {
		t.Errorf("%d notified, %d re-reading, %d done; want 29, 3 and 0:\n%s", notified, reading, done, screen(m))
	}
	saysNot(t, m, "slow motion")
}

// Third-party clients do not report their steps: they are done when the server reports
// that nothing follows.
func TestWaveOfOthers(t *testing.T) {
	w := classroom(40)
	for id := range w.members {
		w.j.Apply(&model.Cast{At: w.now, Member: model.Member{ID: id}, Gone: true})
	}
	q := w.state().Queue.Slice()
	wake := func(settled bool) {
		w.j.Apply(&model.Wake{At: w.now, Deleted: noon.Add(time.Minute), Znode: q[0].Name, Zxid: w.zxid + 1, Notified: []uint64{7, 8, 9}, Requests: 5, BytesIn: 100, Settled: settled})
	}
	wake(false)
	w.wait(350 * time.Millisecond)
	wake(true)
	for _, c := range []struct {
		wait time.Duration
		done int
	}{{time.Second, 0}, {2500 * time.Millisecond, 3}} {
		w.wait(c.wait)
		m := stage(scene{world: w, o: Options{Mode: ModeDemo}, keys: []string{"z"}}, 80, 24, term.Mono)
		if notified, reading, done, ok := waved(m); !ok || notified != 3 || reading != 0 || done != c.done {
			t.Errorf("%d notified, %d re-reading, %d done; want 3, 0 and %d:\n%s", notified, reading, done, c.done, screen(m))
		}
	}
}
