package sasl

import (
	"context"
	"crypto/md5"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

const digestURI = "zookeeper/zk-sasl-md5"

// RFC 2831 permits only smaller messages. This package also permits these sizes, in bytes.
const (
	maxDigestChallenge = 2048
	maxDigestAnswer    = 4096
)

const maxName = 1024

// A Digest is an account for DIGEST-MD5. Formatting, logging or encoding it shows neither user nor password.
type Digest struct {
	// login is a pointer, because package fmt prints the address of a nested pointer, not the content.
	login *userPassword
	uri   string        // service and host
	nonce func() string // returns a new client nonce
}

type userPassword struct{ user, password string }

// NewDigest returns the account of user.
func NewDigest(user, password string) (*Digest, error) {
	switch {
	case user == "" || password == "":
		return nil, errors.New("want sasl:user:password (DIGEST-MD5)")
	case len(user) > maxName || len(password) > maxName:
		return nil, fmt.Errorf("user or password is longer than %d bytes", maxName)
	case !utf8.ValidString(user) || !utf8.ValidString(password):
		return nil, errors.New("user or password is not UTF-8")
	}
	return &Digest{login: &userPassword{user, password}, uri: digestURI, nonce: rand.Text}, nil
}

// Name implements [Mechanism].
func (*Digest) Name() string { return "DIGEST-MD5" }

func (d *Digest) String() string { return d.Name() + ":(hidden)" }

// Begin implements [Mechanism].
func (d *Digest) Begin(context.Context, string) (Exchange, error) {
	return &digestExchange{account: d}, nil
}

type digestExchange struct {
	account *Digest
	step    int
	proof   string // the rspauth value that the server must send
}

// Next implements [Exchange].
func (x *digestExchange) Next(token []byte) (answer []byte, done bool, err error) {
	x.step++
	switch {
	case x.step == 1:
		return []byte{}, false, nil // an empty token requests the challenge
	case x.step == 2 && len(token) == 0:
		return nil, false, fmt.Errorf("%w: it sent no challenge", ErrUnsupported)
	case x.step == 2:
		answer, err = x.respond(token)
		return answer, false, err
	case x.step == 3:
		return nil, true, x.verify(token)
	}
	return nil, false, fmt.Errorf("%w: the exchange is over", ErrChallenge)
}

// Refused implements [Exchange].
func (x *digestExchange) Refused() error {
	if x.step == 1 {
		return fmt.Errorf("%w: the server does not offer %s", ErrRejected, x.account.Name())
	}
	return fmt.Errorf("%w: user or password is wrong", ErrRejected)
}

type digestChallenge struct {
	realm, nonce string
	utf8         bool
}

func parseDigestChallenge(token []byte) (c digestChallenge, err error) {
	list, err := parseDirectives(token)
	if err != nil {
		return c, err
	}
	values := map[string]string{}
	for _, d := range list {
		if _, twice := values[d.name]; twice {
			if d.name == "realm" { // a client may choose a realm; this client takes the first
				continue
			}
			return c, fmt.Errorf("%w: %.40q appears twice", ErrChallenge, d.name)
		}
		values[d.name] = d.value
	}
	if values["nonce"] == "" {
		return c, fmt.Errorf("%w: no nonce", ErrChallenge)
	}
	if algorithm := values["algorithm"]; !strings.EqualFold(algorithm, "md5-sess") {
		return c, fmt.Errorf("%w: algorithm md5-sess (the server offers %.40q)", ErrUnsupported, algorithm)
	}
	if charset, given := values["charset"]; given {
		if !strings.EqualFold(charset, "utf-8") {
			return c, fmt.Errorf("%w: charset utf-8 (the server offers %.40q)", ErrUnsupported, charset)
		}
		c.utf8 = true
	}
	if qop, given := values["qop"]; given && !offersAuth(qop) {
		return c, fmt.Errorf("%w: qop auth (the server offers %.40q; use TLS for protection)", ErrUnsupported, qop)
	}
	c.realm, c.nonce = values["realm"], values["nonce"]
	return c, nil
}

// offersAuth reports whether list has auth: authentication without protection of messages.
func offersAuth(list string) bool {
	for one := range strings.SplitSeq(list, ",") {
		if strings.EqualFold(strings.TrimSpace(one), "auth") {
			return true
		}
	}
	return false
}

func (x *digestExchange) respond(token []byte) ([]byte, error) {
	c, err := parseDigestChallenge(token)
	if err != nil {
		return nil, err
	}
	user, ok := encoded(x.account.login.user, c.utf8)
	password, fits := encoded(x.account.login.password, c.utf8)
	if !ok || !fits {
		return nil, fmt.Errorf("%w: user or password has characters beyond ISO 8859-1, and the server does not offer charset utf-8", ErrUnsupported)
	}
	realm := c.realm // without charset utf-8, the realm is hashed as the server sent it
	if c.utf8 {
		realm, _ = encoded(realm, true)
	}
	cnonce := x.account.nonce()
	id := md5.Sum([]byte(user + ":" + realm + ":" + password))
	a1 := md5.Sum([]byte(string(id[:]) + ":" + c.nonce + ":" + cnonce))
	digest := func(a2 string) string {
		method := md5.Sum([]byte(a2))
		sum := md5.Sum([]byte(strings.Join([]string{
			hex.EncodeToString(a1[:]), c.nonce, nonceCount, cnonce, "auth", hex.EncodeToString(method[:]),
		}, ":")))
		return hex.EncodeToString(sum[:])
	}
	x.proof = digest(":" + x.account.uri)

	var b strings.Builder
	name := x.account.login.user
	if c.utf8 {
		b.WriteString("charset=utf-8,")
	} else {
		name = user
	}
	fmt.Fprintf(&b, "username=%s,", quote(name))
	if c.realm != "" {
		fmt.Fprintf(&b, "realm=%s,", quote(c.realm))
	}
	fmt.Fprintf(&b, "nonce=%s,nc=%s,cnonce=%s,digest-uri=%s,response=%s,qop=auth",
		quote(c.nonce), nonceCount, quote(cnonce), quote(x.account.uri), digest("AUTHENTICATE:"+x.account.uri))
	if b.Len() > maxDigestAnswer {
		return nil, fmt.Errorf("%w: the answer would have %d bytes, the limit is %d", ErrChallenge, b.Len(), maxDigestAnswer)
	}
	return []byte(b.String()), nil
}

// nonceCount is always 1, because each exchange has a new nonce.
const nonceCount = "00000001"

func (x *digestExchange) verify(token []byte) error {
	if len(token) == 0 {
		return x.Refused()
	}
	list, err := parseDirectives(token)
	if err != nil {
		return err
	}
	proof := ""
	for _, d := range list {
		if d.name == "rspauth" {
			proof = d.value
		}
	}
	if subtle.ConstantTimeCompare([]byte(proof), []byte(x.proof)) != 1 {
		return fmt.Errorf("%w: its answer does not prove that it knows the password", ErrImpostor)
	}
	return nil
}

// encoded returns s in ISO 8859-1 if possible, as RFC 2831 demands.
func encoded(s string, allowUTF8 bool) (out string, ok bool) {
	latin := make([]byte, 0, len(s))
	for _, r := range s {
		if r > 0xff {
			return s, allowUTF8
		}
		latin = append(latin, byte(r))
	}
	return string(latin), true
}
