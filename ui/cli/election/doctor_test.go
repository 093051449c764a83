package election_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo"
	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/model"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/ui/cli/cluster"
	"electop/ui/cli/election"
	"electop/ui/cli/process"
	"electop/zkwatch/admin"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
)

type world struct {
	t         *testing.T
	server    *zkserver.Server
	path      string
	prefix    string
	setup     *zk.Conn
	elections *election.Elections
	alter     atomic.Pointer[func(member, word, reply string) string]
	raised    []*doctor.Finding
}

const (
	electionPath = "/election"
	ackPath      = "/election-leader"
)

func inWorld(t *testing.T, path string, f func(w *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, path: path, prefix: "n_", server: zkserver.New(zkserver.Options{})}
		defer w.server.Close()
		w.setup = w.client()
		for i := range path[1:] {
			if path[1+i] == '/' {
				w.create(w.setup, path[:1+i], 0)
			}
		}
		w.create(w.setup, path, 0)
		f(w)
	})
}

// observe sets w.elections. All addresses lead to the same server; [world.ensemble] makes their replies differ.
func (w *world) observe(members string, requests cluster.Requests, observed model.Config) {
	servers, err := client.ParseConnectString(members)
	if err == nil {
		w.elections, err = election.New(election.Config{
			Conn: client.Config{Servers: servers, Dial: w.dial}, Requests: requests, Elections: []model.Config{observed},
			First: feed.Config{Events: w.record}, Notice: func(s string) { w.t.Log(s) }, Log: slog.New(slog.DiscardHandler),
		})
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) stop(tasks *process.Tasks) {
	if err := tasks.Stop(); err != nil {
		w.t.Error(err)
	}
}

func observed(t *testing.T, members string, ack bool, f func(w *world)) {
	inWorld(t, electionPath, func(w *world) {
		cfg := model.Config{Path: w.path, AckExpected: true}
		if ack {
			cfg.AckPath = ackPath
		}
		w.observe(members, cluster.Requests{Mode: admin.FourLetter, Interval: 5 * time.Second, Sessions: time.Second}, cfg)
		tasks := process.NewTasks(w.t.Context())
		defer w.stop(tasks)
		w.elections.Start(tasks)
		if _, err := w.elections.FirstRead(w.t.Context(), w.elections.First(), cluster.Reach{For: time.Minute}); err != nil {
			w.t.Fatal(err)
		}
		f(w)
	})
}

func (w *world) dial(_ context.Context, _, member string) (net.Conn, error) {
	server, err := w.server.Dial()
	alter := w.alter.Load()
	if err != nil || alter == nil {
		return server, err
	}
	near, far := net.Pipe()
	go func() {
		defer far.Close()
		defer server.Close()
		word := make([]byte, 4)
		if _, err := io.ReadFull(far, word); err != nil {
			return
		}
		if word[0] == 0 { // a client's first frame begins with its length
			up := make(chan struct{})
			go func() {
				defer close(up)
				server.Write(word)
				io.Copy(server, far)
				server.Close()
			}()
			io.Copy(far, server)
			far.Close()
			<-up
			return
		}
		server.Write(word)
		reply, _ := io.ReadAll(server)
		io.WriteString(far, (*alter)(member, string(word), string(reply)))
	}()
	return near, nil
}

func (w *world) client() *zk.Conn {
	c, _ := w.clientWithLink()
	return c
}

type link struct {
	server *zkserver.Server
	mu     sync.Mutex
	dead   bool
	last   net.Conn
}

func (l *link) dial(string, string, time.Duration) (net.Conn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dead {
		return nil, net.ErrClosed
	}
	var err error
	l.last, err = l.server.Dial()
	return l.last, err
}

func (l *link) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last.Close()
}

func (l *link) die() {
	l.mu.Lock()
	l.dead = true
	l.mu.Unlock()
	l.cut()
}

