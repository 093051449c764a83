package client

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"reflect"
	"strings"
)

// maxPEMFile bounds a file of certificates, in bytes: system bundles have some
// 200 KiB.
const maxPEMFile = 4 << 20

// LoadTLS makes a [Config.TLS] from PEM files. ca holds the certificates that
// servers' certificates may be signed by; "" stands for the system's. cert and
// key are the client's own certificate (with its chain) and private key; both or
// neither. serverName is the name that servers' certificates must be for; ""
// stands for each server's host in the connect string. TLS 1.2 is the least.
//
// Errors name the file that is wrong, but never its contents.
func LoadTLS(ca, cert, key, serverName string) (*tls.Config, error) {
	cfg := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: serverName}
	if serverName != "" {
		if err := validHost(serverName); err != nil {
			return nil, fmt.Errorf("TLS server name %q: %w", serverName, err)
		}
	}
	if ca != "" {
		blocks, err := readPEM("CA file", ca)
		if err != nil {
			return nil, err
		}
		cfg.RootCAs = x509.NewCertPool()
		n := 0
		for _, b := range blocks {
			if b.Type != "CERTIFICATE" {
				continue
			}
			n++
			c, err := x509.ParseCertificate(b.Bytes)
			if err != nil {
				return nil, fmt.Errorf("CA file %s: certificate %d cannot be parsed", ca, n)
			}
			cfg.RootCAs.AddCert(c)
		}
		if n == 0 {
			return nil, fmt.Errorf("CA file %s: it contains no certificate", ca)
		}
	}
	switch {
	case cert == "" && key == "":
		return cfg, nil
	case key == "":
		return nil, fmt.Errorf("client certificate file %s: its private key is missing", cert)
	case cert == "":
		return nil, fmt.Errorf("client key file %s: its certificate is missing", key)
	}
	pair, err := loadPair(cert, key)
	if err != nil {
		return nil, err
	}
	cfg.Certificates = []tls.Certificate{pair}
	return cfg, nil
}

func loadPair(cert, key string) (tls.Certificate, error) {
	var none tls.Certificate
	certs, err := readPEM("client certificate file", cert)
	if err != nil {
		return none, err
	}
	var chain []byte
	for _, b := range certs {
		if b.Type != "CERTIFICATE" {
			continue
		}
		if _, err := x509.ParseCertificate(b.Bytes); err != nil {
			return none, fmt.Errorf("client certificate file %s: a certificate cannot be parsed", cert)
		}
		chain = append(chain, pem.EncodeToMemory(b)...)
	}
	if chain == nil {
		return none, fmt.Errorf("client certificate file %s: it contains no certificate", cert)
	}
	keys, err := readPEM("client key file", key)
	if err != nil {
		return none, err
	}
	for _, b := range keys {
		if !strings.HasSuffix(b.Type, "PRIVATE KEY") {
			continue
		}
		if b.Type == "ENCRYPTED PRIVATE KEY" || b.Headers["DEK-Info"] != "" {
			return none, fmt.Errorf("client key file %s: the key is encrypted: decrypt it first, for example with openssl pkey", key)
		}
		// What is wrong with a private key is nobody's business.
		if !parses(b) {
			return none, fmt.Errorf("client key file %s: the private key cannot be parsed", key)
		}
		pair, err := tls.X509KeyPair(chain, pem.EncodeToMemory(b))
		if err != nil {
			return none, fmt.Errorf("client key file %s: the key does not belong to the first certificate of %s", key, cert)
		}
		return pair, nil
	}
	return none, fmt.Errorf("client key file %s: it contains no private key", key)
}

// parses tells whether crypto/tls can read the key, in any of the three forms.
func parses(b *pem.Block) bool {
	if _, err := x509.ParsePKCS8PrivateKey(b.Bytes); err == nil {
		return true
	}
	if _, err := x509.ParsePKCS1PrivateKey(b.Bytes); err == nil {
		return true
	}
	_, err := x509.ParseECPrivateKey(b.Bytes)
	return err == nil
}

// readPEM reads a file of PEM blocks; what names it in errors.
func readPEM(what, path string) ([]*pem.Block, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxPEMFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", what, err)
	case len(data) > maxPEMFile:
		return nil, fmt.Errorf("%s %s: it is larger than %d bytes", what, path, maxPEMFile)
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

// clientTLS is cfg as connections use it: nothing older than TLS 1.2, whoever
// made it.
func clientTLS(cfg *tls.Config) *tls.Config {
	cfg = cfg.Clone()
	cfg.MinVersion = max(cfg.MinVersion, tls.VersionTLS12)
	return cfg
}

// explainTLS says what a server's TLS alert to our certificate means.
func explainTLS(err error, certificates int) string {
	switch alert(err) {
	case 42, 43, 44, 45, 46, 48: // bad, unsupported, revoked, expired, unknown, of an unknown CA (RFC 8446, 6.2)
		if certificates == 0 {
			return "the server wants a client certificate, but none is configured"
		}
		return "the server does not accept the client certificate"
	case 116: // certificate_required
		if certificates == 0 {
			return "the server wants a client certificate, but none is configured"
		}
		return "the server wants a client certificate from another authority"
	case 70: // protocol_version
		return "the server supports no TLS version that is recent enough"
	}
	return ""
}

// alert is the number of the TLS alert that a server sent, 0 if err is none. The
// type that package tls has for it is its own.
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
