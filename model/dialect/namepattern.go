package dialect

import (
	"cmp"
	"slices"
	"strings"

	"electop/model/znode"
)

// Stem returns a numbered name without its number and the number's sign.
func Stem(name string) string {
	seq, ok := znode.Sequence(name)
	if !ok {
		return name
	}
	name = name[:len(name)-znode.SequenceDigits]
	if seq < 0 {
		name = name[:len(name)-1]
	}
	return name
}

// match reports whether s matches a pattern: literal text, and in braces
//
//	{uuid}     8-4-4-4-12 hex digits, as Java and Python print a UUID
//	{hex}      32 hex digits, a UUID without dashes
//	{session}  a session id: hex, with or without 0x, or signed decimal
//	{decimal}  a session id in decimal: 15 to 19 digits, maybe with a sign
//	{any}      anything, at least one byte; only literal text may follow
//
// part is what {any} or {session} matched. match takes time linear in s.
func match(pattern, s string) (part string, ok bool) {
	for pattern != "" {
		if pattern[0] != '{' {
			end := strings.IndexByte(pattern, '{')
			if end < 0 {
				return part, s == pattern
			}
			if !strings.HasPrefix(s, pattern[:end]) {
				return "", false
			}
			s, pattern = s[end:], pattern[end:]
			continue
		}
		end := strings.IndexByte(pattern, '}') + 1
		kind := pattern[:end]
		pattern = pattern[end:]
		n := 0
		switch kind {
		case "{uuid}":
			n = uuidAt(s)
		case "{hex}":
			if n = hexAt(s, 32); n != 32 {
				n = 0
			}
		case "{session}":
			n = sessionAt(s)
			part = s[:n]
		case "{decimal}":
			n = decimalAt(s)
		case "{any}":
			if !strings.HasSuffix(s, pattern) || len(s) == len(pattern) {
				return "", false
			}
			return s[:len(s)-len(pattern)], true
		}
		if n == 0 {
			return "", false
		}
		s = s[n:]
	}
	return part, s == ""
}

func matches(patterns ...string) func(s string) bool {
	return func(s string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool { _, ok := match(p, s); return ok })
	}
}

func hexAt(s string, max int) int {
	n := 0
	for n < len(s) && n < max && isHex(s[n]) {
		n++
	}
	return n
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func uuidAt(s string) int {
	at := 0
	for i, digits := range [...]int{8, 4, 4, 4, 12} {
		if i > 0 {
			if at >= len(s) || s[at] != '-' {
				return 0
			}
			at++
		}
		if hexAt(s[at:], digits) != digits {
			return 0
		}
		at += digits
	}
	return at
}

func sessionAt(s string) int {
	at := 0
	switch {
	case strings.HasPrefix(s, "0x"):
		at = 2
	case strings.HasPrefix(s, "-"):
		at = 1
	}
	n := hexAt(s[at:], 20)
	if n == 0 {
		return 0
	}
	return at + n
}

func decimalAt(s string) int {
	at := 0
	if strings.HasPrefix(s, "-") {
		at = 1
	}
	n := at
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	if n-at < 15 || n-at > 19 {
		return 0
	}
	return n
}

// endsIn reports whether the last elements of path match one of the ends. One "*" in an element
// matches any text, and star is the text of the last "*".
func endsIn(path string, ends ...string) (star string, ok bool) {
	for _, end := range ends {
		if star, ok = tail(path, end); ok {
			return star, true
		}
	}
	return "", false
}

func tail(path, end string) (star string, ok bool) {
	for {
		want := znode.Base(end)
		here, ok := elementLike(znode.Base(path), want)
		if !ok {
			return "", false
		}
		star = cmp.Or(star, here)
		if len(want) == len(end) {
			return star, true
		}
		end = end[:len(end)-len(want)-1]
		i := strings.LastIndexByte(path, '/')
		if i < 0 {
			return "", false
		}
		path = path[:i]
	}
}

func elementLike(s, want string) (star string, ok bool) {
	before, after, has := strings.Cut(want, "*")
	if !has {
		return "", s == want
	}
	if s == "" || len(s) < len(before)+len(after) || !strings.HasPrefix(s, before) || !strings.HasSuffix(s, after) {
		return "", false
	}
	return s[len(before) : len(s)-len(after)], true
}

// from returns the path that relative names, as seen from path. In relative, ".." is the parent, "."
// is path itself, and star replaces "*".
func from(path, relative, star string) string {
	for element := range strings.SplitSeq(relative, "/") {
		if element == ".." {
			path = path[:max(0, strings.LastIndexByte(path, '/'))]
			continue
		}
		if element != "." {
			path += "/" + strings.Replace(element, "*", star, 1)
		}
	}
	return path
}

// HasGuid reports whether a name has a guid in it.
func HasGuid(name string) bool {
	_, to := guidIn(name)
	return to > 0
}

// guidIn finds the first guid: 32 hex digits, with or without dashes; to is 0 for none.
func guidIn(name string) (from, to int) {
	for i := range len(name) {
		if i > 0 && isHex(name[i-1]) {
			continue
		}
		if n := max(uuidAt(name[i:]), hexAt(name[i:], 32)/32*32); n > 0 {
			return i, i + n
		}
	}
	return 0, 0
}
