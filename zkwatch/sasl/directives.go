package sasl

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

const maxDirectives = 64 // in a server's message

type directive struct{ name, value string }

var firstDirective = sync.OnceValue(func() *regexp.Regexp {
	const space, token = "[ \t\r\n]*", "([!#$%&'*+.0-9A-Z^_`a-z|~-]+)"
	return regexp.MustCompile("^" + token + space + "=" + space + `(?:"((?s:[^"\\]|\\.)*)"|` + token + ")" + space + "(?:,|$)")
})

var quotedPair = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)\\(.)`) })

func parseDirectives(token []byte) ([]directive, error) {
	if len(token) > maxDigestChallenge {
		return nil, fmt.Errorf("%w: %d bytes, the limit is %d", ErrChallenge, len(token), maxDigestChallenge)
	}
	text := string(token)
	var list []directive
	for {
		text = strings.TrimLeft(text, ", \t\r\n")
		if text == "" {
			return list, nil
		}
		if len(list) == maxDirectives {
			return nil, fmt.Errorf("%w: more than %d directives", ErrChallenge, maxDirectives)
		}
		m := firstDirective().FindStringSubmatch(text)
		if m == nil {
			return nil, fmt.Errorf("%w: no name and value at %.40q", ErrChallenge, text)
		}
		list = append(list, directive{strings.ToLower(m[1]), quotedPair().ReplaceAllString(m[2], "$1") + m[3]})
		text = text[len(m[0]):]
	}
}

func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
