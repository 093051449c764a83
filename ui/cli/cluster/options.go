// Package cluster reaches a live cluster. [Options] holds the flags for servers, credentials and TLS.
// [Options.Config] returns the configuration of connections, and [Once] connects with it. [Requests]
// configures requests for the servers' status, watches, connections and sessions.
package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/ui/cli/help"
	"electop/ui/cli/process"
	"electop/zkwatch/client"
	"electop/zkwatch/sasl"
)

const (
	DefaultServers = "127.0.0.1:2181" // if a command that needs a cluster gets none
	DefaultTimeout = 10 * time.Second // default of --connect-timeout
	SessionTimeout = 10 * time.Second // default of --session-timeout on a cluster
)

// Options holds the flags that all commands on a live cluster share.
type Options struct {
	Cluster        string // name in the configuration; "": none
	Servers        string
	SessionTimeout time.Duration     // 0: the default
	Timeout        time.Duration     // limits the time to reach a server; 0: the default
	Named          map[string]string // maps a flag to the origin of its value: the configuration file or the environment
	Note           func(text string) // see Reach.Note
	access         access
	kerberos       kerberosLogin
}

// Called returns the name of a setting for errors: its origin in Named, otherwise the flag.
func (o *Options) Called(flag string) string { return cmp.Or(o.Named[flag], "--"+flag) }

// Flags declares the flags.
func (o *Options) Flags(cmd *cobra.Command) {
	a, k := &o.access, &o.kerberos
	help.Connection.Add(cmd, func(f *pflag.FlagSet) {
		f.VarP(notEmpty{&o.Servers, "give the cluster's servers, as in zk1:2181,zk2:2181"}, "servers", "s", "the cluster, `HOST:PORT[,HOST:PORT...][/CHROOT]`: port 2181 if none, IPv6 as [::1]:2181. Without it the dashboard is the demo, and commands use "+DefaultServers)
		f.Var(notEmpty{&o.Cluster, "give a name that electop info lists"}, "cluster", "`NAME` of a cluster in the configuration file: its servers, credentials, TLS and paths, instead of --servers (electop help configuration)")
		f.DurationVar(&o.SessionTimeout, "session-timeout", 0, "request a session timeout of `DURATION` (default 10s, in the demo 4s)")
		f.DurationVar(&o.Timeout, "connect-timeout", DefaultTimeout, "try to reach a server for `DURATION`; the dashboard on a PATH, and exporter, keep trying")
		f.StringVar(&a.authFile, "auth-file", "", "`FILE` with credentials, one per line, as in digest:user:password or sasl:user:password (electop help authentication); # starts a comment. No other user may be able to read the file. "+AuthVariable+" in the environment holds one credential")
		f.BoolVar(&a.tls, "tls", false, "connect with TLS. Implied by the other --tls-* flags")
		f.StringVar(&a.ca, "tls-ca", "", "PEM `FILE` of the authorities that sign the servers' certificates (default: the system's)")
		f.StringVar(&a.cert, "tls-cert", "", "PEM `FILE` with this client's certificate")
		f.StringVar(&a.key, "tls-key", "", "PEM `FILE` with the key of that certificate")
		f.StringVar(&a.serverName, "tls-server-name", "", "`NAME` that the servers' certificates must have (default: the host of the connection)")
	})
	help.Kerberos.Add(cmd, func(f *pflag.FlagSet) {
		f.BoolVar(&k.on, "krb5", false, "authenticate with Kerberos (SASL GSSAPI): with the tickets of kinit, unless --krb5-keytab is given. Implied by the other --krb5-* flags (electop help authentication)")
		f.StringVar(&k.keytab, "krb5-keytab", "", "`FILE` with the client's keys, instead of tickets")
		f.StringVar(&k.principal, "krb5-principal", "", "the client's `PRINCIPAL` (default: the first in the keytab, or that of the tickets)")
		f.StringVar(&k.service, "krb5-service", "", "the servers' `PRINCIPAL`: NAME, or NAME/HOST if all servers have the same one, optionally with @REALM (default "+sasl.DefaultService+")")
	})
}

// notEmpty refuses empty values: a script's unset variable must not select the demo or DefaultServers.
type notEmpty struct {
	to     *string
	advice string
}

func (v notEmpty) Set(value string) error {
	if strings.TrimSpace(value) == "" {
		return errors.New("it is empty: " + v.advice)
	}
	*v.to = value
	return nil
}

func (v notEmpty) String() string { return *v.to }
func (v notEmpty) Type() string   { return "string" }

// Check returns a usage error for an invalid value.
func (o *Options) Check() error {
	_, err := o.servers()
	switch {
	case err != nil:
		return process.Usagef("%s: %v", o.Called("servers"), err)
	case o.Timeout < 0:
		return process.Usagef("%s %v is negative", o.Called("connect-timeout"), o.Timeout)
	case o.SessionTimeout != 0 && (o.SessionTimeout < time.Millisecond || o.SessionTimeout > math.MaxInt32*time.Millisecond):
		return process.Usagef("%s %v: between 1ms and 24 days", o.Called("session-timeout"), o.SessionTimeout)
	}
	return nil
}

