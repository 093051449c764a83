package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/model/znode"
	"electop/ui/cli/check"
	"electop/ui/cli/cluster"
	"electop/ui/cli/help"
	"electop/ui/cli/process"
	"electop/ui/plain"
)

func newCheck(std IO) *cobra.Command {
	o, c, junit := &options{}, check.Config{}, ""
	cmd := &cobra.Command{
		Use:     "check [flags] -- CMD [ARG]...",
		Short:   "Test whether a program's election follows the recipe",
		Example: "  electop check -- ./service {servers} {path}\n  electop check --leading 'now leading' --following 'lost leadership' --record DIR -- ./service {servers} {path}\n  electop check --only guid,takeover --junit FILE -- ./service {servers} {path}",
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.ArgsLenAtDash() != 0 || len(args) == 0 {
				return process.Usagef("give the program to check after --")
			}
			c.Args = args
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return runCheck(cmd.Context(), o, c, junit, std) },
	}
	help.Checks.Add(cmd, func(f *pflag.FlagSet) {
		f.IntVar(&c.Instances, "instances", 5, "`NUMBER` of instances, 3 to 12")
		f.StringSliceVar(&c.Only, "only", nil, "run only the checks `NAME,...`")
		f.Func("leading", "`REGEX` that matches an instance's output line when it begins to believe that it leads", expression(&c.Leading))
		f.Func("following", "`REGEX` that matches when an instance stops believing that it leads", expression(&c.Following))
	})
	o.jsonFlag(cmd, "print one JSON object")
	help.Output.Add(cmd, func(f *pflag.FlagSet) {
		f.StringVar(&junit, "junit", "", "also write the results to `FILE` in JUnit's format")
		f.StringVar(&c.Record, "record", "", "record each check to a new file in `DIR`")
	})
	o.logFlag(cmd)
	cmd.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		cmd.Long = checkHelp() // a call in newCheck would slow down each start of electop
		cmd.Root().HelpFunc()(cmd, args)
	})
	return cmd
}

func checkHelp() string {
	table := "| check | passes if |\n|---|---|\n"
	for _, c := range check.Checks() {
		table += fmt.Sprintf("| %s | %s |\n", c.Name, c.Title)
	}
	return `Start several instances of CMD against embedded ZooKeeper servers, cause failures, and
judge whether the election follows the recipe. {servers}, {path} and {id} in the
arguments are replaced; ELECTOP_SERVERS, ELECTOP_PATH and ELECTOP_ID are set. CMD must connect
to these servers, run until it is ended, and leave the election at SIGTERM. {servers} has one
address twice, because some clients delay reconnects if they know only one server.

` + help.Text(table+"\n", "check")
}

func checkNames() (names []string) {
	for _, c := range check.Checks() {
		names = append(names, c.Name)
	}
	return names
}

func expression(to **regexp.Regexp) func(string) error {
	return func(s string) (err error) {
		*to, err = regexp.Compile(s)
		return err
	}
}

func runCheck(ctx context.Context, o *options, c check.Config, junit string, std IO) error {
	for _, name := range c.Only {
		if !slices.Contains(checkNames(), name) {
			return process.Usagef("--only %q: no such check; there are %s", name, strings.Join(checkNames(), ", "))
		}
	}
	switch {
	case c.Instances < 3 || c.Instances > 12:
		return process.Usagef("--instances %d: between 3 and 12", c.Instances)
	case c.Following != nil && c.Leading == nil:
		return process.Usagef("--following needs --leading")
	}
	log, closeLog, err := o.logger(ctx)
	if err != nil {
		return err
	}
	defer closeLog()
	c.Log, c.Env = log, cluster.Environ()
	r := check.Report{Format: plain.Format, Program: znode.Safe(strings.Join(c.Args, " "), 0)}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // otherwise a write to a closed pipe ends electop, and the instances continue
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if !o.json {
		std.note("%d instances of %s", c.Instances, r.Program)
	}
	began := time.Now()
	var printErr error
	err = check.Run(ctx, c, func(x check.Result) {
		if x = r.Add(x); !o.json && printErr == nil {
			if _, printErr = fmt.Fprint(std.Out, x); printErr != nil {
				cancel()
			}
		}
	})
	r.Seconds = time.Since(began).Round(time.Millisecond).Seconds()
	switch {
	case errors.Is(err, check.ErrNeverJoined):
		return process.Error{Code: process.ExitNoServer, Err: err}
	case printErr != nil:
		return printErr
	case err != nil:
		return err
	}
	if printErr = std.print(o.json, r, r.String()); r.Failed > 0 {
		err = process.Critical
	}
	if junit != "" {
		b, failed := r.JUnit()
		if failed = errors.Join(failed, os.WriteFile(junit, append(b, '\n'), 0o600)); failed != nil {
			std.note("--junit: %v", failed)
			return cmp.Or(printErr, err, error(process.Passed(process.ExitFailure)))
		}
	}
	return cmp.Or(printErr, err)
}
