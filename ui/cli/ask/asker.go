package ask

import (
	"context"
	"log/slog"

	"electop/model/session"
	"electop/zkwatch/admin"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
)

// Sessions are our own sessions, from which the asker learns.
type Sessions interface {
	// Ensemble returns the configuration that the ensemble keeps.
	Ensemble(context.Context) (string, error)
	// Anchors relate the servers' clocks to ours.
	Anchors() []session.Anchor
	// Touch sends a request in each session, which makes the anchors precise.
	Touch(context.Context)
}

// Asker returns what asks the cluster of conn, nil for --admin off.
func (o Options) Asker(conn client.Config, s Sessions, log *slog.Logger) *admin.Asker {
	if o.Mode == admin.Off {
		return nil
	}
	return admin.New(admin.Config{
		Mode: o.Mode, URL: o.URL, Servers: conn.Servers.Servers, Chroot: conn.Servers.Chroot,
		Ensemble: s.Ensemble, Anchors: s.Anchors, Touch: s.Touch,
		Interval: o.Interval, Sessions: o.Sessions, Heavy: o.Heavy,
		Dial: conn.Dial, DialTLS: conn.TLS, Now: feed.Now, Logger: log,
	})
}

// Conn is one connection as [Sessions].
type Conn struct{ *client.Conn }

// Ensemble implements [Sessions].
func (c Conn) Ensemble(ctx context.Context) (string, error) { return c.EnsembleConfig(ctx) }

// Anchors implements [Sessions].
func (c Conn) Anchors() []session.Anchor {
	if a, ok := c.Anchor(); ok {
		return []session.Anchor{a}
	}
	return nil
}

// Touch implements [Sessions].
func (c Conn) Touch(ctx context.Context) { c.Conn.Touch(ctx) }
