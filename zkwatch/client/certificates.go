package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"reflect"
	"slices"
	"strings"
)

const maxPEMFile = 4 << 20 // bytes

// LoadTLS makes a [Config.TLS] from PEM files. File ca contains the authorities that sign the
// servers' certificates; "" means the system's authorities. File cert contains the client's
// certificate chain, and file key its private key. Give both or neither: only one is an error.
// serverName is the name in the servers' certificates; "" means each server's host in the connect
// string. Errors never show a file's contents.
func LoadTLS(ca, cert, key, serverName string) (*tls.Config, error) {
	cfg := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: serverName}
	if serverName != "" {
		if err := validHost(serverName); err != nil {
			return nil, fmt.Errorf("TLS server name %q: %w", serverName, err)
		}
	}
	if ca != "" {
		authorities, err := readCertificates("CA file", ca)
		if err != nil {
			return nil, err
		}
		cfg.RootCAs = x509.NewCertPool()
		cfg.RootCAs.AppendCertsFromPEM(authorities)
	}
	switch {
	case cert == "" && key == "":
		return cfg, nil
	case key == "":
		return nil, fmt.Errorf("client certificate file %s: a client key file is also needed", cert)
	case cert == "":
		return nil, fmt.Errorf("client key file %s: a client certificate file is also needed", key)
	}
	chain, err := readCertificates("client certificate file", cert)
	if err != nil {
		return nil, err
	}
	private, err := readKey(key)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(chain, private)
	if err != nil {
		return nil, fmt.Errorf("client key file %s for the first certificate of %s: %w", key, cert, err)
	}
	cfg.Certificates = []tls.Certificate{pair}
	return cfg, nil
}

func readCertificates(what, path string) (certificates []byte, err error) {
	blocks, err := readPEM(what, path)
	if err != nil {
		return nil, err
	}
	n := 0
	for _, b := range blocks {
		if b.Type != "CERTIFICATE" {
			continue
		}
		n++
		if _, err := x509.ParseCertificate(b.Bytes); err != nil {
			return nil, fmt.Errorf("%s %s: certificate %d cannot be parsed", what, path, n)
		}
		b.Headers = nil // package x509 skips a certificate with headers
		certificates = append(certificates, pem.EncodeToMemory(b)...)
	}
	if n == 0 {
		return nil, fmt.Errorf("%s %s: it contains no certificate", what, path)
	}
	return certificates, nil
}

func readKey(path string) ([]byte, error) {
	blocks, err := readPEM("client key file", path)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(blocks, func(b *pem.Block) bool { return strings.HasSuffix(b.Type, "PRIVATE KEY") })
	switch {
	case i < 0:
		return nil, fmt.Errorf("client key file %s: it contains no private key", path)
	case blocks[i].Type == "ENCRYPTED PRIVATE KEY" || blocks[i].Headers["DEK-Info"] != "":
		return nil, fmt.Errorf("client key file %s: the key is encrypted: decrypt it first, for example with openssl pkey", path)
	}
	// Package tls shows the types of blocks that it skips, so readKey returns only the key's block, as PRIVATE KEY.
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: blocks[i].Bytes}), nil
}

func readPEM(what, path string) ([]*pem.Block, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	defer f.Close()
	data, err := readBounded(f, maxPEMFile)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", what, path, err)
	}
	var blocks []*pem.Block
	for {
		var b *pem.Block
		if b, data = pem.Decode(data); b == nil {
			break
		}
		blocks = append(blocks, b)
	}
	if blocks == nil {
		return nil, fmt.Errorf("%s %s: it contains no PEM block", what, path)
	}
	return blocks, nil
}

func readBounded(f *os.File, most int) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	if err == nil && len(data) > most {
		err = fmt.Errorf("it is larger than %d bytes", most)
	}
	return data, err
}

func explainTLS(err error, certificates int) string {
	const certificateRequired, protocolVersion = 116, 70
	switch code := alert(err); code {
	case 42, 43, 44, 45, 46, 48, certificateRequired: // a bad client certificate (RFC 8446, 6.2)
		switch {
		case certificates == 0:
			return "the server requires a client certificate, but none is configured"
		case code == certificateRequired:
			return "the server requires a client certificate from another authority"
		}
		return "the server does not accept the client certificate"
	case protocolVersion:
		return "the server does not support TLS 1.2 or newer"
	}
	return ""
}

// alert uses reflection, because package tls does not export the alert's type.
func alert(err error) uint64 {
	var op *net.OpError
	if !errors.As(err, &op) || op.Op != "remote error" || op.Err == nil {
		return 0
	}
	if v := reflect.ValueOf(op.Err); v.Kind() == reflect.Uint8 {
		return v.Uint()
	}
	return 0
}

// A tlsConn closes without a TLS alert: sending may block, and a simulated crash must send nothing.
type tlsConn struct {
	*tls.Conn
	raw net.Conn
}

func (c tlsConn) Close() error { return c.raw.Close() }

func secure(ctx context.Context, c *Config, raw net.Conn, addr string) (net.Conn, error) {
	cfg := c.TLS
	if cfg.ServerName == "" {
		cfg = cfg.Clone()
		cfg.ServerName = ServerName(addr)
	}
	conn := tls.Client(raw, cfg)
	err := conn.HandshakeContext(ctx)
	if err == nil {
		return tlsConn{conn, raw}, nil
	}
	raw.Close()
	var plain tls.RecordHeaderError
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fmt.Errorf("TLS handshake: no answer within %v: %w", c.DialTimeout, os.ErrDeadlineExceeded)
	case errors.As(err, &plain):
		return nil, fmt.Errorf("TLS handshake: %w, or a port without TLS: its answer is not TLS", ErrNotZooKeeper)
	case hungUp(err):
		return nil, fmt.Errorf("TLS handshake: %w: is this the server's port for TLS (secureClientPort)?: %w", ErrRefused, err)
	}
	if why := explainTLS(err, len(cfg.Certificates)); why != "" {
		return nil, fmt.Errorf("TLS handshake: %s: %w", why, err)
	}
	return nil, fmt.Errorf("TLS handshake: %w", err)
}

// ServerName returns the host of addr, without the zone of an IPv6 address.
func ServerName(addr string) string {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	if strings.Contains(host, ":") {
		host, _, _ = strings.Cut(host, "%")
	}
	return host
}
