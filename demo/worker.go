package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model"
	"electop/model/znode"
	"electop/zkwatch/client"
)

// A worker writes for a leader every WriteEvery, in its own session. It reads the counter only before its first
// write, and after the server refused a write. So without fencing, two leaders' workers overwrite each other's numbers.
type worker struct {
	sandbox *Sandbox
	job     *job // the worker reads only the constant fields member, znode and token

	// Only the goroutine of run uses these fields.
	valueKnown bool
	value      int64 // the last number read from the counter or written to it
}

type counted struct {
	Value  int64  `json:"value"`
	Leader string `json:"leader,omitempty"`
	Token  string `json:"token,omitempty"`
}

func (s *Sandbox) counterPath() string { return s.cfg.Path + "-counter" }

// replyTimeout bounds each call of work, so that a stopped worker ends soon.
const replyTimeout = 2 * time.Second

func (w *worker) run(ctx context.Context) {
	defer func() {
		if r := recover(); r != nil {
			w.fail(fmt.Errorf("panic: %v", r))
		}
	}()
	for ctx.Err() == nil {
		if err := w.runSession(ctx); err != nil {
			w.fail(err)
			return
		}
	}
}

func (w *worker) fail(err error) {
	if !errors.Is(err, client.ErrFenced) { // for ErrFenced, work has called refuse, and SetRules may have cleared it
		w.sandbox.refuse(w.job)
		w.sandbox.notice(fmt.Sprintf("worker of %s: %v", w.job.member, err))
	}
}

func (w *worker) runSession(ctx context.Context) error {
	cfg := w.sandbox.cfg.Workers
	cfg.BufferSize, cfg.MaxReply = bufferSize, minReply
	conn, err := client.Connect(cfg)
	if err != nil {
		return err
	}
	defer conn.Close()
	conn.AwaitConnected(ctx)
	tick := time.NewTicker(w.sandbox.cfg.WriteEvery)
	defer tick.Stop()
	for {
		if err := w.work(ctx, conn); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-conn.Done():
			select { // the delay before the next connection
			case <-tick.C:
			case <-ctx.Done():
			}
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}

// work writes once. If the outcome is unknown, the next write has the same number.
func (w *worker) work(ctx context.Context, conn *client.Conn) error {
	if ctx.Err() != nil {
		return nil
	}
	// A worker that stops waits for its last reply, so that its last write is published.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), replyTimeout)
	defer cancel()
	if !w.valueKnown {
		switch err := w.readCounter(ctx, conn); {
		case unanswered(err):
			return nil // retry at the next tick
		case err != nil:
			return err
		}
	}
	s, j := w.sandbox, w.job
	write := model.Write{
		Member: j.member, Znode: j.znode, Token: j.token, Value: w.value + 1,
		Resource: model.Counter, Fenced: s.Rules().Fenced,
	}
	data, _ := json.Marshal(counted{write.Value, j.member, znode.Zxid(j.token)}) // cannot fail
	var stat *zk.Stat
	var err error
	if write.Fenced {
		stat, err = conn.SetFenced(ctx, s.counterPath(), data, znode.Join(s.cfg.Path, j.znode))
	} else {
		stat, err = conn.Set(ctx, s.counterPath(), data, -1)
	}
	switch {
	case err == nil:
		w.value, write.Zxid = write.Value, stat.Mzxid
	case errors.Is(err, client.ErrFenced):
		s.refuse(j) // before putWrite, because a reader of the write may call SetRules, which clears refused
		write.Refused, write.Reason = true, znode.Safe(j.znode, 80)+" no longer exists"
	case unanswered(err):
		return nil
	default:
		write.Refused, write.Reason = true, znode.Safe(err.Error(), 0)
		w.valueKnown = false // the counter may have been deleted
	}
	s.putWrite(write)
	if errors.Is(err, client.ErrFenced) {
		return err
	}

	accepted, highest, holder := s.tokens.Take(j.token, j.member)
	write.Resource, write.Zxid, write.Refused, write.Reason = model.Tokens, 0, !accepted, ""
	if !accepted {
		write.Reason = fmt.Sprintf("%s is lower than %s of %s", znode.Zxid(j.token), znode.Zxid(highest), znode.Safe(holder, 40))
	}
	s.putWrite(write)
	return nil
}

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

func (s *Sandbox) putWrite(w model.Write) {
	w.At = s.cfg.Now()
	s.cfg.Put(&w)
}

// readCounter reads or creates the counter. Other data at the path is an error: electop must not overwrite it.
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
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if decoder.Decode(&c) != nil || c == nil || decoder.Decode(new(any)) != io.EOF || c.Value < 0 || c.Value == math.MaxInt64 {
		return fmt.Errorf("%s is not a counter of electop: it contains %q", path, znode.Safe(string(data), 40))
	}
	w.valueKnown, w.value = true, c.Value
	return nil
}

// Tokens is a resource outside ZooKeeper that checks fencing tokens: it refuses a token lower than the
// highest so far. So it accepts the old leader's writes until the new leader's first write.
type Tokens struct {
	mu      sync.Mutex
	highest int64
	holder  string
}

// Take reports whether t accepts the writer's token. Take returns the highest token so far and its holder.
func (t *Tokens) Take(token int64, who string) (accepted bool, highest int64, holder string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if token < t.highest {
		return false, t.highest, t.holder
	}
	t.highest, t.holder = token, who
	return true, token, who
}
