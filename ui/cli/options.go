package cli

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/model/znode"
	"electop/ui/cli/cluster"
	"electop/ui/cli/config"
	"electop/ui/cli/dashboard"
	"electop/ui/cli/election"
	"electop/ui/cli/exporter"
	"electop/ui/cli/help"
	"electop/ui/cli/process"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
)

const defaultPath = "/election"

type options struct {
	path        string   // the first of paths, except after chooseAll; replay --json: the recording's election
	paths       []string // the elections, each once
	unnamed     bool     // neither the user nor the cluster gave a PATH
	found       bool     // paths is the result of a search
	keepTrying  bool     // open does not fail if no host of the cluster exists
	cluster     cluster.Options
	file        config.File
	settings    config.Settings
	admin       cluster.Requests
	search      election.SearchOptions
	problems    bool
	server      embeddedOptions
	record      election.Recording
	metrics     exporter.Exporter
	byReads     bool // observers use no persistent watch
	json        bool
	campaign    bool
	cast        int
	castSet     bool
	create      bool
	yes         bool
	observeOnly bool
	logFile     string
	screen      config.Screen
	tick        time.Duration
	name        string
	speed       float64
	duration    time.Duration
	durationSet bool
	count       int // events still to print; 0: no limit
	command     commandOptions
}

func pathArg(o *options) cobra.PositionalArgs { return pathArgs(o, 1) }

func pathArgs(o *options, most int) cobra.PositionalArgs {
	return o.settled(func(cmd *cobra.Command, args []string) error {
		o.castSet = cmd.Flags().Changed("cast")
		if len(args) == 0 {
			var err error
			if args, err = o.clusterPaths(cmd, most); err != nil {
				return err
			}
		}
		switch {
		case len(args) > most && most == 1:
			return process.Usagef("one PATH at a time, got %d (see %s --help)", len(args), cmd.CommandPath())
		case len(args) > most:
			return process.Usagef("at most %d PATHs, got %d", most, len(args))
		case len(args) == 0:
			o.unnamed, args = true, []string{defaultPath}
		}
		for _, path := range args {
			if err := noCommand(cmd, path); err != nil {
				return err
			}
			path, err := election.CheckPath(path)
			if err != nil {
				return err
			}
			if slices.Contains(o.paths, path) {
				return process.Usagef("PATH %s is given twice", path)
			}
			o.paths = append(o.paths, path)
		}
		o.path = o.paths[0]
		return nil
	})
}

func (o *options) check() error {
	if o.cast < 0 || o.cast > dashboard.CastMax {
		return process.Usagef("--cast %d: between 0 and %d candidates", o.cast, dashboard.CastMax)
	}
	if err := o.cluster.Check(); err != nil {
		return err
	}
	acting := o.campaign || o.castSet
	switch {
	case o.observeOnly && acting:
		return process.Usagef("--observe-only with --campaign or --cast: give one or the other")
	case len(o.paths) > 1 && acting:
		return process.Usagef("--campaign and --cast take part in one election: give one PATH, not %d", len(o.paths))
	case len(o.paths) > 1 && o.record.File != "":
		return process.Usagef("--record records one election: give one PATH, not %d", len(o.paths))
	}
	if err := o.record.Check(); err != nil {
		return err
	}
	return o.admin.Check(o.cluster.Called)
}

func (o *options) watch(conn client.Config, log *slog.Logger, acting bool) election.Config {
	cfg := election.Config{Conn: conn, Requests: o.admin, Record: o.record, Log: log, ByReads: o.byReads}
	for _, path := range o.paths {
		one := election.Followed(path)
		one.Cluster, one.AckExpected, one.Found = o.clusterName(), acting, o.found
		cfg.Elections = append(cfg.Elections, one)
	}
	return cfg
}

func (o *options) observe(conn client.Config, log *slog.Logger, first feed.Config, notice func(string)) (*election.Elections, error) {
	cfg := o.watch(conn, log, false)
	cfg.First, cfg.Notice = first, notice
	return election.New(cfg)
}

func (o *options) open(ctx context.Context) (log *slog.Logger, conn client.Config, done func(), err error) {
	if err := o.check(); err != nil {
		return nil, conn, nil, err
	}
	if log, done, err = o.logger(ctx); err != nil {
		return nil, conn, nil, err
	}
	if conn, err = o.cluster.Config(ctx, log); err == nil && !o.keepTrying {
		err = o.cluster.Known(ctx, conn.Servers)
	}
	if err != nil {
		done()
	}
	return log, conn, done, err
}

