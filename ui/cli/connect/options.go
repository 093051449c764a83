// Package connect connects to a live cluster. Flags say where it is, with which
// credentials and whether with TLS.
package connect

import (
	"cmp"
	"errors"
	"log/slog"
	"math"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"electop/ui/cli/exit"
	"electop/zkwatch/client"
)

const (
	// DefaultServers is the cluster that is used without flag and environment.
	DefaultServers = "127.0.0.1:2181"
	// DefaultTimeout is how long to try to reach a server.
	DefaultTimeout = 10 * time.Second

	serversEnv     = "ELECTOP_SERVERS"
	sessionTimeout = 10 * time.Second
)

// Options are the flags of every command on a live cluster.
type Options struct {
	Servers        string
	SessionTimeout time.Duration // 0: the command's default
	Timeout        time.Duration // to reach a server
	access         access
}

// Flags declares the flags.
func (o *Options) Flags(cmd *cobra.Command) {
	f := cmd.Flags()
	o.Servers = strings.TrimSpace(os.Getenv(serversEnv)) // nothing but spaces is unset
	f.VarP((*servers)(&o.Servers), "servers", "s", "the cluster, `HOST:PORT[,HOST:PORT...][/CHROOT]`: port 2181 if none, IPv6 as [::1]:2181; env "+serversEnv+". Without it the dashboard is the demo, and commands use "+DefaultServers)
	f.DurationVar(&o.SessionTimeout, "session-timeout", 0, "session timeout, a `DURATION`, to request (default 10s, in the demo 4s)")
	f.DurationVar(&o.Timeout, "connect-timeout", DefaultTimeout, "`DURATION` for which to try to reach a server; the dashboard on a PATH keeps trying")
	// The help must not show a value from the environment as the default.
	f.Lookup("servers").DefValue = ""

	a := &o.access
	f.StringVar(&a.authFile, "auth-file", "", "`FILE` with credentials, one a line, as in digest:user:password; # starts a comment. Only its owner may be able to read it. Env "+authEnv+" holds one credential")
	f.BoolVar(&a.tls, "tls", false, "connect with TLS. Implied by the other --tls-* flags")
	f.StringVar(&a.ca, "tls-ca", "", "PEM `FILE` of the authorities that sign the servers' certificates (default: the system's)")
	f.StringVar(&a.cert, "tls-cert", "", "PEM `FILE` with this client's certificate")
	f.StringVar(&a.key, "tls-key", "", "PEM `FILE` with the key of that certificate")
	f.StringVar(&a.serverName, "tls-server-name", "", "`NAME` that the servers' certificates must have (default: the host of the connection)")
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

// Config is the configuration of connections to the cluster.
func (o *Options) Config(log *slog.Logger) (client.Config, error) {
	given := cmp.Or(o.Servers, DefaultServers)
	if scheme, rest, ok := strings.Cut(given, "://"); ok {
		if scheme = strings.TrimSpace(scheme); scheme != "zk" && scheme != "zookeeper" {
			return client.Config{}, exit.Usagef("--servers %q: %s:// is not ZooKeeper's protocol: give host:port[,host:port...][/chroot]", given, scheme)
		}
		given = rest // as Mesos and others write it
	}
	servers, err := client.ParseConnectString(given)
	if err != nil {
		return client.Config{}, exit.Usagef("--servers: %v", err)
	}
	cfg := client.Config{Servers: servers, SessionTimeout: cmp.Or(o.SessionTimeout, sessionTimeout), Logger: log}
	return cfg, o.access.apply(&cfg)
}
