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

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/model"
	"electop/model/doctor"
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
		if err := p.w.Asker().Ask(p.t.Context(), admin.Want{Watches: true, Sessions: true}); err != nil {
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
