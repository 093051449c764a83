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
	"electop/model/session"
	"electop/ui/candidates"
	"electop/ui/term"
)

func chainSigns(m Model) (out []string) {
	for _, line := range listed(m) {
		if r := []rune(line); len(r) > 8 && strings.Contains("★☆▴▵ ", string(r[1])) && strings.ContainsAny(string(r[5:9]), "0123456789") {
			out = append(out, string(r[1:4]))
		}
	}
	return out
}

func TestChainIsDrawn(t *testing.T) {
	for name, c := range map[string]struct {
		sample sample
		want   []string
	}{
		"five":   {sample{world: five(dialect.Election())}, []string{"★◂╮", "▴◂┤", "▴◂┤", "▴◂┤", "▴─╯"}},
		"a herd": {sample{world: five(dialect.Herd())}, []string{"★◂╮", " ─┤", " ─┤", " ─┤", " ─╯"}},
		"alone":  {sample{world: latch("/e/leader", 1)}, []string{"★  "}},
		"two":    {sample{world: latch("/e/leader", 2)}, []string{"★◂╮", "▴─╯"}},
		"one candidate does not watch yet": {sample{world: five(dialect.Election()).cast("delta", "guid-n_0000000015", model.Volunteering, nil)},
			[]string{"★◂╮", "▴◂┤", "▴─╯", "▴◂╮", "▴─╯"}},
		"filtered": {sample{world: five(dialect.Election()), keys: []string{"/", "e"}}, []string{"★  ", "▴  ", "▴  ", "▴  "}},
	} {
		c.sample.o.Mode = ModeDemo
		if got := chainSigns(showAfter(c.sample, time.Second)); strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%s: got signs %q, want %q", name, got, c.want)
		}
	}
	got := chainSigns(show(samples()["wrong-watch"](), 200, 60, term.Mono))
	if want := []string{"★◂╮", "▴─╯", "▵◂╮", "▴─╯", "▵  "}; strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("wrong watches: got signs %q, want %q", got, want)
	}
	m := show(samples()["crowd"](), 80, 24, term.Mono)
	keys(m, "G")
	if got := chainSigns(m); len(got) < 3 || got[0] != "▴◂┤" || got[len(got)-1] != "▴─╯" {
		t.Errorf("the end of a crowd: got signs %q, want a chain that ends", got)
	}
	keys(m, "g")
	if got := chainSigns(m); len(got) < 3 || got[0] != "★◂╮" || got[len(got)-1] != "▴◂┤" {
		t.Errorf("the beginning of a crowd: got signs %q, want a chain that begins", got)
	}
}

func TestKazooClientMayLeadBesideAmber(t *testing.T) {
	w := five(nil)
	o := samples()["join"]().o
	w.join("0123456789abcdef0123456789abcdef__lock__", "student0", 0xd1)
	screen := func() Model { return showAfter(sample{world: w, o: o}, 0) }
	shows(t, screen(), "amber leads since", "safety ✓ 0 doubles (electop's)")
	w.wait(model.RivalWait + time.Second).advance()
	shows(t, screen(), "unknown who leads: student0 may lead beside amber: by default it counts only kazoo's names",
		"another may lead too", "  may lead too", "safety ◇ 0 doubles (electop's), 1 inferred", "student0  ", "├???")
	showsNot(t, screen(), "wrongly believes", "amber leads", "★")
	w.answers(3, func(tb *session.Table) { unwatch(tb, 0xd1, "") }).wait(3 * time.Second).advance()
	shows(t, screen(), "two lead (inferred): amber and student0, which counts only kazoo's names",
		"two lead (inferred)", "  believes it leads", "safety ◇", "1 finding (1 critical)", "├!!!!!!!!!")
	showsNot(t, screen(), "wrongly believes", "amber leads", "★")
	m := screen()
	keys(m, "enter")
	shows(t, m, "two lead (inferred)")
	showsNot(t, m, "not first in the queue")
	keys(m, "J", "G")
	shows(t, m, "1 third-party candidate now", "student0              10.0.3.")
}

func TestJoinShowsInvitations(t *testing.T) {
	sm := samples()["join"]()
	sm.o.Invitations[1].Line = strings.Repeat("word ", 200) + "finis"
	shows(t, show(sm, 200, 50, term.Mono), "finis")
	sm = samples()["join"]()
	shows(t, show(sm, 200, 50, term.Mono), sm.o.Invitations[1].Line)
	for mode, want := range map[string]string{ModeReplay: "Can't join: this is a recording", ModeLive: "electop campaign /election"} {
		m, _, _ := dashboardWith(nil, mode)
		keys(m, "J")
		shows(t, m, want)
		keys(m, "esc")
		if front(m) != onMain {
			t.Errorf("after esc: got %s in front, want %s", front(m), onMain)
		}
	}
}

