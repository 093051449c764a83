package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"electop/model"
	"electop/ui/plain"
	"electop/zkwatch"
	"electop/zkwatch/feed"
)

func newStatus(std IO) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "status [PATH]",
		Short: "Read the election once, print it and exit (4: nobody stands)",
		Args:  pathArg(o),
		RunE:  func(cmd *cobra.Command, _ []string) error { return runStatus(cmd.Context(), o, std) },
	}
	o.clusterFlags(cmd)
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	o.logFlag(cmd)
	return cmd
}

func runStatus(ctx context.Context, o *options, std IO) error {
	if err := o.check(); err != nil {
		return err
	}
	log, closeLog, err := o.logger()
	if err != nil {
		return err
	}
	defer closeLog()
	cfg, err := o.conn(log)
	if err != nil {
		return err
	}
	conn, err := connectOnce(ctx, cfg, o.connectTimeout)
	if err != nil {
		return err
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(ctx, o.connectTimeout)
	defer cancel()
	read, err := zkwatch.ReadElection(ctx, conn, o.path, feed.Now)
	if err != nil {
		return fmt.Errorf("read from %s: %w", conn.Status().Server, err)
	}
	switch read.Presence {
	case model.Absent:
		return missing(o.path, cfg.Servers)
	case model.Denied:
		return forbidden(o.path, cfg.Servers)
	}
	j := model.NewJournal(model.Config{Path: o.path})
	st := conn.Status()
	j.Apply(&model.Connection{At: read.At, Link: model.Connected, Server: st.Server, Session: st.SessionID})
	j.Apply(read)
	s := j.State()
	if o.json {
		b, err := model.SafeJSON(plain.Status(s))
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(std.Out, "%s\n", b); err != nil {
			return err
		}
	} else if err := plain.StatusText(std.Out, s); err != nil {
		return err
	}
	if s.Leader() == nil {
		return errEmpty
	}
	return nil
}
