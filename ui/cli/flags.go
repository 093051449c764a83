package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/ui/cli/flaggroup"
)

func (o *options) screenFlags(cmd *cobra.Command) {
	flaggroup.Screen.Add(cmd, func(f *pflag.FlagSet) {
		f.StringVar(&o.theme, "theme", "auto", "colours: `THEME` is auto (the terminal is asked), dark, light or mono")
		f.BoolVar(&o.noMouse, "no-mouse", false, "leave the mouse to the terminal, which selects text with it")
	})
}

func (o *options) actingFlags(cmd *cobra.Command) {
	flaggroup.Candidates.Add(cmd, func(f *pflag.FlagSet) {
		f.BoolVar(&o.campaign, "campaign", false, "take part as a candidate")
		f.IntVar(&o.cast, "cast", 0, "take part with `N` local candidates, to spawn and kill")
	})
	o.enterFlags(cmd)
	flaggroup.Candidates.Add(cmd, func(f *pflag.FlagSet) {
		f.BoolVar(&o.observeOnly, "observe-only", false, "disable every key that changes something")
	})
}

// enterFlags are about entering an election on a cluster.
func (o *options) enterFlags(cmd *cobra.Command) {
	flaggroup.Candidates.Add(cmd, func(f *pflag.FlagSet) {
		f.BoolVar(&o.create, "create", false, "create the election's parent if it is missing")
		f.BoolVar(&o.yes, "yes", false, "enter an election with third-party candidates without being asked")
	})
}

// openFlag is for the commands whose embedded ZooKeeper others can join.
func (o *options) openFlag(cmd *cobra.Command) {
	flaggroup.Embedded.Add(cmd, func(f *pflag.FlagSet) {
		f.BoolVar(&o.yes, "yes", false, "open the embedded ZooKeeper to the network without being asked")
	})
}

func (o *options) ackFlag(cmd *cobra.Command) {
	flaggroup.Election.Add(cmd, func(f *pflag.FlagSet) {
		f.StringVar(&o.ack, "ack", "", "`PATH` of the acknowledgement znode, or none (default: as the recognised system names it; for electop's own, the election's PATH with -leader)")
	})
}

// followRemoved names the replacement of --follow.
func followRemoved(cmd *cobra.Command) {
	flaggroup.Removed(cmd, "follow", "electop watches, and reads where that costs less")
}

// jsonFlag declares --json; what is for the help.
func (o *options) jsonFlag(cmd *cobra.Command, what string) {
	flaggroup.Output.Add(cmd, func(f *pflag.FlagSet) { f.BoolVar(&o.json, "json", false, what) })
}

func (o *options) logFlag(cmd *cobra.Command) {
	flaggroup.Output.Add(cmd, func(f *pflag.FlagSet) {
		f.StringVar(&o.logFile, "log-file", "", "append a debug log to `FILE`")
	})
}
