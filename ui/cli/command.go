package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/model"
	"electop/model/znode"
	"electop/ui/cli/command"
	"electop/ui/cli/help"
	"electop/ui/cli/process"
	"electop/zkwatch/candidate"
)

const (
	campaignName = "campaign"
	guardName    = "campaign-guard"
	defaultGrace = 5 * time.Second
)

// commandOptions are a command to run while leading.
type commandOptions struct {
	args  []string // nil: none
	once  bool
	grace time.Duration
}

// commandFlags are about a command that runs while the candidate leads.
func (o *options) commandFlags(cmd *cobra.Command) {
	help.Command.Add(cmd, func(f *pflag.FlagSet) {
		f.BoolVar(&o.command.once, "once", false, "end when leadership is lost, and do not run CMD again")
		f.DurationVar(&o.command.grace, "grace", defaultGrace, "`DURATION` from SIGTERM to SIGKILL for CMD; shorter if the lease ends")
	})
}

// pathAndCommand takes PATH and, behind --, a command to run.
func pathAndCommand(o *options) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		dash := cmd.ArgsLenAtDash()
		if dash < 0 {
			if cmd.Flags().Changed("once") || cmd.Flags().Changed("grace") {
				return process.Usagef("--once and --grace are about a command to run: give it behind --")
			}
			return pathArg(o)(cmd, args)
		}
		o.command.args = args[dash:]
		switch {
		case len(o.command.args) == 0:
			return process.Usagef("there is no command behind --")
		case !command.Supported:
			return process.Usagef("electop cannot run a command on this system: it needs process groups")
		case o.command.grace < 0:
			return process.Usagef("--grace %v: not below 0", o.command.grace)
		}
		return pathArg(o)(cmd, args[:dash])
	}
}

// newGuard is the guard of a command that a campaign runs: it is started by electop, not
// by the user.
func newGuard(std IO) *cobra.Command {
	return &cobra.Command{
		Use: guardName, Hidden: true, DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return process.Usagef("electop campaign starts this command by itself")
			}
			grace, err := time.ParseDuration(args[0])
			if err != nil {
				return process.Usagef("%v", err)
			}
			return command.Guard(std.In, grace, args[1:])
		},
	}
}

// supervisor runs the command while this candidate leads. over is called when it will not run any more.
func (o *options) supervisor(std IO, status func() command.Lease, over func()) *command.Supervisor {
	return &command.Supervisor{
		Command: command.Command{
			Args: o.command.args, Guard: []string{"electop", guardName},
			Stdout: std.Out, Stderr: std.Err, Grace: o.command.grace,
		},
		Once: o.command.once, Lease: status, Over: over,
	}
}

// supervised has a candidate with cfg take part, and a command run while it leads, until
// ctx ends or the command does; only then it ends run, the candidate's context. ended is
// why, for a person; the error has the exit code.
func (o *options) supervised(ctx, run context.Context, end func(), std IO, cfg candidate.Config) (ended string, err error) {
	var c *candidate.Candidate
	s := o.supervisor(std, func() command.Lease {
		st := c.Status()
		return command.Lease{End: st.LeaseEnd, Timeout: st.Timeout}
	}, end)
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
	case ctx.Err() != nil:
		return "interrupted", process.Interrupted
	case exited:
		return "its command ended", process.Passed(code)
	case failure != nil:
		return failure.Error(), failure
	}
	return "", err
}
