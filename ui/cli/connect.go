package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/zkwatch/client"
)

func unreachable(servers fmt.Stringer, limit time.Duration, why string) error {
	if why == "" {
		why = "no answer"
	}
	return exitError{exitNoServer, fmt.Errorf("no server of %s reached within %v (%s): check --servers, or wait longer with --connect-timeout", servers, limit, why)}
}

// connectOnce opens a session and waits until it stands.
func connectOnce(ctx context.Context, cfg client.Config, limit time.Duration) (*client.Conn, error) {
	wait, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		conn, err := client.Connect(cfg)
		if err != nil {
			return nil, err
		}
		var last client.Status
		for st := range conn.Subscribe(wait) {
			if last = st; st.State == client.Connected {
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

// withConn carries out do within --connect-timeout, over another connection
// where one is lost on the way, with more room where a reply was too large.
func (o *options) withConn(ctx context.Context, cfg client.Config, do func(context.Context, *client.Conn) error) error {
	deadline := time.Now().Add(o.connectTimeout)
	wait, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	var last error // what the connection before broke by
	for {
		conn, err := connectOnce(ctx, cfg, time.Until(deadline).Round(10*time.Millisecond))
		if err != nil {
			if errors.Is(last, client.ErrReplyTooLarge) && ctx.Err() == nil {
				return fmt.Errorf("not read within %v (--connect-timeout): %w", o.connectTimeout, last)
			}
			if last != nil && ctx.Err() == nil {
				return unreachable(cfg.Servers, o.connectTimeout, last.Error())
			}
			return err
		}
		err = do(wait, conn)
		server := conn.Status().Server
		conn.Close()
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, client.ErrReplyTooLarge):
			var more bool
			if cfg, more = cfg.Roomier(); !more || wait.Err() != nil {
				return fmt.Errorf("read from %s: %w", server, err)
			}
		case wait.Err() != nil:
			return unreachable(cfg.Servers, o.connectTimeout, err.Error())
		case !errors.Is(err, client.ErrNotConnected) && !errors.Is(err, zk.ErrConnectionClosed):
			return fmt.Errorf("read from %s: %w", server, err)
		}
		last = err
	}
}

// missing and forbidden are what to say of a path that cannot be read.
func missing(path string, servers fmt.Stringer) error {
	return fmt.Errorf("%s does not exist on %s: check the path and the chroot", path, servers)
}

func forbidden(path string, servers fmt.Stringer) error {
	return fmt.Errorf("%s on %s may not be listed: its ACL gives no read permission to this client (--auth-file gives credentials)", path, servers)
}
