package clienttest

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

// Authority is a certificate authority of a test's own.
type Authority struct {
	Cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func NewAuthority(t *testing.T) *Authority {
	a := &Authority{}
	a.Cert, a.key = a.sign(t, &x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign})
	return a
}

func (a *Authority) sign(t *testing.T, template *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key := Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template.SerialNumber, template.Subject = big.NewInt(time.Now().UnixNano()), pkix.Name{CommonName: "test"}
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, signer := a.Cert, a.key
	if parent == nil {
		parent, signer = template, key
	}
	der := Must(x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer))
	return Must(x509.ParseCertificate(der)), key
}

// ServerConfig is for a server whose certificate has these names and addresses, and
// that wants one of the client.
func (a *Authority) ServerConfig(t *testing.T, names []string, addrs ...net.IP) *tls.Config {
	cert, key := a.sign(t, &x509.Certificate{DNSNames: names, IPAddresses: addrs, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}})
	pool := x509.NewCertPool()
	pool.AddCert(a.Cert)
	return &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{cert.Raw}, PrivateKey: key}},
		ClientCAs:    pool, ClientAuth: tls.RequireAndVerifyClientCert,
	}
}

// Files are the PEM files of a client: the CA's, its certificate's, its key's.
func (a *Authority) Files(t *testing.T) (ca, cert, key string) {
	t.Helper()
	c, k := a.sign(t, &x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	return PemFile(t, "CERTIFICATE", a.Cert.Raw), PemFile(t, "CERTIFICATE", c.Raw), PemFile(t, "PRIVATE KEY", Must(x509.MarshalPKCS8PrivateKey(k)))
}

func PemFile(t *testing.T, kind string, der []byte) string {
	t.Helper()
	return File(t, string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})))
}

func File(t *testing.T, content string) string {
	t.Helper()
	f := Must(os.CreateTemp(t.TempDir(), "f"))
	defer f.Close()
	Must(f.WriteString(content))
	return f.Name()
}
