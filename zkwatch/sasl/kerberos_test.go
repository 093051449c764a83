package sasl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jcmturner/gofork/encoding/asn1"
	"github.com/jcmturner/gokrb5/v8/asn1tools"
	"github.com/jcmturner/gokrb5/v8/crypto"
	"github.com/jcmturner/gokrb5/v8/gssapi"
	"github.com/jcmturner/gokrb5/v8/iana/asnAppTag"
	"github.com/jcmturner/gokrb5/v8/iana/keyusage"
	"github.com/jcmturner/gokrb5/v8/keytab"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/types"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func aKey(b byte) types.EncryptionKey {
	return types.EncryptionKey{KeyType: 18, KeyValue: bytes.Repeat([]byte{b}, 32)}
}

func begun(t testing.TB) *kerberosExchange {
	t.Helper()
	x := must(newExchange(ticket{
		ticket: messages.Ticket{
			TktVNO: 5, Realm: "R", SName: types.NewPrincipalName(1, "zookeeper/zk1"), EncPart: types.EncryptedData{EType: 18, Cipher: []byte("c")},
		},
		key: aKey(1), end: time.Now().Add(time.Hour), drop: func() {},
		user: "ann", realm: "R", service: principal{"zookeeper/zk1", "R"},
	}))
	if first, done, err := x.Next(nil); len(first) == 0 || done || err != nil {
		t.Fatalf("first answer %x, done %t, %v; want an answer and done false", first, done, err)
	}
	return x
}

func proof(key types.EncryptionKey, part messages.EncAPRepPart) []byte {
	plain := asn1tools.AddASNAppTag(must(asn1.Marshal(part)), asnAppTag.EncAPRepPart)
	sealed := must(crypto.GetEncryptedData(plain, key, keyusage.AP_REP_ENCPART, 0))
	reply := asn1tools.AddASNAppTag(must(asn1.Marshal(messages.APRep{PVNO: 5, MsgType: 15, EncPart: sealed})), asnAppTag.APREP)
	token := append(must(asn1.Marshal(gssapi.OIDKRB5.OID())), 2, 0)
	return asn1tools.AddASNAppTag(append(token, reply...), 0)
}

func validReply(x *kerberosExchange) messages.EncAPRepPart {
	return messages.EncAPRepPart{CTime: x.sent.CTime.Truncate(time.Second), Cusec: x.sent.Cusec, SequenceNumber: 7}
}

func offer(key types.EncryptionKey, flags byte, payload []byte) []byte {
	w := gssapi.WrapToken{Flags: flags, EC: 12, SndSeqNum: 7, Payload: payload}
	if err := w.SetCheckSum(key, keyusage.GSSAPI_ACCEPTOR_SEAL); err != nil {
		panic(err)
	}
	return must(w.Marshal())
}

func TestKerberosExchange(t *testing.T) {
	for _, subkey := range []bool{false, true} {
		x, key, flags := begun(t), aKey(1), byte(fromAcceptor)
		part := validReply(x)
		if subkey {
			key, flags = aKey(2), fromAcceptor|acceptorSubkey
			part.Subkey = key
		}
		if answer, done, err := x.Next(proof(aKey(1), part)); answer == nil || len(answer) != 0 || done || err != nil {
			t.Fatalf("subkey %t: second answer %x, done %t, %v; want empty and done false", subkey, answer, done, err)
		}
		choice, done, err := x.Next(offer(key, flags, []byte{7, 0, 1, 0}))
		if !done || err != nil {
			t.Fatalf("subkey %t: third answer: done %t, %v; want done", subkey, done, err)
		}
		var w gssapi.WrapToken
		if err := w.Unmarshal(choice, false); err != nil {
			t.Fatal(err)
		}
		ok, err := w.Verify(key, keyusage.GSSAPI_INITIATOR_SEAL)
		if !ok || !bytes.Equal(w.Payload, []byte{noLayer, 0, 0, 0}) || w.SndSeqNum != uint64(x.sent.SeqNumber) {
			t.Errorf("subkey %t: choice %+v, %v; want no security layer, and sequence number %d", subkey, w, err, x.sent.SeqNumber)
		}
		if _, _, err := x.Next(nil); err == nil {
			t.Error("Next after the end returned no error")
		}
	}
}

