package znode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// SafeJSON marshals v so that the line can be shown on a terminal: code
// points that are [Unsafe], and combining marks that follow another or no
// letter, are written as \u escapes, which mean the same to every reader of JSON.
// It does not escape for HTML.
func SafeJSON(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	b := bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
	i := 0
	for i < len(b) && b[i] < 0x7f {
		i++
	}
	if i == len(b) {
		return b, nil
	}
	out := append(make([]byte, 0, len(b)+16), b[:i]...)
	marked := i == 0 || b[i-1] == '"' // no mark may follow here
	for i < len(b) {
		r, size := utf8.DecodeRune(b[i:])
		mark := unicode.Is(unicode.M, r)
		safe := r < 0x20 || !Unsafe(r) && !(mark && marked)
		marked = mark || r == '"'
		switch {
		case safe:
			out = append(out, b[i:i+size]...)
		case r > 0xffff:
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		i += size
	}
	return out, nil
}
