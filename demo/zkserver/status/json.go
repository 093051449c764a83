package status

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// The AdminServer's JSON is read by programs and by people, who compare it
// with Apache's: it has the same fields in the same order and the same white
// space, and encoding/json supports neither.

// An object is a JSON object with its fields in order.
type object []field

type field struct {
	key   string
	value any // nil, string, number, bool, int, int64, object, []object, []string or []int64
}

// A number is the text of one.
type number string

const indentation = "  "

// appendJSON appends v as it stands within depth objects.
func appendJSON(b []byte, v any, depth int) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case string:
		return appendText(b, v)
	case number:
		return append(b, v...)
	case bool:
		return strconv.AppendBool(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case object:
		if len(v) == 0 {
			return append(b, "{ }"...)
		}
		b = append(b, '{')
		for i, f := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendLine(b, depth+1)
			b = append(appendText(b, f.key), " : "...)
			b = appendJSON(b, f.value, depth+1)
		}
		return append(appendLine(b, depth), '}')
	case []object:
		return appendList(b, v, depth)
	case []string:
		return appendList(b, v, depth)
	case []int64:
		return appendList(b, v, depth)
	}
	panic(fmt.Sprintf("no JSON for a %T", v))
}

// appendList appends a list, on one line except for objects in it.
func appendList[T any](b []byte, list []T, depth int) []byte {
	b = append(b, '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendJSON(append(b, ' '), v, depth)
	}
	return append(b, " ]"...)
}

func appendLine(b []byte, depth int) []byte {
	b = append(b, '\n')
	for range depth {
		b = append(b, indentation...)
	}
	return b
}

func appendText(b []byte, s string) []byte {
	w := bytes.NewBuffer(b)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.Encode(s) // a string cannot fail
	return bytes.TrimSuffix(w.Bytes(), []byte("\n"))
}