func TestServerMustProveThatItHasTheKey(t *testing.T) {
	for what, c := range map[string]struct {
		token func(x *kerberosExchange) []byte
		want  error
	}{
		"nothing":     {func(*kerberosExchange) []byte { return nil }, ErrUnsupported},
		"another key": {func(x *kerberosExchange) []byte { return proof(aKey(9), validReply(x)) }, ErrImpostor},
		"another second": {func(x *kerberosExchange) []byte {
			p := validReply(x)
			p.CTime = p.CTime.Add(time.Second)
			return proof(aKey(1), p)
		}, ErrImpostor},
		"other microseconds": {func(x *kerberosExchange) []byte { p := validReply(x); p.Cusec ^= 1; return proof(aKey(1), p) }, ErrImpostor},
		"a weak subkey": {func(x *kerberosExchange) []byte {
			p := validReply(x)
			p.Subkey = types.EncryptionKey{KeyType: 23, KeyValue: make([]byte, 16)}
			return proof(aKey(1), p)
		}, ErrUnsupported},
		"noise":     {func(*kerberosExchange) []byte { return []byte("noise") }, ErrChallenge},
		"truncated": {func(x *kerberosExchange) []byte { p := proof(aKey(1), validReply(x)); return p[:len(p)/2] }, ErrChallenge},
		"trailing":  {func(x *kerberosExchange) []byte { return append(proof(aKey(1), validReply(x)), 0) }, ErrChallenge},
		"an offer":  {func(*kerberosExchange) []byte { return offer(aKey(1), fromAcceptor, []byte{1, 0, 0, 0}) }, ErrChallenge},
		"reflected": {func(x *kerberosExchange) []byte { first, _ := x.first(); return first }, ErrChallenge},
	} {
		x := begun(t)
		if answer, done, err := x.Next(c.token(x)); answer != nil || done || !errors.Is(err, c.want) {
			t.Errorf("%s: answer %x, done %t, %v; want %v", what, answer, done, err, c.want)
		}
		if err := x.Refused(); !errors.Is(err, ErrRejected) || !strings.Contains(err.Error(), "ann@R") {
			t.Errorf("%s: Refused: %v, want ErrRejected for ann@R", what, err)
		}
	}
}

func TestOffersOfSecurityLayers(t *testing.T) {
	good := offer(aKey(1), fromAcceptor, []byte{noLayer, 0, 0, 0})
	changed := func(at int, to byte) []byte { b := slices.Clone(good); b[at] = to; return b }
	rotated := slices.Concat(good[:6], []byte{0, 5}, good[len(good)-5:], good[gssapi.HdrLen:len(good)-5])
	rotated = slices.Concat(rotated[:8], good[8:16], rotated[8:])
	for what, c := range map[string]struct {
		token []byte
		want  error
	}{
		"unchanged":          {good, nil},
		"rotated":            {rotated, nil},
		"full rotation":      {changed(7, 16), nil},
		"wrongly rotated":    {changed(7, 3), ErrChallenge},
		"sent by the client": {offer(aKey(1), 0, []byte{1, 0, 0, 0}), ErrChallenge},
		"sealed":             {changed(2, fromAcceptor|sealed), ErrChallenge},
		"with a subkey":      {changed(2, fromAcceptor|acceptorSubkey), ErrChallenge},
		"another key":        {offer(aKey(2), fromAcceptor, []byte{1, 0, 0, 0}), ErrChallenge},
		"changed payload":    {changed(gssapi.HdrLen, 3), ErrChallenge},
		"no checksum":        {append(changed(5, 0)[:gssapi.HdrLen], 1, 0, 0, 0), ErrChallenge},
		"a long checksum":    {changed(4, 0xff), ErrChallenge},
		"half a header":      {good[:10], ErrChallenge},
		"empty":              {nil, ErrChallenge},
		"layer required":     {offer(aKey(1), fromAcceptor, []byte{6, 0, 1, 0}), ErrUnsupported},
		"five bytes":         {offer(aKey(1), fromAcceptor, []byte{1, 0, 0, 0, 0}), ErrChallenge},
	} {
		x := begun(t)
		if _, _, err := x.Next(proof(aKey(1), validReply(x))); err != nil {
			t.Fatal(err)
		}
		if _, done, err := x.Next(c.token); !errors.Is(err, c.want) || done != (err == nil) {
			t.Errorf("%s: done %t, %v; want %v", what, done, err, c.want)
		}
	}
}