func (w *world) clientWithLink() (*zk.Conn, *link) {
	w.t.Helper()
	l := &link{server: w.server}
	c := zktest.ClientOver(w.t, "127.0.0.1:2181", 20*time.Second, l.dial)
	synctest.Wait() // go-zookeeper has a data race if a watch is set while it connects
	return c, l
}

// loseReply lets the server execute the request, and cuts the connection before the reply.
func (w *world) loseReply(c *zk.Conn, l *link, request func() error) error {
	w.server.SetPace(zkserver.Pace{Steps: true})
	done := make(chan error, 1)
	go func() { done <- request() }()
	held := func(is func(zkserver.Paced) bool) (zkserver.Paced, bool) {
		held := w.server.TakeBacklog(1 << 10).Held
		i := slices.IndexFunc(held, is)
		if i < 0 {
			return zkserver.Paced{}, false
		}
		return held[i], true
	}
	reply, ok := zkserver.Paced{}, false
	for !ok {
		w.pass(time.Millisecond)
		reply, ok = held(func(m zkserver.Paced) bool { return m.Session == c.SessionID() && m.Event == 0 })
	}
	l.cut()
	for ok {
		w.pass(time.Millisecond)
		_, ok = held(func(m zkserver.Paced) bool { return m == reply })
	}
	w.server.SetPace(zkserver.Pace{})
	return <-done
}

func (w *world) create(c *zk.Conn, path string, flags int32, data ...string) string {
	w.t.Helper()
	var znode string
	w.do("create "+path, func() (err error) {
		znode, err = c.Create(path, []byte(strings.Join(data, "")), flags, zk.WorldACL(zk.PermAll))
		return err
	})
	return znode
}

func (w *world) do(what string, request func() error) {
	w.t.Helper()
	err := request()
	for errors.Is(err, zk.ErrNoServer) {
		w.pass(100 * time.Millisecond)
		err = request()
	}
	if err != nil {
		w.t.Fatalf("%s: %v", what, err)
	}
}

func (w *world) delete(path string) {
	w.t.Helper()
	if err := w.setup.Delete(path, -1); err != nil {
		w.t.Fatalf("delete %s: %v", path, err)
	}
}

const ephemeralSequential = zk.FlagEphemeral | zk.FlagSequence

func (w *world) addCandidate(c *zk.Conn, watches ...string) string {
	w.t.Helper()
	znode := w.create(c, w.path+"/"+w.prefix, ephemeralSequential)
	w.watch(c, watches...)
	return znode
}

func (w *world) watch(c *zk.Conn, znodes ...string) {
	w.t.Helper()
	for _, z := range znodes {
		w.do("watch "+z, func() error {
			_, _, _, err := c.ExistsW(z)
			return err
		})
	}
}

func (w *world) queue(n int) (znodes []string, clients []*zk.Conn) {
	w.t.Helper()
	for i := range n {
		c := w.client()
		clients = append(clients, c)
		var before []string
		if i > 0 {
			before = znodes[i-1:]
		}
		znodes = append(znodes, w.addCandidate(c, before...))
	}
	return znodes, clients
}

func (w *world) pass(d time.Duration) { time.Sleep(d) }

func (w *world) record(es []model.Event) error {
	for _, e := range es {
		if f, ok := e.Body.(doctor.FindingChanged); ok && f.Raised {
			w.raised = append(w.raised, f.Finding)
		}
	}
	return nil
}

func (w *world) findings() []*doctor.Finding {
	w.t.Helper()
	for range 5 {
		if err := w.elections.Poller().Poll(w.t.Context(), admin.Want{Watches: true, Sessions: true}); err != nil {
			w.t.Fatal(err)
		}
		w.pass(2 * time.Second)
	}
	synctest.Wait()
	for _, f := range w.elections.First().Feed.State().Findings {
		if !slices.ContainsFunc(w.raised, func(r *doctor.Finding) bool { return r.Key == f.Key }) {
			w.t.Errorf("no event raised this finding:%s", describe(f))
		}
	}
	return w.raised
}

