package check

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"electop/demo/zkserver"
	"electop/model/units"
	"electop/model/znode"
	"electop/zkwatch/client"
	"electop/zkwatch/fault"
)

type world struct {
	ctx      context.Context
	end      context.CancelFunc
	p        *program
	check    *Check
	notes    []string // for the result of a check that passes
	listener net.Listener
	running  sync.WaitGroup
	rec      *recording // nil: not recorded

	mu        sync.Mutex
	server    *zkserver.Server
	instances []*instance // in the order of add
	turns     []turn
}

// A turn is a change of an instance's belief.
type turn struct {
	at    time.Time
	of    *instance
	leads bool
}

func (p *program) newWorld(ctx context.Context, c *Check) (*world, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("check %s: %w", c.Name, err)
	}
	w := &world{p: p, check: c, listener: listener}
	w.ctx, w.end = context.WithCancel(ctx)
	w.restart()
	w.running.Go(func() {
		for {
			nc, err := listener.Accept()
			if err != nil {
				return
			}
			w.running.Go(func() { w.current().ServeConn(nc) })
		}
	})
	if err := w.startRecording(); err != nil {
		w.close(time.Time{})
		return nil, err
	}
	return w, nil
}

func (w *world) restart() {
	s := zkserver.New(zkserver.Options{Tick: tick, MinSessionTimeout: Timeout, MaxSessionTimeout: Timeout, NewestFirst: w.check.next > 0, Logger: w.p.Log})
	if w.p.parent || w.check.next > 0 {
		_ = s.CreateNumbered(Path, w.check.next) // cannot fail in a new server
	}
	for i, r := range w.p.dir + "/" { // create dir so that its first sequential child gets the number check.next
		if r == '/' && i > len(Path) && w.check.next > 0 {
			_ = s.CreateNumbered(w.p.dir[:i], w.check.next)
		}
	}
	w.mu.Lock()
	old := w.server
	w.server = s
	w.mu.Unlock()
	if old != nil {
		old.Close()
	}
}

func (w *world) current() *zkserver.Server {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.server
}

// config configures a client whose messages are in no instance's log.
func (w *world) config() client.Config {
	servers, _ := client.ParseConnectString(w.listener.Addr().String()) // an address with a port is valid
	dial := func(context.Context, string, string) (net.Conn, error) { return w.current().DialObserver() }
	return client.Config{Servers: servers, SessionTimeout: Timeout, Dial: dial, Logger: w.p.Log}
}

func (w *world) stranger() *client.Conn {
	c, err := client.Connect(w.config())
	if err != nil {
		w.unknown("%v", err)
	}
	context.AfterFunc(w.ctx, c.Cut)
	c.AwaitConnected(w.ctx)
	return c
}

func (w *world) close(at time.Time) (recording string) {
	recording = w.rec.close(at)
	for _, in := range w.all() {
		in.signal(in.facts().fault, syscall.SIGKILL)
	}
	for _, in := range w.all() {
		if in.cmd != nil {
			<-in.done
		}
		in.link.Close()
	}
	w.end()
	w.listener.Close()
	w.server.Close()
	w.running.Wait()
	return recording
}

func (w *world) all() []*instance {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.instances)
}

func (w *world) add() *instance {
	w.mu.Lock()
	defer w.mu.Unlock()
	in := &instance{w: w, id: "i" + strconv.Itoa(len(w.instances)+1), done: make(chan struct{})}
	var err error
	if in.link, err = fault.Listen(w.listener.Addr().String(), fault.LinkOptions{Open: in.open}); err != nil {
		w.unknown("%v", err)
	}
	in.link.Start()
	w.instances = append(w.instances, in)
	return in
}

func (w *world) join(in *instance, limit time.Duration) bool {
	w.p.starting <- struct{}{}
	defer func() { <-w.p.starting }()
	if err := in.launch(); err != nil {
		w.unknown("%v", err)
	}
	return w.await(limit, func() bool { return w.takesPart(in) || in.ended() }) && !in.ended()
}

