package live

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"net"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"electop/demo/zkserver"
	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/ui"
	"electop/ui/action"
	"electop/ui/cli/ask"
	"electop/ui/cli/connect"
	"electop/ui/cli/embedded"
	"electop/ui/cli/stage"
	"electop/ui/cli/task"
	"electop/ui/cli/watch"
	"electop/ui/term"
	"electop/zkwatch/admin"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
	"electop/zkwatch/wire"
)

// The numbers on the screen are the server's: what a handoff notified, and the
// requests and bytes that followed, are what was added to its counters, less
// what others said meanwhile, which is counted on their connections.
func TestHerdNumbersAreTheServers(t *testing.T) {
	for _, n := range []int{3, 12, 50} {
		for _, r := range []dialect.Recipe{dialect.Election(), dialect.Herd()} {
			t.Run(fmt.Sprintf("%d/%s", n, r.Name()), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					x := newExhibit(t)
					defer x.end()
					x.enter(t, n, n)
					if r.Name() == dialect.Herd().Name() {
						x.do(t, action.Action{Kind: action.Herd, Arg: r.Name()})
						x.stands(t, n)
					}
					notified := r.Notified(x.elections.State().Queue, 0)

					// Dead, and its connection gone, when its session ends.
					leader := x.leader(t)
					x.do(t, action.Action{Kind: action.Kill, Target: leader.ID})
					synctest.Wait()
					x.handoff(t, leader, r, notified, n-1)

					// One that resigns says so, is told of its own end, and leaves.
					x.enter(t, 1, n)
					leader = x.leader(t)
					x.handoff(t, leader, r, notified, n-1, func() {
						x.do(t, action.Action{Kind: action.Resign, Target: leader.ID})
					})
				})
			})
		}
	}
}

// exhibit is a demo as the command puts it together, with a line to each
// session that is listened to.
type exhibit struct {
	*actions
	tasks  *task.Group
	server *zkserver.Server

	mu        sync.Mutex
	front     []*listener
	backstage []*listener
}

func newExhibit(t *testing.T) *exhibit {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	h := embedded.New(embedded.Demo(log))
	x := &exhibit{server: h.ZooKeeper, tasks: task.NewGroup(context.Background())}
	servers, err := client.ParseConnectString(connect.DefaultServers) // which nobody dials
	if err != nil {
		t.Fatal(err)
	}
	conn := client.Config{Servers: servers, SessionTimeout: 4 * time.Second, Logger: log}
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	cfg := Config{
		Watch: watch.Config{
			Conn: x.overheard(embedded.Backstage(conn, x.server), &x.backstage), Asking: ask.Options{Mode: admin.Off}, Log: log,
			Elections: []model.Config{{Path: "/election", AckPath: "/election-leader", AckExpected: true, AckFollows: true}},
		},
		Conn:   x.overheard(embedded.Within(conn, x.server), &x.front),
		Create: true, Server: h,
	}
	p, err := assemble(cfg, x.tasks, func(s string) { t.Errorf("notice: %s", s) })
	if err != nil {
		t.Fatal(err)
	}
	x.actions = p.actions
	x.tasks.Start("stage", x.stage.Run)
	p.elections.start()
	x.await(t, "the observer reads", func(s *doctor.State) bool { return s.Phase != model.Unseen })
	return x
}

func (x *exhibit) end() {
	x.cast.Close()
	x.tasks.Stop()
	x.elections.watched.Close()
	x.server.Close()
}

func (x *exhibit) await(t *testing.T, what string, holds func(*doctor.State) bool) *doctor.State {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s, err := x.elections.watched.First().Feed.Await(ctx, holds)
	if err != nil {
		t.Fatalf("%s: not within a minute; the screen:\n%s", what, x.screen())
	}
	return s
}

func (x *exhibit) do(t *testing.T, a action.Action) {
	t.Helper()
	if err := x.Do(t.Context(), a); err != nil {
		t.Fatalf("%+v: %v", a, err)
	}
}

