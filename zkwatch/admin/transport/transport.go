// Package transport sends a command to one address, over HTTP or as a
// four-letter word, and returns the reply unparsed. It knows neither which
// server it should ask nor what a reply means, beyond a refusal.
package transport

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"electop/model/znode"
	"electop/zkwatch/admin/command"
)

// ErrNoAnswer is the error of a request that took too long.
var ErrNoAnswer = errors.New("no answer in time")

// A Refusal is the error of a server that is configured not to answer.
type Refusal struct {
	Why  string
	Hint string // the setting that would allow it, "" if not known
}

func (r *Refusal) Error() string { return r.Why }

// cause is err without the address, and without what could hold a credential.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) {
		return ErrNoAnswer
	}
	if op := (*net.OpError)(nil); errors.As(err, &op) {
		if op.Timeout() {
			return ErrNoAnswer
		}
		return fmt.Errorf("%s: %w", op.Op, op.Err)
	}
	return err
}

// quoted is a short piece of a reply for a message.
func quoted(s string) string { return fmt.Sprintf("%q", znode.Safe(s, 40)) }

// AllWords is the setting of a server that allows all words that electop sends. It
// replaces the default, which is srvr alone, so it includes srvr.
const AllWords = "4lw.commands.whitelist=srvr,mntr,conf,wchs,cons,dump,wchp"

// Dial connects to host:port.
type Dial func(ctx context.Context, network, addr string) (net.Conn, error)

// Words sends four-letter words to ports for clients.
type Words struct {
	Dial Dial
	TLS  *tls.Config // nil: the ports are plain
}

// Send sends a word and returns the reply. The server ends it by closing the
// connection.
func (w *Words) Send(ctx context.Context, addr, word string, l command.Limit) ([]byte, error) {
	raw, err := w.Dial(ctx, "tcp", addr)
	if err != nil {
		return nil, cause(ctx, err)
	}
	defer raw.Close()
	defer context.AfterFunc(ctx, func() { raw.SetDeadline(time.Unix(1, 0)) })()
	c := raw
	if w.TLS != nil {
		c = tls.Client(raw, forHost(w.TLS, addr))
	}
	if _, err := io.WriteString(c, word); err != nil {
		return nil, cause(ctx, err)
	}
	b, err := l.Read(abrupt{c})
	if err != nil {
		return nil, cause(ctx, err)
	}
	switch {
	case len(b) == 0:
		return nil, errors.New("closed without an answer")
	case len(b) < 200 && bytes.Contains(b, []byte(word+" is not executed because it is not in the whitelist")):
		return nil, &Refusal{Why: "the server does not allow the word " + word, Hint: AllWords}
	case len(b) < 200 && bytes.Contains(b, []byte("not currently serving requests")):
		return nil, command.ErrNotServing
	}
	return b, nil
}

// forHost sets the name that the server's certificate has to be for, unless the
// configuration does.
func forHost(c *tls.Config, addr string) *tls.Config {
	c = c.Clone()
	if c.ServerName == "" {
		c.ServerName, _, _ = net.SplitHostPort(addr)
		c.ServerName, _, _ = strings.Cut(c.ServerName, "%") // a zone means nothing to the other end
	}
	return c
}

// abrupt reads a TLS connection that ends without an alert like one that was closed:
// the parsers recognize an incomplete reply.
type abrupt struct{ io.Reader }

func (a abrupt) Read(p []byte) (int, error) {
	n, err := a.Reader.Read(p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}

// HTTP asks AdminServers. It keeps a connection to a host for the next request,
// until Close.
type HTTP struct{ client http.Client }

// NewHTTP returns a client that connects with dial. config is for https URLs,
// nil for the default.
func NewHTTP(dial Dial, config *tls.Config, handshake time.Duration) *HTTP {
	return &HTTP{http.Client{
		Transport: &http.Transport{
			DialContext:            dial,
			TLSClientConfig:        config.Clone(), // nil of nil
			TLSHandshakeTimeout:    handshake,
			DisableCompression:     true,
			MaxIdleConnsPerHost:    1,
			IdleConnTimeout:        5 * time.Second,
			MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Close closes the idle connections. The client can be used again.
func (c *HTTP) Close() { c.client.CloseIdleConnections() }

// Get returns the reply to a command, whose type is JSON. base is the URL of
// all commands.
func (c *HTTP) Get(ctx context.Context, base, name string, l command.Limit) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/"+name, nil)
	if err != nil {
		return nil, errors.New("the URL is not valid")
	}
	r.Header.Set("Accept", "application/json")
	resp, err := c.client.Do(r)
	if err != nil {
		// The library's error has the URL in it, which may have a password.
		if u := (*url.Error)(nil); errors.As(err, &u) {
			err = u.Err
		}
		return nil, cause(ctx, err)
	}
	defer resp.Body.Close()
	if err := check(resp); err != nil {
		return nil, err
	}
	b, err := l.Read(resp.Body)
	if err != nil {
		return nil, cause(ctx, err)
	}
	return b, nil
}

// check refuses a response that no AdminServer sends.
func check(resp *http.Response) error {
	switch kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); {
	case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden:
		return &Refusal{Why: fmt.Sprintf("the AdminServer answers with status %d", resp.StatusCode)}
	case resp.StatusCode/100 == 3:
		return fmt.Errorf("status %d: a redirect, which electop does not follow", resp.StatusCode)
	case resp.StatusCode == http.StatusServiceUnavailable && kind == "application/json":
		return command.ErrNotServing // since 3.9; until then with status 200
	case resp.StatusCode != http.StatusOK:
		return fmt.Errorf("status %d: no AdminServer, or it has another path", resp.StatusCode)
	case kind != "application/json":
		return fmt.Errorf("no AdminServer: it sends %s, not JSON", quoted(kind))
	case resp.Header.Get("Content-Encoding") != "":
		return fmt.Errorf("the answer has the encoding %s, which electop did not request", quoted(resp.Header.Get("Content-Encoding")))
	}
	return nil
}
