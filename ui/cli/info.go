package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/model/znode"
	"electop/ui/cli/cluster"
	"electop/ui/cli/config"
	"electop/ui/cli/election"
	"electop/ui/plain"
	"electop/ui/term"
	"electop/zkwatch/admin"
)

func newInfo(std IO) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:               "info [PATH...]",
		Short:             "Print the clusters, and every effective setting with its origin",
		Long:              "Print the clusters of the configuration file, the default one with a *, and every\neffective setting with its origin: a flag, an environment variable, a line of the file\nor the default. --cluster NAME uses a cluster. No server is asked. Credentials\nare not shown. PATH is /election if it is not given and the cluster has no paths.",
		Example:           "  electop info\n  electop info --cluster prod --json",
		Args:              pathArgs(o, election.Max),
		ValidArgsFunction: o.completePaths(election.Max),
		RunE:              func(cmd *cobra.Command, args []string) error { return runInfo(cmd, o, len(args) > 0, std) },
	}
	o.cluster.Flags(cmd)
	o.admin.WatchFlags(cmd)
	o.admin.CadenceFlags(cmd)
	o.screen.Flags(cmd)
	o.jsonFlag(cmd, "print JSON")
	o.logFlag(cmd)
	return cmd
}

type infoRow struct {
	name, value string // value "": none
	from        config.Origin
}

func runInfo(cmd *cobra.Command, o *options, named bool, std IO) error {
	if err := o.check(); err != nil {
		return err
	}
	rows := o.effective(cmd)
	if auth, err := cluster.EnvironmentAuth(os.Getenv); err != nil {
		return err
	} else if auth != nil {
		at := 1 + slices.IndexFunc(rows, func(r infoRow) bool { return r.name == "auth-file" })
		rows = slices.Insert(rows, at, infoRow{"auth", auth.String(), config.Origin{Kind: config.Environment, Name: cluster.AuthVariable}})
	}
	paths := infoRow{"paths", strings.Join(o.paths, " "), o.settings.PathsOrigin}
	switch {
	case named:
		paths.from = config.Origin{Kind: config.Flag, Name: "PATH"}
	case o.unnamed:
		paths.from = config.Origin{}
	}
	out := o.infoJSON(rows, paths)
	return std.print(o.json, out, o.infoText(rows, paths, out.Clusters))
}

// effective returns all settings, with defaults that differ from those of the flags.
func (o *options) effective(cmd *cobra.Command) []infoRow {
	defaults := map[string]string{
		"servers": cluster.DefaultServers, "session-timeout": cluster.SessionTimeout.String(), "admin-url": admin.DefaultURL,
	}
	rows := []infoRow{{"cluster", o.settings.Cluster.Text, o.settings.Cluster.Origin}}
	implied := map[string]infoRow{} // key: the flag that the setting implies
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		row := infoRow{name: f.Name, value: f.Value.String(), from: o.settings.Values[f.Name].Origin}
		switch {
		case f.Changed:
			row.from = config.Origin{Kind: config.Flag, Name: f.Name}
		case row.from.Kind == config.Default && defaults[f.Name] != "":
			row.value = defaults[f.Name]
		}
		switch f.Name {
		case "cluster", "json", "help":
			return
		case "theme":
			if row.value == term.Auto && os.Getenv("NO_COLOR") != "" {
				row.value, row.from = term.Mono, config.Origin{Kind: config.Environment, Name: "NO_COLOR"}
			}
		}
		general, detail, _ := strings.Cut(f.Name, "-")
		if (general == "tls" || general == "krb5") && detail != "" && row.value != "" && implied[general].name == "" {
			implied[general] = row
		}
		rows = append(rows, row)
	})
	for i := range rows {
		if by, ok := implied[rows[i].name]; ok && rows[i].value == "false" {
			rows[i].value, rows[i].from = "true", by.from
		}
	}
	return rows
}

// infoObject is the object of `electop info --json`.
type infoObject struct {
	Format     int             `json:"format"`
	File       string          `json:"file"`
	FileExists bool            `json:"file_exists"`
	Paths      infoPaths       `json:"paths"`
	Settings   []settingObject `json:"settings"`
	Clusters   []clusterObject `json:"clusters"`
}

type clusterObject struct {
	Name    string   `json:"name"`
	Servers string   `json:"servers"`
	Paths   []string `json:"paths"`
	Default bool     `json:"default"`
}

type infoPaths struct {
	Value []string `json:"value"`
	originObject
}

type settingObject struct {
	Name  string  `json:"name"`
	Value *string `json:"value"`
	originObject
}

type originObject struct {
	Origin string  `json:"origin"`
	Source *string `json:"source"`
	Line   *int    `json:"line"`
}

func (o *options) infoJSON(rows []infoRow, paths infoRow) infoObject {
	out := infoObject{
		Format: plain.Format, File: o.file.Path, FileExists: !o.file.Missing,
		Paths: infoPaths{o.paths, originJSON(paths.from)}, Clusters: []clusterObject{},
	}
	for _, c := range o.file.Clusters {
		out.Clusters = append(out.Clusters, clusterObject{
			Name: c.Name, Servers: c.Values["servers"].Text, Paths: append([]string{}, c.Paths...),
			Default: o.file.Defaults["cluster"].Text == c.Name,
		})
	}
	for _, r := range rows {
		s := settingObject{Name: r.name, originObject: originJSON(r.from)}
		if r.value != "" {
			s.Value = &r.value
		}
		out.Settings = append(out.Settings, s)
	}
	return out
}

func originJSON(from config.Origin) originObject {
	out := originObject{Origin: from.Kind.String()}
	if from.Kind != config.Default {
		out.Source = &from.Name
	}
	if from.Kind == config.InFile {
		out.Line = &from.Line
	}
	return out
}

func (o *options) infoText(rows []infoRow, paths infoRow, clusters []clusterObject) string {
	var text strings.Builder
	missing := ""
	if o.file.Missing {
		missing = " (does not exist: see electop help configuration)"
	}
	fmt.Fprintf(&text, "configuration  %s%s\n\n", znode.Safe(o.file.Path, 0), missing)
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, r := range append([]infoRow{paths}, rows...) {
		from := r.from.String()
		switch {
		case r.from.Kind == config.InFile:
			from = fmt.Sprintf("line %d", r.from.Line)
		case r.from.Name == "PATH":
			from = "command line"
		}
		value := r.value
		if value == "" {
			value = "-"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", r.name, znode.Safe(value, 0), from)
	}
	if w.Flush(); len(clusters) > 0 {
		text.WriteString("\nclusters\n")
	}
	for _, c := range clusters {
		mark := " "
		if c.Default {
			mark = "*"
		}
		fmt.Fprintf(w, "%s %s\t%s%s\n", mark, c.Name, znode.Safe(c.Servers, 0), znode.Safe(strings.Join(append([]string{""}, c.Paths...), " "), 0))
	}
	w.Flush()
	return text.String()
}
