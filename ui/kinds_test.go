package ui

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/session"
	"electop/model/znode"
	"electop/ui/action"
	"electop/ui/detail"
	"electop/ui/plain"
	"electop/ui/term"
)

func sharedLock() *world {
	w := newWorld("/locks/stock", nil, false).connectTo(ensemble[0])
	w.read(nil, nil)
	for i, kind := range []string{"__rlock__", "__rlock__", "__lock__", "__rlock__", "__rlock__"} {
		w.wait(10*time.Second).join(fmt.Sprintf("%032x%s", i, kind), fmt.Sprintf("client%d", i), sessionOn(i%3, i))
	}
	return w.answers(2, nil).wait(20*time.Second).answers(1, nil)
}

func (w *world) release() *world {
	return w.answers(1, nil).wait(10 * time.Millisecond).leave(w.state().Queue.At(0).Name)
}

func TestSharedLockStatements(t *testing.T) {
	alive := func(w *world, id uint64) *world { // the session is still connected, although its znode is gone
		return w.answers(1, func(t *session.Table) {
			t.Servers[0].Clients = append(t.Servers[0].Clients, session.Client{Session: id, Addr: "10.0.3.11:41000", Timeout: 6 * time.Second})
		})
	}
	for name, c := range map[string]struct {
		world      *world
		want, none []string
	}{
		"nobody is notified of the first release":   {sharedLock().release(), nil, []string{"notified"}},
		"the first release is no handoff":           {sharedLock().release(), []string{"Handoffs ───", " 1   beliefs"}, []string{"client0 → client1"}},
		"the other reader's time goes on":           {sharedLock().release(), []string{"client1 holds since 11:58:11, for 53s"}, nil},
		"the second release notifies the writer":    {sharedLock().release().release(), []string{"n_13 was deleted and 1 contender was"}, nil},
		"the writer's release notifies two readers": {sharedLock().release().release().release(), []string{"n_14 was deleted and 2 were notified."}, []string{"to find one"}},
		"readers behind a writer are no herd":       {sharedLock().release().release().answers(2, nil).wait(9 * time.Second), []string{"2 of the 2 others", "quiet: nobody polls"}, []string{"herd", "1 finding"}},
		"nobody is next while readers hold":         {sharedLock(), []string{"nobody yet: others still"}, []string{"no leader yet"}},
		"both readers are next":                     {sharedLock().release().release(), []string{"client3 and client4 are next", "client3       10.0.3.13:41002      34s  ↑ 14 ✓  next", "client4       10.0.3.14:41003      24s  ↑ 14 ✓  next"}, nil},
		"a release without later answers":           {sharedLock().release().release(), []string{"client1 → client2  released"}, []string{"closed/deleted"}},
		"both readers get the lock":                 {sharedLock().release().release().release(), []string{"client2 → client3 +1"}, nil},
		"a release of a live session":               {alive(sharedLock().release().release(), sessionOn(1, 1)), []string{"client1 → client2  released"}, []string{"znode deleted  "}},
	} {
		m := show(sample{world: c.world, o: live, keys: []string{"tab"}}, 120, 36, term.Mono)
		t.Run(name, func(t *testing.T) {
			shows(t, m, c.want...)
			showsNot(t, m, c.none...)
		})
	}
}

// directory takes children as "name" or "name=data". A ! after the name makes the znode persistent.
func directory(path string, children ...string) *world {
	w := newWorld(path, nil, false).connectTo(ensemble[0])
	w.put(&model.Directory{At: w.now, Path: znode.Dir(path), Presence: model.Present})
	w.read(nil, nil)
	return w.child(children...)
}

func (w *world) child(children ...string) *world {
	for _, x := range children {
		name, data, _ := strings.Cut(x, "=")
		session := sessionOn(len(w.children)%3, len(w.children))
		name, persistent := strings.CutSuffix(name, "!")
		if persistent {
			session = 0
		}
		w.zxid++
		w.creates++
		w.children[name] = znode.Znode{Name: name, Session: session, Czxid: w.zxid, Ctime: w.now, Data: znode.NewData([]byte(data))}
		w.wait(7*time.Second).read([]string{name}, nil)
	}
	return w
}

func (w *world) watched(path string, sessions ...uint64) *world {
	return w.answers(2, func(t *session.Table) {
		t.Servers[0].Watched = append(t.Servers[0].Watched, session.Watch{Path: path, Sessions: sessions})
		for i, id := range sessions {
			t.Servers[0].Clients = append(t.Servers[0].Clients, session.Client{Session: id, Addr: fmt.Sprintf("10.0.4.%d:5000", i), Timeout: 6 * time.Second})
		}
	})
}