func describe(fs ...*doctor.Finding) string {
	var b strings.Builder
	for _, f := range fs {
		fmt.Fprintf(&b, "\n%s %s: %s\n\t%s\n\tznodes %q sessions %x", f.Severity, f.ID, f.Title, strings.Join(f.Evidence, "\n\t"), f.Znodes, f.Sessions)
	}
	return b.String()
}

const (
	oneMember    = "10.0.0.1:2181"
	threeMembers = "10.0.0.1:2181,10.0.0.2:2181,10.0.0.3:2181"
)

var zxid = regexp.MustCompile(`(?m)^(Zxid: 0x|zk_zxid\s+0x)[0-9a-f]+`)

// locks creates the queue of a lock. If cycle is true, its reader and writer wait for each other.
func (w *world) locks(cycle bool) {
	add := func(name string, watches ...string) (string, *zk.Conn) {
		c := w.client()
		id := strings.Repeat(fmt.Sprintf("%02x", len(name)), 16)
		z := w.create(c, w.path+"/"+id+name, ephemeralSequential)
		w.watch(c, watches...)
		return z, c
	}
	holder, _ := add("__lock__")
	reader, c := add("__rlock__")
	writer, _ := add("__lock__", reader)
	if cycle {
		w.watch(c, writer)
	} else {
		w.watch(c, holder)
	}
}

func (w *world) lockHandoffs(n int, held, last time.Duration) {
	w.prefix = strings.Repeat("0a", 16) + "__lock__"
	w.handoffs(n, held)
	w.pass(last)
}

func (w *world) handoffs(n int, every time.Duration) {
	clients := []*zk.Conn{w.client(), w.client()}
	znode := w.addCandidate(clients[0])
	for i := range n {
		next := w.addCandidate(clients[(i+1)%2], znode)
		w.pass(every)
		w.delete(znode)
		znode = next
	}
	w.addCandidate(clients[(n+1)%2], znode)
}

func (w *world) recreateParent(nextSequence int32) {
	w.delete(w.path)
	w.pass(time.Minute)
	if err := w.server.CreateNumbered(w.path, nextSequence); err != nil {
		w.t.Fatal(err)
	}
	w.queue(2)
}

func (w *world) ensemble(alter func(member, word, reply string) string) {
	all := func(member, word, reply string) string {
		mode := "follower"
		if member == "10.0.0.1:2181" {
			mode = "leader"
		}
		reply = strings.ReplaceAll(reply, "standalone", mode)
		if alter != nil {
			reply = alter(member, word, reply)
		}
		return reply
	}
	w.alter.Store(&all)
}

