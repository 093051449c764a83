package cli

import (
	"log/slog"
	"math"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"electop/model"
	"electop/zkwatch"
)

const (
	defaultPath    = "/election"
	defaultServers = "127.0.0.1:2181"
	serversEnv     = "ELECTOP_SERVERS"

	liveTimeout = 10 * time.Second
	demoTimeout = 4 * time.Second // short enough to wait for in front of a class
)

// options are the flags of one command, which declares those that mean
// something to it.
type options struct {
	path           string
	servers        string
	sessionTimeout time.Duration // 0: the command's default
	connectTimeout time.Duration
	json           bool
	record         string
	campaign       bool
	cast           int
	castSet        bool
	create         bool
	yes            bool
	ack            string
	logFile        string
	theme          string
	listen         string
	adminListen    string
	tree           string
	maxClientCnxns int
	name           string
	speed          float64
	duration       time.Duration
	count          int
}

func (o *options) clusterFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&o.servers, "servers", "s", os.Getenv(serversEnv), "the cluster, `host:port[,host:port...][/chroot]`; env "+serversEnv)
	f.DurationVar(&o.sessionTimeout, "session-timeout", 0, "session timeout to ask for (10s, in the demo 4s)")
	f.DurationVar(&o.connectTimeout, "connect-timeout", 10*time.Second, "how long to try to reach a server")
	// The value may be in the environment, and is nobody's default.
	f.Lookup("servers").DefValue = ""
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
}

func (o *options) recordFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.record, "record", "", "record what is observed to a new `FILE`")
}

func (o *options) ackFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.ack, "ack", "", "the acknowledgement znode's `PATH`, or none (PATH of the election with -leader)")
}

func (o *options) adminFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.adminListen, "admin-listen", "", "serve the embedded ZooKeeper's AdminServer (HTTP, /commands) on this `host:port`")
}

func (o *options) logFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.logFile, "log-file", "", "write a log to this `FILE`")
}

// pathArg takes PATH, the election's parent.
func pathArg(o *options) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		o.castSet = cmd.Flags().Changed("cast")
		switch {
		case len(args) > 1:
			return usagef("one PATH at a time, got %d (see %s --help)", len(args), cmd.CommandPath())
		case len(args) == 0:
			o.path = defaultPath
			return nil
		case !strings.HasPrefix(args[0], "/"):
			return usagef("PATH must be a znode's path, as in /election, not %q (see electop --help)", args[0])
		}
		if err := zkwatch.ValidatePath(args[0]); err != nil || args[0] == "/" {
			return usagef("PATH %q is not the path of a znode below the root", args[0])
		}
		o.path = args[0]
		return nil
	}
}

// check refuses what no command takes.
func (o *options) check() error {
	switch {
	case o.cast < 0 || o.cast > castMax:
		return usagef("--cast %d: between 0 and %d candidates", o.cast, castMax)
	case o.connectTimeout < 0:
		return usagef("--connect-timeout %v is negative", o.connectTimeout)
	case o.sessionTimeout != 0 && (o.sessionTimeout < time.Millisecond || o.sessionTimeout > math.MaxInt32*time.Millisecond):
		return usagef("--session-timeout %v: between 1ms and 24 days", o.sessionTimeout)
	}
	_, err := o.ackPath()
	return err
}

// castMax is how many candidates still elect in one process (tested).
const castMax = 2000

func (o *options) ackPath() (string, error) {
	switch o.ack {
	case "":
		return o.path + "-leader", nil
	case "none":
		return "", nil
	}
	if err := zkwatch.ValidatePath(o.ack); err != nil || o.ack == "/" || o.ack == o.path {
		return "", usagef("--ack %q is not the path of a znode for it (or: none)", o.ack)
	}
	return o.ack, nil
}

// election is the journal's configuration; acting says that candidates of our
// own, which acknowledge, take part.
func (o *options) election(acting bool) (model.Config, error) {
	ack, err := o.ackPath()
	return model.Config{Path: o.path, AckPath: ack, AckExpected: acting || o.ack != ""}, err
}

// conn is the configuration of connections to a live cluster.
func (o *options) conn(log *slog.Logger) (zkwatch.Config, error) {
	servers := o.servers
	if servers == "" {
		servers = defaultServers
	}
	cs, err := zkwatch.ParseConnectString(servers)
	if err != nil {
		return zkwatch.Config{}, usagef("--servers: %v", err)
	}
	timeout := o.sessionTimeout
	if timeout == 0 {
		timeout = liveTimeout
	}
	return zkwatch.Config{Servers: cs, SessionTimeout: timeout, Logger: log}, nil
}

// cluster is what every command on a live cluster begins with: the flags
// checked, the log opened (done closes it), and how to connect.
func (o *options) cluster() (log *slog.Logger, conn zkwatch.Config, done func(), err error) {
	if err := o.check(); err != nil {
		return nil, conn, nil, err
	}
	if log, done, err = o.logger(); err != nil {
		return nil, conn, nil, err
	}
	if conn, err = o.conn(log); err != nil {
		done()
	}
	return log, conn, done, err
}

// logger opens --log-file.
func (o *options) logger() (*slog.Logger, func(), error) {
	if o.logFile == "" {
		return slog.New(slog.DiscardHandler), func() {}, nil
	}
	f, err := os.OpenFile(o.logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, usagef("--log-file: %v", err)
	}
	h := slog.NewTextHandler(f, &slog.HandlerOptions{Level: slog.LevelDebug})
	return slog.New(h), func() { f.Close() }, nil
}
