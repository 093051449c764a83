package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/model/znode"
	"electop/ui/cli/dashboard"
	"electop/ui/cli/election"
	"electop/ui/cli/help"
	"electop/ui/cli/process"
)

// Run runs the command line and returns the exit code.
func Run(ctx context.Context, args []string, std IO) int {
	var received signals
	ctx, stop := received.watch(ctx)
	defer stop()
	std.unhandle = stop
	root := newRoot(std)
	root.SetArgs(args)
	if len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd) {
		completeFlags(root)
	}
	cmd, err := root.ExecuteContextC(ctx)
	if ctx.Err() != nil && err == nil {
		err = process.Interrupted
	}
	if cmd.Name() == campaignName && slices.Contains(args, "--") {
		err = process.OfItself(err)
	}
	code := process.Report(std.Err, err)
	if passed := process.Passed(0); code == process.ExitInterrupt && !errors.As(err, &passed) {
		code = received.code()
	}
	if code == process.ExitTerminate && cmd.Name() == exporterName {
		return process.ExitOK // SIGTERM is the exporter's normal end, because service managers send it
	}
	return code
}

const example = `  electop                                     the dashboard on the demo
  electop -s zk1                              the elections of a cluster, read-only
  electop -s zk1:2181,zk2:2181 /election      the dashboard on a cluster, read-only
  electop -s zk1 /a /b /c                     several elections at once
  electop --cluster prod                      a cluster of the configuration file
  electop -s zk1:2181/app /election --cast 3  take part with three candidates
  electop doctor /election -s zk1             diagnose known failures
  electop status /election -s zk1 --json      who leads, for a script
  electop events /election -s zk1 --json      every change, one object per line`

func newRoot(std IO) *cobra.Command {
	o := &options{}
	root := &cobra.Command{
		Use:               "electop [PATH...]",
		Short:             "top for ZooKeeper elections",
		Long:              "electop shows a live ZooKeeper leader election: who leads, who is next, and\nevery handoff as it happens. It is read-only by default. Without --servers it\nstarts the demo: an embedded ZooKeeper with candidates to spawn and kill.\n\nWith --servers but without PATH it searches for elections as discover does, and shows\ntheir list, or the election if only one is found. With --campaign, --cast or --record,\nPATH is /election if it is not given and the configuration has no paths of the cluster.",
		Example:           example,
		Args:              pathArgs(o, election.Max),
		ValidArgsFunction: o.completePaths(election.Max),
		Version:           process.ThisBuild().String(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.cluster.Servers == "" {
				if err := o.demoOnly(cmd); err != nil {
					return err
				}
				return runDemo(cmd.Context(), o, std, dashboard.Demo{})
			}
			return runLive(cmd.Context(), o, std)
		},
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetIn(std.In)
	root.SetOut(std.Out)
	root.SetErr(std.Err)
	root.SetVersionTemplate("electop {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.SetUsageFunc(help.Usage)
	root.SuggestionsMinimumDistance = 2 // at most two mistyped letters
	o.cluster.Flags(root)
	o.admin.CadenceFlags(root)
	o.screen.Flags(root)
	o.actingFlags(root)
	o.record.Flags(root)
	o.logFlag(root)

	const commands = "commands"
	root.AddGroup(&cobra.Group{ID: commands, Title: "Commands:"}, &cobra.Group{ID: help.Topic, Title: "Help topics, as in electop help json:"})
	root.AddCommand(newDemo(std), newLesson(std), newStatus(std), newEvents(std), newExporter(std), newDiscover(std),
		newDoctor(std), newCampaign(std), newCheck(std), newGuard(std), newReplay(std), newServe(std), newInfo(std), newMan(std))
	for _, cmd := range root.Commands() {
		cmd.GroupID = commands
	}
	root.SetCompletionCommandGroupID(commands)
	root.InitDefaultCompletionCmd() // after SetOut, because the completion commands copy the output writer
	if cmd, _, err := root.Find([]string{"completion"}); err == nil {
		cmd.Example = completionExample
	}
	helping := newHelp()
	helping.GroupID = commands
	root.SetHelpCommand(helping)
	root.AddCommand(help.Topics()...)
	root.AddCommand(removed("clusters", "electop info lists the clusters"))
	root.AddCommand(removed("figures", "the README has the figures, and .ci/figures in the source measures them"))
	for _, cmd := range append(root.Commands(), helping) {
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
	}
	return root
}

const completionExample = `  electop completion bash > ~/.local/share/bash-completion/completions/electop
  electop completion fish > ~/.config/fish/completions/electop.fish`

// newHelp returns the help command. Cobra's own exits with 0 if the name is unknown.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:               "help [COMMAND | TOPIC]",
		Short:             "Help on a command or a topic",
		Example:           "  electop help campaign\n  electop help exit-codes",
		ValidArgsFunction: completeHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				what := strings.Join(args, " ")
				if meant := meantCommand(cmd.Root(), what); meant != "" {
					return process.Usagef("no help on %q: it is not a command or a topic; %s", what, meant)
				}
				return process.Usagef("no help on %q: it is not a command or a topic (see electop help)", what)
			}
			if found.DisableFlagParsing { // a removed command or campaign-guard: RunE returns a usage error
				return found.RunE(found, nil)
			}
			found.InitDefaultHelpFlag()
			found.InitDefaultVersionFlag()
			return found.Help()
		},
	}
}