func TestGridShowsAll(t *testing.T) {
	sm := samples()["grid"]()
	all := sm.world.state().Queue.Slice()
	m := show(sm, 120, 36, term.Mono)
	if n := signsIn(m, "○") + signsIn(m, "▴") + signsIn(m, "★") + signsIn(m, "❄") + signsIn(m, "✗"); n != len(all) {
		t.Errorf("got %d cells, want %d, one for each candidate:\n%s", n, len(all), screen(m))
	}
	for _, size := range [][2]int{{60, 20}, {120, 36}} {
		m := show(sm, size[0], size[1], term.Mono)
		keys(m, "g")
		for i, c := range append(all, all[len(all)-1]) { // j stays on the last candidate
			if got := gridLastLine(m); !strings.Contains(got, fmt.Sprintf("n_%d", c.Sequence)) {
				t.Fatalf("at %v after %d times j: got last line %q, want the line of %s", size, i, got, c.Name)
			}
			if n := signsIn(m, ">"); n != 1 {
				t.Fatalf("at %v after %d times j: got %d marked cells, want 1:\n%s", size, i, n, screen(m))
			}
			m.Update(press("j"))
		}
	}
}

func TestZoom(t *testing.T) {
	m, _, _, _ := dashboardWithPast(nil)
	keys(m, "z")
	shows(t, m, "watches", "birch")
	showsNot(t, m, "Handoffs")
	keys(m, "z")
	shows(t, m, "Handoffs")
	keys(m, "p", "z")
	showsNot(t, m, "Handoffs")
	keys(m, "esc")
	shows(t, m, "Handoffs")
	if front(m) != inPast {
		t.Fatalf("after esc: got %s in front, want %s", front(m), inPast)
	}
	keys(m, "esc")
	if front(m) != onMain {
		t.Errorf("after esc: got %s in front, want %s", front(m), onMain)
	}
}

func TestAddressesOfThirdPartyCandidates(t *testing.T) {
	shows(t, showAfter(sample{world: guests()}, 0), "client", "10.0.")
	w := five(dialect.Election())
	w.j.Apply(w.table())
	w.join("guid-n_", "fjord", 0xa6)
	showsNot(t, showAfter(sample{world: w, o: Options{Mode: ModeDemo}}, 0), "client")
}

var waveLine = regexp.MustCompile(`● (\d+) notified +▸ (\d+) re-reading +✓ (\d+) done`)

func waveShown(m Model) (notified, reading, done int, ok bool) {
	found := waveLine.FindStringSubmatch(screen(m))
	if found == nil {
		return 0, 0, 0, false
	}
	notified, _ = strconv.Atoi(found[1])
	reading, _ = strconv.Atoi(found[2])
	done, _ = strconv.Atoi(found[3])
	return notified, reading, done, true
}

func signsIn(m Model, sign string) int {
	n := 0
	for _, line := range listed(m) {
		if strings.Contains(line, "deleted") || strings.Contains(line, "notified") {
			break
		}
		n += strings.Count(line, sign)
	}
	return n
}

