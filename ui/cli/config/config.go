// Package config reads the user's configuration file, and decides whether a setting comes from
// a flag, the environment or the file.
//
//	[defaults]                   # for every command
//	cluster = "prod"             # the default cluster
//	theme = "dark"
//
//	[clusters.prod]
//	servers = "zk1:2181,zk2:2181,zk3:2181/app"
//	auth-file = "prod.auth"      # beside this file
//	tls-ca = "~/certs/ca.pem"
//	paths = ["/election", "/scheduler/leader"]
//
// [Read] checks and parses the file. [Resolve] then adds the flags and the environment.
//
// Each key except paths is the name of a flag. The file contains no credentials; auth-file names a file
// that has them. [defaults] has only cluster, session-timeout, connect-timeout, admin, theme and no-mouse.
package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/pflag"

	"electop/ui/cli/help"
	"electop/zkwatch/wire"
)

// File is the user's configuration file.
type File struct {
	Path     string
	Missing  bool
	Defaults map[string]Value // by key
	Clusters []Cluster        // sorted by name
}

// Cluster is one [clusters.NAME] table of the file.
type Cluster struct {
	Name      string
	Values    map[string]Value // by key, without paths
	Paths     []string         // the elections to watch, each once
	PathsLine int              // the line of paths in the file
}

// Value holds the value of a flag as text, and the value's line in the file.
type Value struct {
	Text string
	Line int
}

const (
	defaultsTable = "defaults"
	clustersTable = "clusters"
)

func inDefaults() []string {
	return append(inScreen(), clusterKey, "session-timeout", "connect-timeout", adminKey)
}

