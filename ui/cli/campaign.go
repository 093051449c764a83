package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/model"
	"electop/model/znode"
	"electop/ui/cli/cluster"
	"electop/ui/cli/command"
	"electop/ui/cli/election"
	"electop/ui/cli/help"
	"electop/ui/cli/process"
	"electop/ui/plain"
	"electop/zkwatch/admin"
	"electop/zkwatch/candidate"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
)

func newCampaign(std IO) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:               campaignName + " [PATH] [flags] [-- CMD [ARG]...]",
		Short:             "Take part as a candidate, and run a command while leading",
		Long:              campaignHelp,
		Example:           "  electop campaign /election -s zk1 --name host-1\n  electop campaign /election -s zk1 --create --json\n  electop campaign /nightly -s zk1 --create -- ./report nightly\n  electop campaign /jobs -s zk1 --once --grace 20s -- sh -c 'exec worker $ELECTOP_FENCE'",
		Args:              pathAndCommand(o),
		ValidArgsFunction: o.completeCampaign,
		RunE:              func(cmd *cobra.Command, _ []string) error { return runCampaign(cmd.Context(), o, std) },
	}
	o.cluster.Flags(cmd)
	o.admin.Flags(cmd, "for their tick")
	o.enterFlags(cmd)
	help.Candidates.Add(cmd, func(f *pflag.FlagSet) {
		f.StringVar(&o.name, "name", "", "`TEXT` in the znode's data, which identifies this candidate (default HOST:PID)")
	})
	help.Command.Add(cmd, func(f *pflag.FlagSet) {
		f.BoolVar(&o.command.once, "once", false, "end when leadership is in doubt, and do not run CMD again")
		f.DurationVar(&o.command.grace, "grace", defaultGrace, "`DURATION` from SIGTERM to SIGKILL for CMD; shorter if the lease ends earlier")
	})
	o.metrics.Flag(cmd, "metrics", "")
	o.jsonFlag(cmd, "print one JSON object per line")
	o.logFlag(cmd)
	return cmd
}

const campaignHelp = `Take part as a candidate until interrupted, and print what happens.
PATH is /election if it is not given and the configuration has no paths of the cluster.

With CMD after --, CMD runs while the candidate leads. ELECTOP_PATH, ELECTOP_ZNODE and
ELECTOP_FENCE are in its environment. When leadership is in doubt, CMD and all that it
started (on macOS: its process group) get SIGTERM, and after --grace, or before the lease
ends, SIGKILL. If electop and its watchdog are both stopped (SIGSTOP), CMD runs until they
continue. When the candidate leads again CMD runs again, except with --once. When CMD ends
by itself, the processes that it left are killed, the candidate resigns, and electop exits with
CMD's exit code. With CMD electop prints the candidate's lines to standard error.
electop help command has the rest: what can still go wrong, and what the fencing token is for.`

func runCampaign(ctx context.Context, o *options, std IO) error {
	if o.command.args != nil {
		if err := command.Find(o.command.args[0]); err != nil {
			return err
		}
	}
	log, conn, done, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	if o.metrics.Wanted() {
		if err := o.metrics.Listen(std.note); err != nil {
			return err
		}
	}
	defer o.metrics.Close()
	ack := election.Followed(o.path).AckPath
	e, err := o.admit(ctx, std, &conn, log, func(warning string) { std.note("%s", warning) })
	switch {
	case err != nil:
		return err
	case !e.Known && !o.yes:
		return fmt.Errorf("%s could not be read, so its system is unknown: add --yes to take part", o.path)
	case e.Naming() != nil:
		ack = ""
	}
	if e.Behind != "" {
		std.note("%s: %s", o.path, e.Behind)
	}
	defer std.secondSignal(ctx)()
	observe, stop, err := o.measure(ctx, conn, log, std.notice(log))
	if err != nil {
		return err
	}
	defer stop()
	own := std
	if o.command.args != nil { // standard output belongs to the command
		own.Out = std.Err
	}
	p := &campaignPrinter{std: own, path: o.path, json: o.json}
	reports := queue{print: p.print}
	defer reports.printing.Wait()
	run, end := ctx, context.CancelFunc(func() {})
	if o.command.args != nil {
		// run does not end with ctx: the lease is renewed until the command has stopped.
		run, end = context.WithCancel(context.WithoutCancel(ctx))
		defer end()
	}
	cfg := candidate.Config{
		Conn: conn, Path: o.path, Create: o.create, Data: []byte(o.candidacyData()),
		Dialect: e.Naming(), Ack: ack, Now: feed.Now,
		Report: func(at time.Time, m model.Member) {
			observe(&model.Cast{At: at, Member: m})
			reports.put(report{at: at, member: m, over: run.Err() != nil})
		},
	}
	ended := "interrupted"
	if o.command.args != nil {
		ended, err = o.supervised(ctx, run, end, std, cfg)
	} else {
		err = candidate.New(cfg).Run(run)
	}
	switch {
	case errors.Is(err, candidate.ErrNoParent):
		return fmt.Errorf("%w, or create the znode with --create", cluster.Missing(o.path, conn.Servers))
	case ctx.Err() != nil && o.command.args == nil:
		err = process.Interrupted
	case o.command.args == nil || ended == "":
		return err
	}
	reports.put(report{at: feed.Now(), closed: ended})
	return err
}

