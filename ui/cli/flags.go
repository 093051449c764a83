package cli

import "github.com/spf13/cobra"

func (o *options) screenFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.theme, "theme", "auto", "colours, a `THEME`: auto, dark, light or mono")
}

func (o *options) actingFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.campaign, "campaign", false, "take part as a candidate")
	f.IntVar(&o.cast, "cast", 0, "take part with `N` local candidates, to spawn and kill")
	f.BoolVar(&o.create, "create", false, "create the election's parent if it is missing")
	f.BoolVar(&o.yes, "yes", false, "enter an election with third-party candidates without being asked")
	f.BoolVar(&o.observeOnly, "observe-only", false, "disable every key that changes something")
}

func (o *options) ackFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.ack, "ack", "", "`PATH` of the acknowledgement znode, or none (default: as the recognised system names it; for electop's own, the election's PATH with -leader)")
}

func (o *options) logFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.logFile, "log-file", "", "append a debug log to this `FILE`")
}
