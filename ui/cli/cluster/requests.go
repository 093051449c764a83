package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/model"
	"electop/model/doctor"
	"electop/model/session"
	"electop/ui/cli/help"
	"electop/ui/cli/process"
	"electop/zkwatch/admin"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
)

const (
	autoInterval = 2 * time.Second        // the interval of --admin-sessions auto
	minInterval  = 100 * time.Millisecond // the shortest interval of --admin-sessions
)

type cadence Requests

const automatic = "auto"

func (c *cadence) Set(s string) error {
	if s == automatic {
		c.Sessions, c.Cheap = autoInterval, true
		return nil
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return errors.New("give auto, 0 or a duration, as in 500ms or 10s")
	}
	c.Sessions, c.Cheap = d, false
	return nil
}

func (c *cadence) String() string {
	if c.Cheap {
		return automatic
	}
	return c.Sessions.String()
}

func (c *cadence) Type() string { return "cadence" }

// Requests configures electop's requests for the servers' status, connections, sessions and watches.
type Requests struct {
	Mode     admin.Mode // "": the command has no flag --admin
	URL      string
	Interval time.Duration // between requests for the servers' status; 0: the default
	Sessions time.Duration // between regular requests for connections and sessions; 0: none
	Cheap    bool          // send regular requests only while they cost the servers little
	Heavy    bool          // request the watch table also of a server with many watches, and accept larger replies
}

// Flags declares --admin and --admin-url.
func (o *Requests) Flags(cmd *cobra.Command, what string) {
	help.Requests.Add(cmd, func(f *pflag.FlagSet) {
		f.StringVar((*string)(&o.Mode), "admin", string(admin.Auto), "how to query the servers "+what+": `MODE` is auto (HTTP, or four-letter words if that fails), http, 4lw or off")
		f.StringVar(&o.URL, "admin-url", "", "`URL` of the AdminServers' commands; {host} is the server's host (default http://{host}:8080/commands)")
	})
}

// WatchFlags declares the flags of a command that requests watches.
func (o *Requests) WatchFlags(cmd *cobra.Command) {
	o.Flags(cmd, "for their watches")
	help.Requests.Add(cmd, func(f *pflag.FlagSet) {
		f.BoolVar(&o.Heavy, "admin-heavy", false, "request the watch table also of a server with more than 50,000 watches, and accept larger replies")
	})
}

// CadenceFlags declares the flags of WatchFlags, and --admin-sessions with its default, auto.
func (o *Requests) CadenceFlags(cmd *cobra.Command) {
	o.WatchFlags(cmd)
	o.Sessions, o.Cheap = autoInterval, true
	help.Requests.Add(cmd, func(f *pflag.FlagSet) {
		f.Var((*cadence)(o), "admin-sessions", "query the servers every `DURATION` for connections and sessions, which show a risk before a session expires. auto: 2s, only with up to 2,000 connections and while answers take less than 100 ms. 0: only when watches are verified (with events and exporter: never)")
	})
}

// Check returns a usage error for an invalid value.
func (o Requests) Check(called func(flag string) string) error {
	if _, err := admin.ParseMode(string(o.Mode)); err != nil && o.Mode != "" {
		return process.Usagef("%s: %v", called("admin"), err)
	}
	switch {
	case o.URL != "" && (o.Mode == admin.FourLetter || o.Mode == admin.Off):
		return process.Usagef("--admin-url with --admin %s: no AdminServer is queried then", o.Mode)
	case o.Sessions != 0 && o.Sessions < minInterval:
		return process.Usagef("--admin-sessions %v: at least %v, or 0 (only when watches are verified)", o.Sessions, minInterval)
	case o.Sessions != 0 && !o.Cheap && o.Mode == admin.Off:
		return process.Usagef("--admin-sessions with --admin off: the servers are not queried then")
	}
	if o.URL == "" {
		return nil
	}
	if u, err := url.Parse(strings.ReplaceAll(o.URL, "{host}", "host")); err == nil && u.User != nil { // an error must not contain a password
		return process.Usagef("%s must not contain a user name or password", called("admin-url"))
	}
	if err := admin.CheckURL(o.URL); err != nil {
		return process.Usagef("%s: %v", called("admin-url"), err)
	}
	return nil
}

