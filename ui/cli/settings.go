package cli

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/model/znode"
	"electop/ui/cli/config"
	"electop/ui/cli/help"
	"electop/ui/cli/process"
)

// settled settles the flags that were not given before args are read.
func (o *options) settled(args cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, given []string) error {
		if err := o.settle(cmd); err != nil {
			return err
		}
		return args(cmd, given)
	}
}

// readConfig reads the user's file. Without a place for one it is missing.
func readConfig() (config.File, error) {
	path, err := config.Place(os.Getenv)
	if err != nil {
		return config.File{Path: "electop/config.toml", Missing: true}, nil // and no HOME
	}
	home, _ := os.UserHomeDir() // without one ~/ is an error
	f, err := config.Read(path, home)
	if err != nil {
		return f, process.Usagef("%v", err)
	}
	return f, nil
}

// settle gives the flags of cmd that are not on the command line the values that the
// environment and the user's file have for them.
func (o *options) settle(cmd *cobra.Command) error {
	file, err := readConfig()
	if err != nil {
		return err
	}
	given := map[string]string{}
	cmd.Flags().Visit(func(f *pflag.Flag) { given[f.Name] = f.Value.String() })
	s, err := config.Resolve(file, given, os.Getenv, cmd.Flags().Lookup("cluster") == nil)
	if _, live := s.Values["servers"]; err == nil && !live && !cmd.HasParent() { // the demo
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

// clusterPaths are the paths of the cluster, for a command that takes up to most and got
// none; nil if the cluster has none.
func (o *options) clusterPaths(cmd *cobra.Command, most int) ([]string, error) {
	paths := o.settings.Paths
	if len(paths) > most {
		return nil, process.Usagef("cluster %s has %d paths (%s): give the PATH of one, as in %s %s", o.cluster.Cluster, len(paths), o.settings.PathsOrigin, cmd.CommandPath(), paths[0])
	}
	return paths, nil
}
