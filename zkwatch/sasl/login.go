package sasl

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jcmturner/gokrb5/v8/config"
	"github.com/jcmturner/gokrb5/v8/credentials"
	"github.com/jcmturner/gokrb5/v8/iana/nametype"
	"github.com/jcmturner/gokrb5/v8/keytab"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/types"
)

type login struct {
	user, realm string
	keytab      *keytab.Keytab // nil for a ticket cache
	file        string
}

func (l login) principal() string { return l.user + "@" + l.realm }

func (l login) String() string {
	if l.keytab == nil {
		return l.principal() + " of ticket cache " + l.file
	}
	return l.principal() + " of keytab " + l.file
}

func splitPrincipal(principal string, conf *config.Config) (user, realm string, err error) {
	user, realm, _ = strings.Cut(principal, "@")
	realm = cmp.Or(realm, conf.LibDefaults.DefaultRealm)
	switch {
	case user == "" || strings.Contains(realm, "@"):
		return "", "", fmt.Errorf("principal %q: want NAME, NAME/HOST or one of these with @REALM", principal)
	case realm == "":
		return "", "", fmt.Errorf("principal %q: it has no realm, and the Kerberos configuration has no default_realm", principal)
	}
	return user, realm, nil
}

// loadKeytab restricts conf.LibDefaults.DefaultTktEnctypeIDs to the types of the principal's keys.
func loadKeytab(file, principal string, conf *config.Config) (l login, err error) {
	info, err := os.Stat(file)
	if err != nil {
		return l, fmt.Errorf("keytab: %w", err)
	}
	if mode := info.Mode().Perm(); mode&0o007 != 0 && runtime.GOOS != "windows" {
		return l, fmt.Errorf("keytab %s: every user has access to it (mode %#o): run chmod 600", file, mode)
	}
	keys, err := parsed(func() (*keytab.Keytab, error) { return keytab.Load(file) })
	switch {
	case err != nil:
		return l, fmt.Errorf("keytab %s: %w", file, err)
	case len(keys.Entries) == 0:
		return l, fmt.Errorf("keytab %s: it has no key", file)
	}
	if principal == "" {
		principal = keys.Entries[0].Principal.String()
	}
	l = login{keytab: keys, file: file}
	if l.user, l.realm, err = splitPrincipal(principal, conf); err != nil {
		return l, err
	}
	var has []int32
	for _, e := range keys.Entries {
		if e.Principal.String() == l.principal() {
			has = append(has, e.Key.KeyType)
		}
	}
	if len(has) == 0 {
		return l, fmt.Errorf("keytab %s: it has no key of %s; its first key is of %s", file, l.principal(), keys.Entries[0].Principal)
	}
	// Without this filter, the KDC may choose a type for which the keytab has no key.
	lacks := func(kind int32) bool { return !slices.Contains(has, kind) }
	conf.LibDefaults.DefaultTktEnctypeIDs = slices.DeleteFunc(slices.Clone(conf.LibDefaults.DefaultTktEnctypeIDs), lacks)
	if len(conf.LibDefaults.DefaultTktEnctypeIDs) == 0 {
		return l, fmt.Errorf("keytab %s: the keys of %s have types (%d) that electop or the Kerberos configuration does not permit", file, l.principal(), has)
	}
	return l, nil
}

func findCache(variable, configured, principal string, conf *config.Config) (l login, err error) {
	name := cmp.Or(variable, configured, "FILE:/tmp/krb5cc_%{uid}")
	name = strings.NewReplacer("%{uid}", strconv.Itoa(os.Getuid()), "%{euid}", strconv.Itoa(os.Geteuid())).Replace(name)
	if kind, file, ok := strings.Cut(name, ":"); ok && len(kind) > 1 {
		if kind != "FILE" {
			return l, fmt.Errorf("ticket cache %s: electop reads only files: set KRB5CCNAME=FILE:/path for kinit and electop, or use a keytab", name)
		}
		name = file
	}
	l = login{file: name}
	cache, err := l.cache()
	if err != nil {
		return l, err
	}
	l.user, l.realm = cache.GetClientPrincipalName().PrincipalNameString(), cache.GetClientRealm()
	if principal == "" {
		return l, nil
	}
	user, realm, err := splitPrincipal(principal, conf)
	if err == nil && (user != l.user || realm != l.realm) {
		err = fmt.Errorf("ticket cache %s: it has tickets of %s, not of %s@%s: run kinit", l.file, l.principal(), user, realm)
	}
	return l, err
}

func (l login) cache() (*credentials.CCache, error) {
	cache, err := parsed(func() (*credentials.CCache, error) { return credentials.LoadCCache(l.file) })
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("ticket cache: %w: run kinit, or set KRB5CCNAME", err)
	case err == nil && (len(cache.GetClientPrincipalName().NameString) == 0 || cache.GetClientRealm() == ""):
		err = errMalformed
	}
	if err != nil {
		return nil, fmt.Errorf("ticket cache %s: %w", l.file, err)
	}
	return cache, nil
}

// grantingTicket reads the cache's file in each call, because other programs renew the ticket.
func (l login) grantingTicket() (t ticket, err error) {
	cache, err := l.cache()
	if err != nil {
		return t, err
	}
	if now := cache.GetClientPrincipalName().PrincipalNameString() + "@" + cache.GetClientRealm(); now != l.principal() {
		return t, fmt.Errorf("%w: ticket cache %s now has tickets of %s, not of %s", ErrRejected, l.file, now, l.principal())
	}
	c, ok := cache.GetEntry(types.PrincipalName{NameType: nametype.KRB_NT_SRV_INST, NameString: []string{"krbtgt", l.realm}})
	switch {
	case !ok:
		return t, fmt.Errorf("%w: ticket cache %s has no ticket-granting ticket of %s: run kinit", ErrRejected, l.file, l.principal())
	case !time.Now().Before(c.EndTime):
		return t, fmt.Errorf("%w: the ticket of %s in %s expired at %s: run kinit", ErrRejected, l.principal(), l.file, c.EndTime.Format(time.DateTime))
	}
	var granted messages.Ticket
	if err := granted.Unmarshal(c.Ticket); err != nil {
		return t, fmt.Errorf("ticket cache %s: %w", l.file, errMalformed)
	}
	return ticket{ticket: granted, key: c.Key, end: c.EndTime}, nil
}

var errMalformed = errors.New("it is malformed")

// parsed replaces a parser's panic or error, which may contain a part of the file.
func parsed[T any](load func() (T, error)) (v T, err error) {
	defer func() {
		var missing *fs.PathError
		if p := recover(); p != nil || err != nil && !errors.As(err, &missing) {
			err = errMalformed
		}
	}()
	return load()
}
