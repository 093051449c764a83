package cli

import (
	"os"
	"time"

	"github.com/spf13/cobra"
)

// clusterFlags say how to reach a cluster and how to get in.
func (o *options) clusterFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&o.servers, "servers", "s", os.Getenv(serversEnv), "the cluster, `host:port[,host:port...][/chroot]`; env "+serversEnv)
	f.DurationVar(&o.sessionTimeout, "session-timeout", 0, "session timeout to ask for (10s, in the demo 4s)")
	f.DurationVar(&o.connectTimeout, "connect-timeout", 10*time.Second, "how long to try to reach a server")
	// The value may be in the environment, and is nobody's default.
	f.Lookup("servers").DefValue = ""

	a := &o.access
	f.StringVar(&a.authFile, "auth-file", "", "credentials from this `FILE`, scheme:credential a line, as digest:user:password; env "+authEnv+" holds one")
	f.BoolVar(&a.tls, "tls", false, "connect with TLS; each of the other --tls flags means it too")
	f.StringVar(&a.ca, "tls-ca", "", "PEM `FILE` of the authorities that the servers' certificates are checked against (the system's)")
	f.StringVar(&a.cert, "tls-cert", "", "PEM `FILE` of this client's certificate")
	f.StringVar(&a.key, "tls-key", "", "PEM `FILE` of its key")
	f.StringVar(&a.serverName, "tls-server-name", "", "the `NAME` that the servers' certificates must hold, if not the host that is connected to")
}

// adminFlags say what the servers are asked about themselves, once.
func (o *options) adminFlags(cmd *cobra.Command) {
	o.askFlags(cmd, "who watches what")
	cmd.Flags().BoolVar(&o.admin.heavy, "admin-heavy", false, "ask for watch tables and connection lists even where a server has more than 50000 watches")
}

// askFlags say how they are asked, and for what.
func (o *options) askFlags(cmd *cobra.Command, what string) {
	f := cmd.Flags()
	f.StringVar(&o.admin.mode, "admin", adminAuto, "ask the servers "+what+": `auto|http|4lw|off` by AdminServer, four-letter words, or not")
	f.StringVar(&o.admin.url, "admin-url", "", "the AdminServers' commands, with {host} for the server's (http://{host}:8080/commands) `URL`")
}

// cadenceFlags say how often they are asked.
func (o *options) cadenceFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.DurationVar(&o.admin.interval, "admin-interval", adminInterval, "how often the servers are asked what costs them nothing")
	f.DurationVar(&o.admin.sessions, "admin-sessions", 0, "how often they are asked for connections and sessions, which is what tells of a risk; 0: only to verify watches")
}

func (o *options) screenFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.theme, "theme", "auto", "colours: auto, dark, light or mono")
}

func (o *options) actingFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.campaign, "campaign", false, "take part as a candidate")
	f.IntVar(&o.cast, "cast", 0, "bring `N` candidates of our own, to spawn and kill")
	f.BoolVar(&o.create, "create", false, "create the election's parent if it is missing")
	f.BoolVar(&o.yes, "yes", false, "enter somebody else's election without being asked")
	f.BoolVar(&o.observeOnly, "observe-only", false, "remove the keys that act")
}

func (o *options) recordFlag(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.record, "record", "", "record what is observed to a new `FILE`")
	f.Var(&o.recordMax, "record-max", "keep at most this `SIZE` of the recording, in FILE and the older FILE.1; 0 is no bound")
}

func (o *options) ackFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.ack, "ack", "", "the acknowledgement znode's `PATH`, or none (what the system it is uses; our own: PATH of the election with -leader)")
}

func (o *options) adminListenFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.adminListen, "admin-listen", "", "serve the embedded ZooKeeper's AdminServer (HTTP, /commands) on this `host:port`")
}

func (o *options) logFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.logFile, "log-file", "", "write a log to this `FILE`")
}
