package tree

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"electop/zkwatch/wire"
)

// maxTreeFile bounds what is read and written, in bytes.
const maxTreeFile = 64 << 20

// savedNode is a znode in a file. What is left out is as in a node that a
// client has just created without data, for everybody.
type savedNode struct {
	Path       string   `json:"path"`
	Data       *string  `json:"data,omitempty"`
	DataBase64 *string  `json:"data_base64,omitempty"`
	ACL        []string `json:"acl,omitempty"` // scheme:id:perms
	Container  bool     `json:"container,omitempty"`
	TTL        int64    `json:"ttl_ms,omitempty"`
	// NextSequence numbers the next sequential child, if it is not the number
	// of children.
	NextSequence *int32 `json:"next_sequence,omitempty"`

	line  int
	data  []byte
	acl   []wire.ACL
	owner int64
}

// A File is what a tree file describes, checked: its nodes, parents before
// children.
type File struct{ nodes []savedNode }

// Load makes the nodes of a file in a tree that has none but those that it came
// with. apply carries out a change, in a transaction of its own.
func (t *Tree) Load(f *File, apply func(*Change)) error {
	if n := len(t.nodes) - len(New().nodes); n > 0 {
		return fmt.Errorf("there are %d nodes already", n)
	}
	for _, n := range f.nodes {
		if at := t.Get(n.Path); at != nil { // came with the tree
			apply(&Change{Op: wire.OpSetData, Path: n.Path, data: n.data})
			at.acl = n.acl
			continue
		}
		parent, _ := split(n.Path)
		apply(&Change{Op: wire.OpCreate, Path: n.Path, data: n.data, acl: n.acl, owner: n.owner,
			version: t.Get(parent).creates + 1})
	}
	for _, n := range f.nodes {
		if n.NextSequence != nil {
			t.Get(n.Path).creates = *n.NextSequence
		}
	}
	return nil
}

// ReadFile reads a tree file of at most 64 MiB. Errors name the line.
func ReadFile(r io.Reader) (*File, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxTreeFile+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxTreeFile {
		return nil, errTooBig
	}
	nodes, err := parseTree(text)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(nodes, func(a, b savedNode) int { return strings.Compare(a.Path, b.Path) })
	fresh := New()
	there := make(map[string]int, len(nodes)) // children
	for path, n := range fresh.nodes {
		there[path] = len(n.children)
	}
	listed := make(map[string]int, len(nodes)) // by line
	for i := range nodes {
		n := &nodes[i]
		if other, ok := listed[n.Path]; ok {
			return nil, n.errorf("is already in line %d", other)
		}
		listed[n.Path] = n.line
		if _, ok := there[n.Path]; ok {
			if n.owner != 0 {
				return nil, n.errorf("exists and cannot become a container or a TTL node")
			}
			continue
		}
		parent, _ := split(n.Path)
		if _, ok := there[orRoot(parent)]; !ok {
			return nil, n.errorf("its parent is missing")
		}
		there[orRoot(parent)]++
		there[n.Path] = 0
	}
	for i := range nodes {
		n := &nodes[i]
		if n.NextSequence == nil {
			continue
		}
		// The nodes that come with a server are not counted.
		if least := there[n.Path] - len(freshChildren(fresh, n.Path)); *n.NextSequence < int32(least) {
			return nil, n.errorf("next_sequence %d is below the number of children, %d", *n.NextSequence, least)
		}
	}
	return &File{nodes}, nil
}

func freshChildren(fresh *Tree, path string) []string {
	if n := fresh.Get(path); n != nil {
		return n.children
	}
	return nil
}

