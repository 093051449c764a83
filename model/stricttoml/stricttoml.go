// Package stricttoml decodes TOML (v1.0.0) that people write by hand. A key that the
// target does not have is an error, and each error names the line.
package stricttoml

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// Error says what is wrong with a text, and where.
type Error struct {
	Line    int    // 1 is the first
	Key     string // with its tables, as in scene.cast; "" if the text is not TOML
	Unknown bool   // the target has no such key
	Why     string
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Why) }

// Decode decodes text into a pointer to a struct. If the text is wrong the error is an
// [*Error] about the first line that is.
func Decode(text []byte, into any) error {
	d := toml.NewDecoder(bytes.NewReader(text))
	err := d.DisallowUnknownFields().Decode(into)
	var unknown *toml.StrictMissingError
	var wrong *toml.DecodeError
	switch {
	case errors.As(err, &unknown) && len(unknown.Errors) > 0:
		first := &unknown.Errors[0]
		e := newError(first)
		e.Unknown, e.Why = true, "unknown key "+e.Key
		return e
	case errors.As(err, &wrong):
		return newError(wrong)
	}
	return err
}

func newError(err *toml.DecodeError) *Error {
	line, _ := err.Position()
	e := &Error{Line: line, Key: strings.Join(err.Key(), ".")}
	why := strings.TrimPrefix(err.Error(), "toml: ")
	switch got := mismatch().FindStringSubmatch(why); {
	case got != nil && wanted[got[2]] != "":
		e.Why = fmt.Sprintf("%s: want %s, not a TOML %s", e.Key, wanted[got[2]], got[1])
	case got != nil:
		e.Why = fmt.Sprintf("%s: a TOML %s is not what belongs here", e.Key, got[1])
	case e.Key != "":
		e.Why = e.Key + ": " + why
	default:
		e.Why = "not TOML: " + why
	}
	return e
}

// mismatch is how the decoder says that a value has the wrong type: TOML's type, and Go's.
var mismatch = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^cannot decode TOML (.+) into .*of type (.+)$`) })

// wanted says what to write for a Go type.
var wanted = map[string]string{
	"string":   "a string",
	"bool":     "true or false",
	"int":      "a whole number",
	"[]string": "a list of strings",
}

// Lines returns the line of each key and table in text that [Decode] accepts. Keys have
// their tables, as in scene.cast; of a key in several tables of an array it is the last.
func Lines(text []byte) map[string]int {
	lines := map[string]int{}
	var p unstable.Parser
	p.Reset(text)
	table := ""
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind == unstable.KeyValue {
			keyLines(&p, table, e, lines)
			continue
		}
		table = key(&p, "", e, lines)
	}
	return lines
}

// keyLines adds a key, and the keys of the inline table that may be its value.
func keyLines(p *unstable.Parser, table string, e *unstable.Node, lines map[string]int) {
	name := key(p, table, e, lines)
	if v := e.Value(); v.Kind == unstable.InlineTable {
		for each := v.Children(); each.Next(); {
			keyLines(p, name, each.Node(), lines)
		}
	}
}

// key adds the line of e, and returns e's name with its tables.
func key(p *unstable.Parser, table string, e *unstable.Node, lines map[string]int) string {
	name, line := table, 0
	for part := e.Key(); part.Next(); {
		n := part.Node()
		if name != "" {
			if lines[name] == 0 { // a table that only the names of others mention
				lines[name] = line
			}
			name += "."
		}
		name += string(n.Data)
		line = p.Shape(n.Raw).Start.Line
	}
	lines[name] = line
	return name
}
