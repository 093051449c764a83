package dialect_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"electop/model/dialect"
	"electop/model/immutable"
	"electop/model/internal/modeltest"
	"electop/model/znode"
)

// names of every dialect, and of none.
func anyNames() []string {
	var names []string
	for _, e := range dialectExamples {
		for _, c := range e.list() {
			name, _, _ := strings.Cut(c, "=")
			names = append(names, strings.TrimPrefix(name, "!"))
		}
	}
	return append(names, "member_0000000003", modeltest.Hex1+"__party__0000000001", "odd0000000001", "-0000000001", "0000000001", "--1000000000", "{any}-n_0000000001")
}

func anyPaths() []string {
	paths := []string{"/", "/e", "", "locks", "//", "/a/b/c/d/e/f"}
	for _, e := range dialectExamples {
		paths = append(paths, e.path)
	}
	return paths
}

// Recognition does not depend on the order of the children, nor on those that
// are persistent, and a naming that most have is found.
func TestRecognitionIsOrderIndependent(t *testing.T) {
	names, paths := anyNames(), anyPaths()
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.SampledFrom(paths).Draw(t, "path")
		var children []znode.Znode
		for range rapid.IntRange(0, 9).Draw(t, "children") {
			z := znode.Znode{Name: rapid.SampledFrom(names).Draw(t, "name"), Session: uint64(rapid.IntRange(0, 3).Draw(t, "session")), Czxid: int64(rapid.IntRange(0, 4).Draw(t, "czxid"))}
			z.Unread = z.Session == 0 && rapid.Bool().Draw(t, "unread")
			children = append(children, z)
		}
		want := dialect.Recognise(dialect.Evidence{Path: path, Children: children})
		if got := dialect.Recognise(dialect.Evidence{Path: path, Children: rapid.Permutation(children).Draw(t, "order")}); got != want {
			t.Fatalf("%s in this order, %s in another", modeltest.DialectID(want), modeltest.DialectID(got))
		}
		if want == nil {
			return
		}
		// As many again of the naming that was found do not change it.
		for i, z := range children {
			if len(children) > 1 && z.Session != 0 && dialect.Recognise(dialect.Evidence{Path: "/", Children: []znode.Znode{z}}) == want {
				z.Czxid = int64(100 + i)
				children = append(children, z)
			}
		}
		if got := dialect.Recognise(dialect.Evidence{Path: path, Children: children}); got != want {
			t.Fatalf("%s, with more of its own %s", modeltest.DialectID(want), modeltest.DialectID(got))
		}
	})
}

func FuzzRecognise(f *testing.F) {
	for _, name := range anyNames() {
		f.Add("/e", name, []byte("data"))
	}
	hostile := []string{hbaseData, hdfsData, yarnData, `{"hostname":"a","port":1e999}`, `{"address":{"address":{"address":{}}}}`, "\xff\xff\xff\xff\xff", "\xff\x00\x00\x00\x00PBUF\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", `{"simpleFields":{"LEADER":3},"id":[]}`}
	for i, e := range dialectExamples {
		f.Add(e.path, strings.SplitN(e.list()[0], "=", 2)[0], []byte(hostile[i%len(hostile)]))
	}
	f.Fuzz(func(t *testing.T, path, name string, data []byte) {
		z := znode.Znode{Name: name, Session: 1, Czxid: 7, Data: znode.NewData(data)}
		found := dialect.Recognise(dialect.Evidence{Path: path, Children: []znode.Znode{z, {Name: name + "0000000001", Session: 2, Czxid: 8}}})
		if again := dialect.Recognise(dialect.Evidence{Path: path, Children: []znode.Znode{{Name: name + "0000000001", Session: 2, Czxid: 8}, z}}); again != found {
			t.Errorf("%s, %s", modeltest.DialectID(found), modeltest.DialectID(again))
		}
		dialect.Recognise(dialect.Evidence{Path: path, Children: []znode.Znode{z}})
		for _, d := range dialect.All() {
			c := &dialect.Candidate{Znode: z}
			c.Sequence, c.HasSequence = znode.Sequence(name)
			who := d.Who(c)
			if znode.Safe(who, 64) != who {
				t.Errorf("%s: unsafe %q", d.ID, who)
			}
			for _, ack := range d.Ack(path).Paths() {
				if len(ack) > len(path)+64 {
					t.Errorf("%s: acknowledgement %q", d.ID, ack)
				}
			}
			queue := []*dialect.Candidate{c, c, c}
			d.Recipe.Contends(c)
			d.Recipe.Before(c, c)
			for i := range queue {
				d.Recipe.Watches(immutable.ListOf(queue), i)
				d.Recipe.Notified(immutable.ListOf(queue), i)
			}
			d.Recipe.Holders(immutable.ListOf(queue))
			d.Recipe.Target(name, []string{name, "", name + "0000000001"}, nil)
		}
		for _, single := range []bool{false, true} {
			s := observe(path, single, []znode.Znode{z})
			for _, c := range s.Queue.All() {
				c.Label()
			}
		}
	})
}
