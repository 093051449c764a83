package connect

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/ui/cli/exit"
	"electop/ui/cli/flaggroup"
	"electop/zkwatch/client"
	"electop/zkwatch/sasl/kerberos"
)

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