func (w *world) takesPart(in *instance) bool {
	_, listWatchers := w.current().Children(w.p.dir)
	return slices.ContainsFunc(w.queue(), func(c candidate) bool {
		watches := slices.ContainsFunc(in.facts().sessions, func(id int64) bool { return slices.Contains(append(listWatchers, c.Watchers...), id) })
		return !in.ended() && (c.of == in || w.p.single != "" && watches)
	})
}

func (w *world) joinAll(n int) {
	for range n {
		if in := w.add(); !w.join(in, joinLimit) {
			w.unknown("%s did not join the election: %s", in.id, in.lastOutput())
		}
	}
	w.rest()
}

func (w *world) start(n int) candidate {
	w.joinAll(n)
	if why := w.disorder(); why != "" {
		w.unknown("at the start %s", why)
	}
	return w.candidate(0)
}

// disorder waits for a correct election, and returns what stays wrong, "" for nothing.
func (w *world) disorder() string {
	inOrder := func() bool {
		q, l := w.queue(), w.leaders()
		return len(q) > 0 && (w.p.Leading == nil || len(l) == 1 && l[0] == q[0].of)
	}
	if w.await(grace, inOrder) {
		return ""
	}
	switch l := w.leaders(); {
	case len(l) > 1:
		return fmt.Sprintf("%s and %s both believe that they lead", l[0].id, l[1].id)
	case len(l) == 1:
		return fmt.Sprintf("%s believes that it leads, but its znode is not the first", l[0].id)
	case len(w.queue()) == 0:
		return "no candidate has a znode"
	}
	return "no output line shows a leader (is the output buffered?)"
}

// quiet is the time without messages after which an instance counts as quiet.
const quiet = 300 * time.Millisecond

func (w *world) quietFor(d time.Duration) bool {
	return !slices.ContainsFunc(w.all(), func(in *instance) bool { return len(in.messages(time.Now().Add(-d))) > 0 })
}

func (w *world) rest() { w.await(Timeout, func() bool { return w.quietFor(quiet) }) }

func (w *world) pause(d time.Duration) { w.await(d, func() bool { return false }) }

func (w *world) await(limit time.Duration, holds func() bool) bool {
	for end := time.Now().Add(limit); !holds(); {
		if time.Now().After(end) || w.ctx.Err() != nil {
			return false
		}
		time.Sleep(2 * time.Millisecond)
	}
	return true
}

// A candidate is a znode of an instance, or the election's single znode.
type candidate struct {
	zkserver.Child
	path string
	of   *instance // nil: no instance created the single znode
}

// queue returns the candidates in the order in which their znodes were created.
func (w *world) queue() (out []candidate) {
	children, _ := w.current().Children(w.p.dir)
	for _, c := range children {
		x := candidate{c, znode.Join(w.p.dir, c.Name), nil}
		for _, in := range w.all() {
			if c.Owner != 0 && slices.Contains(in.facts().sessions, c.Owner) || c.Owner == 0 && len(in.created(x.path)) > 0 {
				x.of = in
			}
		}
		_, err := strconv.Atoi(c.Name[max(0, len(c.Name)-znode.SequenceDigits):])
		if w.p.single == c.Name || w.p.single == "" && x.of != nil && err == nil {
			out = append(out, x)
		}
	}
	return out
}

func (w *world) candidate(place int) candidate {
	q := w.queue()
	if len(q) <= place {
		w.unknown("the election has only %d candidates", len(q))
	}
	return q[place]
}

func (w *world) candidatesOf(in *instance) []candidate {
	return slices.DeleteFunc(w.queue(), func(c candidate) bool { return c.of != in })
}

func (w *world) exists(c candidate) bool {
	return slices.ContainsFunc(w.queue(), func(x candidate) bool { return x.path == c.path && x.Czxid == c.Czxid })
}

