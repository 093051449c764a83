package sasl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
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

	maxFileSize = 1 << 20
	maxFiles    = 100
)

func loadConfig(getenv func(string) string) (conf *config.Config, cacheName string, err error) {
	r := configReader{sections: make(map[string][]string)}
	paths := filepath.SplitList(cmp.Or(getenv("KRB5_CONFIG"), defaultConfig))
	for _, path := range paths {
		if err := r.read(path); err != nil {
			return nil, "", fmt.Errorf("configuration of Kerberos: %w (set KRB5_CONFIG to use another file)", err)
		}
	}
	conf, err = config.NewFromString(r.text())
	if unsupported := (config.UnsupportedDirective{}); err != nil && !errors.As(err, &unsupported) {
		return nil, "", fmt.Errorf("configuration of Kerberos %s: %w", strings.Join(paths, ", "), err)
	}
	set := make(map[string]string)
	for _, line := range r.sections["libdefaults"] {
		key, value, _ := strings.Cut(line, "=")
		set[strings.TrimSpace(key)] = strings.TrimSpace(value)
	}
	if set["dns_lookup_kdc"] == "" { // the default of MIT Kerberos
		conf.LibDefaults.DNSLookupKDC = true
	}
	if set["default_tkt_enctypes"]+set["default_tgs_enctypes"]+set["permitted_enctypes"] == "" {
		// The library's default lists lack the SHA-2 types, and have types that checkKeyType refuses.
		conf.LibDefaults.DefaultTktEnctypeIDs, conf.LibDefaults.DefaultTGSEnctypeIDs = keyTypes(), keyTypes()
	}
	return conf, set["default_ccache_name"], nil
}

// A configReader handles two things that the library does not: includes, and a section in several parts.
type configReader struct {
	files    int
	names    []string // the sections' names, in order
	sections map[string][]string
	current  string
}

// includedName follows the rule of MIT Kerberos for includedir.
var includedName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_-]+$|^[^.].*\.conf$`) })

func (r *configReader) read(path string) error {
	if r.files++; r.files > maxFiles {
		return fmt.Errorf("%s: more than %d files", path, maxFiles)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFileSize+1))
	switch {
	case err != nil:
		return err
	case len(data) > maxFileSize:
		return fmt.Errorf("%s: it is larger than %d bytes", path, maxFileSize)
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
			r.current = line[1:strings.IndexByte(line, ']')]
			if !slices.Contains(r.names, r.current) {
				r.names = append(r.names, r.current)
			}
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
		if !e.IsDir() && includedName().MatchString(e.Name()) {
			if err := r.read(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *configReader) text() string {
	var b strings.Builder
	for _, name := range r.names {
		fmt.Fprintf(&b, "[%s]\n%s\n", name, strings.Join(r.sections[name], "\n"))
	}
	return b.String()
}

// DefaultService is the default service name of ZooKeeper's servers.
const DefaultService = "zookeeper"

// A service holds the parts of KerberosOptions.Service. host and realm may be empty.
type service struct{ name, host, realm string }

func parseService(text string) (s service, err error) {
	principal, realm, hasRealm := strings.Cut(cmp.Or(text, DefaultService), "@")
	name, host, hasHost := strings.Cut(principal, "/")
	s = service{name, host, realm}
	if name == "" || hasHost && (host == "" || strings.Contains(host, "/")) || hasRealm && (realm == "" || strings.Contains(realm, "@")) {
		return s, fmt.Errorf("service %q: want NAME or NAME/HOST, perhaps with @REALM", text)
	}
	if host == "_HOST" { // Hadoop's configurations write _HOST for the server's own host
		s.host = ""
	}
	return s, nil
}

type principal struct{ spn, realm string }

func (p principal) String() string { return p.spn + "@" + p.realm }

// names yields the possible principals of the server on host. An empty realm means the client's realm.
func (s service) names(ctx context.Context, host string, conf *config.Config) iter.Seq[principal] {
	return func(yield func(principal) bool) {
		var tried []principal
		try := func(hosts ...string) (more bool) {
			for _, h := range hosts {
				h = strings.ToLower(strings.TrimSuffix(h, "."))
				p := principal{s.name + "/" + h, cmp.Or(s.realm, conf.ResolveRealm(h))}
				if slices.Contains(tried, p) {
					continue
				}
				if tried = append(tried, p); !yield(p) {
					return false
				}
			}
			return true
		}
		isAddress := net.ParseIP(host) != nil
		switch {
		case s.host != "":
			try(s.host)
		case isAddress || try(host):
			try(append(canonical(ctx, host, isAddress, conf), host)...)
		}
	}
}

func canonical(ctx context.Context, host string, isAddress bool, conf *config.Config) (names []string) {
	if !conf.LibDefaults.DNSCanonicalizeHostname && !isAddress {
		return nil
	}
	addresses := []string{host}
	if !isAddress {
		if name, err := net.DefaultResolver.LookupCNAME(ctx, host); err == nil {
			names = append(names, name)
		}
		addresses, _ = net.DefaultResolver.LookupHost(ctx, host)
	}
	if !conf.LibDefaults.RDNS || len(addresses) == 0 {
		return names
	}
	found, _ := net.DefaultResolver.LookupAddr(ctx, addresses[0])
	return append(names, found...)
}
