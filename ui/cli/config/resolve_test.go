package config_test

import (
	"fmt"
	"strings"
	"testing"

	"electop/ui/cli/config"
)

// A flag beats the environment, which beats the cluster, which beats the defaults.
func TestResolve(t *testing.T) {
	t.Parallel()
	f := parse(t, sound)
	for _, c := range []struct {
		flags, env map[string]string
		want       string
	}{
		{nil, nil, "cluster=prod@2 auth-file=/etc/x/prod.auth@8 servers=zk1:2181,zk2/app@7 session-timeout=6s@4 theme=light@11 tls=true@9 tls-ca=/home/u/ca.pem@10 paths=2@12"},
		{map[string]string{"cluster": "dev"}, nil, "cluster=dev@--cluster servers=localhost@15 session-timeout=6s@4 theme=dark@3"},
		{nil, map[string]string{"ELECTOP_CLUSTER": "dev", "ELECTOP_THEME": "mono"}, "cluster=dev@ELECTOP_CLUSTER servers=localhost@15 session-timeout=6s@4 theme=mono@ELECTOP_THEME"},
		{map[string]string{"cluster": "dev"}, map[string]string{"ELECTOP_CLUSTER": "prod"}, "cluster=dev@--cluster servers=localhost@15 session-timeout=6s@4 theme=dark@3"},
		// Nothing of a cluster counts for other servers: they must not get its credentials.
		{map[string]string{"servers": "zk9"}, nil, "cluster= servers=zk9@--servers session-timeout=6s@4 theme=dark@3"},
		{map[string]string{"servers": "zk9"}, map[string]string{"ELECTOP_CLUSTER": "prod"}, "cluster= servers=zk9@--servers session-timeout=6s@4 theme=dark@3"},
		{nil, map[string]string{"ELECTOP_SERVERS": "zk9"}, "cluster= servers=zk9@ELECTOP_SERVERS session-timeout=6s@4 theme=dark@3"},
		{map[string]string{"cluster": "dev"}, map[string]string{"ELECTOP_SERVERS": "zk9"}, "cluster=dev@--cluster servers=localhost@15 session-timeout=6s@4 theme=dark@3"},
		{map[string]string{"cluster": "dev", "session-timeout": "9s"}, map[string]string{"ELECTOP_TLS_CA": "/ca", "ELECTOP_TLS": " "}, "cluster=dev@--cluster servers=localhost@15 session-timeout=9s@--session-timeout theme=dark@3 tls-ca=/ca@ELECTOP_TLS_CA"},
		// --tls=false means the certificates of the file too.
		{map[string]string{"servers": "x", "krb5": "false"}, map[string]string{"ELECTOP_KRB5_KEYTAB": "/keys", "ELECTOP_KRB5_SERVICE": "zk"}, "cluster= krb5=false@--krb5 servers=x@--servers session-timeout=6s@4 theme=dark@3"},
		{map[string]string{"cluster": "prod", "tls": "false"}, map[string]string{"ELECTOP_TLS_CERT": "/cert"}, "cluster=prod@--cluster auth-file=/etc/x/prod.auth@8 servers=zk1:2181,zk2/app@7 session-timeout=6s@4 theme=light@11 tls=false@--tls paths=2@12"},
	} {
		s, err := config.Resolve(f, c.flags, func(name string) string { return c.env[name] }, false)
		if err != nil {
			t.Errorf("%v %v: %v", c.flags, c.env, err)
			continue
		}
		if got := described(s); got != c.want {
			t.Errorf("%v %v:\n  %s, want\n  %s", c.flags, c.env, got, c.want)
		}
	}
}

// described is Settings as text: key=value@origin, a number is the line.
func described(s config.Settings) string {
	origin := func(o config.Origin) string {
		switch o.Kind {
		case config.Default:
			return ""
		case config.InFile:
			return fmt.Sprint("@", o.Line)
		}
		return "@" + o.String()
	}
	out := "cluster=" + s.Cluster.Text + origin(s.Cluster.Origin)
	keys := []string{"admin", "admin-url", "auth-file", "cluster", "connect-timeout", "krb5", "krb5-keytab", "krb5-principal", "krb5-service", "no-mouse", "servers", "session-timeout", "theme", "tls", "tls-ca", "tls-cert", "tls-key", "tls-server-name"}
	for _, key := range keys {
		if v, ok := s.Values[key]; ok {
			out += " " + key + "=" + v.Text + origin(v.Origin)
		}
	}
	if len(s.Paths) > 0 {
		out += fmt.Sprint(" paths=", len(s.Paths), origin(s.PathsOrigin))
	}
	return out
}

func TestResolveRefuses(t *testing.T) {
	t.Parallel()
	f := parse(t, sound)
	for _, c := range []struct {
		flags, env map[string]string
		want       string
	}{
		{map[string]string{"cluster": "prod", "servers": "x"}, nil, "--cluster and --servers both say which cluster"},
		{nil, map[string]string{"ELECTOP_CLUSTER": "prod", "ELECTOP_SERVERS": "x"}, "ELECTOP_CLUSTER and ELECTOP_SERVERS both say which cluster"},
		{map[string]string{"cluster": "prdo"}, nil, `--cluster: no cluster "prdo": did you mean prod?`},
		{nil, map[string]string{"ELECTOP_CLUSTER": "test"}, `ELECTOP_CLUSTER: no cluster "test": there are dev, prod`},
	} {
		if _, err := config.Resolve(f, c.flags, func(name string) string { return c.env[name] }, false); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v %v: %v, want %s", c.flags, c.env, err, c.want)
		}
	}
}
