package connect

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/ui/cli/exit"
	"electop/ui/cli/flaggroup"
	"electop/zkwatch/client"
	"electop/zkwatch/sasl/kerberos"
)

// AuthVariable is the environment variable that may hold one credential.
const AuthVariable = "ELECTOP_AUTH"

// EnvironmentAuth is the credential in the environment, nil for none.
func EnvironmentAuth(getenv func(string) string) (*client.Auth, error) {
	line := strings.TrimSpace(getenv(AuthVariable))
	if line == "" {
		return nil, nil
	}
	auth, err := client.ParseAuth(line)
	if err != nil {
		return nil, exit.Usagef("%s: %v", AuthVariable, err)
	}
	return &auth, nil
}

// access is credentials and TLS. Credentials come from a file or from the
// environment, never from the command line, which others can read.
type access struct {
	authFile      string
	tls           bool
	ca, cert, key string
	serverName    string
}

// apply completes the configuration of connections. Errors name the file or
// the variable, as called does, and never hold a credential.
func (a access) apply(cfg *client.Config, called func(flag string) string) error {
	if a.authFile != "" {
		auth, err := client.ReadAuthFile(a.authFile)
		if err != nil {
			return exit.Usagef("%s: %v", called("auth-file"), err)
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
		return exit.Usagef("%v (%s): keep one of them", client.ErrTwoAccounts, places)
	}
	if a.tls || a.ca != "" || a.cert != "" || a.key != "" || a.serverName != "" {
		if (a.cert == "") != (a.key == "") {
			return exit.Usagef("--tls-cert and --tls-key go together: one of them is missing")
		}
		tls, err := client.LoadTLS(a.ca, a.cert, a.key, a.serverName)
		if err != nil {
			return exit.Usagef("--tls: %v", err)
		}
		cfg.TLS = tls
	}
	return nil
}

// Environ returns the environment for a program that electop starts: its own without the
// credentials.
func Environ() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, AuthVariable+"=") })
}

// kerberosLogin is who the client is in Kerberos, and what it calls the servers.
type kerberosLogin struct {
	on                         bool
	keytab, principal, service string
}

func (k *kerberosLogin) flags(cmd *cobra.Command) {
	flaggroup.Kerberos.Add(cmd, func(f *pflag.FlagSet) {
		f.BoolVar(&k.on, "krb5", false, "authenticate with Kerberos (SASL GSSAPI): with the tickets of kinit, unless --krb5-keytab is given. Implied by the other --krb5-* flags (electop help authentication)")
		f.StringVar(&k.keytab, "krb5-keytab", "", "`FILE` with the client's keys, instead of tickets")
		f.StringVar(&k.principal, "krb5-principal", "", "the client's `PRINCIPAL` (default: the first in the keytab, or that of the tickets)")
		f.StringVar(&k.service, "krb5-service", "", "the servers' `PRINCIPAL`: NAME, or NAME/HOST if all servers have the same, perhaps with @REALM (default "+kerberos.DefaultService+")")
	})
}

// apply completes the configuration of connections. Errors name the flag or the
// variable, as called does.
func (k *kerberosLogin) apply(cfg *client.Config, called func(flag string) string) error {
	if !k.on && k.keytab == "" && k.principal == "" && k.service == "" {
		return nil
	}
	account, err := kerberos.New(kerberos.Options{Keytab: k.keytab, Principal: k.principal, Service: k.service})
	if err != nil {
		return exit.Usagef("%s: %v", called("krb5"), err)
	}
	cfg.SASL = account
	return nil
}

// lookupLimit bounds the look-up of host names. A slow name server is no reason to fail.
const lookupLimit = time.Second

// Known refuses a cluster of which no host exists: it would be tried until the limit. A
// cluster with one host that exists is tried.
func (o *Options) Known(ctx context.Context, servers client.ConnectString) error {
	unknown := unknownHosts(ctx, servers)
	for _, server := range servers.Servers {
		if host, _, _ := net.SplitHostPort(server); !slices.Contains(unknown, host) {
			return nil
		}
	}
	return exit.Error{Code: exit.NoServer, Err: fmt.Errorf("no server of %s: %s: check %s", servers, noSuchHost(unknown), o.called("servers"))}
}

func noSuchHost(hosts []string) string { return "no such host: " + strings.Join(hosts, ", ") }

// unknownHosts are the hosts that do not exist, as a name server says, each once.
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

// notFound reports whether err says that a host does not exist.
func notFound(err error) bool {
	var e *net.DNSError
	return errors.As(err, &e) && e.IsNotFound
}
