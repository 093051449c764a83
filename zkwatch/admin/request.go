package admin

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
	"time"

	"electop/zkwatch/client"
)

var errNoAnswer = errors.New("no answer in time")

// A refusal has as hint the setting that would permit the query, or "".
type refusal struct{ why, hint string }

func (r *refusal) Error() string { return r.why }

// allWords includes srvr, because a whitelist replaces the default one, which permits srvr.
const allWords = "4lw.commands.whitelist=srvr,mntr,conf,wchs,cons,dump,wchp"

type requester struct {
	cfg    *Config
	client http.Client
}

func newRequester(cfg *Config) *requester {
	return &requester{cfg, http.Client{
		Transport: &http.Transport{
			DialContext:            cfg.Dial,
			TLSClientConfig:        cfg.DialTLS.Clone(), // nil if DialTLS is nil
			TLSHandshakeTimeout:    requestTimeout,
			DisableCompression:     true,
			MaxIdleConnsPerHost:    1,
			IdleConnTimeout:        5 * time.Second,
			MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

func cause(ctx context.Context, err error) error {
	if u := (*url.Error)(nil); errors.As(err, &u) { // its text also has the URL, with the user name
		err = u.Err
	}
	op := (*net.OpError)(nil)
	switch {
	case ctx.Err() != nil, errors.Is(err, context.DeadlineExceeded), errors.As(err, &op) && op.Timeout():
		return errNoAnswer
	case op != nil:
		return fmt.Errorf("%s: %w", op.Op, op.Err)
	}
	return err
}

func (r *requester) word(ctx context.Context, addr, word string, l limit) ([]byte, error) {
	raw, err := r.cfg.Dial(ctx, "tcp", addr)
	if err != nil {
		return nil, cause(ctx, err)
	}
	defer raw.Close()
	defer context.AfterFunc(ctx, func() { raw.SetDeadline(time.Unix(1, 0)) })()
	c := raw
	if r.cfg.DialTLS != nil {
		c = tls.Client(raw, forHost(r.cfg.DialTLS, addr))
	}
	if _, err := io.WriteString(c, word); err != nil {
		return nil, cause(ctx, err)
	}
	b, err := l.read(endOfTLS{c})
	switch short := len(b) < 200; {
	case err != nil:
		return nil, cause(ctx, err)
	case len(b) == 0:
		return nil, errors.New("connection closed without an answer")
	case short && bytes.Contains(b, []byte(word+" is not executed because it is not in the whitelist")):
		return nil, &refusal{"the server does not allow the four-letter word " + word, allWords}
	case short && bytes.Contains(b, []byte("not currently serving requests")):
		return nil, errNotServing
	}
	return b, nil
}

func forHost(c *tls.Config, addr string) *tls.Config {
	c = c.Clone()
	if c.ServerName == "" {
		c.ServerName = client.ServerName(addr)
	}
	return c
}

// endOfTLS treats the end of TLS without close_notify as EOF, like the end of a TCP connection.
type endOfTLS struct{ io.Reader }

func (r endOfTLS) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}

func (r *requester) command(ctx context.Context, base, name string, l limit) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/"+name, nil)
	if err != nil {
		return nil, errors.New("the URL is not valid")
	}
	request.Header.Set("Accept", "application/json")
	resp, err := r.client.Do(request)
	if err != nil {
		return nil, cause(ctx, err)
	}
	defer resp.Body.Close()
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch encoding := resp.Header.Get("Content-Encoding"); {
	case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden:
		return nil, &refusal{why: fmt.Sprintf("the AdminServer answers with status %d", resp.StatusCode)}
	case resp.StatusCode/100 == 3:
		return nil, fmt.Errorf("status %d: a redirect, which electop does not follow", resp.StatusCode)
	case resp.StatusCode == http.StatusServiceUnavailable && kind == "application/json":
		return nil, errNotServing // some releases of ZooKeeper send 503, others 200 with an error in JSON
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("status %d: no AdminServer, or it has another path", resp.StatusCode)
	case kind != "application/json":
		return nil, fmt.Errorf("no AdminServer: the reply is %s, not JSON", shown(kind))
	case encoding != "":
		return nil, fmt.Errorf("the answer has the encoding %s, which electop did not request", shown(encoding))
	}
	b, err := l.read(resp.Body)
	if err != nil {
		return nil, cause(ctx, err)
	}
	return b, nil
}