// logger waits for a reader or the end of ctx if the file is a FIFO.
func (o *options) logger(ctx context.Context) (*slog.Logger, func(), error) {
	if o.logFile == "" {
		return slog.New(slog.DiscardHandler), func() {}, nil
	}
	f, err := process.Await(ctx, func() (*os.File, error) { return os.OpenFile(o.logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600) })
	if err != nil {
		return nil, nil, process.Usagef("--log-file: %w", err)
	}
	h := slog.NewTextHandler(f, &slog.HandlerOptions{Level: slog.LevelDebug})
	return slog.New(h), func() { f.Close() }, nil
}

func (o *options) candidacyData() string {
	if o.name != "" {
		return o.name
	}
	host, err := os.Hostname()
	if err != nil {
		host = "electop"
	}
	return fmt.Sprintf("%s:%d", host, os.Getpid())
}

func (o *options) actingFlags(cmd *cobra.Command) {
	help.Candidates.Add(cmd, func(f *pflag.FlagSet) {
		f.BoolVar(&o.campaign, "campaign", false, "take part as a candidate")
		f.IntVar(&o.cast, "cast", 0, "take part with `N` local candidates, to spawn and kill")
	})
	o.enterFlags(cmd)
	help.Candidates.Add(cmd, func(f *pflag.FlagSet) {
		f.BoolVar(&o.observeOnly, "observe-only", false, "disable every key that changes something")
	})
}

func (o *options) enterFlags(cmd *cobra.Command) {
	help.Candidates.Add(cmd, func(f *pflag.FlagSet) {
		f.BoolVar(&o.create, "create", false, "create the election's parent if it is missing")
		f.BoolVar(&o.yes, "yes", false, "enter an election with third-party candidates without being asked")
	})
}

func (o *options) jsonFlag(cmd *cobra.Command, what string) {
	help.Output.Add(cmd, func(f *pflag.FlagSet) { f.BoolVar(&o.json, "json", false, what) })
}

func (o *options) logFlag(cmd *cobra.Command) {
	help.Output.Add(cmd, func(f *pflag.FlagSet) {
		f.StringVar(&o.logFile, "log-file", "", "append a debug log to `FILE`")
	})
}

func (o *options) settled(args cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, given []string) error {
		if err := o.settle(cmd); err != nil {
			return err
		}
		return args(cmd, given)
	}
}

func readConfig() (config.File, error) {
	path, err := config.Place(os.Getenv)
	if err != nil {
		return config.File{Path: "electop/config.toml", Missing: true}, nil
	}
	home, _ := os.UserHomeDir() // without a home, ~/ in the file is an error
	f, err := config.Read(path, home)
	if err != nil {
		return f, process.Usagef("%v", err)
	}
	return f, nil
}

func (o *options) settle(cmd *cobra.Command) error {
	file, err := readConfig()
	if err != nil {
		return err
	}
	given := map[string]string{}
	cmd.Flags().Visit(func(f *pflag.Flag) { given[f.Name] = f.Value.String() })
	s, err := config.Resolve(file, given, os.Getenv, cmd.Flags().Lookup("cluster") == nil)
	if _, live := s.Values["servers"]; err == nil && !live && !cmd.HasParent() { // the demo uses no setting of a cluster
		s, err = config.Resolve(file, given, os.Getenv, true)
	}
	if err != nil {
		return process.Usagef("%v", err)
	}
	o.file, o.settings = file, s
	o.cluster.Note = func(text string) { IO{Err: cmd.ErrOrStderr()}.note("%s", znode.Safe(text, 500)) }
	o.cluster.Named = map[string]string{}
	for name, v := range s.Values {
		f := cmd.Flags().Lookup(name)
		if f == nil || v.Origin.Kind == config.Flag {
			continue
		}
		if err := f.Value.Set(v.Text); err != nil {
			return process.Usagef("%s: %q: %s", v.Origin, v.Text, help.Why(f, err))
		}
		o.cluster.Named[name] = v.Origin.String()
	}
	o.cluster.Cluster = s.Cluster.Text
	return nil
}

func (o *options) clusterPaths(cmd *cobra.Command, most int) ([]string, error) {
	paths := o.settings.Paths
	if len(paths) > most {
		return nil, process.Usagef("cluster %s has %d paths (%s): give the PATH of one, as in %s %s", o.cluster.Cluster, len(paths), o.settings.PathsOrigin, cmd.CommandPath(), paths[0])
	}
	return paths, nil
}
