package client_test

import (
	"reflect"
	"strings"
	"testing"

	"electop/zkwatch/client"
)

func TestParseConnectString(t *testing.T) {
	for _, tt := range []struct {
		in      string
		servers string // space separated
		chroot  string
	}{
		{"localhost", "localhost:2181", ""},
		{"localhost:2182", "localhost:2182", ""},
		{"a:1,b:2,c", "a:1 b:2 c:2181", ""},
		{" a:1 , b:2 ", "a:1 b:2", ""},
		{"a:1/", "a:1", ""},
		{"a:1/app", "a:1", "/app"},
		{"a,b/app/sub dir", "a:2181 b:2181", "/app/sub dir"},
		{"10.0.0.1:02181", "10.0.0.1:2181", ""},
		{"[::1]:2182", "[::1]:2182", ""},
		{"[::1]", "[::1]:2181", ""},
		{"::1", "[::1]:2181", ""},
		{"::1/app", "[::1]:2181", "/app"},
		{"fe80::a:b,[fe80::1%eth0]:1", "[fe80::a:b]:2181 [fe80::1%eth0]:1", ""},
		{"1:2:3:4:5:6:7:8", "[1:2:3:4:5:6:7:8]:2181", ""},
		{"::1:12181", "[::1]:12181", ""}, // five digits are no part of an address
		{"a,a", "a:2181 a:2181", ""},
	} {
		got, err := client.ParseConnectString(tt.in)
		want := client.ConnectString{Servers: strings.Fields(tt.servers), Chroot: tt.chroot}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("ParseConnectString(%q) = %v, %v; want %v", tt.in, got, err, want)
		}
	}
}

func TestParseConnectStringNamesWhatIsWrong(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", "it is empty"},
		{"  ", "it is empty"},
		{"/app", `server "": it is empty`},
		{"a,,b", `server "": it is empty`},
		{"a,", `server "": it is empty`},
		{"a:", `port ""`},
		{"a:0", `port "0"`},
		{"a:65536", `port "65536"`},
		{"a:x", `port "x"`},
		{"a:+1", `port "+1"`},
		{":2181", "no host"},
		{"zk://a:1", "empty name"},
		{"[::1", "no closing bracket"},
		{"[a]:1", `"a" is not an IPv6 address`},
		{"[::1]x", `"x" after the bracket`},
		{"[::1]:", `port ""`},
		{"::1:2181", "Write [::1:2181] or [::1]:2181"},
		{"a:b:1", "more than one colon"},
		{"a b:1", `character ' '`},
		{"a\x1b[m:1", `character '\x1b'`},
		{"\xff:1", "not valid UTF-8"},
		{strings.Repeat("a", 254), "too long"},
		{"a/b/", "empty name"},
		{"a//b", "empty name"},
		{"a/./b", `relative name "."`},
		{"a/..", `relative name ".."`},
		{"a/b\x00c", "character U+0000"},
		{"a/b\u009bc", "character U+009B"},
		{"a/b\ue000c", "character U+E000"},
		{"a/\xff", "not valid UTF-8"},
	} {
		got, err := client.ParseConnectString(tt.in)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("ParseConnectString(%q) = %v, %v; want an error with %s", tt.in, got, err, tt.want)
		}
	}
}

func FuzzParseConnectString(f *testing.F) {
	for _, s := range []string{"a:1,b/c", "[::1]:2,::1", "fe80::1%x", "a/.b/...", " a , b /c ", "::ffff:1.2.3.4", "a:1/\u00e9"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		cs, err := client.ParseConnectString(s)
		if err != nil {
			return
		}
		if len(cs.Servers) == 0 || cs.Chroot == "/" {
			t.Fatalf("ParseConnectString(%q) = %#v", s, cs)
		}
		again, err := client.ParseConnectString(cs.String())
		if err != nil || !reflect.DeepEqual(again, cs) {
			t.Fatalf("%q was parsed as %#v, and that as %#v, %v", s, cs, again, err)
		}
	})
}
