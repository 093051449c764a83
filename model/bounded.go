package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// A list of empty objects is three bytes an element in JSON, and can be hundreds
// in memory. What strangers wrote is therefore measured before it is decoded.

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

// allowed is the memory that the items of a text of n bytes may take.
func allowed(n int) int { return densityFree + densityMax*n }

// Unmarshal is [json.Unmarshal] for what a stranger wrote: text that would take
// far more memory than its length allows is refused with [ErrDense] before
// anything is allocated for it.
func Unmarshal(text []byte, v any) error {
	m := measure{text: text}
	m.value(reflect.TypeOf(v))
	if m.memory > allowed(len(text)) {
		return fmt.Errorf("%w: %d in %d bytes", ErrDense, m.items, len(text))
	}
	return json.Unmarshal(text, v)
}

// measure walks through JSON as it would be decoded into a type, and adds up
// what the elements of lists and maps will take. It does not check the syntax:
// where that is wrong it may see anything, and encoding/json, which looks at the
// whole text first, refuses it without decoding any of it.
type measure struct {
	text   []byte
	i      int
	items  int
	memory int
	fields map[reflect.Type][]jsonField
}

type jsonField struct {
	name string
	t    reflect.Type
}

// value goes to the end of the value that begins next. t is nil for one that
// will not be decoded.
func (m *measure) value(t reflect.Type) {
	for t != nil && t.Kind() == reflect.Pointer && !decodesItself(t) {
		t = t.Elem()
		m.memory += int(t.Size())
	}
	if t != nil && decodesItself(t) {
		t = nil
	}
	switch c := m.next(); {
	case c == '{' && t != nil && t.Kind() == reflect.Struct:
		m.members(func(key string) reflect.Type { return m.field(t, key) })
	case c == '{' && t != nil && t.Kind() == reflect.Map:
		entry := 2 * int(t.Key().Size()+t.Elem().Size()+entryBytes) // as maps are half empty
		m.members(func(string) reflect.Type { m.item(entry); return t.Elem() })
	case c == '[' && t != nil && t.Kind() == reflect.Slice:
		m.elements(t.Elem())
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

// members goes through an object; of tells the type of each value.
func (m *measure) members(of func(key string) reflect.Type) {
	m.i++ // the brace
	for m.next() == '"' {
		from := m.i
		m.string()
		key := m.text[from:m.i]
		var name string
		if len(key) >= 2 && bytes.IndexByte(key, '\\') < 0 {
			name = string(key[1 : len(key)-1])
		} else if json.Unmarshal(key, &name) != nil {
			m.i = len(m.text)
			return
		}
		if m.next() != ':' {
			return
		}
		m.i++
		m.value(of(name))
		if m.next() != ',' {
			break
		}
		m.i++
	}
	m.i++ // the other brace
}

// elements goes through an array.
func (m *measure) elements(t reflect.Type) {
	m.i++ // the bracket
	for c := m.next(); c != ']' && c != 0; {
		m.item(int(t.Size()))
		m.value(t)
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

// field is the type of a struct's field, nil if there is none. As encoding/json
// does it takes a name in other letters too.
func (m *measure) field(t reflect.Type, key string) reflect.Type {
	if m.fields == nil {
		m.fields = make(map[reflect.Type][]jsonField)
	}
	fields, ok := m.fields[t]
	if !ok {
		fields = jsonFields(t)
		m.fields[t] = fields
	}
	for _, f := range fields {
		if strings.EqualFold(f.name, key) {
			return f.t
		}
	}
	return nil
}

func jsonFields(t reflect.Type) (all []jsonField) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "" && f.Anonymous && f.Type.Kind() == reflect.Struct:
			all = append(all, jsonFields(f.Type)...)
		case name == "":
			all = append(all, jsonField{f.Name, f.Type})
		default:
			all = append(all, jsonField{name, f.Type})
		}
	}
	return all
}

// decodesItself reports whether encoding/json leaves a value to its type.
func decodesItself(t reflect.Type) bool {
	unmarshaler := reflect.TypeFor[json.Unmarshaler]()
	return t.Implements(unmarshaler) || reflect.PointerTo(t).Implements(unmarshaler)
}