var failures = []struct {
	id      string
	name    string
	members string
	ack     bool // leaders must acknowledge
	noted   bool // the finding may be information in the healthy election, and is worse in the broken one
	broken  func(w *world)
	healthy func(w *world)
}{
	{
		id: "ghost-node",
		broken: func(w *world) {
			w.prefix = strings.Repeat("0a", 16) + "-n_"
			w.queue(1)
			c, l := w.clientWithLink()
			if err := w.loseReply(c, l, func() error {
				_, err := c.Create(w.path+"/"+w.prefix, nil, ephemeralSequential, zk.WorldACL(zk.PermAll))
				return err
			}); err == nil {
				w.t.Fatal("the reply was not lost")
			}
			w.addCandidate(c, w.path+"/"+w.prefix+"0000000001") // c repeats the create with this guid, and watches its own first znode
		},
		healthy: func(w *world) {
			znodes, _ := w.queue(1)
			c, l := w.clientWithLink()
			// The client looks for its znode before it creates another.
			if err := w.loseReply(c, l, func() error {
				_, err := c.CreateProtectedEphemeralSequential(w.path+"/n_", nil, zk.WorldACL(zk.PermAll))
				return err
			}); err != nil {
				w.t.Fatal(err)
			}
			w.watch(c, znodes...)
		},
	},
	{
		id: "two-leaders", ack: true,
		broken: func(w *world) {
			znodes, clients := w.queue(3)
			w.create(clients[0], ackPath, zk.FlagEphemeral)
			w.pass(time.Minute)
			w.delete(znodes[0]) // its owner still acknowledges
		},
		healthy: func(w *world) {
			znodes, clients := w.queue(3)
			w.create(clients[0], ackPath, zk.FlagEphemeral)
			w.pass(time.Minute)
			w.delete(ackPath)
			w.delete(znodes[0])
			w.create(clients[1], ackPath, zk.FlagEphemeral)
		},
	},
	{
		id: "reset-livelock",
		broken: func(w *world) {
			_, clients := w.queue(3)
			for i := range 60 {
				children, _, err := w.setup.Children(w.path)
				if err != nil {
					w.t.Fatal(err)
				}
				for _, c := range children {
					w.delete(w.path + "/" + c)
				}
				for j := range clients {
					w.create(clients[(i+j)%len(clients)], w.path+"/n_", ephemeralSequential)
				}
				w.pass(200 * time.Millisecond)
			}
		},
		healthy: func(w *world) {
			znodes, _ := w.queue(2)
			c := w.client()
			for range 60 {
				w.delete(w.addCandidate(c, znodes[1]))
				w.pass(200 * time.Millisecond)
			}
		},
	},
	{
		id: "parent-vanished", name: "absent",
		broken: func(w *world) {
			znodes, _ := w.queue(3)
			w.pass(time.Minute)
			for _, z := range znodes {
				w.delete(z)
			}
			w.delete(w.path)
		},
		healthy: func(w *world) {
			_, clients := w.queue(3)
			w.pass(time.Minute)
			for _, c := range clients {
				c.Close()
			}
			w.pass(time.Minute)
			w.delete(w.path)
		},
	},
	{
		id: "parent-vanished", name: "created again",
		broken: func(w *world) {
			znodes, _ := w.queue(3)
			w.pass(time.Minute)
			for _, z := range znodes {
				w.delete(z)
			}
			w.delete(w.path)
			w.pass(time.Second)
			w.create(w.setup, w.path, 0)
		},
		healthy: func(w *world) {
			znodes, clients := w.queue(3)
			w.pass(time.Minute)
			for _, z := range znodes {
				w.delete(z)
			}
			w.delete(w.path)
			w.create(w.setup, w.path, 0)
			before := []string{}
			for _, c := range clients {
				before = []string{w.addCandidate(c, before...)}
			}
		},
	},
	{
		id: "missing-watch",
		broken: func(w *world) {
			w.queue(2)
			w.addCandidate(w.client())
		},
		healthy: func(w *world) { w.queue(3) },
	},
	{
		id: "wrong-watch",
		broken: func(w *world) {
			// The client sets its watch too late, and ignores that the znode is gone.
			znodes, clients := w.queue(3)
			c := w.client()
			w.addCandidate(c)
			clients[2].Close()
			w.watch(c, znodes[2])
		},
		healthy: func(w *world) {
			znodes, clients := w.queue(3)
			c := w.client()
			w.addCandidate(c)
			clients[2].Close()
			w.watch(c, znodes[1])
		},
	},
	{
		id:      "watch-cycle",
		broken:  func(w *world) { w.locks(true) },
		healthy: func(w *world) { w.locks(false) },
	},
	{
		id: "dropped-candidate",
		broken: func(w *world) {
			znodes, _ := w.queue(2)
			c := w.client()
			w.delete(w.addCandidate(c, znodes[1]))
			w.pass(time.Second)
			w.watch(c, w.addCandidate(w.client(), znodes[1])) // c has no znode, and still waits
		},
		healthy: func(w *world) {
			w.queue(2)
			if _, _, _, err := w.client().ChildrenW(w.path); err != nil {
				w.t.Fatal(err)
			}
		},
	},
	{
		id:      "abandoned-attempt",
		broken:  func(w *world) { w.lockHandoffs(12, 5*time.Second, 10*time.Minute) },
		healthy: func(w *world) { w.lockHandoffs(12, 5*time.Second, time.Minute) },
	},
	{
		id: "zombie-leader",
		broken: func(w *world) {
			c, l := w.clientWithLink()
			head := w.addCandidate(c)
			w.addCandidate(w.client(), head)
			w.pass(time.Minute)
			l.die()
		},
		healthy: func(w *world) {
			c, l := w.clientWithLink()
			head := w.addCandidate(c)
			w.addCandidate(w.client(), head)
			w.pass(time.Minute)
			l.cut() // the client connects again
		},
	},
	{
		id: "silent-candidate",
		broken: func(w *world) {
			head := w.addCandidate(w.client())
			c, l := w.clientWithLink()
			w.addCandidate(w.client(), w.addCandidate(c, head))
			w.pass(time.Minute)
			l.die()
		},
		healthy: func(w *world) {
			head := w.addCandidate(w.client())
			c, l := w.clientWithLink()
			w.addCandidate(c, head)
			w.pass(time.Minute)
			l.cut() // the client connects again
		},
	},
	{
		id: "deleted-leader", name: "latch",
		broken: func(w *world) {
			w.prefix = "_c_381f220e-fef5-487f-ae4f-04ac14aaed10-latch-"
			znodes, _ := w.queue(2)
			w.pass(time.Minute)
			w.delete(znodes[0])
		},
		healthy: func(w *world) {
			w.prefix = "_c_381f220e-fef5-487f-ae4f-04ac14aaed10-latch-"
			_, clients := w.queue(2)
			w.pass(time.Minute)
			clients[0].Close()
		},
	},
	{
		id: "deleted-leader", name: "no latch",
		broken: func(w *world) {
			znodes, _ := w.queue(2)
			w.delete(znodes[0])
		},
		healthy: func(w *world) {
			znodes, clients := w.queue(2)
			w.delete(znodes[0])
			w.addCandidate(clients[0], znodes[1])
		},
	},
	{
		id:      "sequence-limit",
		broken:  func(w *world) { w.recreateParent(2_147_483_000) },
		healthy: func(w *world) { w.recreateParent(1_000_000) },
	},
	{
		id: "ack-disagrees", ack: true,
		broken: func(w *world) {
			w.queue(2)
		},
		healthy: func(w *world) {
			_, clients := w.queue(2)
			w.create(clients[0], ackPath, zk.FlagEphemeral)
		},
	},
	{
		id:      "flapping",
		broken:  func(w *world) { w.handoffs(8, 3*time.Second) },
		healthy: func(w *world) { w.handoffs(8, time.Minute) },
	},
	{
		id: "herd",
		broken: func(w *world) {
			znodes, _ := w.queue(1)
			for range 4 {
				w.addCandidate(w.client(), znodes[0])
			}
		},
		healthy: func(w *world) {
			// A leader may watch its own znode.
			znodes, clients := w.queue(5)
			w.watch(clients[0], znodes[0])
		},
	},
	{
		id: "ensemble-split", members: threeMembers,
		broken: func(w *world) {
			w.ensemble(func(member, word, reply string) string {
				if member == "10.0.0.2:2181" {
					return strings.Replace(reply, "follower", "leader", 1)
				}
				return reply
			})
			w.queue(2)
		},
		healthy: func(w *world) {
			w.ensemble(nil)
			w.queue(2)
		},
	},
	{
		id: "zxid-rollover", members: threeMembers,
		broken: func(w *world) {
			w.ensemble(func(_, _, reply string) string { return zxid.ReplaceAllString(reply, "${1}1ffffff00") })
			w.queue(2)
		},
		healthy: func(w *world) {
			w.ensemble(func(_, _, reply string) string { return zxid.ReplaceAllString(reply, "${1}7fffffff00000010") })
			w.queue(2)
		},
	},
	{
		id: "ephemerals-differ", members: threeMembers,
		broken: func(w *world) {
			znodes, _ := w.queue(3)
			w.ensemble(func(member, word, reply string) string {
				if member == "10.0.0.3:2181" && word == "dump" {
					return strings.Replace(reply, "\t"+znodes[1]+"\n", "", 1)
				}
				return reply
			})
		},
		healthy: func(w *world) {
			// A server that is behind does not have all znodes yet.
			znodes, _ := w.queue(3)
			w.ensemble(func(member, word, reply string) string {
				if member == "10.0.0.3:2181" {
					reply = zxid.ReplaceAllString(reply, "${1}1")
					reply = strings.Replace(reply, "\t"+znodes[1]+"\n", "", 1)
				}
				return reply
			})
		},
	},
	{
		id: "foreign-child", noted: true,
		broken: func(w *world) {
			first := w.create(w.setup, w.path+"/n_", zk.FlagSequence) // persistent
			head := w.addCandidate(w.client(), first)
			w.addCandidate(w.client(), head)
		},
		healthy: func(w *world) {
			w.create(w.setup, w.path+"/config", 0)
			w.queue(2)
		},
	},
}

