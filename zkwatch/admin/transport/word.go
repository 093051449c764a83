package transport

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"time"

	"electop/zkwatch/admin/command"
)

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