// measure serves --metrics. The observation has its own session, so its reads do not delay the candidate.
func (o *options) measure(ctx context.Context, conn client.Config, log *slog.Logger, notice func(string)) (put func(model.Observation), stop func(), err error) {
	if !o.metrics.Wanted() {
		return func(model.Observation) {}, func() {}, nil
	}
	cfg := o.watch(conn, log, true)
	observed := cfg.Elections[0]
	cfg.Requests.Mode, cfg.Notice, cfg.Elections = admin.Off, notice, nil
	w, err := election.New(cfg)
	if err != nil {
		return nil, nil, err
	}
	t := process.NewTasks(ctx)
	o.metrics.Start(t, w)
	e, _ := o.metrics.Watch(observed) // cannot fail: there is no other election
	return e.Feed.Put, func() {
		if err := t.Stop(); err != nil && ctx.Err() == nil {
			notice("--metrics: " + err.Error())
		}
	}, nil
}

type report struct {
	at     time.Time
	member model.Member
	over   bool   // the end of the candidate was requested
	closed string // why the candidate has ended; only in the last report, which has no member
}

type campaignPrinter struct {
	std  IO
	path string
	json bool
	n    uint64
	last model.Member
	end  model.Member // the report of a lost candidate after its end was requested
}

func (p *campaignPrinter) print(r report) {
	at, m := r.at, r.member
	switch {
	case r.closed != "":
		m = p.ended(r.closed)
	case r.over && m.Belief == model.Lost: // if the session stays open, the last line reports the loss
		p.end = m
		return
	}
	if r.closed == "" && m.Belief == p.last.Belief && m.Znode == p.last.Znode && m.Obstacle == p.last.Obstacle &&
		(m.Watches == p.last.Watches || m.Belief != model.Waiting) {
		return
	}
	p.last = m
	p.n++
	if !p.json {
		fmt.Fprintf(p.std.Out, "%s  %s\n", at.Local().Format("15:04:05.000"), p.line(m, r.closed != ""))
		return
	}
	detailed := m.Belief == model.Lost || m.Belief == model.Resigned || m.Obstacle != ""
	_ = p.std.json(plain.Object{ // an output error must not end the candidacy
		"n", p.n, "at", at.UTC().Format(time.RFC3339Nano), "type", "candidate", "belief", m.Belief,
		"znode", plain.When(m.Znode != "", znode.Join(p.path, m.Znode)),
		"session", plain.When(m.Session != 0, znode.Hex(m.Session)),
		"watches", plain.When(m.Belief == model.Waiting && m.Watches != "", znode.Join(p.path, m.Watches)),
		"fence", plain.When(m.Fence != 0, znode.Hex(uint64(m.Fence))),
		"lease_until", plain.When(!m.LeaseEnd.IsZero(), m.LeaseEnd.UTC().Format(time.RFC3339Nano)),
		"detail", plain.When(detailed, cmp.Or(m.Obstacle, m.Reason)),
	})
}

