package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-zookeeper/zk"
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
	_, cfg, done, err := o.cluster()
	if err != nil {
		return err
	}
	defer done()
	read, st, err := o.readOnce(ctx, cfg)
	if err != nil {
		return err
	}
	switch read.Presence {
	case model.Absent:
		return missing(o.path, cfg.Servers)
	case model.Denied:
		return forbidden(o.path, cfg.Servers)
	}
	j := model.NewJournal(model.Config{Path: o.path})
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

// readOnce reads the election within --connect-timeout, over another
// connection where one is lost on the way.
func (o *options) readOnce(ctx context.Context, cfg zkwatch.Config) (*model.Read, zkwatch.Status, error) {
	deadline := time.Now().Add(o.connectTimeout)
	wait, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	for {
		conn, err := connectOnce(ctx, cfg, time.Until(deadline).Round(10*time.Millisecond))
		if err != nil {
			return nil, zkwatch.Status{}, err
		}
		read, err := zkwatch.ReadElection(wait, conn, o.path, feed.Now)
		st := conn.Status()
		conn.Close()
		switch {
		case err == nil:
			return read, st, nil
		case ctx.Err() != nil:
			return nil, st, context.Cause(ctx)
		case wait.Err() != nil:
			return nil, st, unreachable(cfg.Servers, o.connectTimeout, err.Error())
		case !errors.Is(err, zkwatch.ErrNotConnected) && !errors.Is(err, zk.ErrConnectionClosed):
			return nil, st, fmt.Errorf("read from %s: %w", st.Server, err)
		}
	}
}
