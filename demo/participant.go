package demo

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model"
	"electop/model/dialect"
	"electop/model/znode"
	"electop/zkwatch/client"
)

type participant struct {
	*client.Conn
	m      *member
	path   string
	inside context.Context // ends when the participant has to leave; after quit, when the cast ends
	leave  context.CancelFunc

	// Only the goroutine of Run uses these fields.
	err     error           // after an error, the participant makes no requests and reports no steps
	changed <-chan zk.Event // receives the event of the last watch; nil: no watch
	last    model.Member
}

// recipes call step with line numbers of the pseudo code in ui/leadership/recipe.go.
var recipes = map[dialect.Kind]func(*participant){
	dialect.KindGroup:   (*participant).group,
	dialect.KindBarrier: (*participant).barrier,
	dialect.KindDouble:  (*participant).doubleBarrier,
	dialect.KindQueue:   (*participant).queue,
}

const (
	putEvery  = 2 * time.Second
	takeEvery = 3 * time.Second
)

var errLost = errors.New("the session has ended")

func newParticipant(m *member, cfg client.Config) *participant {
	if m.kind == dialect.KindQueue {
		cfg.MaxReply = 0 // 0 means 16 MiB: the queue may become long
	}
	p := &participant{m: m, path: m.cast.cfg.Path, last: model.Member{Recipe: string(m.kind)}}
	p.inside, p.leave = context.WithCancel(m.cast.ctx)
	p.Conn, p.err = client.Connect(cfg)
	return p
}

// Run takes part until the participant has left.
func (p *participant) Run(context.Context) error {
	defer p.leave()
	if p.err == nil {
		defer p.Close()
		recipes[p.m.kind](p)
		p.quit()
		p.step(model.StepNone, model.Resigned, "")
	}
	return p.err
}

func (p *participant) group() {
	p.join()
	for step := model.Step(2); p.stays(); step = 3 {
		p.children(true)
		p.step(step, model.Active, "")
		p.wait(nil)
	}
}

func (p *participant) barrier() {
	if p.m.setsBarrier {
		if p.create(p.path, 0) {
			p.m.cast.barrier.Store(p.barrierCzxid())
		}
		p.step(1, model.Active, p.path)
		p.wait(nil)
		p.quit()
		p.step(4, model.Active, p.path)
		if czxid := p.barrierCzxid(); czxid != 0 && p.m.cast.barrier.CompareAndSwap(czxid, 0) {
			p.do(zk.ErrNoNode, func(ctx context.Context) error { return p.Delete(ctx, p.path, -1) })
		}
		return
	}
	for ; p.stays(); p.wait(nil) {
		if p.step(2, model.Waiting, p.path); !p.exists(p.path) {
			p.step(3, model.Active, p.path)
		}
	}
}

func (p *participant) barrierCzxid() (czxid int64) {
	p.do(zk.ErrNoNode, func(ctx context.Context) error {
		_, stat, err := p.Get(ctx, p.path)
		if err == nil {
			czxid = stat.Czxid
		}
		return err
	})
	return czxid
}

func (p *participant) doubleBarrier() {
	for p.join(); p.stays() && !p.exists(dialect.Ready); p.wait(nil) {
		p.step(2, model.Waiting, dialect.Ready)
		if p.step(3, model.Waiting, dialect.Ready); len(p.children(false)) >= p.m.barrierSize {
			p.create(dialect.Ready, 0)
		}
	}
	if p.changed = nil; p.stays() {
		p.step(4, model.Active, dialect.Ready)
		p.wait(nil)
	}
	for p.quit(); p.stays(); {
		names := slices.DeleteFunc(p.children(false), func(name string) bool { return name == dialect.Ready })
		if p.step(5, model.Waiting, ""); len(names) == 0 {
			p.step(8, model.Active, dialect.Ready)
			p.remove(dialect.Ready) // so that the barrier can be used again
			return
		}
		step, to := model.Step(6), names[len(names)-1]
		if names[0] != p.m.name || len(names) == 1 {
			step, to = 7, names[0]
			p.remove(p.m.name)
		}
		for p.step(step, model.Waiting, to); p.exists(to); {
			p.wait(nil)
		}
	}
}

