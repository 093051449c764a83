// Package ask asks the servers for their watches, connections and sessions. Flags say
// how, how often and for what.
package ask

import (
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/ui/cli/exit"
	"electop/ui/cli/flaggroup"
	"electop/zkwatch/admin"
)

const (
	sessions = 2 * time.Second // see Options.Cheap
	// shortest is the shortest interval that servers are asked at.
	shortest = 100 * time.Millisecond
)

// cadence is the value of --admin-sessions.
type cadence Options

const automatic = "auto"

func (c *cadence) Set(s string) error {
	if s == automatic {
		c.Sessions, c.Cheap = sessions, true
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

// Options are the flags of the commands that ask the servers.
type Options struct {
	Mode     admin.Mode // "": a command without the flag
	URL      string
	Interval time.Duration // 0: the default
	Sessions time.Duration // 0: only to verify
	Cheap    bool          // Sessions only while that costs the servers little
	Heavy    bool          // even where there are many watches
}

// Flags declares how the servers are asked; what is for the help.
func (o *Options) Flags(cmd *cobra.Command, what string) {
	flaggroup.Questions.Add(cmd, func(f *pflag.FlagSet) {
		f.StringVar((*string)(&o.Mode), "admin", string(admin.Auto), "how to ask the servers "+what+": `MODE` is auto (HTTP, where that fails four-letter words), http, 4lw or off")
		f.StringVar(&o.URL, "admin-url", "", "`URL` of the AdminServers' commands; {host} is the server's host (default http://{host}:8080/commands)")
	})
}

// WatchFlags declares how the servers are asked who watches what.
func (o *Options) WatchFlags(cmd *cobra.Command) {
	o.Flags(cmd, "who watches what")
	flaggroup.Questions.Add(cmd, func(f *pflag.FlagSet) {
		f.BoolVar(&o.Heavy, "admin-heavy", false, "ask for watch tables and connections even where a server has more than 50,000 watches")
	})
}

// CadenceFlags declares how often the servers are asked.
func (o *Options) CadenceFlags(cmd *cobra.Command) {
	o.Sessions, o.Cheap = sessions, true
	flaggroup.Questions.Add(cmd, func(f *pflag.FlagSet) {
		f.Var((*cadence)(o), "admin-sessions", "ask the servers every `DURATION` for connections and sessions, which show a risk before a session expires. auto: 2s up to 2,000 connections and while answers take less than 100 ms. 0: only when watches are verified; events and exporter: never")
	})
	flaggroup.Removed(cmd, "admin-interval", "the servers are asked every 5s for what costs them almost nothing")
}

// Check refuses invalid values.
func (o Options) Check() error {
	if _, err := admin.ParseMode(string(o.Mode)); err != nil && o.Mode != "" {
		return exit.Usagef("--admin: %v", err)
	}
	switch {
	case o.URL != "" && (o.Mode == admin.FourLetter || o.Mode == admin.Off):
		return exit.Usagef("--admin-url with --admin %s: no AdminServer is asked then", o.Mode)
	case o.Sessions != 0 && o.Sessions < shortest:
		return exit.Usagef("--admin-sessions %v: at least %v, or 0 for only when watches are verified", o.Sessions, shortest)
	case o.Sessions != 0 && !o.Cheap && o.Mode == admin.Off:
		return exit.Usagef("--admin-sessions with --admin off: the servers are not asked then")
	}
	if o.URL == "" {
		return nil
	}
	if u, err := url.Parse(strings.ReplaceAll(o.URL, "{host}", "host")); err == nil && u.User != nil {
		return exit.Usagef("--admin-url: a user name or password has no place on the command line")
	}
	if err := admin.CheckURL(o.URL); err != nil {
		return exit.Usagef("--admin-url: %v", err)
	}
	return nil
}