func (p *campaignPrinter) ended(why string) model.Member {
	m := p.end
	if m.Session != 0 && m.Ending != model.Closing {
		m.Belief, m.Reason = model.Lost, why+"; there is no connection, so the znode is deleted when the session expires"
		return m
	}
	m.Belief, m.Reason = model.Resigned, why
	return m
}

func (p *campaignPrinter) line(m model.Member, ended bool) string {
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
		return "leading, token " + znode.Zxid(m.Fence)
	case model.Suspended:
		return "suspended" + obstacle
	case model.Resigned, model.Lost:
		if ended {
			return "withdrew: " + m.Reason
		}
		return "lost: " + m.Reason + "; volunteering again"
	}
	return string(m.Belief)
}

const (
	campaignName = "campaign"
	guardName    = "campaign-guard"
	defaultGrace = 5 * time.Second
)

type commandOptions struct {
	args  []string // nil: no command
	once  bool
	grace time.Duration
}

func pathAndCommand(o *options) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		dash := cmd.ArgsLenAtDash()
		if dash < 0 {
			if cmd.Flags().Changed("once") || cmd.Flags().Changed("grace") {
				return process.Usagef("--once and --grace need a command to run: give it after --")
			}
			return pathArg(o)(cmd, args)
		}
		o.command.args = args[dash:]
		switch {
		case len(o.command.args) == 0:
			return process.Usagef("there is no command after --")
		case !command.Supported:
			return process.Usagef("electop can run a command only on Linux and macOS: take part without CMD")
		case o.command.grace < 0:
			return process.Usagef("--grace %v is negative", o.command.grace)
		}
		return pathArg(o)(cmd, args[:dash])
	}
}

func newGuard(std IO) *cobra.Command {
	return &cobra.Command{
		Use: guardName, Hidden: true, DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return process.Usagef("this command is internal: electop campaign starts it")
			}
			grace, err := time.ParseDuration(args[0])
			if err != nil {
				return process.Usagef("%v", err)
			}
			return command.Guard(std.In, grace, args[1:])
		},
	}
}

// supervised runs the candidate. When ctx ends, supervised first stops the command and then cancels run.
func (o *options) supervised(ctx, run context.Context, end func(), std IO, cfg candidate.Config) (why string, err error) {
	var c *candidate.Candidate
	s := &command.Supervisor{
		Command: command.Command{
			Args: o.command.args, Guard: []string{"electop", guardName},
			Stdout: std.Out, Stderr: std.Err, Grace: o.command.grace,
		},
		Once: o.command.once, Over: end,
		Lease: func() command.Lease {
			st := c.Status()
			return command.Lease{End: st.LeaseEnd, Timeout: st.Timeout}
		},
	}
	report := cfg.Report
	cfg.Report = func(at time.Time, m model.Member) {
		report(at, m)
		if m.Belief == model.Leading {
			s.Lead([]string{
				"ELECTOP_PATH=" + o.path,
				"ELECTOP_ZNODE=" + znode.Join(o.path, m.Znode),
				"ELECTOP_FENCE=" + znode.Hex(uint64(m.Fence)),
			})
		}
	}
	cfg.Stopped = s.Stop
	c = candidate.New(cfg)
	closed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(closed)
		s.Close()
		end()
	})
	err = c.Run(run)
	if !stop() {
		<-closed
	}
	s.Close()
	code, exited, failure := s.Result()
	switch {
	case exited:
		return "its command ended", process.Passed(code)
	case ctx.Err() != nil:
		return "interrupted", process.Interrupted
	case failure != nil:
		return failure.Error(), failure
	}
	return "", err
}

// A queue prints reports. put never blocks: unread output must not cost the candidate its lease.
type queue struct {
	print    func(report)
	mu       sync.Mutex
	reports  []report // not yet printed
	printing sync.WaitGroup
}

func (q *queue) put(r report) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.reports = append(q.reports, r)
	if len(q.reports) == 1 {
		q.printing.Go(q.printAll)
	}
}

func (q *queue) printAll() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.reports) > 0 {
		r := q.reports[0]
		q.mu.Unlock()
		q.print(r)
		q.mu.Lock()
		q.reports = q.reports[1:]
	}
}
