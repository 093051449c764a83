package zkserver_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"electop/demo/zkserver"
	"electop/zkwatch/wire"
)

func saved(t testing.TB, s *zkserver.Server) string {
	t.Helper()
	var b bytes.Buffer
	if err := s.SaveTree(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestTreeRoundTrip saves what clients made and loads it into another server,
// which saves the same.
func TestTreeRoundTrip(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		c := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		create := func(path string, data []byte, flags int32, acl ...wire.ACL) {
			t.Helper()
			if acl == nil {
				acl = world(wire.PermAll)
			}
			c.must(wire.OpCreate, &wire.CreateRequest{Path: path, Data: data, ACL: acl, Flags: flags}, &wire.PathResponse{})
		}
		if got, want := saved(t, s), "{\"format\":1,\"nodes\":[\n]}\n"; got != want {
			t.Errorf("an empty tree: %q, want %q", got, want)
		}
		create("/a", nil, 0)
		create("/a/empty", []byte{}, 0)
		create("/a/text", []byte("Grüße,\n\t<&\"world\">"), 0)
		create("/a/bytes", []byte{0xff, 0, 'x'}, 0)
		create("/a/escape", []byte("\x1b[31m"), 0)
		create("/a-b", nil, 0)
		create("/a/private", nil, 0, wire.ACL{Perms: wire.PermAll, ID: wire.ID{Scheme: "digest", ID: "ann:abc="}},
			wire.ACL{Perms: wire.PermRead | wire.PermAdmin, ID: wire.ID{Scheme: "ip", ID: "10.0.0.0/8"}})
		create("/a/mine", []byte("gone"), wire.FlagEphemeral)
		create("/a/q", nil, 0)
		for range 3 {
			create("/a/q/n_", nil, wire.FlagSequential)
		}
		c.must(wire.OpDelete, &wire.PathVersionRequest{Path: "/a/q/n_0000000001", Version: -1}, nil)
		c.must(wire.OpCreateContainer, &wire.CreateRequest{Path: "/box", ACL: world(31), Flags: wire.FlagContainer}, &wire.CreateResponse{})
		create("/box/x", nil, 0)
		c.must(wire.OpCreateTTL, &wire.CreateTTLRequest{CreateRequest: wire.CreateRequest{Path: "/soon", ACL: world(31), Flags: wire.FlagTTL}, TTL: 90_000}, &wire.CreateResponse{})
		create("/zookeeper/quota/a", []byte("q"), 0)
		c.must(wire.OpSetACL, &wire.SetACLRequest{Path: "/", ACL: world(wire.PermAll &^ wire.PermDelete), Version: -1}, &wire.Stat{})
		const want = `{"format":1,"nodes":[
{"path":"/","data":"","acl":["world:anyone:crwa"]},
{"path":"/a","next_sequence":7},
{"path":"/a-b"},
{"path":"/a/bytes","data_base64":"/wB4"},
{"path":"/a/empty","data":""},
{"path":"/a/escape","data_base64":"G1szMW0="},
{"path":"/a/private","acl":["digest:ann:abc=:cdrwa","ip:10.0.0.0/8:ra"]},
{"path":"/a/q","next_sequence":3},
{"path":"/a/q/n_0000000000"},
{"path":"/a/q/n_0000000002"},
{"path":"/a/text","data":"Grüße,\n\t<&\"world\">"},
{"path":"/box","container":true},
{"path":"/box/x"},
{"path":"/soon","ttl_ms":90000},
{"path":"/zookeeper/quota/a","data":"q"}
]}
`
		if got := saved(t, s); got != want {
			t.Errorf("saved\n%s, want\n%s", got, want)
		}
		s.Close()
		if got := saved(t, s); got != want {
			t.Errorf("a closed server saves\n%s", got)
		}

		s2 := zkserver.New(zkserver.Options{})
		defer s2.Close()
		try(t, s2.LoadTree(strings.NewReader(want)))
		if got := saved(t, s2); got != want {
			t.Errorf("saved again\n%s, want\n%s", got, want)
		}
		c = pipeRaw(t, s2, wire.ConnectRequest{Timeout: 60_000})
		if got := c.create("/a/q/n_", wire.FlagSequential); got != "/a/q/n_0000000003" {
			t.Errorf("the next sequential node is %s", got)
		}
		for path, data := range map[string][]byte{"/a": nil, "/a/empty": {}, "/a/bytes": {0xff, 0, 'x'}} {
			var got wire.DataResponse
			c.must(wire.OpGetData, &wire.PathWatchRequest{Path: path}, &got)
			if !bytes.Equal(got.Data, data) || (got.Data == nil) != (data == nil) || got.Stat.Version != 0 {
				t.Errorf("%s: %q %+v", path, got.Data, got.Stat)
			}
		}
		if h := c.call(wire.OpGetData, &wire.PathWatchRequest{Path: "/a/private"}, nil); h.Err != wire.NoAuth {
			t.Errorf("the private node: %v", h.Err)
		}
		c.must(wire.OpDelete, &wire.PathVersionRequest{Path: "/box/x", Version: -1}, nil)
		for range 20 {
			time.Sleep(10 * time.Second)
			c.must(wire.OpPing, nil, nil)
		}
		if exists(c, "/box") || exists(c, "/soon") {
			t.Error("the container or the TTL node was not reaped")
		}
		if err := s2.LoadTree(strings.NewReader(want)); err == nil || !strings.Contains(err.Error(), "already") {
			t.Errorf("loaded into a tree that is not empty: %v", err)
		}
		try(t, s2.Close())
		if err := s2.LoadTree(strings.NewReader(want)); !errors.Is(err, zkserver.ErrClosed) {
			t.Errorf("loaded into a closed server: %v", err)
		}
	})
}

