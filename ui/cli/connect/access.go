package connect

import (
	"errors"
	"os"
	"strings"

	"electop/ui/cli/exit"
	"electop/zkwatch/client"
)

// authEnv is the environment variable that may hold one credential.
const authEnv = "ELECTOP_AUTH"

// access is credentials and TLS. Credentials come from a file or from the
// environment, never from the command line, which others can read.
type access struct {
	authFile      string
	tls           bool
	ca, cert, key string
	serverName    string
}

// apply completes the configuration of connections. Errors name the file or
// the variable and never hold a credential.
func (a access) apply(cfg *client.Config) error {
	if a.authFile != "" {
		auth, err := client.ReadAuthFile(a.authFile)
		if err != nil {
			return exit.Usagef("--auth-file: %v", err)
		}
		for _, one := range auth {
			if err := supported(one); err != nil {
				return exit.Usagef("--auth-file %s: %v", a.authFile, err)
			}
		}
		cfg.Auth = append(cfg.Auth, auth...)
	}
	if line := strings.TrimSpace(os.Getenv(authEnv)); line != "" {
		auth, err := client.ParseAuth(line)
		if err != nil {
			return exit.Usagef("%s: %v", authEnv, err)
		}
		if err := supported(auth); err != nil {
			return exit.Usagef("%s: %v", authEnv, err)
		}
		cfg.Auth = append(cfg.Auth, auth)
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

// supported refuses a scheme that no server takes as a credential. The servers would only
// close each connection.
func supported(a client.Auth) error {
	if a.Scheme == "sasl" {
		return errors.New("electop does not support SASL (Kerberos, DIGEST-MD5). Supported are digest:USER:PASSWORD, the schemes of the servers' own authentication plugins, and certificates with --tls-cert")
	}
	return nil
}