func (p *participant) queue() {
	for p.create(p.path, 0); p.stays(); {
		if p.m.nth%2 == 0 {
			p.step(1, model.Active, "queue-")
			p.create("queue-", zk.FlagSequence)
			p.wait(time.After(putEvery))
			continue
		}
		p.step(2, model.Active, "")
		names := p.children(false)
		if slices.ContainsFunc(names, p.take) {
			p.wait(time.After(takeEvery))
		} else if len(p.children(true)) == len(names) {
			p.step(4, model.Waiting, "")
			p.wait(nil)
		}
	}
}

func (p *participant) join() {
	p.step(1, model.Volunteering, p.m.name)
	p.create(p.m.name, zk.FlagEphemeral)
	p.last.Znode = p.m.name
}

func (p *participant) stays() bool { return p.err == nil && p.inside.Err() == nil }

func (p *participant) quit() {
	p.inside, p.last.Ending = p.m.cast.ctx, model.Resigning
}

func (p *participant) wait(until <-chan time.Time) {
	select {
	case <-until:
	case <-p.changed:
	case <-p.inside.Done():
	case <-p.Done():
	}
	if p.changed = nil; !p.m.gate.Pass(p.Done()) {
		p.err = errLost
	}
}

func (p *participant) children(watch bool) (names []string) {
	p.do(nil, func(ctx context.Context) (err error) {
		if watch {
			names, _, p.changed, err = p.ChildrenW(ctx, p.path)
		} else {
			names, _, err = p.Children(ctx, p.path)
		}
		return err
	})
	slices.Sort(names)
	return names
}

func (p *participant) exists(name string) (exists bool) {
	path := znode.Join(p.path, name)
	p.do(nil, func(ctx context.Context) (err error) { exists, _, p.changed, err = p.ExistsW(ctx, path); return err })
	return exists && p.err == nil
}

func (p *participant) create(name string, flags int32) (made bool) {
	path, acl := znode.Join(p.path, name), zk.WorldACL(zk.PermAll)
	var data []byte
	if flags&zk.FlagEphemeral == 0 && znode.Dir(path) == p.path {
		data = []byte(p.m.cast.mark)
	}
	p.do(zk.ErrNodeExists, func(ctx context.Context) error {
		_, err := p.Create(ctx, path, data, flags, acl)
		made = err == nil
		return err
	})
	if errors.Is(p.err, zk.ErrNoNode) {
		p.err = nil
		p.create(znode.Dir(path), 0)
		return p.create(path, flags)
	}
	return made
}

func (p *participant) take(name string) bool {
	p.step(3, model.Active, name)
	return p.remove(name)
}

func (p *participant) remove(name string) (done bool) {
	path := znode.Join(p.path, name)
	p.do(zk.ErrNoNode, func(ctx context.Context) error {
		data, stat, err := p.Get(ctx, path)
		if err != nil || string(data) != p.m.cast.mark && (stat.EphemeralOwner == 0 || uint64(stat.EphemeralOwner) != p.last.Session) {
			return err
		}
		err = p.Delete(ctx, path, -1)
		done = err == nil || errors.Is(err, client.ErrUnknownOutcome)
		return err
	})
	return done
}

// do repeats a request until it is answered.
func (p *participant) do(accepted error, request func(context.Context) error) {
	err := client.ErrNotConnected
	for p.err == nil && client.Unanswered(err) {
		if err = request(p.m.cast.ctx); !p.m.gate.Pass(p.Done()) || !p.AwaitConnected(p.m.cast.ctx) {
			p.err = errLost
		}
	}
	if p.err == nil && !errors.Is(err, accepted) {
		p.err = err
	}
}

func (p *participant) step(n model.Step, belief model.Belief, on string) {
	if st := p.Status(); p.err == nil {
		p.last.Step, p.last.StepAt, p.last.StepOn, p.last.Belief = n, p.m.cast.cfg.Now(), model.StepOn{Name: znode.Safe(on, 0)}, belief
		p.last.Session, p.last.Timeout, p.last.ExpiresFrom = st.SessionID, st.Timeout, utc(st.ExpiresFrom)
		p.m.report(p.last.StepAt, p.last)
	}
}

func (p *participant) Kill() client.Status { defer p.Cut(); return p.Status() }
func (p *participant) Thaw()               { p.m.gate.Thaw() }
func (p *participant) Resign()             { p.leave() }
