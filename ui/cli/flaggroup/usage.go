package flaggroup

import (
	"fmt"
	"strings"
	"text/template"

	"github.com/spf13/cobra"
)

// usage is cobra's template, but with the flags in groups. Every command with others
// below it has groups for all of them, or for none.
const usage = `Usage:{{if .Runnable}}
  {{.UseLine}}{{end}}{{if .HasAvailableSubCommands}}
  {{.CommandPath}} [command]{{end}}{{if .HasExample}}

Examples:
{{.Example}}{{end}}{{if .HasAvailableSubCommands}}{{$commands := .Commands}}{{if .Groups}}{{range $group := .Groups}}

{{.Title}}{{range $commands}}{{if eq .GroupID $group.ID}}{{template "command" .}}{{end}}{{end}}{{end}}{{else}}

Commands:{{range $commands}}{{template "command" .}}{{end}}{{end}}{{end}}{{range sections .}}

{{.Title}}:
{{trim .Flags.FlagUsages}}{{end}}{{if .HasAvailableSubCommands}}

Use "{{.CommandPath}} [command] --help" for more information about a command.{{end}}
{{define "command"}}{{if or .IsAvailableCommand (eq .Name "help")}}
  {{pad .Name .NamePadding}} {{.Short}}{{end}}{{end}}`

// Usage prints how cmd is used. It is for [cobra.Command.SetUsageFunc].
func Usage(cmd *cobra.Command) error {
	t, err := template.New("usage").Funcs(template.FuncMap{
		"sections": Sections,
		"trim":     func(s string) string { return strings.TrimRight(s, " \n") },
		"pad":      func(s string, width int) string { return fmt.Sprintf("%-*s", width, s) },
	}).Parse(usage)
	if err != nil {
		return err
	}
	return t.Execute(cmd.OutOrStderr(), cmd)
}