// enter lets candidates in until all in all there are n.
func (x *exhibit) enter(t *testing.T, more, n int) {
	t.Helper()
	if err := x.cast.SpawnInOrder(t.Context(), more); err != nil {
		t.Fatal(err)
	}
	x.stands(t, n)
}

// stands waits until n candidates are in their places and nothing more follows.
func (x *exhibit) stands(t *testing.T, n int) {
	t.Helper()
	x.await(t, fmt.Sprintf("%d stand", n), func(s *doctor.State) bool {
		for _, w := range s.Wakes {
			if !w.Settled {
				return false
			}
		}
		return stage.InPlace(s, n)
	})
	time.Sleep(time.Second) // virtual: the observer has read what it wants to
	synctest.Wait()
}

func (x *exhibit) leader(t *testing.T) model.Member {
	t.Helper()
	s := x.elections.State()
	return *s.Member(s.Queue.At(0))
}

// handoff brings about the end of a leader, or awaits it, and compares what is
// said of it with what the server counted.
func (x *exhibit) handoff(t *testing.T, leader model.Member, r dialect.Recipe, notified, left int, end ...func()) {
	t.Helper()
	counted, overheard := x.server.Counters(), x.overhear(leader)
	for _, f := range end {
		f()
	}
	x.await(t, leader.ID+"'s end", func(s *doctor.State) bool {
		return len(s.Wakes) > 0 && s.Wakes[len(s.Wakes)-1].Znode == leader.Znode
	})
	x.stands(t, left)
	now := x.overhear(leader).less(overheard)
	want := since(counted, x.server.Counters())
	want.take(now.backstage)
	want.take(now.own)
	want.take(now.ack)
	want.take(now.renewals)
	// To resign is to close the session, and to be notified of the end of both its
	// znodes.
	if own := now.own; len(end) == 0 && own != (talk{}) || len(end) > 0 && (own.requests != 1 || own.events != 2) {
		t.Errorf("the leader's own part was %+v", own)
	}
	if want.events != notified {
		t.Errorf("the server notified %d, want %d", want.events, notified)
	}

	s := x.elections.State()
	w := s.Wakes[len(s.Wakes)-1]
	if got := (talk{w.Requests, len(w.Notified), w.BytesIn, w.BytesOut}); got != want || !w.Settled || !w.Leader {
		t.Errorf("the journal has %+v of\n%+v\nthe server's counters say %+v", got, w.Wake, want)
	}
	name := "chain"
	if r.Name() == dialect.Herd().Name() {
		name = "herd"
	}
	shown := regexp.MustCompile(`│ ` + name + ` +\W* (\d+) +(\d+) +([\d.]+ k?B) │`).FindStringSubmatch(x.screen())
	if shown == nil {
		t.Fatalf("no numbers of the %s on the screen:\n%s", name, x.screen())
	}
	if shown[1] != strconv.Itoa(want.events) || shown[2] != strconv.Itoa(want.requests) || shown[3] != inWords(want.in+want.out) {
		t.Errorf("the screen has %q, the server's counters say %+v", shown[1:], want)
	}
}

func inWords(bytes int64) string {
	if bytes < 1000 {
		return fmt.Sprintf("%d B", bytes)
	}
	return fmt.Sprintf("%.1f kB", float64(bytes)/1000)
}

// screen is what the dashboard shows.
func (x *exhibit) screen() string {
	m := ui.New(ui.Options{
		Source: x.elections, Past: x.elections, Actions: x.actions, Now: feed.Now, Mode: ui.ModeDemo, Role: "observer", Cluster: "embedded",
		Theme: term.Mono, Renderer: lipgloss.NewRenderer(io.Discard),
	})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
	return ansi.Strip(m.View())
}

// talk is what was said on a connection or many. Of pings nothing is counted.
type talk struct {
	requests, events int
	in, out          int64
}

func (a *talk) take(b talk) {
	a.requests -= b.requests
	a.events -= b.events
	a.in -= b.in
	a.out -= b.out
}

func (a *talk) add(b talk) { a.take(talk{-b.requests, -b.events, -b.in, -b.out}) }

