package config

import (
	"fmt"
	"strconv"
	"strings"
)

// Kind is what decided a setting. A higher one wins.
type Kind int

// The kinds.
const (
	Default Kind = iota
	InFile
	Environment
	Flag
)

func (k Kind) String() string {
	return [...]string{"default", "file", "environment", "flag"}[k]
}

// Origin is where a setting is from.
type Origin struct {
	Kind Kind
	Name string // of the flag, the variable or the file
	Line int    // of the file
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

// Setting is the text of a flag, and where it is from.
type Setting struct {
	Text   string
	Origin Origin
}

// Settings are what is not left to the defaults.
type Settings struct {
	Cluster Setting            // its name; "" if --servers or nothing says which
	Values  map[string]Setting // by key
	Paths   []string           // of the cluster
	// PathsOrigin is where the cluster's paths are.
	PathsOrigin Origin
}

// Resolve returns the settings of a command that got flags, by name with their values: a
// flag beats the environment, which beats the file. The cluster is one setting, whether its
// name or its servers say which it is: a cluster of the file counts only as a whole.
func Resolve(f File, flags map[string]string, getenv func(string) string) (Settings, error) {
	s := Settings{Values: map[string]Setting{}}
	for _, key := range Keys() {
		if text, ok := flags[key.Name]; ok {
			s.Values[key.Name] = Setting{text, Origin{Flag, key.Name, 0}}
			continue
		}
		name := key.Variable()
		text := strings.TrimSpace(getenv(name)) // nothing but spaces is unset
		if text == "" {
			continue
		}
		if err := key.check(text); err != nil {
			return s, fmt.Errorf("%s: %w", name, err)
		}
		s.Values[key.Name] = Setting{text, Origin{Environment, name, 0}}
	}
	inFile := func(values map[string]Value) {
		for key, v := range values {
			if s.Values[key].Origin.Kind == Default {
				s.Values[key] = Setting{v.Text, Origin{InFile, f.Path, v.Line}}
			}
		}
	}
	if err := s.choose(f); err != nil {
		return s, err
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
	s.yield()
	return s, nil
}

// choose decides which cluster it is: by its servers, which stay in the values, or by
// its name.
func (s *Settings) choose(f File) error {
	cluster, servers := s.Values[clusterKey], s.Values[serversKey]
	switch c, v := cluster.Origin.Kind, servers.Origin.Kind; {
	case c == Default && v == Default:
		if d, ok := f.Defaults[clusterKey]; ok {
			s.Cluster = Setting{d.Text, Origin{InFile, f.Path, d.Line}}
		}
	case c == v:
		return fmt.Errorf("%s and %s both say which cluster: give one of them", cluster.Origin, servers.Origin)
	case c > v:
		s.Cluster = cluster
		delete(s.Values, serversKey)
	}
	return nil
}

// yield drops what a setting of a higher kind says is not wanted: the details of TLS
// under --tls=false and of Kerberos under --krb5=false, and the AdminServers' URL under --admin off.
func (s *Settings) yield() {
	for key, v := range s.Values {
		var by Setting
		var off bool
		switch implying := implied(key); {
		case implying != "":
			by = s.Values[implying]
			off = isFalse(by.Text)
		case key == adminURLKey:
			by = s.Values[adminKey]
			off = by.Text == "off" || by.Text == "4lw"
		}
		if off && by.Origin.Kind > v.Origin.Kind {
			delete(s.Values, key)
		}
	}
}

// implied is the key that a key implies: the details of TLS imply it, and those of
// Kerberos likewise; "" for other keys.
func implied(key string) string {
	for _, general := range []string{tlsKey, krb5Key} {
		if strings.HasPrefix(key, general+"-") {
			return general
		}
	}
	return ""
}

func isFalse(text string) bool {
	b, err := strconv.ParseBool(text)
	return err == nil && !b
}
