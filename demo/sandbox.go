package demo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/model"
	"electop/model/dialect"
	"electop/model/znode"
	"electop/zkwatch/client"
	"electop/zkwatch/wire"
)

// SandboxConfig is the configuration of a [Sandbox].
type SandboxConfig struct {
	Server *zkserver.Server
	// Cast must not have members yet, because the sandbox needs all reports of each member.
	Cast *Cast
	Path string // znode of the election or other recipe
	// Workers configures the sandbox's own connections. A worker replaces BufferSize and MaxReply.
	Workers client.Config
	// WriteEvery is the time between two writes of a worker; 0 is 400 ms.
	WriteEvery time.Duration
	Chaos      *Chaos // published in the rules, not applied by the sandbox; nil: none
	// Put receives the observations. It must not block, and must not call the sandbox, Cast or Server.
	Put func(model.Observation)
	// Notice receives one line for each worker that fails; nil discards it.
	Notice func(string)
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

const defaultWriteEvery = 400 * time.Millisecond

// Sandbox controls the demo's election: the cast, the pace of the embedded server, and the leaders' workers.
// Any goroutine may call its methods.
type Sandbox struct {
	cfg       SandboxConfig
	tokens    Tokens
	workers   sync.WaitGroup
	preparing chan struct{} // holds a value while Prepare runs
	ruling    sync.Mutex    // serializes SetRules

	mu       sync.Mutex
	rules    model.Rules
	nextPace *zkserver.Pace          // pace after Prepare; nil: Prepare does not run
	members  map[string]model.Member // by ID; also killed members
	leftover []uint64                // sessions, perhaps alive, of killed members that were replaced and partitioned members that left
	jobs     map[int64]*job          // by fencing token
	running  context.Context         // context of Run; nil: Run does not run
	changed  chan struct{}           // closed at the next report of a member; nil: nothing waits
}

// NewSandbox returns a sandbox for cfg.Cast. No worker runs before [Sandbox.Run].
func NewSandbox(cfg SandboxConfig) *Sandbox {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.WriteEvery = cmp.Or(cfg.WriteEvery, defaultWriteEvery)
	s := &Sandbox{
		cfg:       cfg,
		preparing: make(chan struct{}, 1),
		members:   make(map[string]model.Member),
		jobs:      make(map[int64]*job),
	}
	if cfg.Chaos != nil {
		s.rules.Chaos = cfg.Chaos.String()
	}
	cfg.Cast.sandbox = s
	return s
}

// Run publishes the pace and deletion reports, and lets workers run, until ctx ends. The error is always nil.
func (s *Sandbox) Run(ctx context.Context) error {
	defer s.cfg.Server.Tally(s.cfg.Path, s.putDeletionReport)()
	run := func(ctx context.Context) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.running = ctx
		s.startStopWorkers()
	}
	s.mu.Lock()
	s.putRules()
	s.mu.Unlock()
	run(ctx)
	s.watchPace(ctx)
	run(nil)
	s.workers.Wait()
	return nil
}

// update requires that the caller holds the member's mutex, so update must not call the cast.
func (s *Sandbox) update(w *model.Cast) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := w.Member
	if old := s.members[m.ID]; old.Fault == model.Killed && old.Session != m.Session {
		s.leftover = append(s.leftover, old.Session)
	}
	if w.Gone && m.Fault == model.Partitioned {
		s.leftover = append(s.leftover, m.Session) // the server does not know that m has left
	}
	if s.removeExpired(); w.Gone && m.Fault != model.Killed {
		delete(s.members, m.ID)
	} else {
		s.members[m.ID] = m
	}
	s.updateJobs(m, w.Gone)
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// SetPace sets the server's pace. While Prepare runs, the new pace waits until Prepare has succeeded; if Prepare
// fails, the new pace is dropped.
func (s *Sandbox) SetPace(p zkserver.Pace) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.nextPace != nil {
		s.nextPace = &p
		return
	}
	s.cfg.Server.SetPace(p)
}