// Poller returns the poller for the cluster of cfg, or nil for --admin off. conn may return nil.
func (o Requests) Poller(cfg client.Config, conn func() *client.Conn, log *slog.Logger) *admin.Poller {
	if o.Mode == admin.Off {
		return nil
	}
	return admin.New(admin.Config{
		Mode: o.Mode, URL: o.URL, Servers: cfg.Servers.Servers, Chroot: cfg.Servers.Chroot,
		Interval: o.Interval, Sessions: o.Sessions, Cheap: o.Cheap, Heavy: o.Heavy,
		Dial: cfg.Dial, DialTLS: cfg.TLS, Now: feed.Now, Logger: log,
		Ensemble: func(ctx context.Context) (string, error) {
			if c := conn(); c != nil {
				return c.EnsembleConfig(ctx)
			}
			return "", client.ErrNotConnected
		},
		Anchors: func() []session.Anchor {
			if c := conn(); c != nil {
				if a, ok := c.Anchor(); ok {
					return []session.Anchor{a}
				}
			}
			return nil
		},
		Touch: func(ctx context.Context) {
			if c := conn(); c != nil {
				_ = c.Touch(ctx) // an error only makes the deadlines of sessions less exact
			}
		},
	})
}

// RequestLimit bounds the time for requests to all servers.
const RequestLimit = 10 * time.Second

// RequestReports requests the connections, sessions and watches that elections need. The poller may be nil.
func RequestReports(ctx context.Context, poller *admin.Poller, elections []*doctor.Journal) error {
	if poller == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, RequestLimit)
	defer cancel()
	wanted := false
	for _, j := range elections {
		if s := j.State(); s.Queue.Len() > 0 || s.Dialect == nil {
			wanted = true
			defer poller.Subscribe(admin.Election{
				Path: s.Path, Ack: s.AckPath(),
				Sessions: func() []uint64 { return SessionsOf(j.State()) },
				Put:      func(_ context.Context, o model.Observation) { j.Apply(o) },
			})()
		}
	}
	if !wanted {
		return nil
	}
	if err := poller.Poll(ctx, admin.Want{Watches: true, Sessions: true}); err != nil {
		return err
	}
	unbounded := func(j *doctor.Journal) bool {
		return slices.ContainsFunc(j.State().Risks, func(r *doctor.Risk) bool { return r.By.IsZero() })
	}
	if !slices.ContainsFunc(elections, unbounded) {
		return nil
	}
	// Followers report their clients' pings to the ensemble's leader only every half tick.
	if process.Sleep(ctx, settle) == nil {
		_ = poller.Poll(ctx, admin.Want{Sessions: true}) // after an error, the first reports remain
	}
	return nil
}

// settle is half a tick of 2 s (zoo_sample.cfg), plus [session.Slack] and a margin.
const settle = 1600 * time.Millisecond

// SessionsOf returns the sessions to query for an election.
func SessionsOf(s *doctor.State) []uint64 {
	out := append(s.SessionsToQuery(), s.Waiters()...)
	for _, c := range s.Ignored {
		if c.Session != 0 {
			out = append(out, c.Session)
		}
	}
	for _, m := range s.Members {
		if m.Session != 0 {
			out = append(out, m.Session)
		}
	}
	return out
}

const (
	tickPatience = 2 * time.Second // bounds the wait for the tick; candidates can join without a tick
	safeTimeout  = 4 * time.Second // two ticks of 2 s (zoo_sample.cfg)
)

// Tick returns the longest tick of the servers, or 0 if the tick of a server is unknown. With a tick of 0, it also
// returns a warning if the session timeout may be too short for a leader's lease.
func (o Requests) Tick(ctx context.Context, path string, cfg client.Config, probe *client.Conn, log *slog.Logger) (tick time.Duration, warning string) {
	granted := probe.Status().Timeout
	if poller := o.Poller(cfg, func() *client.Conn { return probe }, log); poller != nil {
		ctx, cancel := context.WithTimeout(ctx, tickPatience)
		defer cancel()
		tables := make(chan *session.Table, 1)
		defer poller.Subscribe(admin.Election{Path: path, Put: func(_ context.Context, answer model.Observation) {
			if t, ok := answer.(*session.Table); ok {
				tables <- t
			}
		}})()
		poller.Poll(ctx, admin.Want{}) // an unknown tick is reported below
		select {
		case t := <-tables:
			for _, s := range t.Servers {
				tick = max(tick, s.Tick)
			}
			if slices.ContainsFunc(t.Servers, func(s session.Server) bool { return s.Tick == 0 }) {
				tick = 0 // the ensemble's leader may be the server whose tick is unknown
			}
		default:
		}
	}
	if tick == 0 && granted < safeTimeout {
		warning = fmt.Sprintf("the servers' tick is unknown: with a session timeout of %v a leader's lease is safe only if the tick is at most %v. Request a timeout of %v (--session-timeout), or allow the four-letter word conf",
			granted, granted/2, safeTimeout)
	}
	return tick, warning
}