func (w *world) awaitGone(c candidate) time.Time {
	if !w.await(Timeout+grace, func() bool { return !w.exists(c) }) {
		w.unknown("the znode of %s was not deleted in %s", c.of.id, units.Exact(Timeout+grace))
	}
	return time.Now()
}

func (w *world) setBelief(in *instance, leads bool) {
	if in.leads() == leads {
		return
	}
	w.mu.Lock()
	w.turns = append(w.turns, turn{time.Now(), in, leads})
	w.mu.Unlock()
	w.record(in)
}

func (in *instance) leads() (leads bool) {
	in.w.mu.Lock()
	defer in.w.mu.Unlock()
	for _, t := range in.w.turns {
		if t.of == in {
			leads = t.leads
		}
	}
	return leads
}

func (in *instance) turned(leads bool, since time.Time) (at time.Time, ok bool) {
	in.w.mu.Lock()
	defer in.w.mu.Unlock()
	i := slices.IndexFunc(in.w.turns, func(t turn) bool { return t.of == in && t.leads == leads && t.at.After(since) })
	if i < 0 {
		return since, false
	}
	return in.w.turns[i].at, true
}

func (w *world) leaders() []*instance {
	return slices.DeleteFunc(w.all(), func(in *instance) bool { return !in.leads() })
}

// jitter bounds the delay of an output line.
const jitter = 20 * time.Millisecond

func (w *world) oneLeader(since time.Time) {
	if w.p.Following == nil {
		return // the output does not show when a leader stops leading
	}
	w.mu.Lock()
	turns := append(slices.Clone(w.turns), turn{at: time.Now()})
	w.mu.Unlock()
	var leaders []string
	for i, t := range turns {
		if len(leaders) > 1 {
			from := slices.MaxFunc([]time.Time{turns[i-1].at, since}, time.Time.Compare)
			if took := t.at.Sub(from); took > jitter {
				panic(outcome{Failed, fmt.Sprintf("%s both believed that they lead, for %s", strings.Join(leaders, " and "), units.Took(took)), from.Add(took / 2)})
			}
		}
		if t.leads {
			leaders = append(leaders, t.of.id)
		} else if t.of != nil {
			leaders = slices.DeleteFunc(leaders, func(id string) bool { return id == t.of.id })
		}
	}
}

// takesOver waits for the next leader, and returns it.
func (w *world) takesOver(left candidate, since time.Time, limit time.Duration) (next candidate) {
	first := func() bool {
		q := w.queue()
		if len(q) == 0 || q[0].Czxid == left.Czxid || q[0].of == nil {
			return false
		}
		next = q[0]
		return true
	}
	leads := func() bool {
		return first() && (next.of.leads() || w.p.Leading == nil && len(next.of.messages(since)) > 0)
	}
	switch {
	case w.await(limit, leads):
	case w.exists(left):
		w.unknown("%s still has its znode, %s after it should have left", left.of.id, units.Took(time.Since(since)))
	case !first():
		w.fail("%s after %s left, nobody else is first", units.Took(time.Since(since)), left.of.id)
	case w.p.Leading == nil:
		w.fail("%s is first, but it was not notified and read nothing in %s", next.of.id, units.Took(time.Since(since)))
	default:
		w.fail("%s is first, but it does not lead, %s after %s left", next.of.id, units.Took(time.Since(since)), left.of.id)
	}
	return next
}

func (w *world) needLeading() {
	if w.p.Leading == nil {
		w.unknown("what the server shows is right; without --leading the output does not show who leads")
	}
}

// stops returns the parameter began if the instance stopped earlier.
func (w *world) stops(in *instance, began time.Time, limit time.Duration) (at time.Time, ok bool) {
	if !w.await(limit, func() bool { return !in.leads() }) {
		return time.Time{}, false
	}
	at, _ = in.turned(false, began)
	return at, true
}