func countReactions(s *model.State) (read, done int) {
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

func TestWaveInSlowMotion(t *testing.T) {
	const n = 120
	read, done := 0, 0
	ended := false
	for d := time.Duration(0); d < 8*time.Second; d += 50 * time.Millisecond {
		w := secondWave(n, d)
		m := show(sample{world: w, o: Options{Mode: ModeDemo}, keys: []string{"z"}}, 120, 36, term.Mono)
		notified, reading, finished, ok := waveShown(m)
		if !ok {
			if d < 2*time.Second {
				t.Fatalf("after %v there is no wave:\n%s", d, screen(m))
			}
			ended = true
			shows(t, m, fmt.Sprintf("%d notified, list read again within 132 ms, %d done within 172 ms", n-2, n-2))
			continue
		}
		haveRead, haveDone := countReactions(w.state().State)
		switch {
		case ended:
			t.Fatalf("after %v the wave is shown again", d)
		case notified != n-2 || reading+finished > haveRead || finished > haveDone:
			t.Fatalf("after %v %d notified, %d re-reading, %d done; so far %d have read and %d are done", d, notified, reading, finished, haveRead, haveDone)
		case reading+finished < read || finished < done:
			t.Fatalf("after %v: got %d re-reading or done, and %d done; want at least %d and %d", d, reading+finished, finished, read, done)
		}
		read, done = reading+finished, finished
		newLeader := 1 // its cell has a leader's sign
		if got := signsIn(m, "▸") + signsIn(m, "✓") + signsIn(m, "●"); d > time.Millisecond && got != notified-newLeader {
			t.Fatalf("after %v %d cells have a sign of the wave, want %d:\n%s", d, got, notified-newLeader, screen(m))
		}
		if after, msg := tick(t, m); msg == nil || after > candidates.TickTravel {
			t.Fatalf("after %v: got the next frame in %v, want one in at most %v", d, after, candidates.TickTravel)
		}
	}
	if done != n-2 || !ended {
		t.Errorf("at the end: got %d candidates done, ended %v; want %d, true", done, ended, n-2)
	}
	m := show(sample{world: secondWave(n, time.Minute), o: Options{Mode: ModeDemo}, keys: []string{"z"}}, 120, 36, term.Mono)
	if after, _ := tick(t, m); after < term.TickCalm/2 {
		t.Errorf("long after the wave: got the next frame in %v, want at least %v", after, term.TickCalm/2)
	}
}

func TestNoSlowMotionDuringTimeTravel(t *testing.T) {
	const n = 60
	var p fakePast
	var last *world
	for _, d := range []time.Duration{time.Millisecond, 20 * time.Millisecond, 44 * time.Millisecond, 60 * time.Millisecond, 80 * time.Millisecond, 100 * time.Millisecond, 112 * time.Millisecond, 200 * time.Millisecond} {
		last = secondWave(n, d)
		p.record(last)
	}
	m := show(sample{world: last, o: Options{Mode: ModeDemo, Past: &p}, keys: []string{"z", "p", "home"}, runs: true}, 120, 36, term.Mono)
	for i := range p.moments {
		read, done := countReactions(p.moments[i].State.State)
		if notified, reading, finished, ok := waveShown(m); !ok || notified != n-2 || reading != read-done || finished != done {
			t.Errorf("moment %d: got %d notified, %d re-reading, %d done; want %d, %d and %d:\n%s",
				i+1, notified, reading, finished, n-2, read-done, done, screen(m))
		}
		showsNot(t, m, "slow motion")
		keys(m, ".")
	}
}

func TestNoSlowMotionWhileMessagesAreHeld(t *testing.T) {
	w := bigCast(30).switchRecipe(dialect.Herd()).pace(model.Pace{Steps: true}).leaderDeleted(time.Millisecond)
	q := w.state().Queue.Slice()
	var held []model.Message
	for i, c := range q {
		if i < 3 {
			held = append(held, model.Message{Session: c.Session, Since: w.now.Add(time.Second), Op: "getChildren", Path: "/class"})
		} else {
			held = append(held, model.Message{Session: c.Session, Since: w.now, Op: "notification", Path: "/class/x", Event: "deleted"})
		}
	}
	w.wait(2 * time.Second).pace(model.Pace{Steps: true, Held: held})
	m := show(sample{world: w, o: Options{Mode: ModeDemo}, keys: []string{"z"}}, 80, 24, term.Mono)
	if notified, reading, done, _ := waveShown(m); notified != 29 || reading != 3 || done != 0 {
		t.Errorf("got %d notified, %d re-reading, %d done; want 29, 3 and 0:\n%s", notified, reading, done, screen(m))
	}
	showsNot(t, m, "slow motion")
}

func TestWaveOfThirdPartyClients(t *testing.T) {
	w := bigCast(40)
	for id := range w.members {
		w.j.Apply(&model.Cast{At: w.now, Member: model.Member{ID: id}, Gone: true})
	}
	q := w.state().Queue.Slice()
	reportDeletion := func(settled bool) {
		w.j.Apply(&model.DeletionReport{At: w.now, Deleted: noon.Add(time.Minute), Znode: q[0].Name, Zxid: w.zxid + 1, Notified: []uint64{7, 8, 9}, Requests: 5, BytesIn: 100, Settled: settled})
	}
	reportDeletion(false)
	w.wait(350 * time.Millisecond)
	reportDeletion(true)
	for _, c := range []struct {
		wait time.Duration
		done int
	}{{time.Second, 0}, {2500 * time.Millisecond, 3}} {
		w.wait(c.wait)
		m := show(sample{world: w, o: Options{Mode: ModeDemo}, keys: []string{"z"}}, 80, 24, term.Mono)
		if notified, reading, done, ok := waveShown(m); !ok || notified != 3 || reading != 0 || done != c.done {
			t.Errorf("got %d notified, %d re-reading, %d done; want 3, 0 and %d:\n%s", notified, reading, done, c.done, screen(m))
		}
	}
}

func TestGridLabels(t *testing.T) {
	for n, label := range map[int]func(*dialect.Candidate) string{
		40:  func(c *dialect.Candidate) string { return c.Label() },
		300: func(c *dialect.Candidate) string { return strconv.FormatInt(c.Sequence, 10) },
		700: func(*dialect.Candidate) string { return "" },
	} {
		m, src, _ := dashboardOn(mixedCrowd(n), nil, Options{})
		keys(m, "z")
		text, all := screen(m), src.State().Queue.Slice()
		for _, c := range all {
			if l := label(c); l != "" && !regexp.MustCompile(`[^\w\s] `+l+` `).MatchString(text) || strings.Contains(lines(m)[2], "…") {
				t.Fatalf("%d candidates: the grid lacks or shortens %q:\n%s", n, l, text)
			}
		}
		line := []rune(lines(m)[2])
		last := strings.TrimRight(string(line[:len(line)-1]), " ")
		if w := 118 / ((n + 29) / 30); len([]rune(last)) < len(line)-w-3 {
			t.Errorf("%d candidates: the grid ends at column %d of %d:\n%s", n, len([]rune(last)), len(line), text)
		}
	}
}
