package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"electop/model/znode"
	"electop/ui/plain"
)

// clustersObject is what `electop clusters --json` prints.
type clustersObject struct {
	Format   int             `json:"format"`
	File     string          `json:"file"`
	Clusters []clusterObject `json:"clusters"`
}

type clusterObject struct {
	Name    string   `json:"name"`
	Servers string   `json:"servers"`
	Paths   []string `json:"paths"`
	Default bool     `json:"default"`
}

func newClusters(std IO) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:               "clusters",
		Short:             "List the clusters of the configuration file",
		Long:              "List the clusters of the configuration file: name, servers and the paths to watch.\n--cluster NAME uses one. The default one has a *. See electop help configuration.",
		Example:           "  electop clusters\n  electop clusters --json",
		Args:              noArgs,
		ValidArgsFunction: noFiles,
		RunE:              func(*cobra.Command, []string) error { return runClusters(o, std) },
	}
	o.jsonFlag(cmd, "print JSON")
	return cmd
}

func runClusters(o *options, std IO) error {
	f, err := readConfig()
	if err != nil {
		return err
	}
	all := clustersObject{Format: plain.Format, File: f.Path, Clusters: []clusterObject{}}
	for _, c := range f.Clusters {
		all.Clusters = append(all.Clusters, clusterObject{
			Name: c.Name, Servers: c.Values["servers"].Text, Paths: append([]string{}, c.Paths...),
			Default: f.Defaults["cluster"].Text == c.Name,
		})
	}
	if len(all.Clusters) == 0 {
		why := "has no clusters"
		if f.Missing {
			why = "does not exist"
		}
		std.note("%s %s: electop help configuration shows how to name a cluster", znode.Safe(f.Path, 0), why)
	}
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, c := range all.Clusters {
		mark := " "
		if c.Default {
			mark = "*"
		}
		fmt.Fprintf(w, "%s %s\t%s\t%s\n", mark, c.Name, znode.Safe(c.Servers, 0), znode.Safe(strings.Join(c.Paths, " "), 0))
	}
	w.Flush()
	return std.print(o.json, all, trimmed(text.String()))
}

// trimmed is text without blanks at the ends of its lines.
func trimmed(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return out.String()
}
