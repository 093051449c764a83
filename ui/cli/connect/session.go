package connect

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/ui/cli/exit"
	"electop/zkwatch/client"
)

// Once opens a session and waits until it is connected.
func Once(ctx context.Context, cfg client.Config, limit time.Duration) (*client.Conn, error) {
	wait, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		conn, err := client.Connect(cfg)
		if err != nil {
			return nil, err
		}
		why := ""
		for st := range conn.Subscribe(wait) {
			if st.State == client.Connected {
				return conn, nil
			}
			// Unreachable names the hosts that do not exist: another server's error says more.
			if st.Err != nil && (why == "" || !notFound(st.Err)) {
				why = st.Err.Error()
			}
		}
		conn.Close()
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case wait.Err() != nil:
			return nil, Unreachable(cfg.Servers, limit, why)
		}
	}
}

// Do runs f on a connection, within --connect-timeout. If the connection is lost
// f runs again on another one, with a larger limit if a reply was too large.
func (o *Options) Do(ctx context.Context, cfg client.Config, f func(context.Context, *client.Conn) error) error {
	deadline := time.Now().Add(o.Timeout)
	wait, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	var last error // of the previous connection
	for {
		conn, err := Once(ctx, cfg, time.Until(deadline).Round(10*time.Millisecond))
		if err != nil {
			if errors.Is(last, client.ErrReplyTooLarge) && ctx.Err() == nil {
				return fmt.Errorf("not read within %v (--connect-timeout): %w", o.Timeout, last)
			}
			if last != nil && ctx.Err() == nil {
				return Unreachable(cfg.Servers, o.Timeout, last.Error())
			}
			return err
		}
		err = f(wait, conn)
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
			return Unreachable(cfg.Servers, o.Timeout, err.Error())
		case !errors.Is(err, client.ErrNotConnected) && !errors.Is(err, zk.ErrConnectionClosed):
			return fmt.Errorf("read from %s: %w", server, err)
		}
		last = err
	}
}

// Unreachable is the error of a cluster that cannot be connected to.
func Unreachable(servers client.ConnectString, limit time.Duration, why string) error {
	if why == "" {
		why = "no answer"
	}
	// why is about one server: a name that is wrong must not hide behind another's error.
	if unknown := unknownHosts(context.Background(), servers); len(unknown) > 0 && !strings.Contains(why, "no such host") {
		why += "; " + noSuchHost(unknown)
	}
	return exit.Error{Code: exit.NoServer, Err: fmt.Errorf("no server of %s reached within %v (%s): check --servers, or wait longer with --connect-timeout", servers, limit, why)}
}

// Missing is the error of a path that does not exist.
func Missing(path string, servers fmt.Stringer) error {
	return fmt.Errorf("%s does not exist on %s: check the path and the chroot", path, servers)
}

// Forbidden is the error of a path that this client may not read.
func Forbidden(path string, servers fmt.Stringer) error {
	return fmt.Errorf("%s on %s can't be listed: its ACL does not allow this client to read it (credentials: --auth-file)", path, servers)
}
