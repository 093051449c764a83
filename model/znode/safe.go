package znode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Safe returns s made safe for a terminal, a log or a message: control
// characters, C1, bidirectional overrides, invisible and unassigned code
// points and invalid UTF-8 become visible escapes (\x1b, \u202e), as do the
// second and later combining marks on one character. At most max runes of
// output are returned, the last of them "…" when something was cut; max <= 0
// means [SafeMax].
//
// Safe is idempotent: the escapes are plain ASCII.
func Safe(s string, max int) string {
	if max <= 0 {
		max = SafeMax
	}
	if plain(s) && len(s) <= max {
		return s
	}
	var b strings.Builder
	n, marks := 0, 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		var out string
		switch {
		case r == utf8.RuneError && size == 1:
			out, marks = fmt.Sprintf(`\x%02x`, s[i]), 0
		case unicode.Is(unicode.M, r):
			marks++
			if marks > 1 || b.Len() == 0 || Unsafe(r) {
				out = escape(r)
			} else {
				out = s[i : i+size]
			}
		case Unsafe(r):
			out, marks = escape(r), 0
		default:
			out, marks = s[i:i+size], 0
		}
		width := utf8.RuneCountInString(out)
		if n+width > max || (n+width == max && i+size < len(s)) {
			return b.String() + "…"
		}
		b.WriteString(out)
		n += width
		i += size
	}
	return b.String()
}

// SafeMax is the longest text, in runes, that [Safe] returns when no bound is
// given: longer than any name worth reading, short enough for a log line.
const SafeMax = 256

// Unsafe reports whether r may not reach a terminal as it is: it controls
// something, or nothing of it can be seen. Letters that are drawn as nothing
// (the Hangul fillers) and the empty Braille cell count as print to Unicode.
func Unsafe(r rune) bool {
	if 0x20 <= r && r < 0x7f {
		return false
	}
	return !unicode.IsPrint(r) || r == utf8.RuneError || r == 0x2800 ||
		unicode.In(r, unicode.Cf, unicode.Bidi_Control, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// plain reports the common case: printable ASCII only.
func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

func escape(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\t':
		return `\t`
	case r == '\r':
		return `\r`
	case r < 0x100:
		return fmt.Sprintf(`\x%02x`, r)
	case r < 0x10000:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}

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
