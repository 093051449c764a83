package ask

import (
	"context"
	"log/slog"

	"electop/model/session"
	"electop/zkwatch/admin"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
)

// Asker returns what asks the cluster of cfg, nil for --admin off. conn returns
// our own session there, nil while there is none: it knows the members of the
// ensemble and relates the servers' clocks to ours.
func (o Options) Asker(cfg client.Config, conn func() *client.Conn, log *slog.Logger) *admin.Asker {
	if o.Mode == admin.Off {
		return nil
	}
	return admin.New(admin.Config{
		Mode: o.Mode, URL: o.URL, Servers: cfg.Servers.Servers, Chroot: cfg.Servers.Chroot,
		Interval: o.Interval, Sessions: o.Sessions, Heavy: o.Heavy,
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
				_ = c.Touch(ctx) // the anchor is less precise then
			}
		},
	})
}
