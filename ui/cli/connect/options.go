// Package connect connects to a live cluster. Flags say where it is, with which
// credentials and whether with TLS.
package connect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/ui/cli/exit"
	"electop/ui/cli/flaggroup"
	"electop/ui/cli/task"
	"electop/zkwatch/client"
)

const (
	// DefaultServers is the cluster that is used without flag and environment.
	DefaultServers = "127.0.0.1:2181"
	// DefaultTimeout is how long to try to reach a server.
	DefaultTimeout = 10 * time.Second

	// SessionTimeout is what is requested by default.
	SessionTimeout = 10 * time.Second
)

// Options are the flags of every command on a live cluster.
type Options struct {
	Cluster        string // its name in the configuration, "" for none
	Servers        string
	SessionTimeout time.Duration // 0: the command's default
	Timeout        time.Duration // to reach a server
	// Named is how the user named a setting that is not from its flag: a variable, or a
	// line of the configuration.
	Named    map[string]string
	Note     func(text string) // see Reach
	access   access
	kerberos kerberosLogin
}

// called is how to name a setting in an error.
func (o *Options) called(flag string) string { return cmp.Or(o.Named[flag], "--"+flag) }

// Flags declares the flags.
func (o *Options) Flags(cmd *cobra.Command) {
	a := &o.access
	flaggroup.Connection.Add(cmd, func(f *pflag.FlagSet) {
		f.VarP((*servers)(&o.Servers), "servers", "s", "the cluster, `HOST:PORT[,HOST:PORT...][/CHROOT]`: port 2181 if none, IPv6 as [::1]:2181. Without it the dashboard is the demo, and commands use "+DefaultServers)
		f.Var((*name)(&o.Cluster), "cluster", "`NAME` of a cluster in the configuration file: its servers, credentials, TLS and paths, instead of --servers (electop help configuration)")
		f.DurationVar(&o.SessionTimeout, "session-timeout", 0, "request a session timeout of `DURATION` (default 10s, in the demo 4s)")
		f.DurationVar(&o.Timeout, "connect-timeout", DefaultTimeout, "try to reach a server for `DURATION`; the dashboard on a PATH, and exporter, keep trying")
		f.StringVar(&a.authFile, "auth-file", "", "`FILE` with credentials, one a line, as in digest:user:password or sasl:user:password (electop help authentication); # starts a comment. Only its owner may be able to read it. "+AuthVariable+" in the environment holds one credential")
		f.BoolVar(&a.tls, "tls", false, "connect with TLS. Implied by the other --tls-* flags")
		f.StringVar(&a.ca, "tls-ca", "", "PEM `FILE` of the authorities that sign the servers' certificates (default: the system's)")
		f.StringVar(&a.cert, "tls-cert", "", "PEM `FILE` with this client's certificate")
		f.StringVar(&a.key, "tls-key", "", "PEM `FILE` with the key of that certificate")
		f.StringVar(&a.serverName, "tls-server-name", "", "`NAME` that the servers' certificates must have (default: the host of the connection)")
	})
	o.kerberos.flags(cmd)
}

// servers is the value of --servers. An empty one, as of a variable that a script did
// not set, must not mean the demo or this machine.
type servers string

func (s *servers) Set(value string) error {
	if strings.TrimSpace(value) == "" {
		return errors.New("it is empty: give the cluster's servers, as in zk1:2181,zk2:2181")
	}
	*s = servers(value)
	return nil
}

func (s *servers) String() string { return string(*s) }
func (s *servers) Type() string   { return "string" }

// name is the value of --cluster. An empty one must not mean another cluster.
type name string

func (n *name) Set(value string) error {
	if strings.TrimSpace(value) == "" {
		return errors.New("it is empty: give a name that electop info lists")
	}
	*n = name(value)
	return nil
}

func (n *name) String() string { return string(*n) }
func (n *name) Type() string   { return "string" }

// Check refuses invalid values.
func (o *Options) Check() error {
	switch {
	case o.Timeout < 0:
		return exit.Usagef("--connect-timeout %v is negative", o.Timeout)
	case o.SessionTimeout != 0 && (o.SessionTimeout < time.Millisecond || o.SessionTimeout > math.MaxInt32*time.Millisecond):
		return exit.Usagef("--session-timeout %v: between 1ms and 24 days", o.SessionTimeout)
	}
	return nil
}

// Config is the configuration of connections to the cluster. It reads the files that the
// flags name: if one is a FIFO, it waits for what is written to it until ctx ends.
func (o *Options) Config(ctx context.Context, log *slog.Logger) (client.Config, error) {
	servers, err := ParseServers(cmp.Or(o.Servers, DefaultServers))
	if err != nil {
		return client.Config{}, exit.Usagef("%s: %v", o.called("servers"), err)
	}
	cfg := client.Config{Servers: servers, SessionTimeout: cmp.Or(o.SessionTimeout, SessionTimeout), Logger: log}
	return task.Await(ctx, func() (client.Config, error) {
		if err := o.kerberos.apply(&cfg, o.called); err != nil {
			return client.Config{}, err
		}
		return cfg, o.access.apply(&cfg, o.called)
	})
}

// ParseServers parses the value of --servers: a connect string, perhaps as a URL of
// ZooKeeper's, as Mesos and others write it.
func ParseServers(given string) (client.ConnectString, error) {
	if scheme, rest, ok := strings.Cut(given, "://"); ok {
		if scheme = strings.TrimSpace(scheme); scheme != "zk" && scheme != "zookeeper" {
			return client.ConnectString{}, fmt.Errorf("%q: %s:// is not ZooKeeper's protocol: give host:port[,host:port...][/chroot]", given, scheme)
		}
		given = rest
	}
	return client.ParseConnectString(given)
}
