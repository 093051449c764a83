package config

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"electop/ui/cli/cluster"
	"electop/ui/term"
	"electop/zkwatch/admin"
	"electop/zkwatch/client"
)

// The keys that rules are about.
const (
	clusterKey  = "cluster"
	serversKey  = "servers"
	tlsKey      = "tls"
	krb5Key     = "krb5"
	adminKey    = "admin"
	adminURLKey = "admin-url"
)

// Key is a setting with the name of its flag.
type Key struct {
	Name   string
	check  func(string) error
	file   bool // the name of a file
	screen bool // about every dashboard, also that of the demo
}

// Variable is the environment variable that has the setting.
func (k Key) Variable() string {
	return "ELECTOP_" + strings.ToUpper(strings.ReplaceAll(k.Name, "-", "_"))
}

// Keys are the settings that the environment or the file may have.
func Keys() []Key {
	return []Key{
		{Name: clusterKey, check: anything},
		{Name: serversKey, check: func(s string) error { _, err := cluster.ParseServers(s); return err }},
		{Name: "session-timeout", check: checkSessionTimeout},
		{Name: "connect-timeout", check: checkTimeout},
		{Name: "auth-file", check: anything, file: true},
		{Name: tlsKey, check: checkBool},
		{Name: "tls-ca", check: anything, file: true},
		{Name: "tls-cert", check: anything, file: true},
		{Name: "tls-key", check: anything, file: true},
		{Name: "tls-server-name", check: anything},
		{Name: krb5Key, check: checkBool},
		{Name: "krb5-keytab", check: anything, file: true},
		{Name: "krb5-principal", check: anything},
		{Name: "krb5-service", check: anything},
		{Name: adminKey, check: func(s string) error { _, err := admin.ParseMode(s); return err }},
		{Name: adminURLKey, check: checkURL},
		{Name: "theme", check: CheckTheme, screen: true},
		{Name: "no-mouse", check: checkBool, screen: true},
	}
}

func keyNamed(name string) (Key, bool) {
	keys := Keys()
	i := slices.IndexFunc(keys, func(k Key) bool { return k.Name == name })
	if i < 0 {
		return Key{}, false
	}
	return keys[i], true
}

// OnScreen reports whether a setting is about every dashboard, also that of the demo.
func OnScreen(name string) bool {
	key, _ := keyNamed(name)
	return key.screen
}

func anything(string) error { return nil }

func checkBool(s string) error {
	if _, err := strconv.ParseBool(s); err != nil {
		return fmt.Errorf("%q: give true or false", s)
	}
	return nil
}

func checkTimeout(s string) error {
	if d, err := time.ParseDuration(s); err != nil || d < 0 {
		return fmt.Errorf("%q: give a duration, as in 500ms, 10s or 2m", s)
	}
	return nil
}

func checkSessionTimeout(s string) error {
	if err := checkTimeout(s); err != nil {
		return err
	}
	if d, _ := time.ParseDuration(s); d < time.Millisecond || d > math.MaxInt32*time.Millisecond {
		return fmt.Errorf("%s: between 1ms and 24 days", s)
	}
	return nil
}

// checkURL never repeats the URL, which may hold a password.
func checkURL(s string) error {
	if u, err := url.Parse(strings.ReplaceAll(s, "{host}", "host")); err == nil && u.User != nil {
		return errors.New("a user name or password has no place here")
	}
	return admin.CheckURL(s)
}

// Themes are the values of --theme.
func Themes() []string { return []string{term.Auto, term.Dark, term.Light, term.Mono} }

// CheckTheme refuses what is no theme.
func CheckTheme(s string) error {
	if !slices.Contains(Themes(), s) {
		return fmt.Errorf("%q: give %s", s, "auto, dark, light or mono")
	}
	return nil
}

// checkPaths returns a list of paths of elections, without a / at their end.
func checkPaths(value any) ([]string, error) {
	all, _ := value.([]any)
	var paths []string
	for _, one := range all {
		s, _ := one.(string)
		path := strings.TrimSuffix(s, "/")
		if !strings.HasPrefix(path, "/") || client.ValidatePath(path) != nil {
			return nil, fmt.Errorf("%q is not the path of a znode below the root", s)
		}
		if slices.Contains(paths, path) {
			return nil, fmt.Errorf("%s is there twice", path)
		}
		paths = append(paths, path)
	}
	return paths, nil
}
