package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/ui/cli/exit"
	"electop/ui/cli/flaggroup"
	"electop/ui/cli/live"
	"electop/ui/cli/tutor"
)

func newLesson(std IO) *cobra.Command {
	o := &options{}
	list := false
	cmd := &cobra.Command{
		Use:     "lesson [NAME]",
		Short:   "Lessons: an election explained step by step, on the demo",
		Long:    "An election explained step by step, on the demo. Each lesson explains a little, asks\nwhat will happen, has you do it with the dashboard's keys, and continues when it has\nhappened. Without NAME it begins with the first lesson that is not complete.",
		Example: "  electop lesson --list\n  electop lesson",
		Args: o.settled(func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return exit.Usagef("one lesson at a time, got %d (see electop lesson --list)", len(args))
			}
			o.path, o.paths = defaultPath, []string{defaultPath}
			return nil
		}),
		ValidArgsFunction: completeLesson,
		RunE: func(cmd *cobra.Command, args []string) error {
			if list {
				return tutor.List(std.Out, std.Err)
			}
			play := live.Play{Lesson: true}
			if len(args) == 1 {
				play.Name = args[0]
				if err := tutor.Check(play.Name); err != nil {
					return err
				}
			}
			return runDemo(cmd.Context(), o, std, play)
		},
	}
	flaggroup.Output.Add(cmd, func(f *pflag.FlagSet) {
		f.BoolVar(&list, "list", false, "list the lessons, and which are complete")
	})
	flaggroup.Embedded.Add(cmd, func(f *pflag.FlagSet) {
		f.StringVar(&o.server.Listen, "listen", "127.0.0.1:0", "`HOST:PORT` of the embedded ZooKeeper, where your own programs can join")
	})
	o.openFlag(cmd)
	o.screenFlags(cmd)
	o.record.Flags(cmd)
	flaggroup.Removed(cmd, "max-client-cnxns", onServe)
	o.logFlag(cmd)
	return cmd
}