func removed(name, instead string) *cobra.Command {
	return &cobra.Command{
		Use: name, Hidden: true, DisableFlagParsing: true, ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(*cobra.Command, []string) error { return process.Usagef("%s was removed: %s", name, instead) },
	}
}

var removedFlags = map[string]string{
	"ack":              "electop recognises the system and reads its acknowledgement",
	"admin-interval":   "the servers are queried every 5s, with requests that cost them almost nothing",
	"admin-listen":     "electop serve has it",
	"data":             "the embedded server keeps its data in memory",
	"depth":            "the search goes 8 levels deep: give a ROOT further down to go deeper",
	"exec-timeout":     "CMD is killed after 30 s",
	"follow":           "electop sets watches, and polls if that costs less",
	"max-client-cnxns": "electop serve has it",
	"metrics":          "electop exporter serves the metrics",
	"tree":             "the embedded server keeps its data in memory",
}

func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		name := unknown.GetSpecifiedName()
		if instead := removedFlags[name]; instead != "" {
			return process.Usagef("--%s was removed: %s", name, instead)
		}
		return process.Usagef("%v%s (see %s --help)", err, meantFlag(cmd, name), cmd.CommandPath())
	}
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return process.Usagef("%v (see %s --help)", err, cmd.CommandPath())
	}
	f := invalid.GetFlag()
	return process.Usagef("--%s %q: %s (see %s --help)", f.Name, invalid.GetValue(), help.Why(f, err), cmd.CommandPath())
}

func meantFlag(cmd *cobra.Command, name string) string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	similar := help.Similar(name, names)
	if len(name) < 2 || len(similar) == 0 {
		return ""
	}
	return ": did you mean --" + strings.Join(similar[:min(3, len(similar))], " or --") + "?"
}

func noCommand(cmd *cobra.Command, word string) error {
	if cmd.HasParent() || word == "" || strings.HasPrefix(word, "/") {
		return nil
	}
	if meant := meantCommand(cmd, word); meant != "" {
		return process.Usagef("no command %q: %s A PATH starts with /, as in /election", word, meant)
	}
	return nil
}

func meantCommand(root *cobra.Command, word string) string {
	if word == "version" {
		return "electop --version prints the version."
	}
	similar := root.SuggestionsFor(word)
	if len(similar) == 0 {
		return ""
	}
	return "did you mean electop " + strings.Join(similar, " or electop ") + "?"
}

// IO holds the streams of a command.
type IO struct {
	In       io.Reader
	Out, Err io.Writer

	// unhandle restores the default action of signals.
	unhandle func()
}

// secondSignal restores the default action of signals when ctx ends, because a write can block for ever.
// The dashboard does not use secondSignal, because it must restore the terminal.
func (std IO) secondSignal(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, std.unhandle)
}

func (std IO) note(format string, args ...any) {
	fmt.Fprintf(std.Err, "electop: "+format+"\n", args...)
}

func (std IO) notice(log *slog.Logger) func(string) {
	return func(s string) {
		log.Warn(s)
		std.note("%s", s)
	}
}

func (std IO) print(asJSON bool, object any, text string) error {
	if asJSON {
		return std.json(object)
	}
	_, err := io.WriteString(std.Out, text)
	return err
}

func (std IO) json(object any) error {
	b, err := znode.SafeJSON(object)
	if err == nil {
		_, err = std.Out.Write(append(b, '\n'))
	}
	return err
}

type signals struct {
	first atomic.Int32 // the signal's number; 0: none yet
}

func (s *signals) watch(parent context.Context) (ctx context.Context, stop context.CancelFunc) {
	ctx, end := context.WithCancel(parent)
	received := make(chan os.Signal, 1)
	signal.Notify(received, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGABRT)
	go func() {
		select {
		case sig := <-received:
			n, _ := sig.(syscall.Signal) // every signal has this type
			s.first.Store(int32(n))
			end()
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(received)
		end()
	}
}

func (s *signals) code() int { return 128 + int(cmp.Or(s.first.Load(), int32(syscall.SIGINT))) }