// Parse reads text, the content of the file at path. A relative file name in text means a file in the
// directory of path. ~/ means the directory home. Errors name path and the line.
func Parse(path, home string, text []byte) (File, error) {
	f := File{Path: path, Defaults: map[string]Value{}}
	tables, err := decode(text)
	if err == nil {
		p := parser{dir: filepath.Dir(path), home: home, lines: linesOf(text)}
		err = p.parse(&f, tables)
	}
	if err != nil {
		return File{Path: path}, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

type parser struct {
	dir, home string
	lines     map[string]int
}

func (p *parser) parse(f *File, tables map[string]any) (err error) {
	for _, name := range p.inOrder("", tables) {
		table, ok := tables[name].(map[string]any)
		switch {
		case name != defaultsTable && name != clustersTable:
			return p.unknown(name, name, "there are [defaults] and [clusters.NAME]", defaultsTable, clustersTable)
		case !ok:
			return p.wrong(name, errors.New("want a table"))
		case name == defaultsTable:
			if f.Defaults, err = p.values(name, table, inDefaults()); err != nil {
				return err
			}
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(table)) {
			c, err := p.cluster(name, table[name])
			if err != nil {
				return err
			}
			f.Clusters = append(f.Clusters, c)
		}
	}
	if v, ok := f.Defaults[clusterKey]; ok {
		if _, err := f.Cluster(v.Text); err != nil {
			return p.wrong("defaults.cluster", err)
		}
	}
	return nil
}

var clusterName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`) })

func (p *parser) cluster(name string, value any) (c Cluster, err error) {
	c.Name = name
	key := clustersTable + "." + name
	table, ok := value.(map[string]any)
	switch {
	case !clusterName().MatchString(name):
		return c, p.wrong(clustersTable, fmt.Errorf("the name %q: want up to 64 letters, digits, _ and -", name))
	case !ok:
		return c, p.wrong(key, errors.New("want a table"))
	}
	if paths, ok := table[pathsKey]; ok {
		c.PathsLine = p.lines[key+".paths"]
		if c.Paths, err = checkPaths(paths); err != nil {
			return c, p.wrong(key+".paths", err)
		}
	}
	known := slices.DeleteFunc(slices.Clone(settings()), func(name string) bool { return name == clusterKey })
	if c.Values, err = p.values(key, table, known); err != nil {
		return c, err
	}
	if _, ok := c.Values[serversKey]; !ok {
		return c, p.wrong(key, errors.New("it has no servers: add servers = \"zk1:2181,zk2:2181\""))
	}
	called := map[string]string{tlsKey: "TLS", krb5Key: "Kerberos"}
	for _, name := range p.inOrder(key, table) {
		general := implied(name)
		if v, given := c.Values[general]; given && v.Text != "true" {
			return c, p.wrong(key+"."+name, fmt.Errorf("%s = false turns %s off", general, called[general]))
		}
	}
	return c, nil
}

func (p *parser) inOrder(table string, values map[string]any) []string {
	if table != "" {
		table += "."
	}
	return slices.SortedFunc(maps.Keys(values), func(a, b string) int {
		if n := p.lines[table+a] - p.lines[table+b]; n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
}

func (p *parser) values(table string, values map[string]any, known []string) (map[string]Value, error) {
	out := map[string]Value{}
	for _, name := range p.inOrder(table, values) {
		key, cluster := table+"."+name, table != defaultsTable
		switch {
		case cluster && name == pathsKey:
			continue
		case !slices.Contains(known, name) && !cluster && (name == pathsKey || slices.Contains(settings(), name)):
			return nil, p.unknown(key, "", "it belongs to a cluster, as in [clusters.NAME]")
		case !slices.Contains(known, name) && cluster:
			return nil, p.unknown(key, name, "", append(slices.Clone(known), pathsKey)...)
		case !slices.Contains(known, name):
			return nil, p.unknown(key, name, "", known...)
		}
		v, err := p.value(key, name, values[name])
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", p.lines[key], err)
		}
		out[name] = v
	}
	return out, nil
}

func (p *parser) value(key, name string, value any) (Value, error) {
	v := Value{Line: p.lines[key]}
	f := newFlags().Lookup(name)
	wrong := func(why string) (Value, error) { return v, fmt.Errorf("%s: %s", key, why) }
	yes, isBool := value.(bool)
	text, isText := value.(string)
	switch v.Text = strings.TrimSpace(text); {
	case f.Value.Type() == "bool" && !isBool:
		return wrong("want true or false")
	case isBool && f.Value.Type() == "bool":
		v.Text = strconv.FormatBool(yes)
	case !isText:
		return wrong("want a string")
	case v.Text == "":
		return wrong("it is empty")
	}
	if err := check(key, name, v.Text); err != nil {
		return v, err
	}
	if placeholder, _ := pflag.UnquoteUsage(f); placeholder == "FILE" {
		rest, ok := strings.CutPrefix(v.Text, "~/")
		switch {
		case ok && p.home == "":
			return wrong("~/ has no meaning here: HOME is not set")
		case ok:
			v.Text = filepath.Join(p.home, rest)
		case !filepath.IsAbs(v.Text):
			v.Text = filepath.Join(p.dir, v.Text)
		}
	}
	return v, nil
}

func checkPaths(value any) ([]string, error) {
	all, ok := value.([]any)
	if !ok {
		return nil, errors.New("want a list of strings")
	}
	var paths []string
	for _, one := range all {
		s, _ := one.(string)
		path := strings.TrimSuffix(s, "/")
		if !strings.HasPrefix(path, "/") || wire.ValidatePath(path) != nil {
			return nil, fmt.Errorf("%q is not the path of a znode below the root", s)
		}
		if slices.Contains(paths, path) {
			return nil, fmt.Errorf("%s is listed twice", path)
		}
		paths = append(paths, path)
	}
	return paths, nil
}

func (p *parser) wrong(key string, why error) error {
	return fmt.Errorf("line %d: %s: %w", p.lines[key], key, why)
}

var errSecret = errors.New("credentials belong in a file that auth-file names")

func (p *parser) unknown(key, name, advice string, known ...string) error {
	err := fmt.Errorf("line %d: unknown key %s", p.lines[key], key)
	secret := slices.ContainsFunc([]string{"password", "secret", "credential", "digest", "user"}, func(word string) bool {
		return strings.Contains(strings.ToLower(name), word)
	}) || strings.EqualFold(name, "auth") || strings.EqualFold(name, "sasl")
	near := strings.Join(help.Similar(name, known), " or ")
	switch {
	case secret:
		return fmt.Errorf("%w: %w", err, errSecret)
	case near != "":
		return fmt.Errorf("%w: did you mean %s?", err, near)
	case advice != "":
		return fmt.Errorf("%w: %s", err, advice)
	}
	return err
}

// Cluster returns the cluster called name.
func (f File) Cluster(name string) (Cluster, error) {
	var names []string
	for _, c := range f.Clusters {
		if c.Name == name {
			return c, nil
		}
		names = append(names, c.Name)
	}
	switch {
	case f.Missing:
		return Cluster{}, fmt.Errorf("no cluster %q: %s does not exist", name, f.Path)
	case len(names) == 0:
		return Cluster{}, fmt.Errorf("no cluster %q: %s has none", name, f.Path)
	}
	if near := help.Similar(name, names); len(near) > 0 {
		return Cluster{}, fmt.Errorf("no cluster %q: did you mean %s?", name, strings.Join(near, " or "))
	}
	return Cluster{}, fmt.Errorf("no cluster %q: there are %s", name, strings.Join(names, ", "))
}

const maxFile = 1 << 20 // bytes

// Place returns the path of the file. Place ignores a relative XDG_CONFIG_HOME, according to the XDG specification.
func Place(getenv func(string) string) (string, error) {
	var dir string
	var err error
	switch xdg, home := getenv("XDG_CONFIG_HOME"), getenv("HOME"); {
	case filepath.IsAbs(xdg):
		dir = xdg
	case runtime.GOOS == "windows" || runtime.GOOS == "darwin":
		dir, err = os.UserConfigDir()
	case filepath.IsAbs(home):
		dir = filepath.Join(home, ".config")
	default:
		err = errors.New("there is no place for a configuration file: neither XDG_CONFIG_HOME nor HOME is an absolute path")
	}
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "electop", "config.toml"), nil
}

// Read reads the file at path. File.Missing is set if the file does not exist.
//
// Read refuses a file that others could change to redirect credentials: its owner is neither this user nor root, its
// mode lets others write, or its directory lets every user replace it. On Windows, Read checks none of this.
func Read(path, home string) (File, error) {
	none := File{Path: path}
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // O_NONBLOCK: opening a FIFO must not wait
	if errors.Is(err, fs.ErrNotExist) {
		none.Missing = true
		return none, nil
	}
	if err != nil {
		return none, fmt.Errorf("configuration: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return none, fmt.Errorf("configuration: %w", err)
	}
	if err := trusted(path, info); err != nil {
		return none, err
	}
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	switch {
	case err != nil:
		return none, fmt.Errorf("configuration: %w", err)
	case len(text) > maxFile:
		return none, fmt.Errorf("%s: it is larger than %d bytes", path, maxFile)
	}
	f, err := Parse(path, home, text)
	if err != nil && errors.Is(err, errSecret) && info.Mode().Perm()&0o044 != 0 && runtime.GOOS != "windows" {
		err = fmt.Errorf("%w. Other users can read the file (mode %#o): run chmod 600, and change the credential", err, info.Mode().Perm())
	}
	return f, err
}

func trusted(path string, info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode.IsDir():
		return fmt.Errorf("%s: it is a directory", path)
	case !mode.IsRegular():
		return fmt.Errorf("%s: it is not a regular file", path)
	case mode.Perm()&0o022 != 0 && runtime.GOOS != "windows":
		return fmt.Errorf("%s: other users can write it (mode %#o): run chmod go-w", path, mode.Perm())
	}
	if owner, yes := ownedByOther(info); yes {
		return fmt.Errorf("%s: it belongs to another user (uid %d), who can change it: use a copy of your own, in your home directory or below XDG_CONFIG_HOME", path, owner)
	}
	target, _ := filepath.EvalSymlinks(path) // cannot fail while the file exists
	for _, dir := range []string{filepath.Dir(path), filepath.Dir(target)} {
		if d, err := os.Stat(dir); err == nil && d.Mode()&(0o002|fs.ModeSticky) == 0o002 && runtime.GOOS != "windows" {
			return fmt.Errorf("%s: every user can replace it: run chmod o-w %s", path, dir)
		}
	}
	return nil
}
