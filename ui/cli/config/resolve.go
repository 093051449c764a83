package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/ui/cli/cluster"
	"electop/ui/cli/help"
	"electop/ui/term"
)

const (
	clusterKey  = "cluster"
	serversKey  = "servers"
	tlsKey      = "tls"
	krb5Key     = "krb5"
	adminKey    = "admin"
	adminURLKey = "admin-url"
	themeKey    = "theme"
	noMouseKey  = "no-mouse"
	pathsKey    = "paths" // the only setting that is not a flag
)

// Screen holds the values of --theme and --no-mouse.
type Screen struct {
	Theme   string
	NoMouse bool
}

// Flags declares --theme and --no-mouse.
func (s *Screen) Flags(cmd *cobra.Command) {
	s.Theme = term.Auto
	help.Screen.Add(cmd, func(f *pflag.FlagSet) {
		f.Var((*theme)(&s.Theme), themeKey, "colours: `THEME` is auto (NO_COLOR, COLORFGBG, otherwise dark), dark, light or mono")
		f.BoolVar(&s.NoMouse, noMouseKey, false, "leave the mouse to the terminal, which selects text with it")
	})
}

func inScreen() []string { return []string{themeKey, noMouseKey} }

type theme string

func (t *theme) Set(s string) error {
	if !slices.Contains(Themes(), s) {
		return errors.New("give auto, dark, light or mono")
	}
	*t = theme(s)
	return nil
}

func (t *theme) String() string { return string(*t) }
func (t *theme) Type() string   { return "theme" }

// Themes returns the values of --theme.
func Themes() []string { return []string{term.Auto, term.Dark, term.Light, term.Mono} }

type flags struct {
	*pflag.FlagSet
	cluster  cluster.Options
	requests cluster.Requests
	screen   Screen
}

func newFlags() *flags {
	f, cmd := &flags{}, &cobra.Command{}
	f.cluster.Flags(cmd)
	f.requests.Flags(cmd, "")
	f.screen.Flags(cmd)
	f.FlagSet = cmd.Flags()
	return f
}

var settings = sync.OnceValue(func() (names []string) {
	newFlags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
})

func check(label, name, text string) error {
	f := newFlags()
	if err := f.Set(name, text); err != nil {
		return fmt.Errorf("%s: %q: %s", label, text, help.Why(f.Lookup(name), err))
	}
	f.cluster.Named = map[string]string{name: label}
	return errors.Join(f.cluster.Check(), f.requests.Check(f.cluster.Called))
}

// Kind is the kind of a setting's origin. A higher kind overrides a lower one.
type Kind int

const (
	Default Kind = iota
	InFile
	Environment
	Flag
)

func (k Kind) String() string {
	return [...]string{"default", "file", "environment", "flag"}[k]
}

// Origin is the source of a setting.
type Origin struct {
	Kind Kind
	Name string // of the flag, the variable or the file
	Line int    // in the file, if Kind is InFile
}

func (o Origin) String() string {
	switch o.Kind {
	case Flag:
		return "--" + o.Name
	case Environment:
		return o.Name
	case InFile:
		return fmt.Sprintf("%s line %d", o.Name, o.Line)
	}
	return "default"
}

// Setting holds a flag's value as text, and the origin of the value.
type Setting struct {
	Text   string
	Origin Origin
}

// Settings holds the settings that a flag, the environment or the file gives.
type Settings struct {
	Cluster     Setting            // the cluster's name; "" without a cluster
	Values      map[string]Setting // by key
	Paths       []string           // of the cluster
	PathsOrigin Origin
}

// Resolve returns the settings of a command. A flag overrides the environment, which overrides the
// file. The map flags holds the given flags. If onlyScreen is set, Resolve returns only the settings of [Screen].
//
// Settings of a cluster apply only to the servers of that cluster in the file: other servers must not
// get the cluster's credentials.
func Resolve(f File, flags map[string]string, getenv func(string) string, onlyScreen bool) (Settings, error) {
	s := Settings{Values: map[string]Setting{}}
	names := settings()
	if onlyScreen {
		names = inScreen()
	}
	for _, name := range names {
		variable := "ELECTOP_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		if text, ok := flags[name]; ok {
			s.Values[name] = Setting{text, Origin{Flag, name, 0}}
		} else if text := strings.TrimSpace(getenv(variable)); text != "" {
			s.Values[name] = Setting{text, Origin{Environment, variable, 0}}
		}
	}
	inFile := func(values map[string]Value) {
		for key, v := range values {
			if s.Values[key].Origin.Kind == Default && slices.Contains(names, key) {
				s.Values[key] = Setting{v.Text, Origin{InFile, f.Path, v.Line}}
			}
		}
	}
	if !onlyScreen {
		if err := s.choose(f); err != nil {
			return s, err
		}
	}
	if s.Cluster.Text != "" {
		c, err := f.Cluster(s.Cluster.Text)
		if err != nil {
			return s, fmt.Errorf("%s: %w", s.Cluster.Origin, err)
		}
		inFile(c.Values)
		s.Paths, s.PathsOrigin = c.Paths, Origin{InFile, f.Path, c.PathsLine}
	}
	inFile(f.Defaults)
	delete(s.Values, clusterKey)
	s.dropDisabled()
	return s, nil
}

func (s *Settings) choose(f File) error {
	cluster, servers := s.Values[clusterKey], s.Values[serversKey]
	switch c, v := cluster.Origin.Kind, servers.Origin.Kind; {
	case c == Default && v == Default:
		if d, ok := f.Defaults[clusterKey]; ok {
			s.Cluster = Setting{d.Text, Origin{InFile, f.Path, d.Line}}
		}
	case c == v:
		return fmt.Errorf("%s and %s both choose the cluster: give one of them", cluster.Origin, servers.Origin)
	case c > v:
		s.Cluster = cluster
		delete(s.Values, serversKey)
	}
	return nil
}

func (s *Settings) dropDisabled() {
	for key, v := range s.Values {
		by := s.Values[implied(key)]
		on, err := strconv.ParseBool(by.Text)
		off := err == nil && !on
		if key == adminURLKey {
			by = s.Values[adminKey]
			off = by.Text == "off" || by.Text == "4lw"
		}
		if off && by.Origin.Kind > v.Origin.Kind {
			delete(s.Values, key)
		}
	}
}

func implied(key string) string {
	for _, general := range []string{tlsKey, krb5Key} {
		if strings.HasPrefix(key, general+"-") {
			return general
		}
	}
	return ""
}
