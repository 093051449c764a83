package admin

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"time"
)

// allWords is the setting of a server that allows what is asked here. It takes
// the place of the default, which is srvr alone, so that is in it.
const allWords = "4lw.commands.whitelist=srvr,mntr,conf,wchs,cons,dump,wchp"

// say sends a four-letter word to the port for clients and returns the answer,
// which the server ends by closing the connection.
func say(ctx context.Context, cfg Config, addr, word string, l limit) ([]byte, error) {
	raw, err := cfg.Dial(ctx, "tcp", addr)
	if err != nil {
		return nil, cause(ctx, err)
	}
	defer raw.Close()
	defer context.AfterFunc(ctx, func() { raw.SetDeadline(time.Unix(1, 0)) })()
	c := raw
	if cfg.DialTLS != nil {
		c = tls.Client(raw, forHost(cfg.DialTLS, addr))
	}
	if _, err := io.WriteString(c, word); err != nil {
		return nil, cause(ctx, err)
	}
	b, err := l.read(abrupt{c})
	if err != nil {
		return nil, cause(ctx, err)
	}
	switch {
	case len(b) == 0:
		return nil, errors.New("closed without an answer")
	case len(b) < 200 && bytes.Contains(b, []byte(word+" is not executed because it is not in the whitelist")):
		return nil, &refusal{why: "the server does not allow the word " + word, hint: allWords}
	case len(b) < 200 && bytes.Contains(b, []byte("not currently serving requests")):
		return nil, errNotServing
	}
	return b, nil
}

// forHost names the server that is expected, unless the configuration does.
func forHost(c *tls.Config, addr string) *tls.Config {
	c = c.Clone()
	if c.ServerName == "" {
		c.ServerName, _, _ = net.SplitHostPort(addr)
		c.ServerName, _, _ = strings.Cut(c.ServerName, "%") // a zone means nothing to the other end
	}
	return c
}

// abrupt takes a TLS connection that just ends for one that was closed: the
// parsers know a reply that is cut off.
type abrupt struct{ io.Reader }

func (a abrupt) Read(p []byte) (int, error) {
	n, err := a.Reader.Read(p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}
