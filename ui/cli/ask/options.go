// Package ask asks the servers for their watches, connections and sessions. Flags say
// how, how often and for what.
package ask

import (
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"electop/ui/cli/exit"
	"electop/zkwatch/admin"
)

const (
	interval = 5 * time.Second
	// shortest is the shortest interval that servers are asked at.
	shortest = 100 * time.Millisecond
)

// Options are the flags of the commands that ask the servers.
type Options struct {
	Mode     admin.Mode // "": a command without the flag
	URL      string
	Interval time.Duration
	Sessions time.Duration // 0: only to verify
	Heavy    bool          // even where there are many watches
}

// Flags declares how the servers are asked; what is for the help.
func (o *Options) Flags(cmd *cobra.Command, what string) {
	f := cmd.Flags()
	f.StringVar((*string)(&o.Mode), "admin", string(admin.Auto), "ask the servers "+what+" with this `MODE`: auto (HTTP, where that fails four-letter words), http, 4lw or off")
	f.StringVar(&o.URL, "admin-url", "", "`URL` of the AdminServers' commands; {host} is the server's host (default http://{host}:8080/commands)")
}

// WatchFlags declares how the servers are asked who watches what.
func (o *Options) WatchFlags(cmd *cobra.Command) {
	o.Flags(cmd, "who watches what")
	cmd.Flags().BoolVar(&o.Heavy, "admin-heavy", false, "ask for watch tables and connections even where a server has more than 50,000 watches")
}

// CadenceFlags declares how often the servers are asked.
func (o *Options) CadenceFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.DurationVar(&o.Interval, "admin-interval", interval, "`DURATION` between requests to the servers for what costs them almost nothing")
	f.DurationVar(&o.Sessions, "admin-sessions", 0, "`DURATION` between requests to the servers for connections and sessions, which show a risk before a session expires. 0: only when watches are verified; events: never")
}

// Check refuses invalid values.
func (o Options) Check() error {
	if _, err := admin.ParseMode(string(o.Mode)); err != nil && o.Mode != "" {
		return exit.Usagef("--admin: %v", err)
	}
	switch {
	case o.URL != "" && (o.Mode == admin.FourLetter || o.Mode == admin.Off):
		return exit.Usagef("--admin-url with --admin %s: no AdminServer is asked then", o.Mode)
	case o.Interval != 0 && o.Interval < shortest:
		return exit.Usagef("--admin-interval %v: at least %v", o.Interval, shortest)
	case o.Sessions != 0 && o.Sessions < shortest:
		return exit.Usagef("--admin-sessions %v: at least %v, or 0 for only when watches are verified", o.Sessions, shortest)
	case o.Sessions != 0 && o.Mode == admin.Off:
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
