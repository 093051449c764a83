package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"electop/model"
	"electop/model/znode"
	"electop/zkwatch/candidate"
	"electop/zkwatch/feed"
)

func newCampaign(std IO) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "campaign [PATH]",
		Short: "Be a candidate until interrupted; print what happens to it",
		Args:  pathArg(o),
		RunE:  func(cmd *cobra.Command, _ []string) error { return runCampaign(cmd.Context(), o, std) },
	}
	o.clusterFlags(cmd)
	o.ackFlag(cmd)
	o.askFlags(cmd, "what their tick is")
	f := cmd.Flags()
	f.BoolVar(&o.json, "json", false, "print one JSON object a line")
	f.BoolVar(&o.create, "create", false, "create the election's parent if it is missing")
	f.BoolVar(&o.yes, "yes", false, "enter somebody else's election without being asked")
	f.StringVar(&o.name, "name", "", "the znode's data: who this is (HOST:PID)")
	o.logFlag(cmd)
	return cmd
}

func runCampaign(ctx context.Context, o *options, std IO) error {
	log, conn, done, err := o.cluster()
	if err != nil {
		return err
	}
	defer done()
	ack, err := o.ackPath(o.path)
	if err != nil {
		return err
	}
	probe, err := connectOnce(ctx, conn, o.connectTimeout)
	if err != nil {
		return err
	}
	warning := ""
	conn.Tick, warning = o.askTick(ctx, conn, probe, log)
	probe.Close()
	if warning != "" {
		fmt.Fprintf(std.Err, "electop: %s\n", warning)
	}
	e, err := confirm(ctx, o, std, conn)
	switch {
	case err != nil:
		return err
	case !e.known && !o.yes:
		return fmt.Errorf("%s could not be looked at, so whose election it is nobody knows: to take part all the same say --yes", o.path)
	case e.naming() != nil && o.ack != "" && o.ack != ackNone:
		return usagef("--ack: %s is %s, where no acknowledgement znode of ours has a place", o.path, e.whose())
	case e.naming() != nil:
		ack = ""
	}
	if e.behind != "" {
		fmt.Fprintf(std.Err, "electop: %s: %s\n", o.path, e.behind)
	}
	defer std.secondSignal(ctx)()
	p := &campaignPrinter{out: std.Out, path: o.path, json: o.json}
	reports := newQueue(p.print)
	defer reports.close()
	c := candidate.New(candidate.Config{
		Conn: conn, Path: o.path, Create: o.create, Data: []byte(o.candidacyName()),
		Dialect: e.naming(), Ack: ack, Now: feed.Now,
		Report: func(at time.Time, m model.Member) { reports.put(saying{at, m, ctx.Err() != nil}) },
	})
	err = c.Run(ctx)
	switch {
	case errors.Is(err, candidate.ErrNoParent):
		return fmt.Errorf("%w, or have it created (--create)", missing(o.path, conn.Servers))
	case ctx.Err() != nil:
		return errInterrupted
	}
	return err
}

// saying is what a candidate said of itself.
type saying struct {
	at     time.Time
	member model.Member
	over   bool // the program was interrupted
}

// queue hands things to a goroutine of its own, in order. Who puts one in does
// not wait: a candidate must not lose its lease to whoever does not read.
type queue[T any] struct {
	mu     sync.Mutex
	more   *sync.Cond
	things []T
	closed bool
	done   chan struct{}
}

func newQueue[T any](take func(T)) *queue[T] {
	q := &queue[T]{done: make(chan struct{})}
	q.more = sync.NewCond(&q.mu)
	go func() {
		defer close(q.done)
		for {
			q.mu.Lock()
			for len(q.things) == 0 && !q.closed {
				q.more.Wait()
			}
			things := q.things
			q.things = nil
			q.mu.Unlock()
			if len(things) == 0 {
				return
			}
			for _, thing := range things {
				take(thing)
			}
		}
	}()
	return q
}

func (q *queue[T]) put(thing T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.things = append(q.things, thing)
	q.more.Signal()
}

// close waits until all is taken.
func (q *queue[T]) close() {
	q.mu.Lock()
	q.closed = true
	q.more.Signal()
	q.mu.Unlock()
	<-q.done
}

// campaignPrinter prints what happens to a candidate: a line for each change
// of what it believes or watches.
type campaignPrinter struct {
	out  io.Writer
	path string
	json bool
	n    uint64
	last model.Member
}

// campaignEvent is a line of `campaign --json`.
type campaignEvent struct {
	N       uint64  `json:"n"`
	At      string  `json:"at"`
	Type    string  `json:"type"` // candidate
	Belief  string  `json:"belief"`
	Znode   *string `json:"znode"`
	Session *string `json:"session"`
	Watches *string `json:"watches"`
	Fence   *string `json:"fence"`
	Lease   *string `json:"lease_until"` // as of this line; it is renewed all the time
	Detail  *string `json:"detail"`      // why it was lost, or what keeps it from going on
}

func (p *campaignPrinter) print(r saying) {
	at, m := r.at, r.member
	interrupted := r.over && m.Belief == model.Lost
	if interrupted {
		m.Reason = "interrupted"
	}
	if m.Belief == p.last.Belief && m.Znode == p.last.Znode && m.Obstacle == p.last.Obstacle && (m.Watches == p.last.Watches || m.Belief != model.Waiting) {
		return
	}
	p.last = m
	p.n++
	if !p.json {
		fmt.Fprintf(p.out, "%s  %s\n", at.Local().Format("15:04:05.000"), p.line(m, interrupted))
		return
	}
	optional := func(set bool, s string) *string {
		if !set {
			return nil
		}
		return &s
	}
	b, err := znode.SafeJSON(campaignEvent{
		N: p.n, At: at.UTC().Format(time.RFC3339Nano), Type: "candidate", Belief: string(m.Belief),
		Znode:   optional(m.Znode != "", znode.Join(p.path, m.Znode)),
		Session: optional(m.Session != 0, znode.Hex(m.Session)),
		Watches: optional(m.Belief == model.Waiting && m.Watches != "", znode.Join(p.path, m.Watches)),
		Fence:   optional(m.Fence != 0, znode.Hex(uint64(m.Fence))),
		Lease:   optional(!m.LeaseEnd.IsZero(), m.LeaseEnd.UTC().Format(time.RFC3339Nano)),
		Detail:  optional(m.Belief == model.Lost || m.Obstacle != "", cmp.Or(m.Obstacle, m.Reason)),
	})
	if err == nil {
		p.out.Write(append(b, '\n'))
	}
}

func (p *campaignPrinter) line(m model.Member, interrupted bool) string {
	obstacle := ""
	if m.Obstacle != "" {
		obstacle = ": " + znode.Safe(m.Obstacle, 0)
	}
	switch m.Belief {
	case model.Volunteering:
		if m.Znode == "" {
			return "volunteering" + obstacle
		}
		return "in the queue as " + znode.Safe(m.Znode, 0)
	case model.Waiting:
		return "waiting behind " + znode.Safe(m.Watches, 0) + obstacle
	case model.Elected:
		return "elected, not leading yet" + obstacle
	case model.Leading:
		return "leading, fence " + znode.Zxid(m.Fence)
	case model.Suspended:
		return "suspended" + obstacle
	case model.Lost:
		if interrupted {
			return "withdrew: interrupted"
		}
		return "lost: " + m.Reason + "; volunteering again"
	}
	return string(m.Belief)
}
