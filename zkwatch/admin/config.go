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

// Mode says how servers are asked.
type Mode string

const (
	Auto       Mode = "auto" // HTTP, and the words where that fails
	HTTP       Mode = "http" // the AdminServer only
	FourLetter Mode = "4lw"  // four-letter words only
	Off        Mode = "off"  // no server is asked
)

// ParseMode returns the mode of that name.
func ParseMode(s string) (Mode, error) {
	switch m := Mode(s); m {
	case Auto, HTTP, FourLetter, Off:
		return m, nil
	}
	return "", fmt.Errorf("admin mode %q: want auto, http, 4lw or off", s)
}

// MaxWatches bounds the watches of a server that is asked for the table of them without
// Config.Heavy.
const MaxWatches = 50_000

// A Config says which servers a [Poller] asks, and how often.
type Config struct {
	Mode Mode // "" is Auto
	// URL is the address of an AdminServer's commands; {host} stands for the host of
	// the server. "" is DefaultURL; without a path it is /commands. See CheckURL.
	URL string
	// Servers has the servers of the connect string, each as host:port.
	Servers []string
	// Ensemble returns the text of /zookeeper/config. nil: it is not known, and
	// so it is not known either whether Servers are all members.
	Ensemble func(context.Context) (string, error)
	// Chroot is the path above all elections, "" for the root. It is removed from the
	// paths in tables; paths outside of it are not this client's.
	Chroot string
	// Interval is the time between two questions for the servers' status. 0 means 5 s.
	Interval time.Duration
	// Sessions is the time between two questions for connections and sessions. 0: they are
	// asked for only by Verify and Ask.
	Sessions time.Duration
	// Cheap has them asked for that often only while that costs little: up to
	// [session.CheapConnections], and answers within [session.CheapAnswer].
	Cheap bool
	// Heavy allows the tables of servers with more than MaxWatches watches.
	Heavy bool
	// Anchors returns since when the servers have surely heard from sessions of this
	// process. It must not block. See [session.Anchor]. nil: there are none.
	Anchors func() []session.Anchor
	// Touch sends a request over each session of the Anchors, at the beginning of a poll that
	// asks for deadlines. That makes the deadlines of other sessions more
	// exact. It must return when ctx is done, which is soon. nil: nothing is done.
	Touch func(ctx context.Context)
	// DialTLS is for four-letter words at a port that speaks TLS, and for an
	// https URL. nil: the ports for clients are plain.
	DialTLS *tls.Config
	// Dial connects to host:port, for both ways of asking. It must return when
	// ctx is done; the connection outlives ctx. nil means a net.Dialer.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// Now stamps the answers; nil means time.Now. The schedule follows package
	// time.
	Now func() time.Time
	// Logger gets what fails, at debug level. nil discards it.
	Logger *slog.Logger

	requests *atomic.Uint64 // made so far
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

// DefaultURL is the default address of an AdminServer.
const DefaultURL = "http://{host}:8080" + commandsPath

// commandsPath is the default path of an AdminServer's commands: a URL without a path has
// it.
const commandsPath = "/commands"

// CheckURL reports what is wrong with a Config.URL.
func CheckURL(template string) error {
	_, err := expand(template, "localhost")
	return err
}

// expand returns the address of the AdminServer's commands on a host.
func expand(template, host string) (string, error) {
	if strings.Contains(host, ":") {
		host = "[" + strings.ReplaceAll(host, "%", "%25") + "]" // of a zone
	}
	u, err := url.Parse(strings.ReplaceAll(template, "{host}", host))
	switch {
	case err != nil:
		// The error would repeat the text, which may hold a password.
		return "", fmt.Errorf("the URL of the AdminServers is not valid (want something like %s)", DefaultURL)
	case u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("the URL of the AdminServers starts with %q (want http:// or https://)", znode.Safe(u.Scheme, 20))
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
