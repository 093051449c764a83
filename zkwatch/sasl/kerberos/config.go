package kerberos

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/jcmturner/gokrb5/v8/config"
)

const (
	defaultConfig = "/etc/krb5.conf"

	maxConfig   = 1 << 20 // bytes of a file
	maxIncludes = 100     // files
)

// loadConfig reads krb5.conf: the files that KRB5_CONFIG names, or the system's.
// cacheName is its default_ccache_name.
func loadConfig(getenv func(string) string) (conf *config.Config, cacheName string, err error) {
	var r configReader
	paths := filepath.SplitList(cmp.Or(getenv("KRB5_CONFIG"), defaultConfig))
	for _, path := range paths {
		if err := r.read(path); err != nil {
			return nil, "", fmt.Errorf("configuration of Kerberos: %w (KRB5_CONFIG names another file)", err)
		}
	}
	conf, err = config.NewFromString(r.text())
	if unsupported := (config.UnsupportedDirective{}); err != nil && !errors.As(err, &unsupported) {
		return nil, "", fmt.Errorf("configuration of Kerberos %s: %w", strings.Join(paths, ", "), err)
	}
	for _, line := range r.sections["libdefaults"] {
		key, value, _ := strings.Cut(line, "=")
		switch strings.TrimSpace(key) {
		case "default_ccache_name":
			cacheName = strings.TrimSpace(value)
		case "dns_lookup_kdc":
			r.lookup = true
		case "default_tkt_enctypes", "default_tgs_enctypes", "permitted_enctypes":
			r.types = true
		}
	}
	if !r.lookup { // as other implementations do
		conf.LibDefaults.DNSLookupKDC = true
	}
	if !r.types { // the library's own lists lack the newer two, and have weak ones
		conf.LibDefaults.DefaultTktEnctypeIDs, conf.LibDefaults.DefaultTGSEnctypeIDs = keyTypes(), keyTypes()
	}
	return conf, cacheName, nil
}

// A configReader collects the lines of files by section. The library knows no include
// directives, and of sections that occur twice only the last.
type configReader struct {
	files    int
	names    []string // of the sections, in order
	sections map[string][]string
	current  string
	lookup   bool // the files say whether KDCs are looked up in DNS
	types    bool // the files say which types of keys to use
}

// fileName is what a file of includedir must be called.
var fileName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_-]+$|^[^.].*\.conf$`) })

func (r *configReader) read(path string) error {
	if r.files++; r.files > maxIncludes {
		return fmt.Errorf("%s: more than %d files", path, maxIncludes)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	switch {
	case err != nil:
		return err
	case len(data) > maxConfig:
		return fmt.Errorf("%s: it is larger than %d bytes", path, maxConfig)
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		switch directive, argument, _ := strings.Cut(line, " "); {
		case line == "" || line[0] == '#' || line[0] == ';':
		case directive == "include":
			err = r.read(strings.TrimSpace(argument))
		case directive == "includedir":
			err = r.readDir(strings.TrimSpace(argument))
		case line[0] == '[' && strings.Contains(line, "]"):
			r.section(line[1:strings.IndexByte(line, ']')])
		case r.current != "":
			r.sections[r.current] = append(r.sections[r.current], line)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

func (r *configReader) readDir(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() || !fileName().MatchString(e.Name()) {
			continue
		}
		if err := r.read(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func (r *configReader) section(name string) {
	r.current = name
	if r.sections == nil {
		r.sections = map[string][]string{}
	}
	if !slices.Contains(r.names, name) {
		r.names = append(r.names, name)
	}
}

func (r *configReader) text() string {
	var b strings.Builder
	for _, name := range r.names {
		fmt.Fprintf(&b, "[%s]\n%s\n", name, strings.Join(r.sections[name], "\n"))
	}
	return b.String()
}