// parseTree decodes a file node by node, so that errors have a line.
func parseTree(text []byte) ([]savedNode, error) {
	lines := lines(text)
	if at := invalidUTF8(text); at >= 0 {
		return nil, lines.errorf(at, "not UTF-8")
	}
	var syntax *json.SyntaxError
	if err := json.Unmarshal(text, new(json.RawMessage)); errors.As(err, &syntax) {
		return nil, lines.errorf(int(syntax.Offset)-1, "%v", syntax)
	}
	// The text is well-formed from here on; what it says need not be.
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	next := func() int { // where the next value begins
		at := int(d.InputOffset())
		return at + len(text[at:]) - len(bytes.TrimLeft(text[at:], ":, \t\r\n"))
	}
	if token, _ := d.Token(); token != json.Delim('{') {
		return nil, lines.errorf(0, "not an object")
	}
	var nodes []savedNode
	format, line, counted := 0, 1, 0
	for d.More() {
		at := next()
		switch key, _ := d.Token(); key {
		case "format":
			if err := d.Decode(&format); err != nil {
				return nil, lines.errorf(at, "%w", plainError(err))
			}
		case "nodes":
			if token, _ := d.Token(); token != json.Delim('[') {
				return nil, lines.errorf(at, "nodes are not a list")
			}
			for d.More() {
				at := next()
				line += bytes.Count(text[counted:at], []byte("\n"))
				counted = at
				n := savedNode{line: line}
				if err := d.Decode(&n); err != nil {
					return nil, lines.errorf(at, "%w", plainError(err))
				}
				if err := n.check(); err != nil {
					return nil, err
				}
				nodes = append(nodes, n)
			}
			d.Token() // the end of the list
		default:
			return nil, lines.errorf(at, "%.100q: want format and nodes", key)
		}
	}
	if format != 1 {
		return nil, lines.errorf(0, "format is %d, want 1", format)
	}
	return nodes, nil
}

// plainError says in a few words what package json did not like.
func plainError(err error) error {
	var kind *json.UnmarshalTypeError
	if !errors.As(err, &kind) {
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	want := "a string"
	switch kind.Type.Kind() {
	case reflect.Int, reflect.Int32, reflect.Int64:
		want = "an integer in range"
	case reflect.Bool:
		want = "true or false"
	case reflect.Slice:
		want = "a list"
	case reflect.Struct:
		want = "an object"
	}
	return fmt.Errorf("%s%s: want %s", strings.TrimLeft(kind.Field+" ", " "), kind.Value, want)
}

// lines is a text whose errors name the line of an offset.
type lines []byte

func (l lines) errorf(offset int, format string, args ...any) error {
	line := 1 + bytes.Count(l[:max(0, min(offset, len(l)))], []byte("\n"))
	return fmt.Errorf("line %d: %w", line, fmt.Errorf(format, args...))
}

func invalidUTF8(text []byte) int {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// check looks at a node by itself and makes of its fields what the tree holds.
func (n *savedNode) check() error {
	if !validPath(n.Path) {
		return n.errorf("is not a valid path")
	}
	var err error
	switch {
	case n.Data != nil && n.DataBase64 != nil:
		return n.errorf("has both data and data_base64")
	case n.Data != nil:
		n.data = []byte(*n.Data)
	case n.DataBase64 != nil:
		if n.data, err = base64.StdEncoding.DecodeString(*n.DataBase64); err != nil {
			return n.errorf("data_base64: %v", err)
		}
	}
	if len(n.data) > wire.MaxFrame {
		return n.errorf("has %d bytes of data, the limit is %d", len(n.data), wire.MaxFrame)
	}
	switch {
	case n.Container && n.TTL != 0:
		return n.errorf("is a container and has a TTL")
	case n.Container:
		n.owner = ownerContainer
	case n.TTL < 0 || n.TTL > maxTTL:
		return n.errorf("ttl_ms %d: want 1 to %d", n.TTL, maxTTL)
	case n.TTL > 0:
		n.owner = ownerTTL | n.TTL
	}
	if n.acl = openACL; n.ACL == nil {
		return nil
	}
	acl := make([]wire.ACL, 0, len(n.ACL))
	for _, text := range n.ACL {
		a, ok := parseACL(text)
		if !ok {
			return n.errorf("acl %.100q: want scheme:id:perms, with perms from the letters cdrwa", text)
		}
		acl = append(acl, a)
	}
	var ok bool
	if n.acl, ok = Identities(nil).resolve(acl); !ok {
		return n.errorf("acl %.100q: no identity that this server supports", n.ACL)
	}
	return nil
}

func (n *savedNode) errorf(format string, args ...any) error {
	return fmt.Errorf("line %d: %.100q: %w", n.line, n.Path, fmt.Errorf(format, args...))
}
