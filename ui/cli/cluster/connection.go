package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/ui/cli/process"
	"electop/zkwatch/client"
)

// Reach limits the time to reach a server.
type Reach struct {
	For     time.Duration     // the limit
	servers string            // the origin of the servers; "": the flag --servers
	timeout string            // the origin of For; "": the flag --connect-timeout
	Note    func(text string) // reports that no server answers yet; may be nil
}

// Reach returns the [Reach] of the flags. Its Note reports only once.
func (o *Options) Reach() Reach {
	r := Reach{For: cmp.Or(o.Timeout, DefaultTimeout), servers: o.Named["servers"], timeout: o.Named["connect-timeout"]}
	if o.Note != nil {
		var once sync.Once
		r.Note = func(text string) { once.Do(func() { o.Note(text) }) }
	}
	return r
}

// noteDelay delays the note if there are several servers, because another one may answer.
const noteDelay = time.Second

// Waiting returns a function that reports to Note why an attempt to connect failed.
func (r Reach) Waiting(servers client.ConnectString) func(why string) {
	began := time.Now()
	return func(why string) {
		if r.Note != nil && why != "" && (len(servers.Servers) == 1 || time.Since(began) > noteDelay) {
			r.Note(fmt.Sprintf("%s; trying until %v have passed", why, r.For))
		}
	}
}

// Once opens a session, and waits at most reach.For for the connection.
func Once(ctx context.Context, cfg client.Config, reach Reach) (*client.Conn, error) {
	wait, cancel := context.WithTimeout(ctx, reach.For)
	defer cancel()
	waiting := reach.Waiting(cfg.Servers)
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
			// Reach.Failed adds unknown hosts, so an error of another kind is more useful.
			if st.Err != nil && (why == "" || !notFound(st.Err)) {
				why = st.Err.Error()
				waiting(why)
			}
		}
		conn.Close()
		refused := conn.Status().Err
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.Is(refused, zk.ErrAuthFailed):
			return nil, Refused(cfg, refused)
		case wait.Err() != nil:
			return nil, reach.Failed(cfg.Servers, why)
		}
	}
}

// Do connects and runs f, within --connect-timeout. If the connection was lost, Do tries again. If a reply
// was too large, Do tries again with a larger limit for replies.
func (o *Options) Do(ctx context.Context, cfg client.Config, f func(context.Context, *client.Conn) error) error {
	reach := o.Reach()
	deadline := time.Now().Add(reach.For)
	wait, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	var last error
	pause := 100 * time.Millisecond
	for {
		left := reach
		left.For = time.Until(deadline).Round(10 * time.Millisecond)
		conn, err := Once(ctx, cfg, left)
		if err != nil {
			if errors.Is(last, client.ErrReplyTooLarge) && ctx.Err() == nil {
				return fmt.Errorf("the reply was not read within %v (%s): %w", reach.For, o.Called("connect-timeout"), last)
			}
			if last != nil && ctx.Err() == nil {
				return reach.Failed(cfg.Servers, last.Error())
			}
			return err
		}
		err = f(wait, conn)
		server := conn.Status().Server
		conn.Close()
		refused := conn.Status().Err
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(refused, zk.ErrAuthFailed):
			return Refused(cfg, refused)
		case errors.Is(err, client.ErrReplyTooLarge):
			var more bool
			if cfg, more = cfg.Roomier(); !more || wait.Err() != nil {
				return fmt.Errorf("read from %s: %w", server, err)
			}
		case wait.Err() != nil:
			return reach.Failed(cfg.Servers, err.Error())
		case !errors.Is(err, client.ErrNotConnected) && !errors.Is(err, zk.ErrConnectionClosed):
			return fmt.Errorf("read from %s: %w", server, err)
		}
		if last = err; !errors.Is(err, client.ErrReplyTooLarge) {
			process.Sleep(wait, pause)
			pause = min(2*pause, time.Second)
		}
	}
}

// Failed returns the error for a cluster that was not reached.
func (r Reach) Failed(servers client.ConnectString, why string) error {
	if why == "" {
		why = "no answer"
	}
	// One server's error does not show that the hosts of other servers are unknown.
	if unknown := unknownHosts(context.Background(), servers); len(unknown) > 0 && !strings.Contains(why, "no such host") {
		why += "; " + noSuchHost(unknown)
	}
	return process.Error{Code: process.ExitNoServer, Err: fmt.Errorf("no server of %s reached within %v (%s): check %s, or wait longer with %s",
		servers, r.For, why, cmp.Or(r.servers, "--servers"), cmp.Or(r.timeout, "--connect-timeout"))}
}

// Refused wraps the error with which a server refused a client.
func Refused(cfg client.Config, why error) error {
	if errors.Is(why, client.ErrAuthRequired) && !cfg.Authenticates() {
		return fmt.Errorf("%s refuses this client: %w: give credentials, as sasl:USER:PASSWORD in --auth-file", cfg.Servers, why)
	}
	return fmt.Errorf("%s refuses this client: %w", cfg.Servers, why)
}

// Missing returns the error for a path that does not exist.
func Missing(path string, servers fmt.Stringer) error {
	return fmt.Errorf("%s does not exist on %s: check the path and the chroot", path, servers)
}

// Forbidden returns the error for a path that this client may not read.
func Forbidden(path string, servers fmt.Stringer) error {
	return fmt.Errorf("%s on %s can't be listed: its ACL does not allow this client to read it (credentials: --auth-file)", path, servers)
}