// TestLoadTreeByHand takes what people write.
func TestLoadTreeByHand(t *testing.T) {
	s := zkserver.New(zkserver.Options{})
	defer s.Close()
	try(t, s.LoadTree(strings.NewReader(`
		{ "nodes" : [ {"path": "/b/c"} , {"path":"/b","data":null}
		, {"path":"/a","data":"\u00e9"} ],
		"format" : 1 }
	`)))
	if got, want := saved(t, s), "{\"format\":1,\"nodes\":[\n{\"path\":\"/a\",\"data\":\"é\"},\n{\"path\":\"/b\"},\n{\"path\":\"/b/c\"}\n]}\n"; got != want {
		t.Errorf("saved %s, want %s", got, want)
	}
	empty := zkserver.New(zkserver.Options{})
	defer empty.Close()
	try(t, empty.LoadTree(strings.NewReader(`{"format":1}`)))
}

// TestLoadTreeErrors: one line each, with the line and what is wrong there, and
// nothing is loaded.
func TestLoadTreeErrors(t *testing.T) {
	node := func(n string) string { return "{\"format\":1,\"nodes\":[\n{\"path\":\"/ok\"},\n" + n + "\n]}" }
	for _, tt := range []struct{ file, want string }{
		{"", "line 1: unexpected end"},
		{"hello", "line 1: invalid character 'h'"},
		{"{\n\n}}", "line 3: invalid character '}' after"},
		{"{\"format\":1,\n\"nodes\":[", "line 2: unexpected end"},
		{"\n\xff", "line 2: not UTF-8"},
		{"[]", "line 1: not an object"},
		{"null", "line 1: not an object"},
		{"{}", "line 1: format is 0"},
		{`{"format":2}`, "line 1: format is 2"},
		{"{\n\"format\":\"x\"}", "line 2: string: want an integer"},
		{"{\"format\":1,\n\"nodes\":{}}", "line 2: nodes are not a list"},
		{"{\"format\":1,\n\"notes\":[]}", `line 2: "notes": want format and nodes`},
		{node(`7`), "line 3: number: want an object"},
		{node(`{"path":7}`), "line 3: path number: want a string"},
		{node(`{"path":"/a","data":{}}`), "line 3: data object: want a string"},
		{node(`{"path":"/a","acl":"x"}`), "line 3: acl string: want a list"},
		{node(`{"path":"/a","container":1}`), "line 3: container number: want true or false"},
		{node(`{"path":"/a","next_sequence":3000000000}`), "line 3: next_sequence number 3000000000: want an integer in range"},
		{node(`{"path":"/a","date":"x"}`), `line 3: unknown field "date"`},
		{node(`{}`), `line 3: "": is not a valid path`},
		{node(`{"path":"a"}`), `line 3: "a": is not a valid path`},
		{node(`{"path":"/a/../b"}`), `line 3: "/a/../b": is not a valid path`},
		{node(`{"path":"/\u001b[31m"}`), `line 3: "/\x1b[31m": is not a valid path`},
		{node(`{"path":"/a/b"}`), `line 3: "/a/b": its parent is missing`},
		{node(`{"path":"/ok"}`), `line 3: "/ok": is already in line 2`},
		{node(`{"path":"/zookeeper","container":true}`), "line 3: \"/zookeeper\": exists and cannot become"},
		{node(`{"path":"/a","data":"x","data_base64":"eA=="}`), "has both"},
		{node(`{"path":"/a","data_base64":"***"}`), "data_base64: illegal base64"},
		{node(`{"path":"/a","ttl_ms":-1}`), "ttl_ms -1: want 1 to"},
		{node(`{"path":"/a","ttl_ms":1099511627776}`), "want 1 to 1099511627775"},
		{node(`{"path":"/a","ttl_ms":1,"container":true}`), "container and has a TTL"},
		{node(`{"path":"/a","acl":[]}`), "acl []: no identity"},
		{node(`{"path":"/a","acl":["world"]}`), `acl "world": want scheme:id:perms`},
		{node(`{"path":"/a","acl":["world:anyone:x"]}`), `acl "world:anyone:x": want scheme:id:perms`},
		{node(`{"path":"/a","acl":["world:someone:r"]}`), "no identity that this server supports"},
		{node(`{"path":"/a","acl":["auth::r"]}`), "no identity that this server supports"},
		{node(`{"path":"/ok/a"},{"path":"/ok/b"},{"path":"/ok","next_sequence":1}`), "is already in line"},
		{node(`{"path":"/a/b"},{"path":"/a/c"},{"path":"/a","next_sequence":1}`), "next_sequence 1 is below the number of children, 2"},
		{node(`{"path":"/a","data":"` + strings.Repeat("x", wire.MaxFrame+1) + `"}`), "1048576 bytes of data"},
		{`{"format":1,"nodes":[` + strings.Repeat("[", 100_000), "exceeded max depth"},
		{strings.Repeat(" ", 64<<20+1), "more than 64 MiB"},
	} {
		s := zkserver.New(zkserver.Options{})
		name := tt.file[:min(len(tt.file), 100)]
		err := s.LoadTree(strings.NewReader(tt.file))
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") || len(err.Error()) > 400 {
			t.Errorf("%q: %v, want %s", name, err, tt.want)
		}
		if strings.Contains(saved(t, s), "/ok") {
			t.Errorf("%q: loaded in part", name)
		}
		s.Close()
	}
	s := zkserver.New(zkserver.Options{})
	defer s.Close()
	if err := s.LoadTree(brokenFile{}); !errors.Is(err, errBroken) {
		t.Errorf("a file that cannot be read: %v", err)
	}
	if err := s.SaveTree(brokenFile{}); !errors.Is(err, errBroken) {
		t.Errorf("a file that cannot be written: %v", err)
	}
}

