package sasl

import (
	"fmt"
	"strings"
)

// maxDirectives bounds how many directives a challenge has.
const maxDirectives = 64

// A directive is a name and its value, without the quotes.
type directive struct{ name, value string }

// parseDirectives parses a list as in realm="a",qop=auth. Elements may be empty, and
// white space may surround them, the names and the values.
func parseDirectives(text string) ([]directive, error) {
	var list []directive
	for {
		text = strings.TrimLeft(text, ", \t\r\n")
		if text == "" {
			return list, nil
		}
		if len(list) == maxDirectives {
			return nil, fmt.Errorf("%w: more than %d directives", ErrChallenge, maxDirectives)
		}
		end := 0
		for end < len(text) && isTokenByte(text[end]) {
			end++
		}
		name, rest := text[:end], strings.TrimLeft(text[end:], " \t\r\n")
		if name == "" || !strings.HasPrefix(rest, "=") {
			return nil, fmt.Errorf("%w: no name and value at %.40q", ErrChallenge, text)
		}
		value, rest, ok := cutValue(strings.TrimLeft(rest[1:], " \t\r\n"))
		rest = strings.TrimLeft(rest, " \t\r\n")
		if !ok || rest != "" && rest[0] != ',' {
			return nil, fmt.Errorf("%w: the value of %.40q", ErrChallenge, name)
		}
		list = append(list, directive{strings.ToLower(name), value})
		text = rest
	}
}

// cutValue cuts a value, quoted or not, off the front of text.
func cutValue(text string) (value, rest string, ok bool) {
	if !strings.HasPrefix(text, `"`) {
		end := 0
		for end < len(text) && isTokenByte(text[end]) {
			end++
		}
		return text[:end], text[end:], end > 0
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			return b.String(), text[i+1:], true
		case '\\':
			if i++; i == len(text) {
				return "", "", false
			}
			b.WriteByte(text[i])
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}

// isTokenByte tells the bytes of names and of values without quotes.
func isTokenByte(c byte) bool {
	return c > ' ' && c < 0x7f && !strings.ContainsRune(`()<>@,;:\"/[]?={}`, rune(c))
}

// quote returns s as a value in quotes.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
