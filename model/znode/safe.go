package znode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Safe makes s safe for a terminal, a log or a message. It escapes [Unsafe] code points and invalid
// UTF-8, for example as \x1b. It escapes combining marks that begin s or follow another mark. The
// result has at most max runes; if it was cut, it ends in "…". max <= 0 means [SafeMax].
//
// Safe is idempotent.
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

// SafeMax is the default bound of [Safe], in runes.
const SafeMax = 256

// Unsafe reports whether r, for example U+FFFD, must not reach a terminal.
// [unicode.IsPrint] is not enough: it accepts the Hangul fillers and the empty Braille cell.
func Unsafe(r rune) bool {
	if 0x20 <= r && r < 0x7f {
		return false
	}
	return !unicode.IsPrint(r) || r == utf8.RuneError || r == 0x2800 ||
		unicode.In(r, unicode.Cf, unicode.Bidi_Control, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

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

// SafeJSON marshals v into one line that is safe for a terminal. It does not escape HTML.
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
	escapeMark := i == 0 || b[i-1] == '"'
	for i < len(b) {
		r, size := utf8.DecodeRune(b[i:])
		mark := unicode.Is(unicode.M, r)
		safe := !Unsafe(r) && !(mark && escapeMark)
		escapeMark = mark || r == '"'
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