func FuzzTokens(f *testing.F) {
	x := begun(f)
	f.Add(proof(aKey(1), validReply(x)), offer(aKey(1), fromAcceptor, []byte{1, 0, 0, 0}))
	f.Add([]byte("\x60\x10\x06\x09\x2a\x86\x48\x86\xf7\x12\x01\x02\x02\x03\x00\x7e\x00"), []byte{5, 4, 1, 255, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, second, third []byte) {
		if answer, done, err := begun(t).Next(second); err == nil || done || answer != nil {
			t.Fatalf("%x is accepted", second)
		}
		x := &kerberosExchange{key: aKey(1)}
		if message, err := x.unwrap(third); err == nil && !bytes.Equal(message, []byte{1, 0, 0, 0}) {
			t.Fatalf("%x is accepted with the message %x", third, message)
		}
	})
}

func TestIncludedConfiguration(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	first := file("a", "# comment\nincludedir "+filepath.Join(dir, "d")+"\n[libdefaults]\n default_realm = A\n[realms]\n A = {\n  kdc = a:88\n }\n")
	file("d/more", "[realms]\n B = {\n  kdc = b:88\n }\n[libdefaults]\n default_ccache_name = FILE:/x\n")
	file("d/old.rpmsave~", "[libdefaults]\n default_realm = WRONG\n")
	second := file("b", "[domain_realm]\n .b.example = B\n[appdefaults]\n x = { y = z }\n")
	in := func(paths ...string) func(string) string {
		return func(string) string { return strings.Join(paths, string(os.PathListSeparator)) }
	}
	conf, cache, err := loadConfig(in(first, second))
	if err != nil || cache != "FILE:/x" || conf.LibDefaults.DefaultRealm != "A" || !conf.LibDefaults.DNSLookupKDC ||
		len(conf.Realms) != 2 || conf.ResolveRealm("zk.b.example") != "B" {
		t.Errorf("configuration %+v, cache %q, %v; want default realm A, DNS lookup of KDCs, realms A and B, zk.b.example in B, cache FILE:/x", conf, cache, err)
	}
	for text, want := range map[string]string{
		"include " + filepath.Join(dir, "none"): "none",
		"include " + filepath.Join(dir, "loop"): "more than",
		"[libdefaults]\nnonsense":               "loop",
	} {
		if _, _, err := loadConfig(in(file("loop", text+"\n"))); err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 20_000 {
			t.Errorf("%q: error %v, want at most 20,000 bytes with %q", text, err, want)
		}
	}
}

func TestServicePrincipals(t *testing.T) {
	path := filepath.Join(t.TempDir(), "krb5.conf")
	const text = "[libdefaults]\ndefault_realm=A\ndns_canonicalize_hostname=false\nrdns=false\n[domain_realm]\n.b.example=B\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	conf, _, err := loadConfig(func(string) string { return path })
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ service, host, want string }{
		{"", "ZK1.b.example.", "[zookeeper/zk1.b.example@B]"},
		{"zk", "zk1", "[zk/zk1@]"},
		{"zk/_HOST@C", "zk1", "[zk/zk1@C]"},
		{"zk/all.b.example", "zk1", "[zk/all.b.example@B]"},
		{"zk/all@C", "zk1", "[zk/all@C]"},
		{"", "127.0.0.1", "[zookeeper/127.0.0.1@]"},
	} {
		s, err := parseService(c.service)
		if got := fmt.Sprint(slices.Collect(s.names(t.Context(), c.host, conf))); err != nil || got != c.want {
			t.Errorf("%q on %s: %s, %v; want %s", c.service, c.host, got, err, c.want)
		}
	}
	for _, bad := range []string{"/h", "zk/", "zk/a/b", "zk@", "@C", "zk@C@D"} {
		if s, err := parseService(bad); err == nil {
			t.Errorf("parseService(%q) = %+v, want an error", bad, s)
		}
	}
}

