package election_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
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

// A patient is an election on an embedded server, watched by what the commands
// put together. Everything is in one bubble: hours pass in milliseconds.
type patient struct {
	t      *testing.T
	server *zkserver.Server
	path   string
	prefix string // of candidates' names
	setup  *zk.Conn
	w      *election.Elections

	// alter, if set, changes what a member says to a four-letter word.
	alter atomic.Pointer[func(member, word, reply string) string]

	raised []*doctor.Finding // ever
}

const (
	patientPath = "/election"
	patientAck  = "/election-leader"
)

// examined calls f with an election that is watched. members are what the
// connect string has: they are one server, told apart by nothing but what
// [patient.ensemble] has them say. ack: leaders are expected to acknowledge.
func examined(t *testing.T, members string, ack bool, f func(p *patient)) {
	synctest.Test(t, func(t *testing.T) {
		p := &patient{t: t, path: patientPath, prefix: "n_", server: zkserver.New(zkserver.Options{})}
		defer p.server.Close()
		p.setup = p.client()
		p.create(p.setup, p.path, 0)
		servers, err := client.ParseConnectString(members)
		if err != nil {
			t.Fatal(err)
		}
		observed := model.Config{Path: p.path, AckExpected: true}
		if ack {
			observed.AckPath = patientAck
		}
		p.w, err = election.New(election.Config{
			Conn:      client.Config{Servers: servers, Dial: p.dial},
			Asking:    cluster.Asking{Mode: admin.FourLetter, Interval: 5 * time.Second, Sessions: time.Second},
			Elections: []model.Config{observed},
			First:     feed.Config{Events: p.told},
			Notice:    func(s string) { t.Log(s) },
			Log:       slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		tasks := process.NewTasks(t.Context())
		defer func() {
			if err := tasks.Stop(); err != nil {
				t.Error(err)
			}
		}()
		p.w.Start(tasks)
		if _, err := p.w.FirstRead(t.Context(), p.w.First(), cluster.Reach{For: time.Minute}); err != nil {
			t.Fatal(err)
		}
		f(p)
	})
}

// dial connects to a member. Four-letter words go through alter.
func (p *patient) dial(_ context.Context, _, member string) (net.Conn, error) {
	server, err := p.server.Dial()
	alter := p.alter.Load()
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
		if word[0] == 0 { // the length of a first frame
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

// client opens a session that ends with the test.
func (p *patient) client() *zk.Conn {
	c, _ := p.linked()
	return c
}

// A link is one client's way to the server.
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

// cut ends the client's connection, and die allows none after it: to the server
// the client has died without a word.
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

// linked opens a session that ends with the test.
func (p *patient) linked() (*zk.Conn, *link) {
	p.t.Helper()
	l := &link{server: p.server}
	c := zktest.ClientOver(p.t, "127.0.0.1:2181", 20*time.Second, l.dial)
	synctest.Wait() // go-zookeeper reads the last zxid without a lock if a watch is set before that
	return c, l
}

// loseReply makes a request of c whose reply is lost: the server carries the
// request out, and the connection is cut while the reply is on its way.
func (p *patient) loseReply(c *zk.Conn, l *link, request func() error) error {
	p.server.SetPace(zkserver.Pace{Steps: true})
	done := make(chan error, 1)
	go func() { done <- request() }()
	late := func(is func(zkserver.Paced) bool) (zkserver.Paced, bool) {
		held := p.server.TakeBacklog(1 << 10).Held
		i := slices.IndexFunc(held, is)
		if i < 0 {
			return zkserver.Paced{}, false
		}
		return held[i], true
	}
	reply, ok := zkserver.Paced{}, false
	for !ok {
		p.pass(time.Millisecond)
		reply, ok = late(func(m zkserver.Paced) bool { return m.Session == c.SessionID() && m.Event == 0 })
	}
	l.cut()
	for ok {
		p.pass(time.Millisecond)
		_, ok = late(func(m zkserver.Paced) bool { return m == reply })
	}
	p.server.SetPace(zkserver.Pace{})
	return <-done
}

func (p *patient) create(c *zk.Conn, path string, flags int32, data ...string) string {
	p.t.Helper()
	var znode string
	p.do("create "+path, func() (err error) {
		znode, err = c.Create(path, []byte(strings.Join(data, "")), flags, zk.WorldACL(zk.PermAll))
		return err
	})
	return znode
}

// do carries out a request, once it can be sent.
func (p *patient) do(what string, request func() error) {
	p.t.Helper()
	err := request()
	for errors.Is(err, zk.ErrNoServer) { // its connection was lost before
		p.pass(100 * time.Millisecond)
		err = request()
	}
	if err != nil {
		p.t.Fatalf("%s: %v", what, err)
	}
}

func (p *patient) delete(path string) {
	p.t.Helper()
	if err := p.setup.Delete(path, -1); err != nil {
		p.t.Fatalf("delete %s: %v", path, err)
	}
}

const ephemeralSequential = zk.FlagEphemeral | zk.FlagSequence

// stand makes a candidate that watches other znodes.
func (p *patient) stand(c *zk.Conn, watches ...string) string {
	p.t.Helper()
	znode := p.create(c, p.path+"/"+p.prefix, ephemeralSequential)
	p.watch(c, watches...)
	return znode
}

func (p *patient) watch(c *zk.Conn, znodes ...string) {
	p.t.Helper()
	for _, z := range znodes {
		p.do("watch "+z, func() error {
			_, _, _, err := c.ExistsW(z)
			return err
		})
	}
}

// queue makes candidates by the recipe, each with a session of its own.
func (p *patient) queue(n int) (znodes []string, clients []*zk.Conn) {
	p.t.Helper()
	for i := range n {
		c := p.client()
		clients = append(clients, c)
		var before []string
		if i > 0 {
			before = znodes[i-1:]
		}
		znodes = append(znodes, p.stand(c, before...))
	}
	return znodes, clients
}

// pass lets time pass.
func (p *patient) pass(d time.Duration) { time.Sleep(d) } // in the bubble

// told hears the events.
func (p *patient) told(es []model.Event) error {
	for _, e := range es {
		if f, ok := e.Body.(doctor.FindingChanged); ok && f.Raised {
			p.raised = append(p.raised, f.Finding)
		}
	}
	return nil
}

// look asks the servers for everything for ten seconds, as somebody would who
// leans on the key, and returns what the doctor has found up to then.
func (p *patient) look() []*doctor.Finding {
	p.t.Helper()
	for range 5 {
		if err := p.w.Poller().Poll(p.t.Context(), admin.Want{Watches: true, Sessions: true}); err != nil {
			p.t.Fatal(err)
		}
		p.pass(2 * time.Second)
	}
	synctest.Wait()
	for _, f := range p.w.First().Feed.State().Findings {
		if !slices.ContainsFunc(p.raised, func(r *doctor.Finding) bool { return r.Key == f.Key }) {
			p.t.Errorf("it is there and was never raised:%s", written(f))
		}
	}
	return p.raised
}

func written(fs ...*doctor.Finding) string {
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

// zxid finds the last transaction in what srvr and mntr say.
var zxid = regexp.MustCompile(`(?m)^(Zxid: 0x|zk_zxid\s+0x)[0-9a-f]+`)

// locks makes a read/write lock, in which a reader and a writer wait for each
// other or do not.
func (p *patient) locks(cycle bool) {
	stand := func(name string, watches ...string) (string, *zk.Conn) {
		c := p.client()
		id := strings.Repeat(fmt.Sprintf("%02x", len(name)), 16)
		z := p.create(c, p.path+"/"+id+name, ephemeralSequential)
		p.watch(c, watches...)
		return z, c
	}
	holder, _ := stand("__lock__")
	reader, c := stand("__rlock__")
	writer, _ := stand("__lock__", reader)
	if cycle {
		p.watch(c, writer)
	} else {
		p.watch(c, holder)
	}
}

// locked has a lock taken and let go of by turns, and held at last.
func (p *patient) locked(n int, held, last time.Duration) {
	p.prefix = strings.Repeat("0a", 16) + "__lock__"
	p.handoffs(n, held)
	p.pass(last)
}

// handoffs makes handoffs at intervals.
func (p *patient) handoffs(n int, every time.Duration) {
	clients := []*zk.Conn{p.client(), p.client()}
	znode := p.stand(clients[0])
	for i := range n {
		next := p.stand(clients[(i+1)%2], znode)
		p.pass(every)
		p.delete(znode)
		znode = next
	}
	p.stand(clients[(n+1)%2], znode)
}

// numbered recreates the parent, with a number for the next candidate.
func (p *patient) numbered(next int32) {
	p.delete(p.path)
	p.pass(time.Minute)
	if err := p.server.CreateNumbered(p.path, next); err != nil {
		p.t.Fatal(err)
	}
	p.queue(2)
}

// ensemble has the members pass for one: the first leads.
func (p *patient) ensemble(alter func(member, word, reply string) string) {
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
	p.alter.Store(&all)
}

// ailments are the failures that the doctor knows, each made for real, and of
// each a healthy neighbour: something like it in which nothing is wrong.
var ailments = []struct {
	id      string
	name    string // of the case, where one is not enough
	members string
	ack     bool // leaders have to acknowledge
	noted   bool // the neighbour is worth a word
	sick    func(p *patient)
	well    func(p *patient)
}{
	{
		id: "ghost-node",
		sick: func(p *patient) {
			p.prefix = strings.Repeat("0a", 16) + "-n_"
			p.queue(1)
			c, l := p.linked()
			if err := p.loseReply(c, l, func() error {
				_, err := c.Create(p.path+"/"+p.prefix, nil, ephemeralSequential, zk.WorldACL(zk.PermAll))
				return err
			}); err == nil {
				p.t.Fatal("the reply was not lost")
			}
			p.stand(c, p.path+"/"+p.prefix+"0000000001") // tries again by the same guid, and finds itself
		},
		well: func(p *patient) {
			znodes, _ := p.queue(1)
			c, l := p.linked()
			// Looks for its znode before it makes another.
			if err := p.loseReply(c, l, func() error {
				_, err := c.CreateProtectedEphemeralSequential(p.path+"/n_", nil, zk.WorldACL(zk.PermAll))
				return err
			}); err != nil {
				p.t.Fatal(err)
			}
			p.watch(c, znodes...)
		},
	},
	{
		id: "two-leaders", ack: true,
		sick: func(p *patient) {
			znodes, clients := p.queue(3)
			p.create(clients[0], patientAck, zk.FlagEphemeral)
			p.pass(time.Minute)
			p.delete(znodes[0]) // its owner leads on
		},
		well: func(p *patient) {
			znodes, clients := p.queue(3)
			p.create(clients[0], patientAck, zk.FlagEphemeral)
			p.pass(time.Minute)
			p.delete(patientAck)
			p.delete(znodes[0])
			p.create(clients[1], patientAck, zk.FlagEphemeral)
		},
	},
	{
		id: "reset-livelock",
		sick: func(p *patient) {
			// Every client starts again after each change.
			_, clients := p.queue(3)
			for i := range 60 {
				children, _, err := p.setup.Children(p.path)
				if err != nil {
					p.t.Fatal(err)
				}
				for _, c := range children {
					p.delete(p.path + "/" + c)
				}
				for j := range clients {
					p.create(clients[(i+j)%len(clients)], p.path+"/n_", ephemeralSequential)
				}
				p.pass(200 * time.Millisecond)
			}
		},
		well: func(p *patient) {
			// As much comes and goes, but behind a leader who stays.
			znodes, _ := p.queue(2)
			c := p.client()
			for range 60 {
				p.delete(p.stand(c, znodes[1]))
				p.pass(200 * time.Millisecond)
			}
		},
	},
	{
		id: "parent-vanished", name: "absent",
		sick: func(p *patient) {
			znodes, _ := p.queue(3)
			p.pass(time.Minute)
			for _, z := range znodes {
				p.delete(z)
			}
			p.delete(p.path)
		},
		well: func(p *patient) {
			_, clients := p.queue(3)
			p.pass(time.Minute)
			for _, c := range clients {
				c.Close()
			}
			p.pass(time.Minute)
			p.delete(p.path)
		},
	},
	{
		id: "parent-vanished", name: "created again",
		sick: func(p *patient) {
			znodes, _ := p.queue(3)
			p.pass(time.Minute)
			for _, z := range znodes {
				p.delete(z)
			}
			p.delete(p.path)
			p.pass(time.Second)
			p.create(p.setup, p.path, 0)
		},
		well: func(p *patient) {
			// Everybody notices and stands again.
			znodes, clients := p.queue(3)
			p.pass(time.Minute)
			for _, z := range znodes {
				p.delete(z)
			}
			p.delete(p.path)
			p.create(p.setup, p.path, 0)
			before := []string{}
			for _, c := range clients {
				before = []string{p.stand(c, before...)}
			}
		},
	},
	{
		id: "missing-watch", name: "none",
		sick: func(p *patient) {
			p.queue(2)
			p.stand(p.client())
		},
		well: func(p *patient) { p.queue(3) },
	},
	{
		id: "wrong-watch",
		sick: func(p *patient) {
			// It sets its watch too late, and does not look at the answer.
			znodes, clients := p.queue(3)
			c := p.client()
			p.stand(c)
			clients[2].Close()
			p.watch(c, znodes[2])
		},
		well: func(p *patient) {
			znodes, clients := p.queue(3)
			c := p.client()
			p.stand(c)
			clients[2].Close()
			p.watch(c, znodes[1])
		},
	},
	{
		id:   "watch-cycle",
		sick: func(p *patient) { p.locks(true) },
		well: func(p *patient) { p.locks(false) },
	},
	{
		id: "dropped-candidate",
		sick: func(p *patient) {
			znodes, _ := p.queue(2)
			c := p.client()
			p.delete(p.stand(c, znodes[1]))
			p.pass(time.Second)
			p.watch(c, p.stand(p.client(), znodes[1])) // and it waits on
		},
		well: func(p *patient) {
			// Somebody else looks on.
			p.queue(2)
			if _, _, _, err := p.client().ChildrenW(p.path); err != nil {
				p.t.Fatal(err)
			}
		},
	},
	{
		id:   "abandoned-attempt",
		sick: func(p *patient) { p.locked(12, 5*time.Second, 10*time.Minute) },
		well: func(p *patient) { p.locked(12, 5*time.Second, time.Minute) },
	},
	{
		id: "zombie-leader",
		sick: func(p *patient) {
			c, l := p.linked()
			head := p.stand(c)
			p.stand(p.client(), head)
			p.pass(time.Minute)
			l.die()
		},
		well: func(p *patient) {
			c, l := p.linked()
			head := p.stand(c)
			p.stand(p.client(), head)
			p.pass(time.Minute)
			l.cut() // it comes back
		},
	},
	{
		id: "silent-candidate",
		sick: func(p *patient) {
			head := p.stand(p.client())
			c, l := p.linked()
			p.stand(p.client(), p.stand(c, head))
			p.pass(time.Minute)
			l.die()
		},
		well: func(p *patient) {
			head := p.stand(p.client())
			c, l := p.linked()
			p.stand(c, head)
			p.pass(time.Minute)
			l.cut() // it comes back
		},
	},
	{
		id: "deleted-leader", name: "latch",
		sick: func(p *patient) {
			p.prefix = "_c_381f220e-fef5-487f-ae4f-04ac14aaed10-latch-"
			znodes, _ := p.queue(2)
			p.pass(time.Minute)
			p.delete(znodes[0])
		},
		well: func(p *patient) {
			p.prefix = "_c_381f220e-fef5-487f-ae4f-04ac14aaed10-latch-"
			_, clients := p.queue(2)
			p.pass(time.Minute)
			clients[0].Close()
		},
	},
	{
		id: "deleted-leader", name: "other clients",
		sick: func(p *patient) {
			znodes, _ := p.queue(2)
			p.delete(znodes[0]) // it may have resigned
		},
		well: func(p *patient) {
			znodes, clients := p.queue(2)
			p.delete(znodes[0])
			p.stand(clients[0], znodes[1])
		},
	},
	{
		id:   "sequence-limit",
		sick: func(p *patient) { p.numbered(2_147_483_000) },
		well: func(p *patient) { p.numbered(1_000_000) },
	},
	{
		id: "ack-disagrees", ack: true,
		sick: func(p *patient) {
			p.queue(2) // and the leader does not come to acknowledge
		},
		well: func(p *patient) {
			_, clients := p.queue(2)
			p.create(clients[0], patientAck, zk.FlagEphemeral)
		},
	},
	{
		id:   "flapping",
		sick: func(p *patient) { p.handoffs(8, 3*time.Second) },
		well: func(p *patient) { p.handoffs(8, time.Minute) },
	},
	{
		id: "herd",
		sick: func(p *patient) {
			znodes, _ := p.queue(1)
			for range 4 {
				p.stand(p.client(), znodes[0])
			}
		},
		well: func(p *patient) {
			// A leader may watch its own znode.
			znodes, clients := p.queue(5)
			p.watch(clients[0], znodes[0])
		},
	},
	{
		id: "ensemble-split", members: threeMembers,
		sick: func(p *patient) {
			p.ensemble(func(member, word, reply string) string {
				if member == "10.0.0.2:2181" {
					return strings.Replace(reply, "follower", "leader", 1)
				}
				return reply
			})
			p.queue(2)
		},
		well: func(p *patient) {
			p.ensemble(nil)
			p.queue(2)
		},
	},
	{
		id: "zxid-rollover", members: threeMembers,
		sick: func(p *patient) {
			p.ensemble(func(_, _, reply string) string { return zxid.ReplaceAllString(reply, "${1}1ffffff00") })
			p.queue(2)
		},
		well: func(p *patient) {
			p.ensemble(func(_, _, reply string) string { return zxid.ReplaceAllString(reply, "${1}7fffffff00000010") })
			p.queue(2)
		},
	},
	{
		id: "ephemerals-differ", members: threeMembers,
		sick: func(p *patient) {
			znodes, _ := p.queue(3)
			p.ensemble(func(member, word, reply string) string {
				if member == "10.0.0.3:2181" && word == "dump" {
					return strings.Replace(reply, "\t"+znodes[1]+"\n", "", 1)
				}
				return reply
			})
		},
		well: func(p *patient) {
			// A server that is behind knows less.
			znodes, _ := p.queue(3)
			p.ensemble(func(member, word, reply string) string {
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
		sick: func(p *patient) {
			first := p.create(p.setup, p.path+"/n_", zk.FlagSequence) // and no ephemeral
			head := p.stand(p.client(), first)
			p.stand(p.client(), head)
		},
		well: func(p *patient) {
			p.create(p.setup, p.path+"/config", 0)
			p.queue(2)
		},
	},
}

// TestDoctorFinds makes every failure for real, and its healthy neighbour.
func TestDoctorFinds(t *testing.T) {
	for _, a := range ailments {
		members := a.members
		if members == "" {
			members = oneMember
		}
		name := a.id
		if a.name != "" {
			name += "/" + a.name
		}
		t.Run(name+"/sick", func(t *testing.T) {
			examined(t, members, a.ack, func(p *patient) {
				a.sick(p)
				fs := p.look()
				for _, f := range fs {
					if f.ID == a.id && (f.Severity != doctor.Info || a.id != "ghost-node") {
						return
					}
				}
				t.Errorf("not found, but:%s", written(fs...))
			})
		})
		t.Run(name+"/well", func(t *testing.T) {
			examined(t, members, a.ack, func(p *patient) {
				a.well(p)
				for _, f := range p.look() {
					if f.ID == a.id && !a.noted || f.Severity != doctor.Info {
						t.Errorf("found in a healthy election:%s", written(f))
					}
				}
			})
		})
	}
}

// TestDoctorIsSilentOverHandoffs asks the servers in the middle of handoffs,
// when for a moment watches are missing, the acknowledgement is another's and
// sessions have no znode.
func TestDoctorIsSilentOverHandoffs(t *testing.T) {
	examined(t, oneMember, true, func(p *patient) {
		t := p.t // of the bubble
		servers, _ := client.ParseConnectString(oneMember)
		cast := demo.NewCast(demo.Config{
			Conn: client.Config{Servers: servers, Dial: p.dial, SessionTimeout: 10 * time.Second},
			Path: p.path, Ack: patientAck, Put: func(model.Observation) {},
		})
		defer cast.Close()
		if err := cast.SpawnInOrder(t.Context(), 4); err != nil {
			t.Fatal(err)
		}
		ask := func() {
			if err := p.w.Poller().Poll(t.Context(), admin.Want{Watches: true, Sessions: true}); err != nil {
				t.Fatal(err)
			}
		}
		state := p.w.First().Feed.State
		for range 20 {
			s, err := p.w.First().Feed.Await(t.Context(), (*doctor.State).Acknowledged)
			if err != nil {
				t.Fatal(err)
			}
			if err := cast.Fault(string(s.Leader().Data.Bytes), demo.Resign, true); err != nil {
				t.Fatal(err)
			}
			ask()
			if _, err := cast.Spawn(); err != nil {
				t.Fatal(err)
			}
			for range 5 {
				ask()
				p.pass(300 * time.Millisecond)
			}
			p.pass(25 * time.Second)
		}
		n := 0
		for _, h := range state().Handoffs {
			if h.From == nil {
				continue
			}
			n++
			if h.Cause == model.CauseExpired {
				t.Errorf("handoff %d is said to be by expiry: %s", n, h.Evidence)
			}
		}
		if n != 20 {
			t.Errorf("%d handoffs, want 20", n)
		}
		if fs := p.look(); len(fs) > 0 {
			t.Errorf("found in a healthy election:%s", written(fs...))
		}
		s := state()
		for i, c := range s.Queue.All() {
			if e := s.Edge(i); i > 0 && e.State != doctor.Verified {
				t.Errorf("%s: %+v", c.Name, e)
			}
		}
	})
}

// TestExamLooksLonger: an exam that would end before it is known whether a suspicion is
// critical looks longer, if half a minute is enough and nobody said how long to look.
func TestExamLooksLonger(t *testing.T) {
	const overseer, shard = "/overseer_elect/election", "/collections/books/leader_elect/shard1/election"
	for _, x := range []struct {
		name, path, ack string
		fixed           bool // for how long to look is given
		early           bool // the election is read before anything else is done
		longer          bool
		found, pending  bool
	}{
		{name: "enough", path: overseer, longer: true, found: true},
		{name: "early", path: overseer, early: true, longer: true, found: true},
		{name: "given", path: overseer, fixed: true, pending: true},
		{name: "too long", path: shard, pending: true},
		{name: "healthy", path: overseer, ack: "/overseer_elect/leader"},
	} {
		t.Run(x.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &patient{t: t, path: x.path, server: zkserver.New(zkserver.Options{})}
				defer p.server.Close()
				p.setup = p.client()
				for i, c := range x.path[1:] {
					if c == '/' {
						p.create(p.setup, x.path[:i+1], 0)
					}
				}
				p.create(p.setup, x.path, 0)
				first := p.client()
				read := &model.Read{At: feed.Now(), Presence: model.Present, Full: true}
				for i, c := range []*zk.Conn{first, p.client()} {
					name := p.create(c, fmt.Sprintf("%s/7205770053301043%d-10.0.0.%d:8983_solr-n_", x.path, i, i+1), zk.FlagEphemeral|zk.FlagSequence)
					read.New = append(read.New, znode.Znode{Name: znode.Base(name), Session: uint64(c.SessionID())})
				}
				if x.ack != "" {
					p.create(first, x.ack, zk.FlagEphemeral)
				}
				servers, err := client.ParseConnectString("127.0.0.1:2181")
				if err != nil {
					t.Fatal(err)
				}
				w, err := election.New(election.Config{
					Conn: client.Config{Servers: servers, Dial: p.dial}, Asking: cluster.Asking{Mode: admin.Off},
					Elections: []model.Config{{Path: x.path, AckPath: x.path + "-leader", AckFollows: true}},
					Notice:    func(s string) { t.Log(s) }, Log: slog.New(slog.DiscardHandler),
				})
				if err != nil {
					t.Fatal(err)
				}
				if x.early {
					over, cancel := context.WithCancel(t.Context())
					cancel()
					w.First().Feed.Put(read)
					if err := w.First().Feed.Run(over); err != nil || w.First().Feed.State().Dialect == nil {
						t.Fatalf("the election is not recognised: %v", err)
					}
				}
				tasks := process.NewTasks(t.Context())
				w.Observe(tasks)
				exam, longer := election.Exam{For: 6 * time.Second, Reach: cluster.Reach{For: time.Minute}}, time.Duration(0)
				if !x.fixed {
					exam.Longer = func(by time.Duration, p doctor.Pending) {
						if p.Rule != "no-leader" || by <= 0 || by > 30*time.Second || longer != 0 {
							t.Errorf("%v longer for %+v, after %v", by, p, longer)
						}
						longer += by
					}
				}
				s, observed, err := w.Examine(tasks.Context(), w.First(), exam)
				if err != nil {
					t.Fatal(err)
				}
				found := slices.ContainsFunc(s.Findings, func(f *doctor.Finding) bool {
					return f.ID == "no-leader" && f.Severity == doctor.Critical
				})
				pending := slices.ContainsFunc(s.Pending, func(p doctor.Pending) bool {
					return p.Rule == "no-leader" && p.Severity == doctor.Critical && p.Left > 0
				})
				if found != x.found || pending != x.pending || (longer > 0) != x.longer || observed != exam.For+longer {
					t.Errorf("found %v, pending %v, observed %v, %v longer; the findings: %s", found, pending, observed, longer, titles(s.Findings))
				}
				if err := tasks.Stop(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func titles(fs []*doctor.Finding) string {
	var out []string
	for _, f := range fs {
		out = append(out, f.ID+": "+f.Title)
	}
	return strings.Join(out, "; ")
}

func TestMain(m *testing.M) { zktest.Main(m) }