func items(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf("qn-%010d!", i))
	}
	return all
}

func TestKinds(t *testing.T) {
	hexes := []string{strings.Repeat("0a", 16), strings.Repeat("0b", 16), strings.Repeat("0c", 16)}
	never := []string{"candidate", "leads", "leader", "nobody", "▴", "waits at", "watches  ", "fencing"}
	for name, c := range map[string]struct {
		world        *world
		main, recipe []string
	}{
		"group": {directory("/app/workers", "amber=x", "birch=x"), []string{"group  2 members, newest 2 s", "╭─ Members ─", ">○     -  amber", "10.0.3.12:41001", "├──", "├ came   ─ is there", "group: 2 members"},
			[]string{"1 create my name  EPHEMERAL", "3 notified: getChildren again"}},
		"double barrier": {directory("/app/start", hexes[0]+"=a", hexes[1]+"=b", "ready"), []string{"double barrier  2 ", "╭─ Participants ─", " ○     -  b", "double barrier: 2 inside, ready"},
			[]string{"1 create b/p  EPHEMERAL", "3 getChildren; all came: create ready", "8 nobody left: go on"}},
		"queue": {directory("/app/jobs", items(50)...), []string{"queue  50 ", ">○     0  qn-0000000000", "50 items, oldest 5m45s, +8 / -0 a minute", "╭─ Came and went ─", "queue: 50 items"},
			[]string{"1 create queue-  SEQUENCE", "4 empty: watch the list"}},
		"barrier": {directory("/app/gate").watched("/app/gate", 0x51, 0x52), []string{"╭─ Sessions ─", "0x51 watches the znode from 10.0.4.0:5000", "0x52 watches the znode from 10.0.4.1:5000", "Deleting the znode opens the barrier.", "barrier: 2 sessions watch"},
			[]string{"2 exists with a watch", "4 delete the znode"}},
		"two-phase commit": {directory("/app/tx", "s1!=commit", "s2!=abort", "s3!"), []string{"two-phase commit  3 ", "╭─ Sites ─", "○     -  s1", "commit", "abort", "no vote yet"},
			[]string{"2 site: write commit or abort"}},
		"group or double barrier": {directory("/app/x", hexes[0]+"=a", hexes[1]+"=b"), []string{"╭─ Children ─", ">○     -  a", "unknown: 2 members of a group, or participants of a double barrier"}, nil},
		"no members":              {directory("/app/workers", "amber", "birch").leave("amber").leave("birch"), []string{"Group: 0 members", "The next member appears here."}, nil},
		"empty queue":             {directory("/app/jobs", items(1)...).leave("qn-0000000000"), []string{"Queue: 0 items", "The next item appears here."}, nil},
		"unknown kind":            {directory("/app/thing"), []string{"Nothing shows what the znode is for", "╭─ Children ─", "nothing shows what the znode is for: it has no children"}, []string{"Nothing shows that this is an election."}},
	} {
		t.Run(name, func(t *testing.T) {
			if len(c.world.children) > 0 {
				c.world.answers(2, nil)
			}
			m := show(sample{world: c.world, o: live}, 120, 36, term.Mono)
			shows(t, m, c.main...)
			if c.world.state().Roleless() {
				showsNot(t, m, never...)
				if _, words := detail.WatchSummary(c.world.state()); !strings.HasSuffix(words, ": "+strings.TrimSpace(statusLine(m))) {
					t.Errorf("got watch summary %q, want the text of status line %q", words, statusLine(m))
				}
			}
			showsNot(t, m, "gets number", "leads at once", "0 candidates", "of the time")
			keys(m, "tab")
			shows(t, m, c.recipe...)
			for _, size := range allSizes {
				shows(t, show(sample{world: c.world, o: live}, size[0], size[1], term.Mono), c.main[len(c.main)-1][:8])
			}
		})
	}
	m := show(sample{world: directory("/app/jobs", items(50)...), o: live}, 200, 60, term.Mono)
	if n := len(queue(m)); n != 20 {
		t.Errorf("got %d of 50 items, want 20", n)
	}
}

