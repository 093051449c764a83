package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/spf13/cobra"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/ui/plain"
	"electop/zkwatch/admin"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
	"electop/zkwatch/observer"
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
	o.adminFlags(cmd)
	o.ackFlag(cmd)
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	o.logFlag(cmd)
	return cmd
}

func runStatus(ctx context.Context, o *options, std IO) error {
	log, cfg, done, err := o.cluster()
	if err != nil {
		return err
	}
	defer done()
	var s *doctor.State
	var unasked error
	err = o.withConn(ctx, cfg, func(wait context.Context, conn *client.Conn) error {
		j, err := o.readOnce(wait, conn)
		if err != nil {
			return err
		}
		if o.admin.mode != adminOff && len(j.State().Queue) > 0 {
			unasked = askOnce(ctx, o.path, admin.New(o.admin.config(cfg, oneConn{conn}, log)), j)
		}
		s = j.State()
		return nil
	})
	if err != nil {
		return err
	}
	switch s.Phase {
	case model.NoParent:
		return missing(o.path, cfg.Servers)
	case model.Forbidden:
		return forbidden(o.path, cfg.Servers)
	}
	if unasked != nil && ctx.Err() == nil {
		fmt.Fprintf(std.Err, "electop: the servers did not say who watches what: %s\n", znode.Safe(unasked.Error(), 0))
	}
	if err := printOnce(std, o.json, plain.Status(s), func() error { return plain.StatusText(std.Out, s) }); err != nil {
		return err
	}
	if s.Leader() == nil {
		return errEmpty
	}
	return nil
}

// printOnce prints an object as JSON, or as text does.
func printOnce(std IO, asJSON bool, object any, text func() error) error {
	if !asJSON {
		return text()
	}
	b, err := znode.SafeJSON(object)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.Out, "%s\n", b)
	return err
}

// readOnce reads the election, and its acknowledgement if it has one.
func (o *options) readOnce(ctx context.Context, conn *client.Conn) (*doctor.Journal, error) {
	read, err := observer.ReadOnce(ctx, conn, o.path, feed.Now)
	if err != nil {
		return nil, err
	}
	ack := ""
	if d := dialect.Recognise(o.path, read.New); d != nil {
		ack = d.AckPath(o.path)
	}
	if o.ack != "" {
		if ack, err = o.ackPath(o.path); err != nil {
			return nil, err
		}
	}
	st := conn.Status()
	j := doctor.NewJournal(model.Config{Path: o.path, AckPath: ack})
	j.Apply(&model.Connection{At: read.At, Link: model.Connected, Server: st.Server, Session: st.SessionID, Timeout: st.Timeout})
	j.Apply(read)
	if ack == "" || read.Presence != model.Present {
		return j, nil
	}
	seen, err := readAck(ctx, conn, ack)
	if err != nil {
		return nil, err
	}
	j.Apply(seen)
	return j, nil
}

func readAck(ctx context.Context, conn *client.Conn, path string) (*model.Ack, error) {
	data, stat, err := conn.Get(ctx, path)
	seen := &model.Ack{At: feed.Now()}
	switch {
	case errors.Is(err, zk.ErrNoNode):
		seen.Presence = model.Absent
	case errors.Is(err, zk.ErrNoAuth):
		seen.Presence = model.Denied
	case err != nil:
		return nil, err
	default:
		seen.Presence, seen.Session, seen.Czxid = model.Present, uint64(stat.EphemeralOwner), stat.Czxid
		seen.Data = znode.NewData(data)
	}
	return seen, nil
}

// askLimit bounds the asking of all servers for one answer of ours.
const askLimit = 10 * time.Second

// askOnce asks every server for connections, sessions and watches, and applies
// what they say.
func askOnce(ctx context.Context, path string, asker *admin.Asker, j *doctor.Journal) error {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	defer asker.Subscribe(admin.Election{
		Path: path, Ack: j.State().Ack.Path,
		Sessions: func() []uint64 { return sessionsOf(j.State()) },
		Put:      func(_ context.Context, o model.Observation) { j.Apply(o) },
	})()
	return asker.Ask(ctx, admin.Want{Watches: true, Sessions: true})
}