func TestDoctorFinds(t *testing.T) {
	t.Parallel()
	for _, x := range failures {
		members := cmp.Or(x.members, oneMember)
		name := path.Join(x.id, x.name)
		t.Run(name+"/broken", func(t *testing.T) {
			observed(t, members, x.ack, func(w *world) {
				x.broken(w)
				fs := w.findings()
				for _, f := range fs {
					if f.ID == x.id && (f.Severity != doctor.Info || x.id != "ghost-node" && !x.noted) {
						return
					}
				}
				t.Errorf("got no finding %s for the failure; all findings:%s", x.id, describe(fs...))
			})
		})
		t.Run(name+"/healthy", func(t *testing.T) {
			observed(t, members, x.ack, func(w *world) {
				x.healthy(w)
				for _, f := range w.findings() {
					if f.ID == x.id && !x.noted || f.Severity != doctor.Info {
						t.Errorf("got a finding in a healthy election:%s", describe(f))
					}
				}
			})
		})
	}
}

func TestNoFindingsInHandoffs(t *testing.T) {
	t.Parallel()
	observed(t, oneMember, true, func(w *world) {
		t := w.t // w.t belongs to the synctest bubble; the outer t does not
		servers, _ := client.ParseConnectString(oneMember)
		cast := demo.NewCast(demo.Config{
			Conn: client.Config{Servers: servers, Dial: w.dial, SessionTimeout: 10 * time.Second},
			Path: w.path, Ack: ackPath, Put: func(model.Observation) {},
		})
		defer cast.Close()
		if err := cast.SpawnInOrder(t.Context(), 4); err != nil {
			t.Fatal(err)
		}
		poll := func() {
			if err := w.elections.Poller().Poll(t.Context(), admin.Want{Watches: true, Sessions: true}); err != nil {
				t.Fatal(err)
			}
		}
		state := w.elections.First().Feed.State
		for range 20 {
			s, err := w.elections.First().Feed.Await(t.Context(), (*doctor.State).Acknowledged)
			if err != nil {
				t.Fatal(err)
			}
			if err := cast.Fault(string(s.Leader().Data.Bytes), demo.Resign, true); err != nil {
				t.Fatal(err)
			}
			poll()
			if _, err := cast.Spawn(); err != nil {
				t.Fatal(err)
			}
			for range 5 {
				poll()
				w.pass(300 * time.Millisecond)
			}
			w.pass(25 * time.Second)
		}
		n := 0
		for _, h := range state().Handoffs {
			if h.From == nil {
				continue
			}
			n++
			if h.Cause == model.CauseExpired {
				t.Errorf("handoff %d: got cause expired, want another; evidence: %s", n, h.Evidence)
			}
		}
		if n != 20 {
			t.Errorf("got %d handoffs, want 20", n)
		}
		if fs := w.findings(); len(fs) > 0 {
			t.Errorf("got a finding in a healthy election:%s", describe(fs...))
		}
		s := state()
		for i, c := range s.Queue.All() {
			if e := s.Edge(i); i > 0 && e.State != doctor.Verified {
				t.Errorf("the watch of %s is not verified: %+v", c.Name, e)
			}
		}
	})
}