var errBroken = errors.New("broken")

type brokenFile struct{}

func (brokenFile) Read([]byte) (int, error)  { return 0, errBroken }
func (brokenFile) Write([]byte) (int, error) { return 0, errBroken }

// FuzzLoadTree: whatever the file, there is no panic; what was loaded can be
// saved and loads again to the same.
func FuzzLoadTree(f *testing.F) {
	f.Add(`{"format":1,"nodes":[{"path":"/a","data":"x","next_sequence":3},{"path":"/a/b","acl":["ip:1.2.3.4/8:r","digest:u:h:a"]}]}`)
	f.Add(`{"format":1,"nodes":[{"path":"/c","container":true},{"path":"/t","ttl_ms":5},{"path":"/","next_sequence":9}]}`)
	f.Add("{\"format\":1,\n\"nodes\":[{\"path\":\"/a\"},,]}")
	f.Fuzz(func(t *testing.T, text string) {
		s := zkserver.New(zkserver.Options{})
		defer s.Close()
		if err := s.LoadTree(strings.NewReader(text)); err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than a line: %v", err)
			}
			return
		}
		first := saved(t, s)
		s2 := zkserver.New(zkserver.Options{})
		defer s2.Close()
		if err := s2.LoadTree(strings.NewReader(first)); err != nil {
			t.Fatal(fmt.Errorf("what was saved does not load: %w\n%s", err, first))
		}
		if second := saved(t, s2); second != first {
			t.Errorf("saved\n%s, then\n%s", first, second)
		}
	})
}
