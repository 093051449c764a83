package boundedjson

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
)

// Shape is what encoding/json does with a type, as far as the memory for its
// items goes. To find that out takes longer than to decode a short line, so it
// is done once for all lines of a recording.
type Shape struct {
	own    int               // memory of what pointers to the value point to
	kind   reflect.Kind      // Struct, Map or Slice; another has no items
	fields map[string]*Shape // of a struct, by their names in JSON
	of     *Shape            // an element of a slice, or a value of a map
	item   int               // memory of an element of a slice, or an entry of a map
}

// entryBytes is what a map needs for an entry besides key and value.
const entryBytes = 8

// ShapeOf returns the shape of a type.
func ShapeOf(t reflect.Type) *Shape { return shapeOf(t, make(map[reflect.Type]*Shape)) }

// shapeOf is ShapeOf; known are the shapes so far.
func shapeOf(t reflect.Type, known map[reflect.Type]*Shape) *Shape {
	if s := known[t]; s != nil {
		return s
	}
	s := &Shape{}
	known[t] = s // now, as a type may contain itself
	for t.Kind() == reflect.Pointer && !decodesItself(t) {
		t = t.Elem()
		s.own += int(t.Size())
	}
	if decodesItself(t) {
		return s
	}
	s.kind = t.Kind()
	switch s.kind {
	case reflect.Struct:
		s.fields = make(map[string]*Shape)
		s.addFields(t, known)
	case reflect.Slice:
		s.of, s.item = shapeOf(t.Elem(), known), int(t.Elem().Size())
	case reflect.Map:
		s.of = shapeOf(t.Elem(), known)
		s.item = 2 * int(t.Key().Size()+t.Elem().Size()+entryBytes) // as maps are half empty
	}
	return s
}

func (s *Shape) addFields(t reflect.Type, known map[reflect.Type]*Shape) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "" && f.Anonymous && f.Type.Kind() == reflect.Struct:
			s.addFields(f.Type, known)
		case name == "":
			s.fields[f.Name] = shapeOf(f.Type, known)
		default:
			s.fields[name] = shapeOf(f.Type, known)
		}
	}
}

// field is the shape of a struct's field, nil if there is none. As encoding/json
// does it ignores the case of the name.
func (s *Shape) field(name []byte) *Shape {
	if f := s.fields[string(name)]; f != nil {
		return f
	}
	for n, f := range s.fields {
		if bytes.EqualFold([]byte(n), name) {
			return f
		}
	}
	return nil
}

// decodesItself reports whether encoding/json leaves a value to its type.
func decodesItself(t reflect.Type) bool {
	unmarshaler := reflect.TypeFor[json.Unmarshaler]()
	return t.Implements(unmarshaler) || reflect.PointerTo(t).Implements(unmarshaler)
}
