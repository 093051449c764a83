package cli

import (
	"context"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"electop/model/session"
	"electop/zkwatch/admin"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
)

const (
	adminAuto = string(admin.Auto)
	admin4lw  = string(admin.FourLetter)
	adminOff  = string(admin.Off)

	adminInterval = 5 * time.Second
	// adminOften is the shortest interval that servers are asked at.
	adminOften = 100 * time.Millisecond
)

// adminOptions are what the servers are asked about themselves, and how often.
type adminOptions struct {
	mode     string
	url      string
	interval time.Duration
	sessions time.Duration // 0: only to verify
	heavy    bool
}

func (a adminOptions) check() error {
	if _, err := admin.ParseMode(a.mode); err != nil && a.mode != "" { // "": a command without the flag
		return usagef("--admin: %v", err)
	}
	switch {
	case a.url != "" && (a.mode == admin4lw || a.mode == adminOff):
		return usagef("--admin-url with --admin %s: no AdminServer is asked then", a.mode)
	case a.interval != 0 && a.interval < adminOften:
		return usagef("--admin-interval %v: at least %v", a.interval, adminOften)
	case a.sessions != 0 && a.sessions < adminOften:
		return usagef("--admin-sessions %v: at least %v, or 0 for only when watches are verified", a.sessions, adminOften)
	case a.sessions != 0 && a.mode == adminOff:
		return usagef("--admin-sessions with --admin off: the servers are not asked then")
	}
	if a.url == "" {
		return nil
	}
	if u, err := url.Parse(strings.ReplaceAll(a.url, "{host}", "host")); err == nil && u.User != nil {
		return usagef("--admin-url: a user name or password has no place on the command line")
	}
	if err := admin.CheckURL(a.url); err != nil {
		return usagef("--admin-url: %v", err)
	}
	return nil
}

// known is what the asker learns from sessions of ours.
type known interface {
	// Ensemble returns the ensemble's own configuration.
	Ensemble(context.Context) (string, error)
	// Anchors tie the servers' clocks to ours.
	Anchors() []session.Anchor
	// Touch has those sessions heard of, which makes the tie a tight one.
	Touch(context.Context)
}

// config is the configuration of an asker for the cluster of conn.
func (a adminOptions) config(conn client.Config, k known, log *slog.Logger) admin.Config {
	return admin.Config{
		Mode: admin.Mode(a.mode), URL: a.url, Servers: conn.Servers.Servers, Chroot: conn.Servers.Chroot,
		Ensemble: k.Ensemble, Anchors: k.Anchors, Touch: k.Touch,
		Interval: a.interval, Sessions: a.sessions, Heavy: a.heavy,
		Dial: conn.Dial, DialTLS: conn.TLS, Now: feed.Now, Logger: log,
	}
}

// oneConn is one connection as the asker uses it.
type oneConn struct{ *client.Conn }

func (c oneConn) Ensemble(ctx context.Context) (string, error) { return c.EnsembleConfig(ctx) }

func (c oneConn) Anchors() []session.Anchor {
	if a, ok := c.Anchor(); ok {
		return []session.Anchor{a}
	}
	return nil
}

func (c oneConn) Touch(ctx context.Context) { c.Conn.Touch(ctx) }