func TestKindsHaveSteps(t *testing.T) {
	hexes := []string{strings.Repeat("0a", 16) + "=amber", strings.Repeat("0b", 16) + "=birch"}
	for want, c := range map[string]struct {
		world *world
		step  model.Step
	}{
		"▸ 3 notified: getChildren again  me": {directory("/app/workers", "amber=x", "birch=x"), 3},
		"▸ 5 getChildren  me":                 {directory("/app/start", append(hexes, "ready")...), 5},
		"▸ 3 get and delete the first  me":    {directory("/app/jobs", items(2)...), 3},
		"▸ 4 delete the znode  me":            {directory("/app/gate").watched("/app/gate", 0x51, 0x52), 4},
		"▸ 7 use what the lock protects  me":  {sharedLock(), 7},
		"▸ 3 watch n_13  me":                  {sharedLock(), 3},
	} {
		c.world.cast("me", "", model.Waiting, func(m *model.Member) {
			m.Step, m.StepAt = c.step, c.world.now
			if c.step == 3 {
				m.StepOn = model.StepOn{Name: "n_0000000013"}
			}
		})
		for _, size := range [][2]int{{120, 36}, {200, 60}} {
			m := show(sample{world: c.world, o: live}, size[0], size[1], term.Mono)
			if shows(t, m, "me  "); c.world.state().Roleless() {
				shows(t, m, "electop's participants without a znode")
				showsNot(t, m, "believes it waits")
			}
			shows(t, show(sample{world: c.world, o: live, keys: []string{"tab"}}, size[0], size[1], term.Mono), want)
		}
	}
}

func TestRevokedLock(t *testing.T) {
	w := directory("/locks/a").child("_c_"+uuid(1)+"-lock-0000000000=unlock", "_c_"+uuid(2)+"-lock-0000000001=10.0.3.22")
	m := show(sample{world: w, o: live}, 120, 36, term.Mono)
	shows(t, m, "release requested 7 s ago")
	keys(m, "enter")
	shows(t, m, "release requested 7 s ago")
}

func TestReleasedInEvents(t *testing.T) {
	h := model.Handoff{From: &dialect.Candidate{Who: "client1"}, Lock: true}
	for _, cause := range []model.Cause{model.CauseLeft, model.CauseDeleted, model.CauseResigned} {
		h.Cause = cause
		for _, body := range []model.EventBody{h, model.Explained{Handoff: h}} {
			if _, words := plain.Words(model.Event{Body: body}); !strings.Contains(words, "released") || strings.Contains(words, "led:") {
				t.Errorf("%s, %T: got %q, want \"released\" without \"led:\"", cause, body, words)
			}
		}
	}
}

func TestItemsWithoutAge(t *testing.T) {
	w := directory("/app/jobs", "qn-0000000000!")
	w.children["qn-0000000001"] = znode.Znode{Name: "qn-0000000001", Czxid: w.zxid + 1}
	w.read([]string{"qn-0000000001"}, nil)
	text := strings.Join(listed(show(sample{world: w, o: live}, 120, 36, term.Mono)), "\n")
	if !regexp.MustCompile(`qn-0000000001.* - `).MatchString(text) {
		t.Errorf("got items\n%s\nwant qn-0000000001 without an age", text)
	}
}

func TestElectionsComeFirst(t *testing.T) {
	k := searched(false)
	for _, w := range []*world{group(), directory("/app/jobs", items(3)...), directory("/app/more", items(2)...)} {
		k.Elections = append(k.Elections, plain.Found{State: w.state()})
	}
	m, _, _ := dashboardOfSeveral(nil, k, directory("/app/workers", "amber", "birch"), verified())
	keys(m, "e")
	shows(t, m, "other recipes: 1 group, 2 queues", "group             2 members, newest 0 s")
	if in := inside(m, "Elections"); !strings.Contains(in[1], "/services/billing/leader") || !strings.Contains(in[2], "/app/workers") {
		t.Errorf("the elections are not first:\n%s", screen(m))
	}
	showsNot(t, m, "/hbase/rs", "/app/jobs")
}

