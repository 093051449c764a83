package config_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"electop/ui/cli/config"
)

const valid = `[defaults]
cluster = "prod"
theme = "dark"
session-timeout = "6s"

[clusters.prod]
servers = "zk1:2181,zk2/app"
auth-file = "prod.auth"
tls = true
tls-ca = "~/ca.pem"
theme = "light"
paths = ["/election", "/b/"]

[clusters]
dev = { servers = "localhost" }
`

func parse(t *testing.T, text string) config.File {
	t.Helper()
	f, err := config.Parse("/etc/x/config.toml", "/home/u", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestParse(t *testing.T) {
	t.Parallel()
	f := parse(t, valid)
	if len(f.Clusters) != 2 || f.Clusters[0].Name != "dev" || f.Clusters[1].Name != "prod" {
		t.Fatalf("clusters %+v, want dev and prod", f.Clusters)
	}
	prod := f.Clusters[1]
	for key, want := range map[string]config.Value{
		"servers":   {Text: "zk1:2181,zk2/app", Line: 7},
		"auth-file": {Text: "/etc/x/prod.auth", Line: 8},
		"tls":       {Text: "true", Line: 9},
		"tls-ca":    {Text: "/home/u/ca.pem", Line: 10},
		"theme":     {Text: "light", Line: 11},
	} {
		if got := prod.Values[key]; got != want {
			t.Errorf("%s: %+v, want %+v", key, got, want)
		}
	}
	if !slices.Equal(prod.Paths, []string{"/election", "/b"}) || prod.PathsLine != 12 {
		t.Errorf("paths %q in line %d, want /election and /b in line 12", prod.Paths, prod.PathsLine)
	}
	if got := f.Clusters[0].Values["servers"]; got != (config.Value{Text: "localhost", Line: 15}) {
		t.Errorf("servers of dev: %+v, want localhost in line 15", got)
	}
	if got := f.Defaults["session-timeout"]; got != (config.Value{Text: "6s", Line: 4}) {
		t.Errorf("defaults %+v, want session-timeout 6s in line 4", f.Defaults)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	const prod = "[clusters.prod]\nservers = \"zk1\"\n"
	for text, want := range map[string]string{
		"hello":                                    "line 1: not TOML: ",
		"[clusters.prod]\nservers = \"zk1":         "line 2: not TOML: ",
		prod + "[clusters.prod]\n":                 "line 3: clusters.prod: table prod already exists",
		prod + "servers = \"zk2\"":                 "line 3: servers: key servers is already defined",
		prod + "colour = 1":                        "line 3: unknown key clusters.prod.colour",
		prod + "auth_file = \"f\"":                 "unknown key clusters.prod.auth_file: did you mean auth-file?",
		prod + "Theme = \"dark\"":                  "line 3: unknown key clusters.prod.Theme: did you mean theme?",
		prod + "password = \"sesame\"":             "line 3: unknown key clusters.prod.password: credentials belong in a file that auth-file names",
		prod + "auth = \"digest:u:sesame\"":        "credentials belong in a file that auth-file names",
		"servers = \"zk1\"":                        "line 1: unknown key servers: there are [defaults] and [clusters.NAME]",
		"[cluster.prod]\nservers = \"z\"":          "line 1: unknown key cluster: did you mean clusters?",
		"[Clusters.prod]\nservers = \"z\"":         "line 1: unknown key Clusters: did you mean clusters?",
		"[defaults]\nauth-file = \"f\"":            "line 2: unknown key defaults.auth-file: it belongs to a cluster",
		"[defaults]\nthem = \"dark\"":              "unknown key defaults.them: did you mean theme?",
		"[defaults]\ncluster = \"prod\"":           "line 2: defaults.cluster: no cluster \"prod\": /c.toml has none",
		"[clusters.prod]\nservers = [\"zk1\"]":     "line 2: clusters.prod.servers: want a string",
		prod + "tls = \"yes\"":                     "line 3: clusters.prod.tls: want true or false",
		prod + "paths = \"/a\"":                    "line 3: clusters.prod.paths: want a list of strings",
		prod + "paths = [\"a\"]":                   "line 3: clusters.prod.paths: \"a\" is not the path of a znode",
		prod + "paths = [\"/a\", \"/a/\"]":         "clusters.prod.paths: /a is listed twice",
		prod + "theme = \"pink\"":                  "line 3: clusters.prod.theme: \"pink\": give auto, dark, light or mono",
		prod + "session-timeout = \"10\"":          "line 3: clusters.prod.session-timeout: \"10\": give a duration",
		prod + "session-timeout = \"1ns\"":         "between 1ms and 24 days",
		prod + "connect-timeout = \"-1s\"":         "line 3: clusters.prod.connect-timeout -1s is negative",
		prod + "admin = \"telnet\"":                "want auto, http, 4lw or off",
		prod + "admin-url = \"ftp://x\"":           "want http or https",
		prod + "tls-ca = \" \"":                    "line 3: clusters.prod.tls-ca: it is empty",
		prod + "krb5 = false\nkrb5-keytab = \"f\"": "line 4: clusters.prod.krb5-keytab: krb5 = false turns Kerberos off",
		prod + "tls = false\ntls-ca = \"f\"":       "line 4: clusters.prod.tls-ca: tls = false turns TLS off",
		"[clusters.prod]\ntls = true":              "line 1: clusters.prod: it has no servers",
		"[clusters.prod]\nservers = \"a:1,,b\"":    "line 2: clusters.prod.servers: ",
		"[[defaults]]":                             "line 1: defaults: want a table",
		"clusters = { a = 1 }":                     "line 1: clusters.a: want a table",
		"[clusters.\"$(id)\"]\nservers = \"z\"":    "the name \"$(id)\": want up to 64 letters",
	} {
		_, err := config.Parse("/c.toml", "/home/u", []byte(text))
		if err == nil || !strings.HasPrefix(err.Error(), "/c.toml: line ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got error\n  %v\nwant\n  %s", text, err, want)
		} else if strings.Contains(err.Error(), "sesame") {
			t.Errorf("%q: a secret is shown: %v", text, err)
		}
	}
	_, err := config.Parse("/c.toml", "", []byte(prod+"admin-url = \"http://u:sesame@h/commands\""))
	if err == nil || strings.Contains(err.Error(), "sesame") {
		t.Errorf("a password in a URL: error %v, want an error without the password", err)
	}
	if _, err := config.Parse("/c.toml", "", []byte("[defaults]\npths = ['/a']")); err == nil || strings.Contains(err.Error(), "paths") {
		t.Errorf("got %v, want a refusal that does not suggest a cluster's key", err)
	}
	if _, err := config.Parse("/c.toml", "", []byte(prod+"tls-ca = \"~/x\"")); err == nil || !strings.Contains(err.Error(), "HOME is not set") {
		t.Errorf("~/ without a home: error %v, want %q", err, "HOME is not set")
	}
}

func TestUnknownCluster(t *testing.T) {
	t.Parallel()
	f := parse(t, valid)
	for name, want := range map[string]string{
		"prdo": `no cluster "prdo": did you mean prod?`,
		"PROD": `no cluster "PROD": did you mean prod?`,
		"test": `no cluster "test": there are dev, prod`,
	} {
		if _, err := f.Cluster(name); err == nil || err.Error() != want {
			t.Errorf("cluster %q: got error %v, want %s", name, err, want)
		}
	}
	if _, err := (config.File{Path: "/c.toml", Missing: true}).Cluster("a"); err == nil || err.Error() != `no cluster "a": /c.toml does not exist` {
		t.Errorf("a missing file: got error %v, want that the file does not exist", err)
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if f, err := config.Read(filepath.Join(dir, "none"), ""); err != nil || !f.Missing {
		t.Errorf("a file that does not exist: %+v, %v; want Missing", f, err)
	}
	if f, err := config.Read(write("valid", valid, 0o644), "/home/u"); err != nil || len(f.Clusters) != 2 {
		t.Errorf("a file that others can read: %+v, %v; want 2 clusters", f, err)
	}
	if f, err := config.Read(write("empty", "", 0o600), ""); err != nil || f.Missing || len(f.Clusters) != 0 {
		t.Errorf("an empty file: %+v, %v; want no cluster", f, err)
	}
	sticky := filepath.Join(dir, "sticky")
	if err := errors.Join(os.Mkdir(sticky, 0o700), os.Chmod(sticky, 0o777|os.ModeSticky)); err != nil {
		t.Fatal(err)
	}
	if f, err := config.Read(write("sticky/valid", valid, 0o600), "/home/u"); err != nil || len(f.Clusters) != 2 {
		t.Errorf("a file in a sticky directory: %+v, %v; want 2 clusters", f, err)
	}
	wrong := map[string]string{
		dir: "it is a directory",
		write("huge", strings.Repeat("#\n", 1<<20), 0o600): "larger than 1048576 bytes",
		filepath.Join(dir, "valid", "below"):               "not a directory",
	}
	if runtime.GOOS != "windows" {
		wrong[write("group", valid, 0o620)] = "other users can write it (mode 0620): run chmod go-w"
		wrong[write("all", valid, 0o602)] = "other users can write it"
		wrong[os.DevNull] = "not a regular file"
		open := filepath.Join(dir, "open")
		if err := errors.Join(os.Mkdir(open, 0o700), os.Chmod(open, 0o777)); err != nil {
			t.Fatal(err)
		}
		inOpen := write("open/valid", valid, 0o600)
		wrong[inOpen] = "every user can replace it: run chmod o-w " + open
		link := filepath.Join(dir, "link")
		if err := os.Symlink(inOpen, link); err != nil {
			t.Fatal(err)
		}
		wrong[link] = "every user can replace it: run chmod o-w " + open
		wrong[write("secret", "[clusters.a]\npassword = 'sesame'", 0o644)] = "Other users can read the file (mode 0644): run chmod 600, and change the credential"
		if os.Geteuid() != 0 {
			wrong[write("unreadable", valid, 0)] = "permission denied"
		} else { // only root can change the owner
			ofOtherUser := write("other-user", valid, 0o600)
			if err := os.Chown(ofOtherUser, 12345, -1); err != nil {
				t.Fatal(err)
			}
			wrong[ofOtherUser] = "it belongs to another user (uid 12345)"
		}
	}
	for path, want := range wrong {
		if _, err := config.Read(path, ""); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: got error %v, want one with %q and without the password", path, err, want)
		}
	}
}

func TestPlace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ xdg, home, want string }{
		{"/x", "/h", "/x/electop/config.toml"},
		{"", "/h", "/h/.config/electop/config.toml"},
		{"relative", "/h", "/h/.config/electop/config.toml"},
		{"", "", ""},
	} {
		if runtime.GOOS != "linux" && c.xdg != "/x" {
			continue // macOS and Windows have another directory
		}
		getenv := func(name string) string { return map[string]string{"XDG_CONFIG_HOME": c.xdg, "HOME": c.home}[name] }
		if got, err := config.Place(getenv); got != filepath.FromSlash(c.want) || (err == nil) != (c.want != "") {
			t.Errorf("%+v: got %q, error %v; want %q", c, got, err, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(valid)
	f.Add("[clusters.a]\nservers='x'\n[[defaults]]\na={b={c=1}}")
	f.Add("clusters.a.servers = 'x'\nclusters.a.paths=['/a']")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := config.Parse("/c.toml", "/home/u", []byte(text))
		for _, c := range file.Clusters {
			if v := c.Values["servers"]; v.Text == "" || v.Line < 1 {
				t.Errorf("%q, error %v: a cluster without servers, or without their line: %+v", text, err, c)
			}
		}
	})
}

func TestResolve(t *testing.T) {
	t.Parallel()
	f := parse(t, valid)
	for _, c := range []struct {
		flags, env map[string]string
		want       string
	}{
		{nil, nil, "cluster=prod@2 auth-file=/etc/x/prod.auth@8 servers=zk1:2181,zk2/app@7 session-timeout=6s@4 theme=light@11 tls=true@9 tls-ca=/home/u/ca.pem@10 paths=2@12"},
		{map[string]string{"cluster": "dev"}, nil, "cluster=dev@--cluster servers=localhost@15 session-timeout=6s@4 theme=dark@3"},
		{nil, map[string]string{"ELECTOP_CLUSTER": "dev", "ELECTOP_THEME": "mono"}, "cluster=dev@ELECTOP_CLUSTER servers=localhost@15 session-timeout=6s@4 theme=mono@ELECTOP_THEME"},
		{map[string]string{"cluster": "dev"}, map[string]string{"ELECTOP_CLUSTER": "prod"}, "cluster=dev@--cluster servers=localhost@15 session-timeout=6s@4 theme=dark@3"},
		{map[string]string{"cluster": "dev", "session-timeout": "9s"}, map[string]string{"ELECTOP_TLS_CA": "/ca", "ELECTOP_TLS": " "}, "cluster=dev@--cluster servers=localhost@15 session-timeout=9s@--session-timeout theme=dark@3 tls-ca=/ca@ELECTOP_TLS_CA"},
		// Other servers must not get a cluster's credentials.
		{map[string]string{"servers": "zk9"}, nil, "cluster= servers=zk9@--servers session-timeout=6s@4 theme=dark@3"},
		{map[string]string{"servers": "zk9"}, map[string]string{"ELECTOP_CLUSTER": "prod"}, "cluster= servers=zk9@--servers session-timeout=6s@4 theme=dark@3"},
		{nil, map[string]string{"ELECTOP_SERVERS": "zk9"}, "cluster= servers=zk9@ELECTOP_SERVERS session-timeout=6s@4 theme=dark@3"},
		{map[string]string{"cluster": "dev"}, map[string]string{"ELECTOP_SERVERS": "zk9"}, "cluster=dev@--cluster servers=localhost@15 session-timeout=6s@4 theme=dark@3"},
		// --krb5=false and --tls=false discard the other Kerberos and TLS settings of the environment and the file.
		{map[string]string{"servers": "x", "krb5": "false"}, map[string]string{"ELECTOP_KRB5_KEYTAB": "/keys", "ELECTOP_KRB5_SERVICE": "zk"}, "cluster= krb5=false@--krb5 servers=x@--servers session-timeout=6s@4 theme=dark@3"},
		{map[string]string{"cluster": "prod", "tls": "false"}, map[string]string{"ELECTOP_TLS_CERT": "/cert"}, "cluster=prod@--cluster auth-file=/etc/x/prod.auth@8 servers=zk1:2181,zk2/app@7 session-timeout=6s@4 theme=light@11 tls=false@--tls paths=2@12"},
	} {
		s, err := config.Resolve(f, c.flags, func(name string) string { return c.env[name] }, false)
		if err != nil {
			t.Errorf("flags %v, environment %v: %v", c.flags, c.env, err)
			continue
		}
		if got := described(s); got != c.want {
			t.Errorf("flags %v, environment %v: got\n  %s, want\n  %s", c.flags, c.env, got, c.want)
		}
	}
}

func described(s config.Settings) string {
	origin := func(o config.Origin) string {
		switch o.Kind {
		case config.Default:
			return ""
		case config.InFile:
			return fmt.Sprint("@", o.Line)
		}
		return "@" + o.String()
	}
	out := "cluster=" + s.Cluster.Text + origin(s.Cluster.Origin)
	keys := []string{"admin", "admin-url", "auth-file", "cluster", "connect-timeout", "krb5", "krb5-keytab", "krb5-principal", "krb5-service", "no-mouse", "servers", "session-timeout", "theme", "tls", "tls-ca", "tls-cert", "tls-key", "tls-server-name"}
	for _, key := range keys {
		if v, ok := s.Values[key]; ok {
			out += " " + key + "=" + v.Text + origin(v.Origin)
		}
	}
	if len(s.Paths) > 0 {
		out += fmt.Sprint(" paths=", len(s.Paths), origin(s.PathsOrigin))
	}
	return out
}

func TestResolveRefuses(t *testing.T) {
	t.Parallel()
	f := parse(t, valid)
	for _, c := range []struct {
		flags, env map[string]string
		want       string
	}{
		{map[string]string{"cluster": "prod", "servers": "x"}, nil, "--cluster and --servers both choose the cluster"},
		{nil, map[string]string{"ELECTOP_CLUSTER": "prod", "ELECTOP_SERVERS": "x"}, "ELECTOP_CLUSTER and ELECTOP_SERVERS both choose the cluster"},
		{map[string]string{"cluster": "prdo"}, nil, `--cluster: no cluster "prdo": did you mean prod?`},
		{nil, map[string]string{"ELECTOP_CLUSTER": "test"}, `ELECTOP_CLUSTER: no cluster "test": there are dev, prod`},
	} {
		if _, err := config.Resolve(f, c.flags, func(name string) string { return c.env[name] }, false); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("flags %v, environment %v: got error %v, want %s", c.flags, c.env, err, c.want)
		}
	}
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
