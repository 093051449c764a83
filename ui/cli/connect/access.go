package connect

import (
	"os"
	"slices"
	"strings"

	"electop/ui/cli/exit"
	"electop/zkwatch/client"
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
