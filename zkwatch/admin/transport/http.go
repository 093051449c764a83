package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"time"

	"electop/zkwatch/admin/command"
)

// HTTP asks AdminServers. It keeps a connection to a host for the next request,
// until Close.
type HTTP struct {
	client    *http.Client
	transport *http.Transport
}

// NewHTTP returns a client that connects with dial. config is for https URLs,
// nil for the default.
func NewHTTP(dial Dial, config *tls.Config, handshake time.Duration) *HTTP {
	t := &http.Transport{
		DialContext:            dial,
		TLSClientConfig:        config.Clone(), // nil of nil
		TLSHandshakeTimeout:    handshake,
		DisableCompression:     true,
		MaxIdleConnsPerHost:    1,
		IdleConnTimeout:        5 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
	}
	return &HTTP{
		transport: t,
		client: &http.Client{
			Transport:     t,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// Close closes the idle connections. The client can be used again.
func (c *HTTP) Close() { c.transport.CloseIdleConnections() }

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