func TestDiagnosisIsExtended(t *testing.T) {
	t.Parallel()
	const overseer, shard = "/overseer_elect/election", "/collections/books/leader_elect/shard1/election"
	for _, x := range []struct {
		name, path, ack string
		fixed           bool // the user gave the duration
		early           bool // the election is read before the observation begins
		longer          bool
		found, pending  bool
	}{
		{name: "extended", path: overseer, longer: true, found: true},
		{name: "early", path: overseer, early: true, longer: true, found: true},
		{name: "given", path: overseer, fixed: true, pending: true},
		{name: "too long", path: shard, pending: true},
		{name: "healthy", path: overseer, ack: "/overseer_elect/leader"},
	} {
		t.Run(x.name, func(t *testing.T) {
			inWorld(t, x.path, func(w *world) {
				t := w.t
				read := w.addSolrCandidates(x.ack)
				w.observe(oneMember, cluster.Requests{Mode: admin.Off}, model.Config{Path: x.path, AckPath: x.path + "-leader", AckFollows: true})
				if x.early {
					ended, cancel := context.WithCancel(t.Context())
					cancel()
					w.elections.First().Feed.Put(read)
					if err := w.elections.First().Feed.Run(ended); err != nil || w.elections.First().Feed.State().Dialect == nil {
						t.Fatalf("the election is not recognised: %v", err)
					}
				}
				tasks := process.NewTasks(t.Context())
				defer w.stop(tasks)
				w.elections.Observe(tasks)
				d, longer := election.Diagnosis{For: 6 * time.Second, Reach: cluster.Reach{For: time.Minute}}, time.Duration(0)
				if !x.fixed {
					d.Longer = func(by time.Duration, p doctor.Pending) {
						if p.Rule != "no-leader" || by <= 0 || by > 30*time.Second || longer != 0 {
							t.Errorf("extended by %v for %+v after an extension of %v; want once, at most 30s, for no-leader", by, p, longer)
						}
						longer += by
					}
				}
				s, took, err := w.elections.Diagnose(tasks.Context(), w.elections.First(), d)
				if err != nil {
					t.Fatal(err)
				}
				found := slices.ContainsFunc(s.Findings, func(f *doctor.Finding) bool {
					return f.ID == "no-leader" && f.Severity == doctor.Critical
				})
				pending := slices.ContainsFunc(s.Pending, func(p doctor.Pending) bool {
					return p.Rule == "no-leader" && p.Severity == doctor.Critical && p.Left > 0
				})
				if found != x.found || pending != x.pending || (longer > 0) != x.longer || took != d.For+longer {
					t.Errorf("got found %v, pending %v, observed for %v with extensions of %v; want %v, %v, extended %v; findings:%s",
						found, pending, took, longer, x.found, x.pending, x.longer, describe(s.Findings...))
				}
			})
		})
	}
}

func (w *world) addSolrCandidates(ack string) *model.Read {
	read := &model.Read{At: feed.Now(), Presence: model.Present, Full: true}
	for i := range 2 {
		c := w.client()
		name := w.create(c, fmt.Sprintf("%s/7205770053301043%d-10.0.0.%d:8983_solr-n_", w.path, i, i+1), ephemeralSequential)
		read.New = append(read.New, znode.Znode{Name: znode.Base(name), Session: uint64(c.SessionID())})
		if i == 0 && ack != "" {
			w.create(c, ack, zk.FlagEphemeral)
		}
	}
	return read
}

func TestMain(m *testing.M) { zktest.Main(m) }
