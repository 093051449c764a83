package client

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"

	"electop/zkwatch/sasl"
)

// An Auth is a credential for an authentication scheme of the servers, such as "digest" with
// "user:password". The scheme "sasl" means SASL with DIGEST-MD5. Formatting, logging or encoding
// an Auth, even inside another value, shows at most its scheme.
type Auth struct {
	Scheme string

	// If an Auth is in an unexported field, package fmt does not call Format, but prints this
	// pointer's address.
	secret *string
}

// NewAuth returns the credential for a scheme.
func NewAuth(scheme, credential string) Auth { return Auth{Scheme: scheme, secret: &credential} }

func (a Auth) credential() string {
	if a.secret == nil {
		return ""
	}
	return *a.secret
}

const maxAuth = 64 << 10 // bytes

func (a Auth) validate() error {
	switch {
	case !validScheme(a.Scheme):
		return errors.New("auth: the scheme is not a word of lowercase letters and digits, such as digest")
	case len(a.Scheme)+len(a.credential()) > maxAuth:
		return fmt.Errorf("auth scheme %s: scheme and credential together are longer than %d bytes", a.Scheme, maxAuth)
	}
	return nil
}

// validScheme is strict, because s may be a credential, given by mistake.
func validScheme(s string) bool {
	if s == "" || len(s) > 32 {
		return false
	}
	for i, r := range s {
		if letter := r >= 'a' && r <= 'z'; !letter && (i == 0 || !(r >= '0' && r <= '9') && !strings.ContainsRune("-_.", r)) {
			return false
		}
	}
	return true
}

// ParseAuth parses scheme:credential, for example digest:user:password. An error never contains the
// credential.
func ParseAuth(line string) (Auth, error) {
	scheme, credential, ok := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
	if !ok {
		return Auth{}, errors.New("auth: want scheme:credential, for example digest:user:password")
	}
	a := NewAuth(scheme, credential)
	if err := a.validate(); err != nil {
		return Auth{}, err
	}
	if credential == "" {
		return Auth{}, fmt.Errorf("auth scheme %s: no credential", scheme)
	}
	switch scheme {
	case "digest":
		user, password, ok := strings.Cut(credential, ":")
		if !ok || user == "" || password == "" {
			return Auth{}, errors.New("auth scheme digest: want digest:user:password")
		}
	case saslScheme:
		if _, err := a.saslAccount(); err != nil {
			return Auth{}, err
		}
	}
	return a, nil
}

const saslScheme = "sasl"

func isSASL(a Auth) bool { return a.Scheme == saslScheme }

func (a Auth) saslAccount() (*sasl.Digest, error) {
	user, password, _ := strings.Cut(a.credential(), ":")
	account, err := sasl.NewDigest(user, password)
	if err != nil {
		return nil, fmt.Errorf("auth scheme %s: %w", saslScheme, err)
	}
	return account, nil
}

const maxAuthFile = 1 << 20 // bytes

// ReadAuthFile reads credentials from a file, one scheme:credential per line. It skips empty lines and
// lines that start with #. A file without credentials is an error. So is, except on Windows, a file on
// which users other than the owner have any permission.
func ReadAuthFile(path string) ([]Auth, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("auth file: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("auth file: %w", err)
	}
	if info.IsDir() {
		return nil, fmt.Errorf("auth file %s: it is a directory", path)
	}
	if mode := info.Mode(); mode&fs.ModePerm&0o077 != 0 && runtime.GOOS != "windows" {
		return nil, fmt.Errorf("auth file %s: other users have access to it (mode %#o): run chmod 600", path, mode.Perm())
	}
	text, err := readBounded(f, maxAuthFile)
	if err != nil {
		return nil, fmt.Errorf("auth file %s: %w", path, err)
	}
	var auths []Auth
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		if s := strings.TrimSpace(line); s == "" || s[0] == '#' {
			continue
		}
		a, err := ParseAuth(line)
		if err != nil {
			return nil, fmt.Errorf("auth file %s: line %d: %w", path, number, err)
		}
		auths = append(auths, a)
	}
	if len(auths) == 0 {
		return nil, fmt.Errorf("auth file %s: it contains no credential", path)
	}
	return auths, nil
}

func (a Auth) String() string {
	if !validScheme(a.Scheme) { // Scheme may be a credential, given by mistake
		return "(no scheme):(hidden)"
	}
	return a.Scheme + ":(hidden)"
}

// Format implements fmt.Formatter. Every verb prints the result of String.
func (a Auth) Format(f fmt.State, _ rune) { io.WriteString(f, a.String()) }

// MarshalText implements encoding.TextMarshaler, which encoding/json and log/slog use.
func (a Auth) MarshalText() ([]byte, error) { return []byte(a.String()), nil }
