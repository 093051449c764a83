package admin

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"time"
)

// httpClient asks AdminServers. It keeps a connection for the requests of one
// round and none beyond.
type httpClient struct {
	client    *http.Client
	transport *http.Transport
}

func newHTTPClient(cfg Config) *httpClient {
	t := &http.Transport{
		DialContext:            cfg.Dial,
		TLSClientConfig:        cfg.DialTLS.Clone(), // nil of nil
		TLSHandshakeTimeout:    cheapTimeout,
		DisableCompression:     true,
		MaxIdleConnsPerHost:    1,
		IdleConnTimeout:        5 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
	}
	return &httpClient{
		transport: t,
		client: &http.Client{
			Transport:     t,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// close ends the idle connections.
func (c *httpClient) close() { c.transport.CloseIdleConnections() }

// get returns the answer to a command, which is JSON or says so at least.
func (c *httpClient) get(ctx context.Context, base, command string, l limit) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/"+command, nil)
	if err != nil {
		return nil, errors.New("the URL is none")
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
	if err := vouch(resp); err != nil {
		return nil, err
	}
	b, err := l.read(resp.Body)
	if err != nil {
		return nil, cause(ctx, err)
	}
	return b, nil
}

// vouch refuses what no AdminServer sends.
func vouch(resp *http.Response) error {
	switch kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); {
	case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden:
		return &refusal{why: fmt.Sprintf("the AdminServer answers with status %d", resp.StatusCode)}
	case resp.StatusCode/100 == 3:
		return fmt.Errorf("status %d: a redirect, which is not followed", resp.StatusCode)
	case resp.StatusCode == http.StatusServiceUnavailable && kind == "application/json":
		return errNotServing // since 3.9; until then with status 200
	case resp.StatusCode != http.StatusOK:
		return fmt.Errorf("status %d: no AdminServer, or it has another path", resp.StatusCode)
	case kind != "application/json":
		return fmt.Errorf("no AdminServer: it sends %s, not JSON", shown(kind))
	case resp.Header.Get("Content-Encoding") != "":
		return fmt.Errorf("the answer is encoded as %s, which was not asked for", shown(resp.Header.Get("Content-Encoding")))
	}
	return nil
}
