package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"electop/demo/lessons"
)

func newLesson(std IO) *cobra.Command {
	o := &options{}
	list := false
	cmd := &cobra.Command{
		Use:   "lesson [NAME]",
		Short: "The election explained, step by step, on a ZooKeeper of its own",
		Long:  "The election explained, step by step, in a demo: each lesson says a little, asks what\nwill happen, has you do it with the dashboard's keys, and goes on when it has happened.\nWithout NAME it begins with the first lesson that was not done yet.",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("one lesson at a time, got %d (see electop lesson --list)", len(args))
			}
			o.path, o.paths = defaultPath, []string{defaultPath}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if list {
				return listLessons(std)
			}
			name := ""
			if len(args) == 1 {
				name = args[0]
			}
			return runLesson(cmd.Context(), o, std, name)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&list, "list", false, "list the lessons, and which were done")
	f.StringVar(&o.listen, "listen", "127.0.0.1:0", "`host:port` of the embedded ZooKeeper; programs of your own can join there")
	f.BoolVar(&o.yes, "yes", false, "open the embedded ZooKeeper to the network without being asked")
	o.screenFlags(cmd)
	o.recordFlag(cmd)
	o.maxClientCnxnsFlag(cmd)
	o.logFlag(cmd)
	return cmd
}

func runLesson(ctx context.Context, o *options, std IO, name string) error {
	if name != "" {
		course, err := lessons.All()
		if err != nil {
			return err
		}
		if (&tutor{course: course}).find(name) < 0 {
			return noSuchLesson(name, course)
		}
	}
	return runDemo(ctx, o, std, play{lesson: true, name: name})
}

func listLessons(std IO) error {
	course, err := lessons.All()
	if err != nil {
		return err
	}
	done, err := openProgress(os.Getenv)
	if err != nil {
		fmt.Fprintf(std.Err, "electop: %v\n", err)
	}
	wide := 0
	for _, l := range course {
		wide = max(wide, len(l.ID))
	}
	for i, l := range course {
		mark := "    "
		if done.has(l.ID) {
			mark = "done"
		}
		if _, err := fmt.Fprintf(std.Out, "%2d  %s  %-*s  %s\n", i+1, mark, wide, l.ID, l.About); err != nil {
			return err
		}
	}
	return nil
}
