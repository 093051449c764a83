package cli

import "github.com/spf13/cobra"

func (o *options) screenFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.theme, "theme", "auto", "colours: auto, dark, light or mono")
}

func (o *options) actingFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.campaign, "campaign", false, "take part as a candidate")
	f.IntVar(&o.cast, "cast", 0, "bring `N` candidates of our own, to spawn and kill")
	f.BoolVar(&o.create, "create", false, "create the election's parent if it is missing")
	f.BoolVar(&o.yes, "yes", false, "enter somebody else's election without being asked")
	f.BoolVar(&o.observeOnly, "observe-only", false, "remove the keys that act")
}

func (o *options) ackFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.ack, "ack", "", "the acknowledgement znode's `PATH`, or none (what the system it is uses; our own: PATH of the election with -leader)")
}

func (o *options) logFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.logFile, "log-file", "", "write a log to this `FILE`")
}