// Pace returns the current pace.
func (s *Sandbox) Pace() zkserver.Pace { return s.cfg.Server.Pace() }

// SetRules changes the rules, except Chaos. The new rules may accept refused writes, so leaders can get new workers.
func (s *Sandbox) SetRules(r model.Rules) {
	s.ruling.Lock()
	defer s.ruling.Unlock()
	if r.NoGuid != s.Rules().NoGuid { // without a change, each member keeps its own NoGuid
		s.cfg.Cast.NoGuidAll(r.NoGuid)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r.Chaos = s.rules.Chaos
	s.rules = r
	for _, j := range s.jobs {
		j.refused = false
	}
	s.putRules()
	s.startStopWorkers()
}

// putRules requires that the caller holds s.mu, so no worker can read the rules before they are published.
func (s *Sandbox) putRules() {
	s.rules.At = s.cfg.Now()
	r := s.rules
	s.cfg.Put(&r)
}

// Rules returns the current rules.
func (s *Sandbox) Rules() model.Rules {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rules
}

func (s *Sandbox) notice(text string) {
	if s.cfg.Notice != nil {
		s.cfg.Notice(znode.Safe(text, 0))
	}
}

// Setup describes the election that [Sandbox.Prepare] makes.
type Setup struct {
	Cast   int            // number of members; a double barrier waits for one more
	Kind   dialect.Kind   // kind of recipe, "" for an election
	Recipe dialect.Recipe // nil: the recipe of the dialect
	Rules  model.Rules    // At and Chaos are ignored
	Pace   zkserver.Pace  // pace after the members have joined
}

// Prepare replaces all members by new ones, which join in the order of their names, and waits until each
// has joined or left. Prepare does not remove third-party candidates. If Prepare fails, the server stays at full
// speed, and new members stay. But if ctx ends while another Prepare runs, Prepare changes nothing.
func (s *Sandbox) Prepare(ctx context.Context, want Setup) (err error) {
	select {
	case s.preparing <- struct{}{}:
		defer func() { <-s.preparing }()
	case <-ctx.Done():
		return fmt.Errorf("prepare the election: %w", ctx.Err())
	}
	s.fullSpeed(want.Pace)
	defer func() { s.endFullSpeed(err == nil) }()
	if err := s.removeAll(ctx); err != nil {
		return fmt.Errorf("remove the candidates: %w", err)
	}
	if s.cfg.Cast.setKind(want.Kind, want.Cast+1) || want.Kind != "" {
		if err := s.removeZnodes(ctx); err != nil {
			return fmt.Errorf("remove the znodes: %w", err)
		}
	}
	s.SetRules(want.Rules)
	if err := s.cfg.Cast.Follow(want.Recipe); err != nil {
		return fmt.Errorf("prepare the election: %w", err)
	}
	if err := s.cfg.Cast.SpawnInOrder(ctx, want.Cast); err != nil {
		return fmt.Errorf("prepare the election: %w", err)
	}
	return nil
}

func (s *Sandbox) fullSpeed(next zkserver.Pace) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nextPace = &next
	s.cfg.Server.SetPace(zkserver.Pace{})
}

func (s *Sandbox) endFullSpeed(prepared bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if prepared {
		s.cfg.Server.SetPace(*s.nextPace)
	}
	s.nextPace = nil
}