// Config returns the configuration of connections. It reads credentials and certificates; ctx ends a wait for a FIFO.
func (o *Options) Config(ctx context.Context, log *slog.Logger) (client.Config, error) {
	servers, err := o.servers()
	if err != nil {
		return client.Config{}, err
	}
	cfg := client.Config{Servers: servers, SessionTimeout: cmp.Or(o.SessionTimeout, SessionTimeout), Logger: log}
	return process.Await(ctx, func() (client.Config, error) {
		if err := o.kerberos.apply(&cfg, o.Called); err != nil {
			return client.Config{}, err
		}
		return cfg, o.access.apply(&cfg, o.Called)
	})
}

// servers parses --servers. The prefix zk:// (as for Mesos) or zookeeper:// may precede the connect string.
func (o *Options) servers() (client.ConnectString, error) {
	given := cmp.Or(o.Servers, DefaultServers)
	if scheme, rest, ok := strings.Cut(given, "://"); ok {
		if scheme = strings.TrimSpace(scheme); scheme != "zk" && scheme != "zookeeper" {
			return client.ConnectString{}, fmt.Errorf("%q: %s:// is not ZooKeeper's protocol: give host:port[,host:port...][/chroot]", given, scheme)
		}
		given = rest
	}
	return client.ParseConnectString(given)
}

// AuthVariable is the environment variable that may hold one credential.
const AuthVariable = "ELECTOP_AUTH"

// EnvironmentAuth returns the credential in the environment, nil for none.
func EnvironmentAuth(getenv func(string) string) (*client.Auth, error) {
	line := strings.TrimSpace(getenv(AuthVariable))
	if line == "" {
		return nil, nil
	}
	auth, err := client.ParseAuth(line)
	if err != nil {
		return nil, process.Usagef("%s: %v", AuthVariable, err)
	}
	return &auth, nil
}

// access has no flag for a credential: other users can read the command line.
type access struct {
	authFile      string
	tls           bool
	ca, cert, key string
	serverName    string
}

// apply returns no error that contains a credential.
func (a access) apply(cfg *client.Config, called func(flag string) string) error {
	if a.authFile != "" {
		auth, err := client.ReadAuthFile(a.authFile)
		if err != nil {
			return process.Usagef("%s: %v", called("auth-file"), err)
		}
		cfg.Auth = append(cfg.Auth, auth...)
	}
	switch auth, err := EnvironmentAuth(os.Getenv); {
	case err != nil:
		return err
	case auth != nil:
		cfg.Auth = append(cfg.Auth, *auth)
	}
	if accounts := cfg.Accounts(); accounts > 1 {
		places := called("auth-file") + ", " + AuthVariable
		if cfg.SASL != nil {
			places += ", " + called("krb5")
		}
		return process.Usagef("%v (%s): keep one of them", client.ErrTwoAccounts, places)
	}
	if a.tls || a.ca != "" || a.cert != "" || a.key != "" || a.serverName != "" {
		if (a.cert == "") != (a.key == "") {
			return process.Usagef("%s and %s go together: one of them is missing", called("tls-cert"), called("tls-key"))
		}
		tls, err := client.LoadTLS(a.ca, a.cert, a.key, a.serverName)
		if err != nil {
			return process.Usagef("%s: %v", called("tls"), err)
		}
		cfg.TLS = tls
	}
	return nil
}

// Environ returns the environment of electop without [AuthVariable].
func Environ() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, AuthVariable+"=") })
}

type kerberosLogin struct {
	on                         bool
	keytab, principal, service string
}

func (k *kerberosLogin) apply(cfg *client.Config, called func(flag string) string) error {
	if !k.on && k.keytab == "" && k.principal == "" && k.service == "" {
		return nil
	}
	account, err := sasl.NewKerberos(sasl.KerberosOptions{Keytab: k.keytab, Principal: k.principal, Service: k.service})
	if err != nil {
		return process.Usagef("%s: %v", called("krb5"), err)
	}
	cfg.SASL = account
	return nil
}

// lookupLimit bounds the lookup of host names. A host without an answer counts as existing.
const lookupLimit = time.Second

// Known returns an error if no host of the cluster exists, so that electop does not retry until --connect-timeout.
func (o *Options) Known(ctx context.Context, servers client.ConnectString) error {
	unknown := unknownHosts(ctx, servers)
	for _, server := range servers.Servers {
		if host, _, _ := net.SplitHostPort(server); !slices.Contains(unknown, host) {
			return nil
		}
	}
	return process.Error{Code: process.ExitNoServer, Err: fmt.Errorf("no server of %s: %s: check %s", servers, noSuchHost(unknown), o.Called("servers"))}
}

func noSuchHost(hosts []string) string { return "no such host: " + strings.Join(hosts, ", ") }

func unknownHosts(ctx context.Context, servers client.ConnectString) []string {
	ctx, cancel := context.WithTimeout(ctx, lookupLimit)
	defer cancel()
	unknown := make([]string, len(servers.Servers))
	var lookups sync.WaitGroup
	for i, server := range servers.Servers {
		host, _, err := net.SplitHostPort(server)
		if err != nil || net.ParseIP(host) != nil {
			continue
		}
		lookups.Go(func() {
			_, err := net.DefaultResolver.LookupHost(ctx, host)
			if notFound(err) {
				unknown[i] = host
			}
		})
	}
	lookups.Wait()
	slices.Sort(unknown)
	return slices.DeleteFunc(slices.Compact(unknown), func(host string) bool { return host == "" })
}

func notFound(err error) bool {
	var e *net.DNSError
	return errors.As(err, &e) && e.IsNotFound
}
