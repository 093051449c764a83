package tree

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"electop/zkwatch/wire"
)

// Write writes a file as JSON, one node a line.
func (f *File) Write(w io.Writer) error {
	var b bytes.Buffer
	b.WriteString(`{"format":1,"nodes":[`)
	for i := range f.nodes {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(&f.nodes[i]); err != nil {
			return fmt.Errorf("%q: %w", f.nodes[i].Path, err)
		}
		b.Truncate(b.Len() - 1) // its line feed
		if b.Len() > maxTreeFile-8 {
			return errTooBig
		}
	}
	b.WriteString("\n]}\n")
	_, err := w.Write(b.Bytes())
	return err
}

var errTooBig = fmt.Errorf("more than %d MiB", maxTreeFile>>20)

// Save returns the tree as a file, which has no part of the tree: all nodes but
// the ephemeral ones, sorted by path. Of the nodes that come with a tree it has
// those that were changed.
func (t *Tree) Save() (*File, error) {
	if t.bytes > maxTreeFile {
		return nil, errTooBig
	}
	return &File{t.saved()}, nil
}

func (t *Tree) saved() []savedNode {
	fresh := New()
	var out []savedNode
	for _, path := range slices.Sorted(maps.Keys(t.nodes)) {
		n := t.nodes[path]
		if isSession(n.owner) {
			continue
		}
		children := 0
		for _, name := range n.children {
			child := t.nodes[strings.TrimSuffix(path, "/")+"/"+name]
			if !isSession(child.owner) {
				children++
			}
		}
		base := len(freshChildren(fresh, path))
		sn := savedNode{Path: path, Container: n.owner == ownerContainer}
		if next := n.creates; int(next) != children-base {
			sn.NextSequence = &next
		}
		if isTTL(n.owner) && !sn.Container {
			sn.TTL = n.owner & maxTTL
		}
		if was := fresh.Get(path); was != nil {
			if sn.NextSequence == nil && bytes.Equal(n.data, was.data) && slices.Equal(n.acl, was.acl) {
				continue
			}
		}
		sn.setData(n.data)
		if !slices.Equal(n.acl, openACL) {
			for _, a := range n.acl {
				sn.ACL = append(sn.ACL, formatACL(a))
			}
		}
		out = append(out, sn)
	}
	return out
}

// setData keeps as text what reads as text.
func (n *savedNode) setData(data []byte) {
	if data == nil {
		return
	}
	text := string(data)
	if utf8.ValidString(text) && strings.IndexFunc(text, func(r rune) bool {
		return !unicode.IsPrint(r) && r != '\n' && r != '\t'
	}) < 0 {
		n.Data = &text
		return
	}
	text = base64.StdEncoding.EncodeToString(data)
	n.DataBase64 = &text
}

// permLetters name the permissions as ZooKeeper's shell does, in its order.
var permLetters = []struct {
	letter rune
	perm   int32
}{{'c', wire.PermCreate}, {'d', wire.PermDelete}, {'r', wire.PermRead}, {'w', wire.PermWrite}, {'a', wire.PermAdmin}}

func formatACL(a wire.ACL) string {
	var perms strings.Builder
	for _, p := range permLetters {
		if a.Perms&p.perm != 0 {
			perms.WriteRune(p.letter)
		}
	}
	return a.ID.Scheme + ":" + a.ID.ID + ":" + perms.String()
}

func parseACL(text string) (wire.ACL, bool) {
	first, last := strings.IndexByte(text, ':'), strings.LastIndexByte(text, ':')
	if first == last {
		return wire.ACL{}, false
	}
	a := wire.ACL{ID: wire.ID{Scheme: text[:first], ID: text[first+1 : last]}}
	for _, r := range text[last+1:] {
		i := slices.IndexFunc(permLetters, func(p struct {
			letter rune
			perm   int32
		}) bool {
			return p.letter == r
		})
		if i < 0 {
			return wire.ACL{}, false
		}
		a.Perms |= permLetters[i].perm
	}
	return a, true
}
