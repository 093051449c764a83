package cli_test

import (
	"electop/demo/zktest"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-zookeeper/zk"
)

// A tree is where layouts are written, on a server, which gives the numbers.
type tree struct {
	t       *testing.T
	r       *rand.Rand
	members []*zk.Conn // a session each
	chroot  string     // of the layouts that are judged together
	batch   int
	log     []string // of the present layout
}

const mostMembers = 6

func newTree(t *testing.T, r *rand.Rand, addr string) *tree {
	w := &tree{t: t, r: r}
	for range mostMembers {
		w.members = append(w.members, zktest.Client(t, addr))
	}
	return w
}

// begin begins an empty tree.
func (w *tree) begin() {
	w.batch++
	w.chroot = fmt.Sprintf("/batch-%d", w.batch)
	create(w.t, w.members[0], w.chroot, "", 0)
}

// root is where layout i begins: of any depth, with names that mean something to others.
func (w *tree) root(i int) string {
	root := fmt.Sprintf("/%s%d", w.pick("apps", "db", "team", "x"), i)
	for range w.r.IntN(3) {
		root += "/" + w.pick("election", "locks", "workers", "instances", "services", "prod", "eu-west-1", "leader")
	}
	w.dir(root)
	return root
}

func (w *tree) pick(of ...string) string { return of[w.r.IntN(len(of))] }

// some is how many members there are.
func (w *tree) some() int { return w.r.IntN(mostMembers + 1) }

func (w *tree) note(format string, args ...any) { w.log = append(w.log, fmt.Sprintf(format, args...)) }

// dir makes a persistent znode, with those above it.
func (w *tree) dir(path string) {
	w.t.Helper()
	for i := 1; i <= len(path); i++ {
		if i == len(path) || path[i] == '/' {
			_, err := w.members[0].Create(w.chroot+path[:i], nil, 0, zk.WorldACL(zk.PermAll))
			if err != nil && err != zk.ErrNodeExists {
				w.t.Fatalf("create %s: %v", path[:i], err)
			}
		}
	}
}

// put makes a persistent znode with data.
func (w *tree) put(path, data string) {
	w.t.Helper()
	if i := strings.LastIndexByte(path, '/'); i > 0 {
		w.dir(path[:i])
	}
	create(w.t, w.members[0], w.chroot+path, data, 0)
	w.note("persistent %s = %q", path, data)
}

// queue makes a persistent sequential znode.
func (w *tree) queue(path, data string) {
	w.t.Helper()
	w.note("persistent %s = %q", create(w.t, w.members[0], w.chroot+path, data, zk.FlagSequence), data)
}

// own makes an ephemeral znode of a member.
func (w *tree) own(member int, path, data string) string {
	w.t.Helper()
	if i := strings.LastIndexByte(path, '/'); i > 0 {
		w.dir(path[:i])
	}
	create(w.t, w.members[member], w.chroot+path, data, zk.FlagEphemeral)
	w.note("member %d: %s = %q", member, path, data)
	return path
}

// join makes an ephemeral sequential znode of a member, and returns its path.
func (w *tree) join(member int, path, data string) string {
	w.t.Helper()
	path = strings.TrimPrefix(create(w.t, w.members[member], w.chroot+path, data, contender), w.chroot)
	w.note("member %d: %s = %q", member, path, data)
	return path
}

// gone deletes a znode.
func (w *tree) gone(path string) {
	w.t.Helper()
	if err := w.members[0].Delete(w.chroot+path, -1); err != nil {
		w.t.Fatalf("delete %s: %v", path, err)
	}
	w.note("deleted %s", path)
}

// stir creates and deletes znodes in a directory, so that numbers begin anywhere.
func (w *tree) stir(dir string) {
	n := w.r.IntN(20)
	for i := range n {
		path := fmt.Sprintf("%s%s/passing-%d", w.chroot, dir, i)
		create(w.t, w.members[0], path, "", 0)
		if err := w.members[0].Delete(path, -1); err != nil {
			w.t.Fatal(err)
		}
	}
	w.note("%d znodes created and deleted in %s", n, dir)
}

// hex32 is a random guid, at times one that ends in ten digits as a number does.
func (w *tree) hex32() string {
	var b [16]byte
	for i := range b {
		b[i] = byte(w.r.Uint32())
	}
	s := fmt.Sprintf("%x", b)
	if w.r.IntN(3) == 0 {
		s = s[:22] + fmt.Sprintf("%010d", w.r.IntN(40))
	}
	return s
}

func (w *tree) uuid() string {
	s := w.hex32()
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}

// millis is a start code: a time in milliseconds, at times with a small number at its end.
func (w *tree) millis() string {
	if w.r.IntN(2) == 0 {
		return fmt.Sprint(1795187631811 + w.r.IntN(1e9))
	}
	return fmt.Sprint(1700000000000 + w.r.IntN(20))
}

// word is a name that somebody chose.
func (w *tree) word() string {
	return fmt.Sprintf("%s%d", w.pick("a", "books", "job", "pg"), w.r.IntN(100))
}

// fill replaces each star of a path by a word.
func (w *tree) fill(path string) string {
	for strings.Contains(path, "*") {
		path = strings.Replace(path, "*", w.word(), 1)
	}
	return path
}

func ip(i int) string { return fmt.Sprintf("10.0.0.%d", i+1) }
