package admin

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"time"

	"electop/model"
)

// Mode says how servers are asked.
type Mode string

const (
	Auto       Mode = "auto" // HTTP, and the words where that fails
	HTTP       Mode = "http" // the AdminServer only
	FourLetter Mode = "4lw"  // four-letter words only
	Off        Mode = "off"  // nobody is asked
)

// ParseMode returns the mode of that name.
func ParseMode(s string) (Mode, error) {
	switch m := Mode(s); m {
	case Auto, HTTP, FourLetter, Off:
		return m, nil
	}
	return "", fmt.Errorf("admin mode %q: it is one of auto, http, 4lw and off", s)
}

// DefaultURL is where servers have their AdminServer unless told otherwise.
const DefaultURL = "http://{host}:8080/commands"

// MaxWatches is how many watches a server may have to be asked for the table
// of them without Config.Heavy.
const MaxWatches = 50_000

// A Config says whom an [Asker] asks, and how often.
type Config struct {
	Mode Mode // "" is Auto
	// URL is where an AdminServer's commands are; {host} stands for the host of
	// the server. "" is DefaultURL. See CheckURL.
	URL string
	// Servers are those of the connect string, each host:port.
	Servers []string
	// Ensemble returns the text of /zookeeper/config. nil: it is not known, and
	// so whether Servers are all is not known either.
	Ensemble func(context.Context) (string, error)
	// Chroot is what the paths of elections are below, "" for the root. Paths
	// in tables are stripped of it; those outside are not this client's.
	Chroot string
	// Interval is how often the cheap words are asked. 0 means 5 s.
	Interval time.Duration
	// Sessions is how often connections and sessions are asked for. 0: only
	// when somebody wants to know (Verify, Ask).
	Sessions time.Duration
	// Heavy allows the tables of servers with more than MaxWatches watches.
	Heavy bool
	// Anchors returns when the servers last heard of sessions of this process.
	// It must not block. See [model.Anchor], and anchors.go for what is made of
	// it. nil: there are none.
	Anchors func() []model.Anchor
	// Touch has the sessions of the Anchors heard of, right before deadlines are
	// asked for; what those say of other sessions is the more exact then. It must
	// return when ctx is done, which is soon. nil: nothing is done.
	Touch func(ctx context.Context)
	// DialTLS is for four-letter words at a port that speaks TLS, and for an
	// https URL. nil: the ports for clients are plain.
	DialTLS *tls.Config
	// Dial connects to host:port, for both ways of asking. It must return when
	// ctx is done, which says nothing of the connection. nil means a net.Dialer.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// Now stamps the answers; nil means time.Now. The cadence follows package
	// time.
	Now func() time.Time
	// Logger gets what fails, at debug level. nil discards it.
	Logger *slog.Logger
}

func (c Config) withDefaults() Config {
	if c.Mode == "" {
		c.Mode = Auto
	}
	if c.URL == "" {
		c.URL = DefaultURL
	}
	if c.Interval <= 0 {
		c.Interval = 5 * time.Second
	}
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
		c.Anchors = func() []model.Anchor { return nil }
	}
	if c.Touch == nil {
		c.Touch = func(context.Context) {}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

// CheckURL says what is wrong with a Config.URL.
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
		return "", fmt.Errorf("the URL of the AdminServers is none (want something like %s)", DefaultURL)
	case u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("the URL of the AdminServers begins with %q, not with http:// or https://", model.Safe(u.Scheme, 20))
	case u.Host == "":
		return "", fmt.Errorf("the URL of the AdminServers has no host (want something like %s)", DefaultURL)
	case u.RawQuery != "" || u.Fragment != "":
		return "", fmt.Errorf("the URL of the AdminServers has more than a path (want something like %s)", DefaultURL)
	}
	return strings.TrimSuffix(u.String(), "/"), nil
}

// Want says what a round asks for besides the cheap words.
type Want struct {
	Watches  bool // the tables of watches
	Sessions bool // connections, sessions and their deadlines
}

// An Election is who gets the answers.
type Election struct {
	Path string // as this client sees it
	Ack  string // of its acknowledgement, "" for none
	// Sessions are those of its candidates and of this process, as known so
	// far; it must not block. nil: the owners of the znodes alone.
	Sessions func() []uint64
	// Put takes what the servers said. It is called from one goroutine at a
	// time and must return when ctx is done.
	Put func(context.Context, model.Observation)
}
