package zktest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
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

// Certificates are PEM files of an authority made for one test: its own
// certificate, a server's and a client's.
type Certificates struct {
	CA   string // the authority's certificate
	Cert string // the client's certificate
	Key  string // the client's key

	server string // the server's key and certificate
}

// ServerName is in the server's certificate besides the loopback addresses.
const ServerName = "zookeeper.example"

// NewCertificates makes an authority and what it has signed, valid for an
// hour.
func NewCertificates(t testing.TB) *Certificates {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("certificates: %v", err)
		}
	}
	dir := t.TempDir()
	write := func(name string, blocks ...*pem.Block) string {
		path := filepath.Join(dir, name)
		var text []byte
		for _, b := range blocks {
			text = append(text, pem.EncodeToMemory(b)...)
		}
		check(os.WriteFile(path, text, 0o600))
		return path
	}
	var serial int64
	sign := func(name string, parent *x509.Certificate, signer *ecdsa.PrivateKey, more func(*x509.Certificate)) (*x509.Certificate, *ecdsa.PrivateKey) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		check(err)
		serial++
		template := &x509.Certificate{
			SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: name},
			NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(time.Hour),
			BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature,
		}
		more(template)
		if parent == nil {
			parent, signer = template, key
		}
		der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
		check(err)
		cert, err := x509.ParseCertificate(der)
		check(err)
		return cert, key
	}
	certBlock := func(c *x509.Certificate) *pem.Block { return &pem.Block{Type: "CERTIFICATE", Bytes: c.Raw} }
	keyBlock := func(k *ecdsa.PrivateKey) *pem.Block {
		der, err := x509.MarshalPKCS8PrivateKey(k)
		check(err)
		return &pem.Block{Type: "PRIVATE KEY", Bytes: der}
	}
	ca, caKey := sign("authority", nil, nil, func(c *x509.Certificate) {
		c.IsCA, c.KeyUsage = true, x509.KeyUsageCertSign
	})
	server, serverKey := sign("server", ca, caKey, func(c *x509.Certificate) {
		c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
		c.DNSNames = []string{ServerName, "localhost"}
		c.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	})
	client, clientKey := sign("client", ca, caKey, func(c *x509.Certificate) {
		c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	})
	return &Certificates{
		CA:     write("ca.pem", certBlock(ca)),
		Cert:   write("client.pem", certBlock(client)),
		Key:    write("client.key", keyBlock(clientKey)),
		server: write("server.pem", keyBlock(serverKey), certBlock(server)),
	}
}
