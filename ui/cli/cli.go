package cli

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"electop/ui/cli/dashboard"
	"electop/ui/cli/election"
	"electop/ui/cli/help"
	"electop/ui/cli/process"
)

// Run carries out the command line and returns the exit code.
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
	if passed := process.Passed(0); code == process.ExitSignal && !errors.As(err, &passed) {
		code = received.code()
	}
	if code == process.ExitTerminate && cmd.Name() == exporterName {
		return process.ExitOK // a service manager ends it so
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
  electop events /election -s zk1 --json      every change, one object a line`

func newRoot(std IO) *cobra.Command {
	o := &options{}
	root := &cobra.Command{
		Use:               "electop [PATH...]",
		Short:             "top for ZooKeeper elections",
		Long:              "electop shows a live ZooKeeper leader election: who leads, who is next, and\nevery handoff as it happens. It is read-only by default. Without --servers it\nstarts the demo: an embedded ZooKeeper with candidates to spawn and kill.\n\nWith --servers but without PATH it searches for elections as discover does, and shows\ntheir list, or the only one. With --campaign, --cast or --record,\nPATH is /election if it is not given.",
		Example:           example,
		Args:              pathArgs(o, election.Max),
		ValidArgsFunction: o.completePaths(election.Max),
		Version:           process.ThisBuild().String(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.cluster.Servers == "" {
				if err := o.demoOnly(cmd); err != nil {
					return err
				}
				return runDemo(cmd.Context(), o, std, dashboard.Play{})
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
	root.SuggestionsMinimumDistance = 2 // letters typed wrong
	o.cluster.Flags(root)
	o.admin.WatchFlags(root)
	o.admin.CadenceFlags(root)
	o.screen.Flags(root)
	o.actingFlags(root)
	o.record.Flags(root)
	o.logFlag(root)

	const commands = "commands"
	root.AddGroup(&cobra.Group{ID: commands, Title: "Commands:"}, &cobra.Group{ID: help.Topic, Title: "Help topics, as in electop help json:"})
	root.AddCommand(newDemo(std), newLesson(std), newStatus(std), newEvents(std), newExporter(std), newDiscover(std),
		newDoctor(std), newCampaign(std), newGuard(std), newReplay(std), newServe(std), newInfo(std), newMan(std))
	for _, cmd := range root.Commands() {
		cmd.GroupID = commands
	}
	root.SetCompletionCommandGroupID(commands)
	root.InitDefaultCompletionCmd() // it keeps the output that is set
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

// newHelp shows the help of a command or a topic. Cobra's own help command takes an
// unknown name for a PATH of the dashboard.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:               "help [COMMAND | TOPIC]",
		Short:             "Help on a command or a topic",
		Example:           "  electop help campaign\n  electop help exit-codes",
		ValidArgsFunction: completeHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			on, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				what := strings.Join(args, " ")
				if meant := meantCommand(cmd.Root(), what); meant != "" {
					return process.Usagef("no help on %q: it is not a command or a topic; %s", what, meant)
				}
				return process.Usagef("no help on %q: it is not a command or a topic (see electop help)", what)
			}
			if on.DisableFlagParsing { // removed
				return on.RunE(on, nil)
			}
			on.InitDefaultHelpFlag()
			on.InitDefaultVersionFlag()
			return on.Help()
		},
	}
}

// removed returns a command that refuses what no longer exists, and says what replaces it.
func removed(name, instead string) *cobra.Command {
	return &cobra.Command{
		Use: name, Hidden: true, DisableFlagParsing: true, ValidArgsFunction: noFiles,
		RunE: func(*cobra.Command, []string) error { return process.Usagef("%s was removed: %s", name, instead) },
	}
}
