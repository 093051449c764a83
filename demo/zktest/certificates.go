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
	"testing"
	"time"
)

// An Authority is a certificate authority made for one test. What it signs is valid for
// an hour.
type Authority struct {
	Cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// NewAuthority makes an authority.
func NewAuthority(t testing.TB) *Authority {
	t.Helper()
	a := &Authority{}
	a.Cert, a.key = a.sign(t, &x509.Certificate{IsCA: true, KeyUsage: x509.KeyUsageCertSign, Subject: pkix.Name{CommonName: "authority"}})
	return a
}

// must fails the test for an error.
func must[T any](t testing.TB, v T, err error) T {
	t.Helper()
	if err != nil {
		t.Fatalf("certificates: %v", err)
	}
	return v
}

// sign makes a key and its certificate; the first one is the authority's own.
func (a *Authority) sign(t testing.TB, template *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, key, err)
	template.SerialNumber, template.BasicConstraintsValid = big.NewInt(time.Now().UnixNano()), true
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, signer := a.Cert, a.key
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	must(t, der, err)
	cert, err := x509.ParseCertificate(der)
	return must(t, cert, err), key
}

func (a *Authority) server(t testing.TB, names []string, addrs ...net.IP) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	return a.sign(t, &x509.Certificate{DNSNames: names, IPAddresses: addrs, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, Subject: pkix.Name{CommonName: "server"}})
}

// ServerConfig is for a server whose certificate has these names and addresses, and
// that wants one of the client.
func (a *Authority) ServerConfig(t testing.TB, names []string, addrs ...net.IP) *tls.Config {
	t.Helper()
	cert, key := a.server(t, names, addrs...)
	pool := x509.NewCertPool()
	pool.AddCert(a.Cert)
	return &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{cert.Raw}, PrivateKey: key}},
		ClientCAs:    pool, ClientAuth: tls.RequireAndVerifyClientCert,
	}
}

// Files returns the PEM files of a new client: the authority's certificate, its own, and
// its key.
func (a *Authority) Files(t testing.TB) (ca, cert, key string) {
	t.Helper()
	c, k := a.sign(t, &x509.Certificate{KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}, Subject: pkix.Name{CommonName: "client"}})
	return pemFile(t, certBlock(a.Cert)), pemFile(t, certBlock(c)), pemFile(t, keyBlock(t, k))
}

func certBlock(c *x509.Certificate) *pem.Block {
	return &pem.Block{Type: "CERTIFICATE", Bytes: c.Raw}
}

func keyBlock(t testing.TB, key *ecdsa.PrivateKey) *pem.Block {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	return &pem.Block{Type: "PRIVATE KEY", Bytes: must(t, der, err)}
}

func pemFile(t testing.TB, blocks ...*pem.Block) string {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "*.pem")
	defer must(t, f, err).Close()
	for _, b := range blocks {
		must(t, 0, pem.Encode(f, b))
	}
	return f.Name()
}

// Certificates are PEM files of an authority of their own: its certificate, a server's and
// a client's.
type Certificates struct {
	CA   string // the authority's certificate
	Cert string // the client's certificate
	Key  string // the client's key

	server string // the server's key and certificate
}

// ServerName is in the server's certificate besides the loopback addresses.
const ServerName = "zookeeper.example"

// NewCertificates makes an authority and what it has signed.
func NewCertificates(t testing.TB) *Certificates {
	t.Helper()
	a, c := NewAuthority(t), &Certificates{}
	c.CA, c.Cert, c.Key = a.Files(t)
	cert, key := a.server(t, []string{ServerName, "localhost"}, net.IPv4(127, 0, 0, 1), net.IPv6loopback)
	c.server = pemFile(t, keyBlock(t, key), certBlock(cert))
	return c
}