func (s *Sandbox) removeAll(ctx context.Context) error {
	members := s.allMembers()
	if err := s.cfg.Cast.Clear(ctx); err != nil {
		return err
	}
	for _, m := range append(members, s.allMembers()...) {
		_ = s.expire(m) // fails if the session has already ended
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, session := range s.leftover {
		_ = s.cfg.Server.ExpireSession(int64(session)) // fails if the session has already ended
	}
	s.leftover = nil
	for _, j := range s.jobs { // no report ends the job of a dead leader
		j.over = true
	}
	s.startStopWorkers()
	return nil
}

// removeZnodes deletes the election's parent, and the participants' persistent znodes below it.
func (s *Sandbox) removeZnodes(ctx context.Context) error {
	conn, err := client.Connect(s.cfg.Workers)
	if err != nil {
		return err
	}
	defer conn.Close()
	conn.AwaitConnected(ctx)
	names, _, err := conn.Children(ctx, s.cfg.Path)
	for _, name := range names {
		path := znode.Join(s.cfg.Path, name)
		if data, _, err := conn.Get(ctx, path); err == nil && string(data) == s.cfg.Cast.mark {
			_ = conn.Delete(ctx, path, -1)
		}
	}
	if err == nil {
		err = conn.Delete(ctx, s.cfg.Path, -1)
	}
	switch {
	case errors.Is(err, zk.ErrNoNode):
		return nil
	case errors.Is(err, zk.ErrNotEmpty):
		return fmt.Errorf("other programs have znodes in %s", s.cfg.Path)
	}
	return err
}

// A Step describes what [Sandbox.Step] did. A zero Step means that there was nothing to do.
type Step struct {
	Began    bool // the pace had no steps, so Step called SetPace
	Released *model.Message
	Skipped  string        // ID of the member whose session was expired
	Wait     time.Duration // the skipped time
}

// Step starts the stepping or releases one message. If no message is held, Step expires a faulty member's session.
func (s *Sandbox) Step() (Step, error) {
	if !s.Pace().Steps {
		s.SetPace(zkserver.Pace{Steps: true})
		return Step{Began: true}, nil
	}
	if paced, ok := s.cfg.Server.Step(); ok {
		m := message(paced)
		return Step{Released: &m}, nil
	}
	m, at, ok := s.nextToExpire()
	if !ok {
		return Step{}, nil
	}
	wait := max(0, at.Sub(s.cfg.Now()))
	if err := s.expire(m); err != nil {
		return Step{}, err
	}
	return Step{Skipped: m.ID, Wait: wait}, nil
}

func (s *Sandbox) nextToExpire() (first model.Member, at time.Time, ok bool) {
	for _, m := range s.allMembers() {
		if m.Fault == model.NoFault || m.Session == 0 {
			continue
		}
		end, lives := s.cfg.Server.Deadline(int64(m.Session))
		if lives && (!ok || end.Before(at) || end.Equal(at) && m.ID < first.ID) {
			first, at, ok = m, end, true
		}
	}
	return first, at, ok
}

// putDeletionReport requires that the caller holds the server's lock.
func (s *Sandbox) putDeletionReport(t zkserver.Tally) {
	notified := make([]uint64, len(t.Notified))
	for i, id := range t.Notified {
		notified[i] = uint64(id)
	}
	s.cfg.Put(&model.DeletionReport{
		At: s.cfg.Now(), Deleted: utc(t.At), Znode: znode.Base(t.Path), Zxid: t.Zxid, Notified: notified,
		Requests: t.Requests, BytesIn: t.BytesIn, BytesOut: t.BytesOut, Settled: t.Settled,
	})
}

// paceEvery limits the number of pace observations, which keeps recordings small.
const paceEvery = 20 * time.Millisecond

func (s *Sandbox) watchPace(ctx context.Context) {
	rest := time.NewTimer(paceEvery)
	defer rest.Stop()
	for {
		s.putPace()
		rest.Reset(paceEvery)
		select {
		case <-rest.C:
		case <-ctx.Done():
		}
		select {
		case <-s.cfg.Server.PaceChanged():
		case <-ctx.Done():
			s.putPace()
			return
		}
	}
}

func (s *Sandbox) putPace() {
	b := s.cfg.Server.TakeBacklog(model.MessagesMax)
	o := &model.Pace{At: s.cfg.Now(), Delay: b.Pace.Delay, Steps: b.Pace.Steps, Waiting: b.Waiting, Unlisted: b.Unlisted}
	for _, m := range b.Held {
		o.Held = append(o.Held, message(m))
	}
	for _, m := range b.Passed {
		o.Passed = append(o.Passed, model.Passed{Message: message(m.Paced), Left: utc(m.Left), Dropped: m.Lost})
	}
	s.cfg.Put(o)
}

func message(m zkserver.Paced) model.Message {
	out := model.Message{Session: uint64(m.Session), N: m.N, Since: utc(m.Since), Op: opWord(m.Op), Path: znode.Safe(m.Path, 0)}
	if m.Op == wire.OpNotification {
		out.Event = eventWords[m.Event]
	}
	if m.Err != wire.OK {
		out.Err = errWord(m.Err)
	}
	return out
}

func opWord(op wire.Op) string {
	switch op {
	case wire.OpCreate2:
		op = wire.OpCreate
	case wire.OpGetChildren2:
		op = wire.OpGetChildren
	case wire.OpSetWatches2:
		op = wire.OpSetWatches
	}
	return op.String()
}

var eventWords = map[int32]string{
	wire.EventNodeCreated:         "created",
	wire.EventNodeDeleted:         "deleted",
	wire.EventNodeDataChanged:     "changed",
	wire.EventNodeChildrenChanged: "children",
}

func errWord(c wire.Code) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(c.Error(), "zookeeper: "), " ")
	return name
}

