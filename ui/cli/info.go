package cli

import (
	"cmp"
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
		Long:              "Print the clusters of the configuration file, the default one with a *, and every\neffective setting with its origin: a flag, an environment variable, a line of the file\nor the default. --cluster NAME prints the settings for NAME. No server is queried. Credentials\nare not shown. PATH is /election if it is not given and the file has no paths of the cluster.",
		Example:           "  electop info\n  electop info --cluster prod --json",
		Args:              pathArgs(o, election.Max),
		ValidArgsFunction: o.completePaths(election.Max),
		RunE:              func(cmd *cobra.Command, args []string) error { return runInfo(cmd, o, len(args) > 0, std) },
	}
	o.cluster.Flags(cmd)
	o.admin.CadenceFlags(cmd)
	o.screen.Flags(cmd)
	o.jsonFlag(cmd, "print JSON")
	o.logFlag(cmd)
	return cmd
}

type infoRow struct {
	name, value string // value "": not set
	from        config.Origin
}

func runInfo(cmd *cobra.Command, o *options, pathGiven bool, std IO) error {
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
	case pathGiven:
		paths.from = config.Origin{Kind: config.Flag, Name: "PATH"}
	case o.unnamed:
		paths.from = config.Origin{}
	}
	return std.print(o.json, o.infoJSON(rows, paths), o.infoText(rows, paths))
}

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

func (o *options) infoJSON(rows []infoRow, paths infoRow) plain.Object {
	settings, clusters := []plain.Object{}, []plain.Object{}
	for _, r := range rows {
		setting := plain.Object{"name", r.name, "value", plain.When(r.value != "", r.value)}
		settings = append(settings, append(setting, originJSON(r.from)...))
	}
	for _, c := range o.file.Clusters {
		clusters = append(clusters, plain.Object{
			"name", c.Name, "servers", c.Values["servers"].Text, "paths", append([]string{}, c.Paths...),
			"default", o.file.Defaults["cluster"].Text == c.Name,
		})
	}
	return plain.Object{
		"format", plain.Format, "file", o.file.Path, "file_exists", !o.file.Missing,
		"paths", append(plain.Object{"value", o.paths}, originJSON(paths.from)...),
		"settings", settings, "clusters", clusters,
	}
}

func originJSON(from config.Origin) plain.Object {
	return plain.Object{
		"origin", from.Kind.String(), "source", plain.When(from.Kind != config.Default, from.Name),
		"line", plain.When(from.Kind == config.InFile, from.Line),
	}
}

func (o *options) infoText(rows []infoRow, paths infoRow) string {
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
		fmt.Fprintf(w, "%s\t%s\t%s\n", r.name, znode.Safe(cmp.Or(r.value, "-"), 0), from)
	}
	if w.Flush(); len(o.file.Clusters) > 0 {
		text.WriteString("\nclusters\n")
	}
	for _, c := range o.file.Clusters {
		mark := " "
		if o.file.Defaults["cluster"].Text == c.Name {
			mark = "*"
		}
		servers, paths := c.Values["servers"].Text, strings.Join(append([]string{""}, c.Paths...), " ")
		fmt.Fprintf(w, "%s %s\t%s%s\n", mark, c.Name, znode.Safe(servers, 0), znode.Safe(paths, 0))
	}
	w.Flush()
	return text.String()
}
