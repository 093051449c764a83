// Package boundedjson decodes JSON that a stranger wrote, and refuses what would
// take far more memory than its length allows.
//
// A list of empty objects is three bytes an element in JSON, and can be hundreds
// in memory. So a text is measured before it is decoded: a [Shape] says what each
// element of its lists and maps takes.
package boundedjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// ErrDense is in the error for JSON that would take far more memory than its
// length allows: nothing writes that for a good reason.
var ErrDense = errors.New("too many items for its length")

// Memory that JSON may take when it is decoded, without its strings: so much for
// each of its bytes, and so much more. The densest list that electop itself
// writes is one of servers that said nothing: 5.5 for each byte.
const (
	densityMax  = 6
	densityFree = 4 << 10
)

// Allowed is the memory that the items of a text of n bytes may take.
func Allowed(n int) int { return densityFree + densityMax*n }

// Unmarshal is [json.Unmarshal] for what a stranger wrote: text that would take
// far more memory than its length allows is refused with [ErrDense] before
// anything is allocated for it.
func Unmarshal(text []byte, v any) error { return ShapeOf(reflect.TypeOf(v)).Unmarshal(text, v) }

// Unmarshal is [Unmarshal] for a value of that shape.
func (s *Shape) Unmarshal(text []byte, v any) error {
	if items, memory := s.Measure(text); memory > Allowed(len(text)) {
		return fmt.Errorf("%w: %d in %d bytes", ErrDense, items, len(text))
	}
	return json.Unmarshal(text, v)
}

// Measure returns how many elements the lists and maps of a text have, and at
// least as much as they would take of the memory, in bytes.
func (s *Shape) Measure(text []byte) (items, memory int) {
	m := measure{text: text}
	m.value(s)
	return m.items, m.memory
}

// measure walks through JSON as it would be decoded into a shape, and adds up
// what the elements of lists and maps will take. It does not check the syntax:
// where that is wrong it may see anything, and encoding/json, which looks at the
// whole text first, refuses it without decoding any of it.
type measure struct {
	text   []byte
	i      int
	items  int
	memory int
}

// value goes to the end of the value that begins next. s is nil for one that
// will not be decoded.
func (m *measure) value(s *Shape) {
	if s == nil {
		m.skip()
		return
	}
	m.memory += s.own
	switch c := m.next(); {
	case c == '{' && (s.kind == reflect.Struct || s.kind == reflect.Map):
		m.members(s)
	case c == '[' && s.kind == reflect.Slice:
		m.elements(s)
	default:
		m.skip()
	}
}

func (m *measure) item(memory int) {
	m.items++
	m.memory += memory
}

// next returns the next byte that is no space, 0 at the end.
func (m *measure) next() byte {
	for ; m.i < len(m.text); m.i++ {
		switch c := m.text[m.i]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

// members goes through an object.
func (m *measure) members(s *Shape) {
	m.i++ // the brace
	for m.next() == '"' {
		from := m.i
		m.string()
		key := m.text[from:m.i]
		if len(key) >= 2 && bytes.IndexByte(key, '\\') < 0 {
			key = key[1 : len(key)-1]
		} else {
			var name string
			if json.Unmarshal(key, &name) != nil {
				m.i = len(m.text)
				return
			}
			key = []byte(name)
		}
		if m.next() != ':' {
			return
		}
		m.i++
		if s.kind == reflect.Map {
			m.item(s.item)
			m.value(s.of)
		} else {
			m.value(s.field(key))
		}
		if m.next() != ',' {
			break
		}
		m.i++
	}
	m.i++ // the other brace
}

// elements goes through an array.
func (m *measure) elements(s *Shape) {
	m.i++ // the bracket
	for c := m.next(); c != ']' && c != 0; {
		m.item(s.item)
		m.value(s.of)
		if m.next() != ',' {
			break
		}
		m.i++
	}
	m.i++ // the other bracket
}

// skip goes to the end of a value of any kind.
func (m *measure) skip() {
	for depth := 0; m.i < len(m.text); {
		switch m.text[m.i] {
		case '"':
			m.string()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return
			}
			depth--
		case ',':
			if depth == 0 {
				return
			}
		}
		m.i++
	}
}

// string goes to the end of a string.
func (m *measure) string() {
	for m.i++; m.i < len(m.text); m.i++ {
		switch m.text[m.i] {
		case '\\':
			m.i++
		case '"':
			m.i++
			return
		}
	}
	m.i = len(m.text)
}
