package sasl_test

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"electop/zkwatch/sasl"
)

func account(t testing.TB, user, password string) *sasl.Digest {
	t.Helper()
	d, err := sasl.NewDigest(user, password)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func challenged(t testing.TB, d *sasl.Digest, challenge string) (sasl.Exchange, string, error) {
	t.Helper()
	x, err := d.Begin(t.Context(), "zk1")
	if err != nil {
		t.Fatal(err)
	}
	if first, done, err := x.Next(nil); first == nil || len(first) != 0 || done || err != nil {
		t.Fatalf("first answer %q, done %t, %v; want empty and done false", first, done, err)
	}
	answer, done, err := x.Next([]byte(challenge))
	if done {
		t.Error("the exchange ended before the server authenticated itself")
	}
	return x, string(answer), err
}

// TestDigestExampleOfTheRFC tests the example in section 4 of RFC 2831.
func TestDigestExampleOfTheRFC(t *testing.T) {
	d := account(t, "chris", "secret")
	sasl.SetURIAndClientNonce(d, "imap/elwood.innosoft.com", "OA6MHXh6VqTrRk")
	x, answer, err := challenged(t, d, `realm="elwood.innosoft.com",nonce="OA6MG9tEQGm2hh",qop="auth",algorithm=md5-sess,charset=utf-8`)
	if err != nil || !strings.HasPrefix(answer, `charset=utf-8,username="chris",realm="elwood.innosoft.com"`) ||
		!strings.Contains(answer, "response=d388dad90d4bbd760a152321f2143af7,qop=auth") {
		t.Fatalf("answer %q, %v; want the RFC's response", answer, err)
	}
	if answer, done, err := x.Next([]byte("rspauth=ea40f60335c427b5527b84dbabcdfffd")); answer != nil || !done || err != nil {
		t.Errorf("after the proof: answer %q, done %t, %v; want done without an answer", answer, done, err)
	}
	if _, _, err := x.Next(nil); err == nil {
		t.Error("Next after the end returned no error")
	}
}

func TestDigestChallenges(t *testing.T) {
	const plain = `nonce="n",algorithm=md5-sess`
	for challenge, want := range map[string]error{
		plain: nil,
		plain + `,qop="auth-int, auth",maxbuf=65536,stale=false`: nil,
		"\t, ,realm = \"a \\\"b\\\\\" ," + plain + ",,":          nil,
		`realm="a",realm="b",` + plain:                           nil,
		`NONCE="n",Algorithm=MD5-sess`:                           nil,
		"":                                                       sasl.ErrUnsupported,
		`algorithm=md5-sess`:                                     sasl.ErrChallenge,
		`nonce="",algorithm=md5-sess`:                            sasl.ErrChallenge,
		`nonce="n"`:                                              sasl.ErrUnsupported,
		`nonce="n",algorithm=md5`:                                sasl.ErrUnsupported,
		plain + `,qop="auth-int,auth-conf"`:                      sasl.ErrUnsupported,
		plain + `,charset=latin1`:                                sasl.ErrUnsupported,
		plain + `,nonce="m"`:                                     sasl.ErrChallenge,
		`nonce="n`:                                               sasl.ErrChallenge,
		`nonce="n\`:                                              sasl.ErrChallenge,
		`nonce=n x,algorithm=md5-sess`:                           sasl.ErrChallenge,
		`nonce`:                                                  sasl.ErrChallenge,
		`nonce=`:                                                 sasl.ErrChallenge,
		`=n`:                                                     sasl.ErrChallenge,
		"\x00\xff":                                               sasl.ErrChallenge,
		plain + strings.Repeat(",realm=b", 100):                  sasl.ErrChallenge,
		plain + strings.Repeat(" ", 3000):                        sasl.ErrChallenge,
		`realm="` + strings.Repeat(`\"`, 1000) + `",` + plain: nil,
	} {
		x, answer, err := challenged(t, account(t, "ann", "S3cret"), challenge)
		if !errors.Is(err, want) || want == nil && (err != nil || !strings.Contains(answer, "response=")) {
			t.Errorf("%.60q: answer %q, error %v; want error %v", challenge, answer, err, want)
		}
		if strings.Contains(answer, "S3cret") || err != nil && strings.Contains(err.Error(), "S3cret") {
			t.Errorf("%.60q: answer %q or error %v contains the password", challenge, answer, err)
		}
		if refused := x.Refused(); !errors.Is(refused, sasl.ErrRejected) || !strings.Contains(refused.Error(), "password is wrong") {
			t.Errorf("%.60q: Refused: got %v, want ErrRejected with \"password is wrong\"", challenge, refused)
		}
	}
}

func TestDigestServerMustProveThatItKnowsThePassword(t *testing.T) {
	for proof, want := range map[string]error{
		"":                                     sasl.ErrRejected, // an empty token is a refusal
		"rspauth=":                             sasl.ErrChallenge,
		"rspauth=0":                            sasl.ErrImpostor,
		"other=0":                              sasl.ErrImpostor,
		"rspauth=" + strings.Repeat("0", 32):   sasl.ErrImpostor,
		"rspauth=" + strings.Repeat("0", 3000): sasl.ErrChallenge,
	} {
		x, _, err := challenged(t, account(t, "ann", "S3cret"), `nonce="n",algorithm=md5-sess`)
		if err != nil {
			t.Fatal(err)
		}
		if _, done, err := x.Next([]byte(proof)); !done || !errors.Is(err, want) {
			t.Errorf("proof %.20q: done %t, %v; want done true and %v", proof, done, err, want)
		}
	}
}

func TestDigestEncodings(t *testing.T) {
	for _, c := range []struct{ user, password, charset, username, hashed string }{
		{"jürgen", "straße", ",charset=utf-8", "jürgen", "j\xfcrgen:r:stra\xdfe"},
		{"jürgen", "straße", "", "j\xfcrgen", "j\xfcrgen:r:stra\xdfe"},
		{"žofie", "straße", ",charset=utf-8", "žofie", "žofie:r:stra\xdfe"},
		{`a"b\`, "c", "", `a\"b\\`, `a"b\:r:c`},
	} {
		d := account(t, c.user, c.password)
		sasl.SetURIAndClientNonce(d, "zookeeper/zk-sasl-md5", "c")
		_, answer, err := challenged(t, d, `realm="r",nonce="n",algorithm=md5-sess`+c.charset)
		id := md5.Sum([]byte(c.hashed))
		a1 := md5.Sum([]byte(string(id[:]) + ":n:c"))
		a2 := md5.Sum([]byte("AUTHENTICATE:zookeeper/zk-sasl-md5"))
		want := md5.Sum([]byte(hex.EncodeToString(a1[:]) + ":n:00000001:c:auth:" + hex.EncodeToString(a2[:])))
		if err != nil || !strings.Contains(answer, `username="`+c.username+`",`) || !strings.Contains(answer, "response="+hex.EncodeToString(want[:])) {
			t.Errorf("%s: answer %q, %v; want username %s and response %x", c.user, answer, err, c.username, want)
		}
	}
	if _, _, err := challenged(t, account(t, "žofie", "x"), `nonce="n",algorithm=md5-sess`); !errors.Is(err, sasl.ErrUnsupported) {
		t.Errorf("without charset: got %v, want ErrUnsupported", err)
	}
}

func TestDigestClientNoncesDiffer(t *testing.T) {
	d := account(t, "ann", "S3cret")
	seen := map[string]bool{}
	for range 20 {
		_, answer, _ := challenged(t, d, `nonce="n",algorithm=md5-sess`)
		seen[answer] = true
	}
	if len(seen) != 20 {
		t.Errorf("%d different answers, want 20", len(seen))
	}
}

func TestDigestAccounts(t *testing.T) {
	for _, c := range [][2]string{{"", "S3cret"}, {"ann", ""}, {"\xff", "S3cret"}, {"ann", "S3cret\xff"}, {"ann", strings.Repeat("S3cret", 1000)}} {
		if d, err := sasl.NewDigest(c[0], c[1]); err == nil || strings.Contains(err.Error(), "S3cret") {
			t.Errorf("NewDigest(%.20q) = %v, %v; want an error without the password", c, d, err)
		}
	}
	d := account(t, "ann", "S3cret")
	var shown strings.Builder
	slog.New(slog.NewTextHandler(&shown, nil)).Info("x", "account", d)
	b, err := json.Marshal(map[string]any{"account": d})
	if err != nil {
		t.Fatal(err)
	}
	shown.Write(b)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d", "%x", "%q"} {
		fmt.Fprintf(&shown, verb+verb, d, struct{ m sasl.Mechanism }{d})
	}
	for text, want := range map[string]bool{"DIGEST-MD5": true, "S3cret": false, "533363726574": false, "ann": false} {
		if s := shown.String(); strings.Contains(s, text) != want {
			t.Errorf("got %s, want only DIGEST-MD5 without user and password", s)
		}
	}
}

func FuzzDigest(f *testing.F) {
	f.Add([]byte(`realm="zk-sasl-md5",nonce="n",charset=utf-8,algorithm=md5-sess,qop="auth"`), []byte("rspauth=0"))
	f.Add([]byte(`nonce="\"`), []byte(""))
	f.Add([]byte("\xff="), []byte("rspauth"))
	f.Fuzz(func(t *testing.T, challenge, proof []byte) {
		x, answer, err := challenged(t, account(t, "ann", "S3cret"), string(challenge))
		if (err == nil) != (answer != "") || len(answer) > 4096 || strings.Contains(answer, "S3cret") {
			t.Fatalf("answer %q, %v; want an error or a bounded answer without the password", answer, err)
		}
		if err != nil {
			if len(err.Error()) > 1000 {
				t.Fatalf("an error of %d bytes, want at most 1000", len(err.Error()))
			}
			return
		}
		if _, done, err := x.Next(proof); !done || err == nil {
			t.Fatalf("proof %q: done %t, %v; want done true and an error", proof, done, err)
		}
	})
}