func TestErrorsOfTheKDC(t *testing.T) {
	for code, want := range map[int]string{
		6: "does not know this principal", 18: "locked", clockSkew: "clocks", 32: "kinit",
		badPreauth: "password changed", 14: "encryption", 60: "Generic",
	} {
		err := explained(messages.KRBError{ErrorCode: int32(code)})
		if codeOf(fmt.Errorf("x: %w", err)) != code || !errors.Is(err, ErrRejected) || !strings.Contains(err.Error(), want) {
			t.Errorf("code %d: error %v, want ErrRejected with %q", code, err, want)
		}
	}
	for _, code := range []int{serviceUnknown, unavailable} {
		if err := explained(messages.KRBError{ErrorCode: int32(code)}); codeOf(err) != code || errors.Is(err, ErrRejected) {
			t.Errorf("code %d: error %v, want an error that is not ErrRejected", code, err)
		}
	}
}

func TestSilentKDCTimesOutAndPrintedAccountHidesKeys(t *testing.T) {
	silent := must(net.ListenPacket("udp", "127.0.0.1:0"))
	defer silent.Close()
	path := filepath.Join(t.TempDir(), "krb5.conf")
	text := fmt.Sprintf("[libdefaults]\ndefault_realm=A\ndns_canonicalize_hostname=false\nrdns=false\n[realms]\nA = {\nkdc = %s\n}\n", silent.LocalAddr())
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	keys := keytab.New()
	if err := keys.AddEntry("ann", "A", "S3cret", time.Now(), 1, 18); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "keytab")
	if err := os.WriteFile(file, must(keys.Marshal()), 0o600); err != nil {
		t.Fatal(err)
	}
	account := must(NewKerberos(KerberosOptions{Keytab: file, Getenv: func(string) string { return path }}))
	before := runtime.NumGoroutine()
	for range 5 {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if _, err := account.Begin(ctx, "zk1"); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "zookeeper on zk1") {
			t.Errorf("error %v, want DeadlineExceeded for zookeeper on zk1", err)
		}
		cancel()
	}
	if now := runtime.NumGoroutine(); now > before+2 {
		t.Errorf("%d goroutines, want at most %d", now, before+2)
	}
	session := types.EncryptionKey{KeyType: 18, KeyValue: []byte("S3ssionKey")}
	account.cache.mu.Lock()
	account.cache.tickets["krbtgt/A@A"] = ticket{key: session}
	account.cache.mu.Unlock()
	var shown strings.Builder
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d", "%x"} {
		fmt.Fprintf(&shown, verb, struct{ m Mechanism }{account})
		fmt.Fprintf(&shown, verb, account)
	}
	key, _, err := keys.GetEncryptionKey(types.NewPrincipalName(1, "ann"), "A", 0, 18)
	if err != nil || !strings.Contains(shown.String(), "ann@A of keytab") {
		t.Fatalf("got %s, %v; want ann@A of keytab", shown.String(), err)
	}
	for _, key := range [][]byte{key.KeyValue, session.KeyValue} {
		for _, secret := range []string{fmt.Sprintf("%x", key), strings.Trim(fmt.Sprint(key), "[]"), string(key)} {
			if strings.Contains(shown.String(), secret) {
				t.Errorf("output %s contains a key", shown.String())
			}
		}
	}
}
