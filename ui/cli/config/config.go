// Package config is the user's file of clusters, and which of a flag, the environment
// and the file decides a setting.
//
//	[defaults]                   # for every command
//	cluster = "prod"             # without --servers and --cluster
//	theme = "dark"
//
//	[clusters.prod]
//	servers = "zk1:2181,zk2:2181,zk3:2181/app"
//	auth-file = "prod.auth"      # beside this file
//	tls-ca = "~/certs/ca.pem"
//	paths = ["/election", "/scheduler/leader"]
//
// Keys are the flags' names. The file never holds a credential: it names the auth file.
// The defaults hold nothing about credentials, Kerberos or TLS, which belong to one cluster.
package config

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"electop/model/stricttoml"
)

// File is the user's file.
type File struct {
	Path     string
	Missing  bool
	Defaults map[string]Value // by key
	Clusters []Cluster        // by name
}

// Cluster is one entry of the file.
type Cluster struct {
	Name   string
	Values map[string]Value // by key, without the paths
	Paths  []string         // the elections to watch, each once
	// PathsLine is where the paths are.
	PathsLine int
}

// Value is the text of a flag, and the line of the file that has it.
type Value struct {
	Text string
	Line int
}

// layout is what the file may hold; strict decoding compares the text with it.
type layout struct {
	Defaults struct {
		Cluster        string `toml:"cluster"`
		Theme          string `toml:"theme"`
		NoMouse        bool   `toml:"no-mouse"`
		Admin          string `toml:"admin"`
		SessionTimeout string `toml:"session-timeout"`
		ConnectTimeout string `toml:"connect-timeout"`
	} `toml:"defaults"`
	Clusters map[string]struct {
		Servers        string   `toml:"servers"`
		SessionTimeout string   `toml:"session-timeout"`
		ConnectTimeout string   `toml:"connect-timeout"`
		AuthFile       string   `toml:"auth-file"`
		TLS            bool     `toml:"tls"`
		CA             string   `toml:"tls-ca"`
		Cert           string   `toml:"tls-cert"`
		Key            string   `toml:"tls-key"`
		ServerName     string   `toml:"tls-server-name"`
		Krb5           bool     `toml:"krb5"`
		Krb5Keytab     string   `toml:"krb5-keytab"`
		Krb5Principal  string   `toml:"krb5-principal"`
		Krb5Service    string   `toml:"krb5-service"`
		Admin          string   `toml:"admin"`
		AdminURL       string   `toml:"admin-url"`
		Theme          string   `toml:"theme"`
		NoMouse        bool     `toml:"no-mouse"`
		Paths          []string `toml:"paths"`
	} `toml:"clusters"`
}

// Parse reads the text of the file at path. Relative names of files in it are below the
// file's directory, or below home if they begin with ~/. Errors name the file and the line.
func Parse(path, home string, text []byte) (File, error) {
	f := File{Path: path, Defaults: map[string]Value{}}
	var strict layout
	err := stricttoml.Decode(text, &strict)
	if err == nil {
		p := parser{dir: filepath.Dir(path), home: home, lines: stricttoml.Lines(text)}
		err = p.parse(&f, text)
	}
	if err != nil {
		return File{Path: path}, fmt.Errorf("%s: %w", path, advised(err))
	}
	return f, nil
}

// parser takes the values out of a text.
type parser struct {
	dir, home string
	lines     map[string]int
}

func (p *parser) parse(f *File, text []byte) error {
	whole := map[string]map[string]any{}
	if err := stricttoml.Decode(text, &whole); err != nil {
		return err
	}
	for _, table := range slices.Sorted(maps.Keys(whole)) {
		switch table {
		case "defaults":
			for _, key := range p.inOrder(table, whole[table]) {
				v, err := p.value(table, key, whole[table][key])
				if err != nil {
					return err
				}
				f.Defaults[key] = v
			}
		case "clusters":
			for _, name := range slices.Sorted(maps.Keys(whole[table])) {
				values, _ := whole[table][name].(map[string]any)
				c, err := p.cluster(name, values)
				if err != nil {
					return err
				}
				f.Clusters = append(f.Clusters, c)
			}
		default: // the decoder takes Clusters for clusters
			return p.unknown(table)
		}
	}
	if v, ok := f.Defaults[clusterKey]; ok {
		if _, err := f.Cluster(v.Text); err != nil {
			return fmt.Errorf("line %d: defaults.cluster: %w", v.Line, err)
		}
	}
	return nil
}

