package admin

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"electop/model/session"
	"electop/model/znode"
)

// Mode selects how queries are sent to servers.
type Mode string

const (
	Auto       Mode = "auto" // HTTP, and four-letter words if HTTP fails
	HTTP       Mode = "http" // the AdminServer only
	FourLetter Mode = "4lw"  // four-letter words only
	Off        Mode = "off"  // no queries
)

// ParseMode returns the mode named s.
func ParseMode(s string) (Mode, error) {
	switch m := Mode(s); m {
	case Auto, HTTP, FourLetter, Off:
		return m, nil
	}
	return "", fmt.Errorf("admin mode %q: want auto, http, 4lw or off", s)
}

// MaxWatches is the number of watches in the largest table that is requested without Config.Heavy.
const MaxWatches = 50_000

// A Config describes which servers a [Poller] polls, and how often.
type Config struct {
	Mode Mode // "" means Auto
	// URL is the address of an AdminServer's commands; {host} stands for the server's host. "" means
	// DefaultURL. A URL without a path gets the path /commands.
	URL     string
	Servers []string // from the connect string, each as host:port
	// Ensemble returns the data of /zookeeper/config. It must return when ctx is done. If Ensemble is
	// nil, only the table of a standalone server is whole.
	Ensemble func(context.Context) (string, error)
	// Chroot is the path above all elections, "" for the root. Paths in tables are relative to Chroot.
	Chroot string
	// Interval is the time between two polls for the servers' status. 0 means 5 s.
	Interval time.Duration
	// Sessions is the time between two polls for connections and sessions. 0 means that only Verify
	// and Poll request them.
	Sessions time.Duration
	// Cheap suspends the regular polls for connections and sessions until a server reports its number of
	// connections, and while they are expensive: [session.CheapConnections], [session.CheapAnswer].
	Cheap bool
	// Heavy permits larger replies. It also permits tables of more than MaxWatches watches, or of an unknown number.
	Heavy bool
	// Anchors returns the anchors of this process's sessions: see [session.Anchor]. It must not
	// block; nil means none.
	Anchors func() []session.Anchor
	// Touch sends a request over each session of Anchors before a poll for sessions. A recent
	// request makes the deadlines of other sessions more exact. Touch must return when ctx is done;
	// nil means no request.
	Touch func(ctx context.Context)
	// DialTLS configures TLS for four-letter words and for an https URL. nil means words without TLS.
	DialTLS *tls.Config
	// Dial connects to host:port, for HTTP and for words. It must return when ctx is done. The
	// connection must outlive ctx. nil means a net.Dialer.
	Dial   func(ctx context.Context, network, addr string) (net.Conn, error)
	Now    func() time.Time // returns the times of tables and answers; nil means time.Now
	Logger *slog.Logger     // receives failed queries; nil discards them

	requests *atomic.Uint64
}

func (c Config) withDefaults() Config {
	c.Mode, c.URL = cmp.Or(c.Mode, Auto), cmp.Or(c.URL, DefaultURL)
	c.Interval = cmp.Or(max(c.Interval, 0), 5*time.Second)
	c.Sessions = max(c.Sessions, 0)
	c.Chroot = strings.TrimSuffix(c.Chroot, "/")
	dial := c.Dial
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	c.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, connectTimeout)
		defer cancel()
		return dial(ctx, network, addr)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Anchors == nil {
		c.Anchors = func() []session.Anchor { return nil }
	}
	if c.Touch == nil {
		c.Touch = func(context.Context) {}
	}
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	c.requests = new(atomic.Uint64)
	return c
}

// DefaultURL is the default of [Config].URL.
const DefaultURL = "http://{host}:8080" + commandsPath

const commandsPath = "/commands"

// CheckURL returns an error if template is empty or not valid as [Config].URL.
func CheckURL(template string) error {
	_, err := expand(template, "localhost")
	return err
}

func expand(template, host string) (string, error) {
	if strings.Contains(host, ":") {
		host = "[" + strings.ReplaceAll(host, "%", "%25") + "]" // escapes the % before a zone
	}
	u, err := url.Parse(strings.ReplaceAll(template, "{host}", host))
	switch {
	case err != nil:
		// The error of url.Parse contains the URL, which may contain a password.
		return "", fmt.Errorf("the URL of the AdminServers is not valid (want something like %s)", DefaultURL)
	case u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("the URL of the AdminServers has the scheme %q (want http or https)", znode.Safe(u.Scheme, 20))
	case u.Host == "":
		return "", fmt.Errorf("the URL of the AdminServers has no host (want something like %s)", DefaultURL)
	case u.RawQuery != "" || u.Fragment != "":
		return "", fmt.Errorf("the URL of the AdminServers has a query or a fragment (want something like %s)", DefaultURL)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = commandsPath
	}
	return strings.TrimSuffix(u.String(), "/"), nil
}
