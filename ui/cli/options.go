package cli

import (
	"errors"
	"log/slog"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"electop/model"
	"electop/zkwatch/client"
)

const (
	defaultPath    = "/election"
	defaultServers = "127.0.0.1:2181"
	serversEnv     = "ELECTOP_SERVERS"
	authEnv        = "ELECTOP_AUTH"

	liveTimeout = 10 * time.Second
	demoTimeout = 4 * time.Second // short enough to wait for in front of a class
)

// options are the flags of one command, which declares those that mean
// something to it.
type options struct {
	path           string   // the first of paths
	paths          []string // the elections, each once
	servers        string
	sessionTimeout time.Duration // 0: the command's default
	connectTimeout time.Duration
	access         accessOptions
	admin          adminOptions
	walk           walkOptions
	json           bool
	record         string
	recordMax      byteSize
	campaign       bool
	cast           int
	castSet        bool
	create         bool
	yes            bool
	observeOnly    bool
	ack            string
	logFile        string
	theme          string
	listen         string
	adminListen    string
	tree           string
	data           string
	tick           time.Duration
	maxClientCnxns int
	// maxClientCnxnsSet reports whether it was given.
	maxClientCnxnsSet func() bool
	name              string
	speed             float64
	duration          time.Duration
	count             int
}

// pathsMax bounds the elections that one dashboard watches: each costs two
// watches and, per change, a request.
const pathsMax = 50

// pathArg takes PATH, the election's parent.
func pathArg(o *options) cobra.PositionalArgs { return pathArgs(o, 1) }

// pathArgs takes up to most PATHs.
func pathArgs(o *options, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		o.castSet = cmd.Flags().Changed("cast")
		switch {
		case len(args) > most && most == 1:
			return usagef("one PATH at a time, got %d (see %s --help)", len(args), cmd.CommandPath())
		case len(args) > most:
			return usagef("at most %d PATHs, got %d", most, len(args))
		case len(args) == 0:
			args = []string{defaultPath}
		}
		for _, path := range args {
			if err := checkPath(path); err != nil {
				return err
			}
			if slices.Contains(o.paths, path) {
				return usagef("PATH %s is given twice", path)
			}
			o.paths = append(o.paths, path)
		}
		o.path = o.paths[0]
		return nil
	}
}

func checkPath(path string) error {
	if !strings.HasPrefix(path, "/") {
		return usagef("PATH must be a znode's path, as in /election, not %q (see electop --help)", path)
	}
	if err := client.ValidatePath(path); err != nil || path == "/" {
		return usagef("PATH %q is not the path of a znode below the root", path)
	}
	return nil
}

// check refuses what no command takes.
func (o *options) check() error {
	acting := o.campaign || o.castSet
	switch {
	case o.cast < 0 || o.cast > castMax:
		return usagef("--cast %d: between 0 and %d candidates", o.cast, castMax)
	case o.connectTimeout < 0:
		return usagef("--connect-timeout %v is negative", o.connectTimeout)
	case o.sessionTimeout != 0 && (o.sessionTimeout < time.Millisecond || o.sessionTimeout > math.MaxInt32*time.Millisecond):
		return usagef("--session-timeout %v: between 1ms and 24 days", o.sessionTimeout)
	case o.observeOnly && acting:
		return usagef("--observe-only with --campaign or --cast: it is one or the other")
	case len(o.paths) > 1 && acting:
		return usagef("--campaign and --cast take part in one election: give one PATH, not %d", len(o.paths))
	case len(o.paths) > 1 && o.record != "":
		return usagef("--record records one election: give one PATH, not %d", len(o.paths))
	case len(o.paths) > 1 && o.ack != "" && o.ack != ackNone:
		return usagef("--ack names the acknowledgement of one election: give one PATH, not %d", len(o.paths))
	}
	if o.record == "" && o.recordMax.set {
		return usagef("--record-max says something about --record, which is not given")
	}
	if err := o.admin.check(); err != nil {
		return err
	}
	_, err := o.ackPath(o.path)
	return err
}

// castMax is how many candidates still elect in one process (tested).
const castMax = 2000

// ackNone is --ack for an election without acknowledgement.
const ackNone = "none"

// ackPath is the acknowledgement znode of the election at path, until it is
// known whose election that is.
func (o *options) ackPath(path string) (string, error) {
	switch o.ack {
	case "":
		return path + "-leader", nil
	case ackNone:
		return "", nil
	}
	if err := client.ValidatePath(o.ack); err != nil || o.ack == "/" || o.ack == path {
		return "", usagef("--ack %q is not the path of a znode for it (or: none)", o.ack)
	}
	return o.ack, nil
}

// election is the configuration of a journal for the election at path; acting
// says that candidates of our own, which acknowledge, take part.
func (o *options) election(path string, acting bool) (model.Config, error) {
	ack, err := o.ackPath(path)
	return model.Config{Path: path, AckPath: ack, AckExpected: acting || o.ack != "", AckFollows: o.ack == ""}, err
}

// conn is the configuration of connections to a live cluster.
func (o *options) conn(log *slog.Logger) (client.Config, error) {
	servers := o.servers
	if servers == "" {
		servers = defaultServers
	}
	cs, err := client.ParseConnectString(servers)
	if err != nil {
		return client.Config{}, usagef("--servers: %v", err)
	}
	timeout := o.sessionTimeout
	if timeout == 0 {
		timeout = liveTimeout
	}
	cfg := client.Config{Servers: cs, SessionTimeout: timeout, Logger: log}
	return cfg, o.access.apply(&cfg)
}

// cluster is what every command on a live cluster begins with: the flags
// checked, the log opened (done closes it), and how to connect.
func (o *options) cluster() (log *slog.Logger, conn client.Config, done func(), err error) {
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

// demoOnly refuses flags that say something about a cluster where there is
// none, so that nobody takes the demo for the cluster.
func (o *options) demoOnly(cmd *cobra.Command) error {
	if len(o.paths) > 1 {
		return usagef("the demo has one election: several PATHs need --servers")
	}
	for _, name := range []string{"admin", "admin-url", "admin-interval", "admin-sessions", "admin-heavy",
		"auth-file", "tls", "tls-ca", "tls-cert", "tls-key", "tls-server-name", "observe-only"} {
		if cmd.Flags().Changed(name) {
			return usagef("--%s says something about a cluster, and without --servers this is the demo", name)
		}
	}
	return nil
}

// recordMaxDefault bounds a recording that nobody bounds, in bytes.
const recordMaxDefault = 100e6

// byteSize is a flag's number of bytes, as 100MB, 64KiB or 0.
type byteSize struct {
	n   uint64
	set bool
}

// Set implements pflag.Value.
func (b *byteSize) Set(s string) error {
	n, err := humanize.ParseBytes(s)
	if err != nil || n > math.MaxInt64 {
		return errors.New("a size, as in 100MB or 64KiB")
	}
	b.n, b.set = n, true
	return nil
}

// Type implements pflag.Value.
func (b *byteSize) Type() string { return "size" }

// String implements pflag.Value: what is so without the flag.
func (b *byteSize) String() string { return humanize.Bytes(b.bytes()) }

func (b *byteSize) bytes() uint64 {
	if !b.set {
		return recordMaxDefault
	}
	return b.n
}