// since is what the server counted between two snapshots.
func since(before, after zkserver.Counters) talk {
	pings := after.Requests[wire.OpPing] - before.Requests[wire.OpPing]
	out := talk{
		events: int(after.Notifications - before.Notifications),
		in:     after.BytesIn - before.BytesIn - pings*(4+8),
		out:    after.BytesOut - before.BytesOut - pings*(4+16),
	}
	for op, n := range after.Requests {
		if op != wire.OpPing {
			out.requests += int(n - before.Requests[op])
		}
	}
	return out
}

// asides is what was said besides what a handoff causes: backstage, by and to
// the leader itself, to those who were notified of an acknowledgement, and to
// renew a lease.
type asides struct{ backstage, own, ack, renewals talk }

func (a asides) less(b asides) asides {
	a.backstage.take(b.backstage)
	a.own.take(b.own)
	a.ack.take(b.ack)
	a.renewals.take(b.renewals)
	return a
}

func (x *exhibit) overhear(leader model.Member) (a asides) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, l := range x.backstage {
		all, _, _, _ := l.heard()
		a.backstage.add(all)
	}
	for _, l := range x.front {
		all, ack, renewals, session := l.heard()
		if session == leader.Session {
			a.own.add(all)
		} else {
			a.ack.add(ack)
			a.renewals.add(renewals)
		}
	}
	return a
}

// overheard is conn with each of its connections listened to, and noted in to.
func (x *exhibit) overheard(conn client.Config, to *[]*listener) client.Config {
	dial := conn.Dial
	conn.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
		nc, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		l := &listener{Conn: nc, multis: make(map[int32]bool)}
		x.mu.Lock()
		*to = append(*to, l)
		x.mu.Unlock()
		return l, nil
	}
	return conn
}

// listener is a client's connection that takes apart what passes, as the client
// sees it.
type listener struct {
	net.Conn

	mu        sync.Mutex
	up, down  []byte // of the frame that passes
	asked     bool   // a session was
	session   uint64
	all, acks talk // the acks are among all
	renewals  talk // likewise
	multis    map[int32]bool
}

func (l *listener) heard() (all, acks, renewals talk, session uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all, l.acks, l.renewals, l.session
}

func (l *listener) Write(p []byte) (int, error) {
	l.note(p) // before the answer can be here
	return l.Conn.Write(p)
}

func (l *listener) note(p []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.up = frames(append(l.up, p...), func(body []byte) {
		switch size := int64(4 + len(body)); {
		case !l.asked:
			l.asked = true
			l.all.in += size
		case int32(binary.BigEndian.Uint32(body)) != wire.XidPing:
			l.all.requests++
			l.all.in += size
			if wire.Op(binary.BigEndian.Uint32(body[4:])) == wire.OpMulti {
				l.renewals.add(talk{requests: 1, in: size})
				l.multis[int32(binary.BigEndian.Uint32(body))] = true
			}
		}
	})
}

func (l *listener) Read(p []byte) (int, error) {
	n, err := l.Conn.Read(p)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = frames(append(l.down, p[:n]...), func(body []byte) {
		size := int64(4 + len(body))
		if l.session == 0 { // protocol version, timeout, session
			l.session = binary.BigEndian.Uint64(body[8:])
			l.all.out += size
			return
		}
		switch int32(binary.BigEndian.Uint32(body)) {
		case wire.XidPing:
		case wire.XidWatch:
			l.all.add(talk{events: 1, out: size})
			if strings.HasSuffix(string(body), "/election"+"-leader") {
				l.acks.add(talk{events: 1, out: size})
			}
		default:
			l.all.out += size
			if l.multis[int32(binary.BigEndian.Uint32(body))] {
				l.renewals.add(talk{out: size})
			}
		}
	})
	return n, err
}

// frames hands over the frames that are complete and returns the rest.
func frames(b []byte, take func(body []byte)) (rest []byte) {
	for len(b) >= 4 {
		n := 4 + int(binary.BigEndian.Uint32(b))
		if len(b) < n {
			break
		}
		take(b[4:n])
		b = b[n:]
	}
	return b
}
