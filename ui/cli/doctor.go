package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"electop/model"
	"electop/model/doctor"
	"electop/ui/plain"
	"electop/zkwatch/admin"
	"electop/zkwatch/feed"
)

// doctorFor is how long the doctor looks, unless told otherwise: what occurs
// for a moment in any healthy handoff has to be seen to last.
const doctorFor = 6 * time.Second

func newDoctor(std IO) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "doctor [PATH]",
		Short: "Look for what is wrong with the election (5: something critical is)",
		Long:  "doctor looks at the election for a short while, asks every server who is\nconnected and what they watch, and says what is wrong, why it harms and what to\ndo. It writes nothing.",
		Args:  pathArg(o),
		RunE:  func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd.Context(), o, std) },
	}
	o.clusterFlags(cmd)
	o.adminFlags(cmd)
	o.ackFlag(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.json, "json", false, "print JSON")
	f.DurationVar(&o.duration, "for", doctorFor, "how long to look, a `DURATION`")
	o.logFlag(cmd)
	return cmd
}

func runDoctor(ctx context.Context, o *options, std IO) error {
	if o.duration <= 0 {
		return usagef("--for %v: how long to look must be more than nothing", o.duration)
	}
	log, conn, done, err := o.cluster()
	if err != nil {
		return err
	}
	defer done()
	w, err := o.watch(conn, log, false, feed.Config{}, func(s string) { log.Warn(s) })
	if err != nil {
		return err
	}
	t := newTasks(ctx)
	w.observe(t)
	s, err := w.examine(t.ctx, o)
	if failed := t.stop(); failed != nil && ctx.Err() == nil && err == nil {
		err = failed
	}
	if err != nil {
		return err
	}
	if err := printOnce(std, o.json, plain.Doctor(s, o.duration), func() error { return plain.DoctorText(std.Out, s, o.duration) }); err != nil {
		return err
	}
	if doctor.Worst(s.Findings) == doctor.Critical {
		return errCritical
	}
	return nil
}

// examine looks at the first election for o.duration and asks the servers:
// all at the beginning, and later about sessions once more, which is how one
// that stands still shows, and about watches where one was not found.
func (w *watching) examine(ctx context.Context, o *options) (*doctor.State, error) {
	if err := w.reach(ctx, o.connectTimeout); err != nil {
		return nil, err
	}
	e := w.first()
	s, err := e.feed.Await(ctx, func(s *doctor.State) bool { return s.Phase != model.Unseen })
	if err != nil {
		return nil, context.Cause(ctx)
	}
	switch s.Phase {
	case model.Forbidden:
		return nil, forbidden(o.path, w.conn.Servers)
	case model.NoParent:
		return nil, missing(o.path, w.conn.Servers)
	}
	end := time.Now().Add(o.duration)
	if w.asker != nil {
		w.ask(ctx, admin.Want{Watches: true, Sessions: true})
		if err := rest(ctx, min(time.Until(end), max(o.duration/2, time.Until(end)-doctorCalm))); err != nil {
			return nil, err
		}
		w.ask(ctx, admin.Want{Watches: unverified(e.feed.State()), Sessions: true})
	}
	if err := rest(ctx, time.Until(end)); err != nil {
		return nil, err
	}
	at := feed.Now() // what was only waited for is due by now
	e.feed.Put(&model.Advance{At: at})
	s, err = e.feed.Await(ctx, func(s *doctor.State) bool { return !s.At.Before(at) })
	if err != nil {
		return nil, context.Cause(ctx)
	}
	return s, nil
}

// doctorCalm is what is left of the time after the last questions.
const doctorCalm = 2 * time.Second

// ask asks the servers within askLimit. What they did not say is in the table.
func (w *watching) ask(ctx context.Context, want admin.Want) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	if err := w.asker.Ask(ctx, want); err != nil && ctx.Err() == nil {
		w.notice("asking the servers: " + err.Error())
	}
}

// unverified reports whether a contender waits whose watch no server has told.
func unverified(s *doctor.State) bool {
	for i := range s.Queue {
		if _, waits := s.Recipe.Watches(s.Queue, i); waits && s.Edge(i).State != doctor.Verified {
			return true
		}
	}
	return false
}

// rest waits for d.
func rest(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