var clusterName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`) })

func (p *parser) cluster(name string, values map[string]any) (Cluster, error) {
	table := "clusters." + name
	c := Cluster{Name: name, Values: map[string]Value{}}
	if !clusterName().MatchString(name) {
		return c, p.wrong("clusters", fmt.Errorf("the name %q: want up to 64 letters, digits, _ and -", name))
	}
	for _, key := range p.inOrder(table, values) {
		if key == "paths" {
			c.PathsLine = p.lines[table+".paths"]
			var err error
			if c.Paths, err = checkPaths(values[key]); err != nil {
				return c, p.wrong(table+".paths", err)
			}
			continue
		}
		v, err := p.value(table, key, values[key])
		if err != nil {
			return c, err
		}
		c.Values[key] = v
	}
	if _, ok := c.Values[serversKey]; !ok {
		return c, p.wrong(table, errors.New("it has no servers, as in servers = \"zk1:2181,zk2:2181\""))
	}
	return c, c.contradiction(p)
}

// contradiction is what cannot be meant together.
func (c Cluster) contradiction(p *parser) error {
	why := map[string]string{
		tlsKey:  "tls = false says that there is no TLS",
		krb5Key: "krb5 = false says that there is no Kerberos",
	}
	for _, key := range slices.Sorted(maps.Keys(c.Values)) {
		general := implied(key)
		if v, given := c.Values[general]; given && general != "" && v.Text != "true" {
			return p.wrong("clusters."+c.Name+"."+key, errors.New(why[general]))
		}
	}
	return nil
}

// inOrder are the keys of a table as they stand in the file.
func (p *parser) inOrder(table string, values map[string]any) []string {
	return slices.SortedFunc(maps.Keys(values), func(a, b string) int {
		if n := p.lines[table+"."+a] - p.lines[table+"."+b]; n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
}

// value checks the value of a key and makes it the text of a flag.
func (p *parser) value(table, name string, value any) (Value, error) {
	key, known := keyNamed(name)
	if !known { // the decoder takes SERVERS for servers
		return Value{}, p.unknown(table + "." + name)
	}
	v := Value{Line: p.lines[table+"."+name]}
	switch x := value.(type) {
	case bool:
		v.Text = strconv.FormatBool(x)
	case string:
		v.Text = strings.TrimSpace(x)
	}
	if v.Text == "" {
		return v, p.wrong(table+"."+name, errors.New("it is empty"))
	}
	if err := key.check(v.Text); err != nil {
		return v, p.wrong(table+"."+name, err)
	}
	if key.file {
		rest, ok := strings.CutPrefix(v.Text, "~/")
		switch {
		case ok && p.home == "":
			return v, p.wrong(table+"."+name, errors.New("~/ has no meaning here: HOME is not set"))
		case ok:
			v.Text = filepath.Join(p.home, rest)
		case !filepath.IsAbs(v.Text):
			v.Text = filepath.Join(p.dir, v.Text)
		}
	}
	return v, nil
}

func (p *parser) unknown(key string) error {
	return &stricttoml.Error{Line: p.lines[key], Key: key, Unknown: true, Why: "unknown key " + key}
}

func (p *parser) wrong(key string, why error) error {
	return fmt.Errorf("line %d: %s: %w", p.lines[key], key, why)
}

// Cluster returns the cluster of that name. If there is none, the error names those
// that may be meant.
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
	if near := similar(name, names); near != "" {
		return Cluster{}, fmt.Errorf("no cluster %q: did you mean %s?", name, near)
	}
	return Cluster{}, fmt.Errorf("no cluster %q: there are %s", name, strings.Join(names, ", "))
}
