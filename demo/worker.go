package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model"
	"electop/model/znode"
	"electop/zkwatch/client"
)

// A worker carries out a leader's order with a session of its own: every so
// often it writes the next number to the counter, a znode that all workers
// share, and then brings the same order to the tokens. It knows of the election
// only what its leader told it.
//
// It reads the counter once and counts on from there by itself. So workers that
// have no guard undo each other's work when two leaders believe, and guarded
// ones count without a gap.
type worker struct {
	sandbox *Sandbox
	order   *order // only what never changes

	// Goroutine of run only.
	read  bool  // the counter was
	value int64 // written last, or read
}

// counted is the data of the counter.
type counted struct {
	Value  int64  `json:"value"`
	Leader string `json:"leader,omitempty"`
	Token  string `json:"token,omitempty"`
}

// counterPath is the znode that workers share. It stays.
func (s *Sandbox) counterPath() string { return s.cfg.Path + "-counter" }

// answerWithin is how long a worker that has to stop waits for the answer
// to what it has written.
const answerWithin = 2 * time.Second

// run works with one connection after the other until ctx ends or the order is
// refused for good.
func (w *worker) run(ctx context.Context) {
	defer func() {
		if r := recover(); r != nil {
			w.sandbox.refuse(w.order)
			w.sandbox.notice(fmt.Sprintf("worker of %s: panic: %v", w.order.member, r))
		}
	}()
	for ctx.Err() == nil {
		if err := w.serve(ctx); err != nil {
			w.sandbox.refuse(w.order)
			if !errors.Is(err, client.ErrFenced) {
				w.sandbox.notice(fmt.Sprintf("worker of %s: %v", w.order.member, err))
			}
			return
		}
	}
}

// serve writes with one connection, until that or ctx ends. An error is the end
// of the worker.
func (w *worker) serve(ctx context.Context) error {
	cfg := w.sandbox.cfg.Workers
	cfg.BufferSize, cfg.MaxReply = bufferSize, minReply
	conn, err := client.Connect(cfg)
	if err != nil {
		return err
	}
	defer conn.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for st := range conn.Subscribe(ctx) {
		if st.State == client.Connected {
			break
		}
	}
	tick := time.NewTicker(w.sandbox.cfg.WriteEvery)
	defer tick.Stop()
	for {
		if err := w.work(ctx, conn); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-conn.Done():
			select { // no immediate retry, in case no connection lasts
			case <-tick.C:
			case <-ctx.Done():
			}
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}

// work writes once to each resource. An attempt whose outcome is not known is
// no write: the next one is made with the same number.
func (w *worker) work(ctx context.Context, conn *client.Conn) error {
	if ctx.Err() != nil {
		return nil
	}
	// What was begun is waited for: it might be carried out untold.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerWithin)
	defer cancel()
	if !w.read {
		switch err := w.readCounter(ctx, conn); {
		case unanswered(err):
			return nil // in the next round perhaps
		case err != nil:
			return err
		}
	}
	s, o := w.sandbox, w.order
	write := model.Write{
		Member: o.member, Znode: o.znode, Token: o.token, Value: w.value + 1,
		Resource: model.Counter, Fenced: s.Rules().Fenced,
	}
	data, _ := json.Marshal(counted{write.Value, o.member, znode.Zxid(o.token)}) // cannot fail
	var stat *zk.Stat
	var err error
	if write.Fenced {
		stat, err = conn.SetFenced(ctx, s.counterPath(), data, znode.Join(s.cfg.Path, o.znode))
	} else {
		stat, err = conn.Set(ctx, s.counterPath(), data, -1)
	}
	switch {
	case err == nil:
		w.value, write.Zxid = write.Value, stat.Mzxid
	case errors.Is(err, client.ErrFenced):
		s.refuse(o) // before anybody can answer to it
		write.Refused, write.Reason = true, znode.Safe(o.znode, 80)+" no longer exists"
	case unanswered(err):
		return nil
	default:
		write.Refused, write.Reason = true, znode.Safe(err.Error(), 0)
		w.read = false // the counter is gone, perhaps
	}
	s.wrote(write)
	if errors.Is(err, client.ErrFenced) {
		return err
	}

	accepted, highest, holder := s.tokens.Take(o.token, o.member)
	write.Resource, write.Zxid, write.Refused, write.Reason = model.Tokens, 0, !accepted, ""
	if !accepted {
		write.Reason = fmt.Sprintf("%s is lower than %s of %s", znode.Zxid(o.token), znode.Zxid(highest), znode.Safe(holder, 40))
	}
	s.wrote(write)
	return nil
}

// unanswered reports whether an error leaves the outcome of a write unknown.
func unanswered(err error) bool {
	for _, e := range []error{
		client.ErrNotConnected, client.ErrUnknownOutcome, zk.ErrSessionExpired, zk.ErrConnectionClosed,
		context.DeadlineExceeded, context.Canceled,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

func (s *Sandbox) wrote(w model.Write) {
	w.At = s.cfg.Now()
	s.cfg.Put(&w)
}

// readCounter learns where the counter stands, and makes it where it is not. A
// znode of that name with something else in it is somebody's, and not written.
func (w *worker) readCounter(ctx context.Context, conn *client.Conn) error {
	path := w.sandbox.counterPath()
	data, _, err := conn.Get(ctx, path)
	if errors.Is(err, zk.ErrNoNode) {
		data, _ = json.Marshal(counted{})
		_, err = conn.Create(ctx, path, data, 0, zk.WorldACL(zk.PermAll))
		if errors.Is(err, zk.ErrNodeExists) {
			data, _, err = conn.Get(ctx, path)
		}
	}
	if err != nil {
		return err
	}
	var c *counted
	text := json.NewDecoder(bytes.NewReader(data))
	text.DisallowUnknownFields()
	if text.Decode(&c) != nil || c == nil {
		return fmt.Errorf("%s is not a counter of electop: it contains %q", path, znode.Safe(string(data), 40))
	}
	w.read, w.value = true, c.Value
	return nil
}

// Tokens is a resource outside ZooKeeper that checks fencing tokens: each write must have the fencing
// token of its leader, and a token lower than the highest seen is refused. The
// resource knows nothing else about the election. So it refuses an old leader from
// the first write of the new leader on, and not earlier.
//
// The zero Tokens has seen no token.
type Tokens struct {
	mu      sync.Mutex
	highest int64
	holder  string
}

// Take offers a write with a token. It reports whether the write was accepted, and
// the highest token so far with its holder.
func (t *Tokens) Take(token int64, who string) (accepted bool, highest int64, holder string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if token < t.highest {
		return false, t.highest, t.holder
	}
	t.highest, t.holder = token, who
	return true, token, who
}
