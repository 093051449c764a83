package zktest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// ServerName is a DNS name in the server's certificate.
const ServerName = "zookeeper.example"

// Certificates are PEM files with certificates of a new authority. The certificates are valid for an hour.
type Certificates struct {
	CA        string // the authority's certificate
	Cert, Key string // the client's certificate and key

	server    string // the server's key and certificate in one file
	authority tls.Certificate
}

// NewCertificates makes an authority, and certificates of a server and a client.
func NewCertificates(t testing.TB) *Certificates {
	t.Helper()
	c := &Certificates{}
	c.authority = c.sign(x509.Certificate{IsCA: true, KeyUsage: x509.KeyUsageCertSign, Subject: pkix.Name{CommonName: "authority"}})
	client := c.sign(x509.Certificate{KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}, Subject: pkix.Name{CommonName: "client"}})
	server := c.signServer([]string{ServerName, "localhost"}, net.IPv4(127, 0, 0, 1), net.IPv6loopback)
	c.CA, c.Cert, c.Key = pemFile(t, certPEM(c.authority)), pemFile(t, certPEM(client)), pemFile(t, keyPEM(client))
	c.server = pemFile(t, keyPEM(server), certPEM(server))
	return c
}

// ServerConfig makes a server certificate for names and addrs, and requires a client's certificate.
func (c *Certificates) ServerConfig(names []string, addrs ...net.IP) *tls.Config {
	pool := x509.NewCertPool()
	pool.AddCert(c.authority.Leaf)
	return &tls.Config{Certificates: []tls.Certificate{c.signServer(names, addrs...)}, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert}
}

func (c *Certificates) signServer(names []string, addrs ...net.IP) tls.Certificate {
	return c.sign(x509.Certificate{DNSNames: names, IPAddresses: addrs, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, Subject: pkix.Name{CommonName: "server"}})
}

func (c *Certificates) sign(template x509.Certificate) tls.Certificate {
	key := Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template.SerialNumber, template.BasicConstraintsValid = big.NewInt(time.Now().UnixNano()), true
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, signer := c.authority.Leaf, c.authority.PrivateKey
	if parent == nil {
		parent, signer = &template, key
	}
	der := Must(x509.CreateCertificate(rand.Reader, &template, parent, key.Public(), signer))
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: Must(x509.ParseCertificate(der))}
}

func certPEM(c tls.Certificate) *pem.Block {
	return &pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate[0]}
}

func keyPEM(c tls.Certificate) *pem.Block {
	return &pem.Block{Type: "PRIVATE KEY", Bytes: Must(x509.MarshalPKCS8PrivateKey(c.PrivateKey))}
}

func pemFile(t testing.TB, blocks ...*pem.Block) string {
	t.Helper()
	var text []byte
	for _, b := range blocks {
		text = append(text, pem.EncodeToMemory(b)...)
	}
	name := filepath.Join(t.TempDir(), "a.pem")
	Must(0, os.WriteFile(name, text, 0o600))
	return name
}