// A job runs the worker of one leader. The worker is a separate client, so it can continue while the leader
// is frozen, and for afterDeath session timeouts after the leader's death.
type job struct {
	member, znode string
	token         int64
	refused       bool               // a fenced write was refused or the worker failed
	orphaned      bool               // the leader is dead, and a timer ends the job
	over          bool               // the job is removed when its worker has ended
	stop          context.CancelFunc // stops the worker; nil: no worker runs
}

const afterDeath = 3

// updateJobs requires that the caller holds s.mu.
func (s *Sandbox) updateJobs(m model.Member, gone bool) {
	leads := m.Belief == model.Leading && m.Fence != 0 && m.Znode != ""
	if j := s.jobs[m.Fence]; leads && !gone {
		if j == nil {
			s.jobs[m.Fence] = &job{member: m.ID, znode: m.Znode, token: m.Fence}
		} else if j.over {
			j.over, j.refused = false, false
		}
	}
	for token, j := range s.jobs {
		switch {
		case j.member != m.ID || j.orphaned:
			// a new member may have the ID of a dead one
		case m.Fault == model.Killed:
			j.orphaned = true
			time.AfterFunc(afterDeath*m.Timeout, func() {
				s.mu.Lock()
				defer s.mu.Unlock()
				j.over = true
				s.startStopWorkers()
			})
		case m.Fault != model.Frozen && (gone || !leads || token != m.Fence):
			j.over = true
		}
	}
	s.startStopWorkers()
}

// startStopWorkers makes the workers match the jobs and the rules. The caller holds s.mu.
func (s *Sandbox) startStopWorkers() {
	for token, j := range s.jobs {
		switch wanted := s.running != nil && s.rules.Workers && !j.refused && !j.over; {
		case j.over && j.stop == nil:
			delete(s.jobs, token)
		case wanted && j.stop == nil && !j.orphaned: // a dead leader gets no new worker
			ctx, stop := context.WithCancel(s.running)
			j.stop = stop
			w := &worker{sandbox: s, job: j}
			s.workers.Go(func() {
				w.run(ctx)
				s.mu.Lock()
				defer s.mu.Unlock()
				stop()
				j.stop = nil
				s.startStopWorkers() // the job may need a worker again
			})
		case !wanted && j.stop != nil:
			j.stop()
		}
	}
}

// removeExpired requires that the caller holds s.mu.
func (s *Sandbox) removeExpired() {
	s.leftover = slices.DeleteFunc(s.leftover, func(session uint64) bool {
		_, lives := s.cfg.Server.Deadline(int64(session))
		return !lives
	})
	for id, m := range s.members {
		if m.Fault != model.Killed {
			continue
		}
		if _, lives := s.cfg.Server.Deadline(int64(m.Session)); !lives {
			delete(s.members, id)
		}
	}
}

func (s *Sandbox) allMembers() []model.Member {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.removeExpired()
	return slices.Collect(maps.Values(s.members))
}

func (s *Sandbox) refuse(j *job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j.refused = true
}