func TestWordsOfKinds(t *testing.T) {
	gate := func() *world { return directory("/app/gate").watched("/app/gate", 0x51, 0x52) }
	open := func() *world {
		w := gate().cast("birch", "", model.Active, func(m *model.Member) { m.Step = 3 })
		w.put(&model.Read{At: w.wait(time.Second).now, Presence: model.Absent})
		return w
	}
	faulty := func(w *world, fault model.Fault, believes model.Belief, name string) *world {
		return w.cast("birch", name, believes, func(m *model.Member) { m.Fault, m.FaultAt, m.Znode = fault, w.now, name })
	}
	locked := func() *world { return directory("/locks/a").child("lock-0000000000=a", "lock-0000000001=b") }
	readers := func() *world {
		return directory("/locks/rw").child("read-0000000000=a", "read-0000000001=b", "write-0000000002=c")
	}
	queue := func() *world {
		w := directory("/app/jobs", items(2)...)
		w.children["qn-0000000002"] = znode.Znode{Name: "qn-0000000002", Data: znode.Data{Length: 9}}
		return w.read([]string{"qn-0000000002"}, nil).cast("amber", "", model.Active, func(m *model.Member) { m.Step = 1 }).cast("birch", "", model.Waiting, func(m *model.Member) { m.Step = 4 })
	}
	hex := strings.Repeat("0a", 16)
	for name, c := range map[string]struct {
		world      *world
		keys       []string
		want, none []string
	}{
		"an open barrier":           {open(), nil, []string{"Barrier: open, nobody has to wait", "/app/gate does not exist. Creating it closes the barrier.", ">      -  birch                  absent: go on"}, []string{"An election", "start a candidate", "Nothing to see", "Deleting"}},
		"a frozen participant":      {faulty(gate(), model.Frozen, model.Waiting, ""), nil, []string{"birch ❄", "frozen  "}, []string{"frozen before", "session lost", "····"}},
		"the header of a barrier":   {gate(), nil, []string{"/app/gate  barrier  2 sessions"}, nil},
		"a watch on ready":          {directory("/app/start", hex+"=amber", "ready").answers(1, nil).watched("/app/start/ready", sessionOn(0, 0)), nil, []string{"↑ ready ✓"}, nil},
		"a participant":             {queue(), []string{"enter"}, []string{"Participant amber", "step 1: create queue-"}, []string{"Item"}},
		"one of two is dead":        {faulty(readers(), model.Killed, model.Leading, "read-0000000000"), []string{"tab"}, []string{"the znode read-0 stays"}, []string{"notified until", "n_0 "}},
		"a dead holder":             {faulty(locked(), model.Killed, model.Leading, "lock-0000000000"), []string{"enter"}, []string{"is killed and its znode is still first", "one of electop's contenders", "holding"}, []string{"leader", "leads", "leading"}},
		"a frozen holder":           {faulty(locked(), model.Frozen, model.Leading, "lock-0000000000"), nil, []string{"still believes it holds"}, []string{"leader", "leads"}},
		"a semaphore":               {directory("/sem/leases").child("_c_"+uuid(1)+"-lease-0000000000", "_c_"+uuid(2)+"-lease-0000000001"), nil, []string{"holds  one of 2"}, []string{"gets number"}},
		"an item":                   {queue(), []string{"k", "enter"}, []string{"9 bytes, never read"}, []string{"czxid", "0 bytes"}},
		"participants of a queue":   {queue(), nil, []string{"amber                       create queue-  SEQUENCE", "birch                       waiting: empty: watch the list"}, nil},
		"faults of a participant":   {queue(), []string{"G", "X"}, []string{"it leaves on purpose"}, []string{"quickest", "leads"}},
		"a group of unknown system": {directory("/app/workers", "amber", "birch").cast("amber", "amber", model.Active, nil), nil, []string{"│ Group  "}, []string{"unknown system"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := show(sample{world: c.world, o: live, keys: c.keys}, 120, 36, term.Mono)
			shows(t, m, c.want...)
			showsNot(t, m, c.none...)
		})
	}
}

func TestWordsAfterAnAction(t *testing.T) {
	for in, want := range map[*world]string{
		directory("/app/start", strings.Repeat("0a", 16)+"=a", "ready"): "amber leaves according to the recipe; a participant was added",
		directory("/locks/a").child("lock-0000000000=a"):                "amber resigns; a contender was added",
	} {
		words := action.WordsFor(action.Action{Kind: action.Resign}).Done + "; " + action.WordsFor(action.Action{Kind: action.Spawn}).Done
		if got := strings.ReplaceAll(in.state().Words(words), "{name}", "amber"); got != want {
			t.Errorf("%s: got %q, want %q", in.state().Kind(), got, want)
		}
	}
}

func TestItemsHaveNoClients(t *testing.T) {
	for w, want := range map[*world]bool{directory("/app/jobs", items(2)...): false, directory("/app/workers", "amber", "birch"): true} {
		text := plain.DoctorText(w.answers(2, nil).state(), time.Second)
		if strings.Contains(text, "whether clients are alive") != want || strings.Contains(text, "candidate") {
			t.Errorf("%s: want a line about clients: %v, and no candidate; got report\n%s", w.path, want, text)
		}
	}
}

func TestSelectionAfterAParticipantLeft(t *testing.T) {
	w := directory("/app/jobs", items(2)...).cast("amber", "", model.Active, nil).cast("birch", "", model.Active, nil)
	m := show(sample{world: w, o: live, keys: []string{"G", "k"}}, 120, 36, term.Mono)
	shows(t, m, ">      -  amber")
	w.child("qn-0000000002!", "qn-0000000003!").j.Apply(&model.Cast{At: w.now, Member: model.Member{ID: "amber"}, Gone: true})
	m.Update(refreshMsg{states: []*doctor.State{w.state()}})
	shows(t, m, ">      -  birch")
}
