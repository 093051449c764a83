package dialect

import (
	"cmp"
	"regexp"
	"strings"
	"sync"

	"electop/model/znode"
)

// Stem returns the name without the sequence number and its sign.
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

// expressions turns a pattern into a regular expression. A pattern is literal text and, in braces,
//
//	{uuid}      8-4-4-4-12 hex digits, as Java and Python print a UUID
//	{hex}       32 hex digits, a UUID without dashes
//	{session}   a session id: hex, with or without 0x, or signed decimal
//	{decimal}   a session id in decimal: 15 to 19 digits, maybe with a sign
//	{priority}  one to three digits, or what DistributedPriorityQueue writes
//	{sequence}  a sequence number
//	{any}       anything, at least one byte
//
// The submatch is what {any}, {session} or {priority} matched.
var expressions = strings.NewReplacer(`\{uuid\}`, uuid, `\{hex\}`, hexes+`{32}`, `\{session\}`, `((?:0x|-)?`+hexes+`{1,20})`,
	`\{sequence\}`, `-?[0-9]{10}`, `\{decimal\}`, `-?[0-9]{15,19}`,
	`\{priority\}`, `([0-9]{1,3}|[01]`+hexes+`{8})`, `\{any\}`, `(.+)`)

const (
	hexes = `[0-9a-fA-F]`
	uuid  = hexes + `{8}-(?:` + hexes + `{4}-){3}` + hexes + `{12}`
	guids = `(?:^|[^0-9a-fA-F])(` + hexes + `{32}|` + uuid + `)`
)

func pattern(patterns ...string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp {
		var all []string
		for _, p := range patterns {
			all = append(all, expressions.Replace(regexp.QuoteMeta(p)))
		}
		return regexp.MustCompile(`(?s)^(?:` + strings.Join(all, "|") + `)$`)
	})
}

func matches(patterns ...string) func(s string) bool {
	p := pattern(patterns...)
	return func(s string) bool { return p().MatchString(s) }
}

// endsIn reports whether the last elements of path match one of the ends. In an element that is not
// empty, one "*" matches any text. star is the last such text that is not empty.
func endsIn(path string, ends ...string) (star string, ok bool) {
	for _, end := range ends {
		have, want := strings.Split(path, "/"), strings.Split(end, "/")
		if ok = len(have) >= len(want); !ok {
			continue
		}
		star, have = "", have[len(have)-len(want):]
		for i := 0; ok && i < len(want); i++ {
			var here string
			here, ok = elementLike(have[i], want[i])
			star = cmp.Or(here, star)
		}
		if ok {
			return star, true
		}
	}
	return "", false
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

// from returns the full path of relative, which is relative to path. In relative, ".." is the parent,
// "." is path itself, and star replaces "*".
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

// HasGuid reports whether a name contains a guid.
func HasGuid(name string) bool {
	_, to := guidIn(name)
	return to > 0
}

var guid = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(guids) })

func guidIn(name string) (from, to int) {
	if m := guid().FindStringSubmatchIndex(name); m != nil {
		return m[2], m[3]
	}
	return 0, 0
}
