package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"electop/model"
	"electop/zkwatch"
	"electop/zkwatch/feed"
)

// watching is an observer joined to a feed.
type watching struct {
	feed     *feed.Feed
	observer *zkwatch.Observer
	close    func() // the recording, after the tasks ended
}

// watch joins an observer to a feed. events may be nil.
func (o *options) watch(conn zkwatch.Config, election model.Config, events func([]model.Event) error, notice func(string)) (*watching, error) {
	w := &watching{close: func() {}}
	cfg := feed.Config{Election: election, Events: events, Notice: notice}
	if o.record != "" {
		f, err := os.OpenFile(o.record, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, os.ErrExist) {
			return nil, fmt.Errorf("--record %s: the file exists already; give another name", o.record)
		} else if err != nil {
			return nil, fmt.Errorf("--record: %w", err)
		}
		w.close = func() { f.Close() }
		if cfg.Record, err = model.NewEncoder(f, model.NewHeader(election, feed.Now())); err != nil {
			f.Close()
			return nil, fmt.Errorf("--record %s: %w", o.record, err)
		}
	}
	w.feed = feed.New(cfg)
	w.observer = zkwatch.NewObserver(zkwatch.ObserverConfig{
		Conn: conn, Path: election.Path, Ack: election.AckPath,
		Put: w.feed.PutSlowly, Now: feed.Now,
	})
	return w, nil
}

// start runs the feed and the observer.
func (w *watching) start(t *tasks) {
	t.start("feed", w.feed.Run)
	t.start("observer", w.observer.Run)
}

// reach waits until the feed's connection stands, for limit at most.
func (w *watching) reach(ctx context.Context, limit time.Duration, servers fmt.Stringer) error {
	wait, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	s, err := w.feed.Await(wait, func(s *model.State) bool { return s.Link.Link == model.Connected })
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return unreachable(servers, limit, s.Link.Err)
	}
	return nil
}

func unreachable(servers fmt.Stringer, limit time.Duration, why string) error {
	if why == "" {
		why = "no answer"
	}
	return exitError{exitNoServer, fmt.Errorf("no server of %s reached within %v (%s): check --servers, or wait longer with --connect-timeout", servers, limit, why)}
}

// connectOnce opens a session and waits until it stands.
func connectOnce(ctx context.Context, cfg zkwatch.Config, limit time.Duration) (*zkwatch.Conn, error) {
	wait, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		conn, err := zkwatch.Connect(cfg)
		if err != nil {
			return nil, err
		}
		var last zkwatch.Status
		for st := range conn.Subscribe(wait) {
			if last = st; st.State == zkwatch.Connected {
				return conn, nil
			}
		}
		conn.Close()
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case wait.Err() != nil:
			why := ""
			if last.Err != nil {
				why = last.Err.Error()
			}
			return nil, unreachable(cfg.Servers, limit, why)
		}
	}
}

// missing and forbidden are what to say of a path that cannot be read.
func missing(path string, servers fmt.Stringer) error {
	return fmt.Errorf("%s does not exist on %s: check the path and the chroot, or let candidates create it (--create)", path, servers)
}

func forbidden(path string, servers fmt.Stringer) error {
	return fmt.Errorf("%s on %s may not be listed: its ACL gives no read permission to this client", path, servers)
}
