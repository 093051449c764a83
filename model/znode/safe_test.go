package znode_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"electop/model/znode"
)

var seeds = []string{
	"", "plain", "two words", "caf\u00e9", "\u6f22\u5b57", "e\u0301", `already \x1b`,
	"\x1b[2J\x1b]0;title\a", "\u009b31m", "\x9b31m", "a\r\nb\tc\x00", "\x7f",
	"\u202egnp.exe", "\u2066x\u2069", "\u200b\u200c\u200d\ufeff", "\u00ad", "\u2028\u2029",
	"\xff\xfe", "\xed\xa0\x80", "a\xc3", "\ufffd", "\u00a0", "\u3164\u115f\uffa0", "\u2800", "\u034f",
	"\U000e0041", "\U0001f600\ufe0f", "\ue000", "\U0010ffff", "\u0378",
	"a" + strings.Repeat("\u0300", 50), strings.Repeat("\u0489", 3),
	strings.Repeat("x", 500), strings.Repeat("\x1b", 500), strings.Repeat("\u6f22", 500),
	`"quoted" & <tagged> \`, "\"\u0301",
}

func TestSafe(t *testing.T) {
	for _, c := range []struct {
		in   string
		max  int
		want string
	}{
		{"plain text", 0, "plain text"},
		{"caf\u00e9 \u6f22", 0, "caf\u00e9 \u6f22"},
		{"\x1b[31m", 0, `\x1b[31m`},
		{"\u009b31m", 0, `\x9b31m`},
		{"\x9b31m", 0, `\x9b31m`},
		{"a\nb\tc\rd\x00\x7f", 0, `a\nb\tc\rd\x00\x7f`},
		{"\u202eabc", 0, `\u202eabc`},
		{"a\u200bb", 0, `a\u200bb`},
		{"a\u3164b", 0, `a\u3164b`},
		{"a\u2800b", 0, `a\u2800b`},
		{"\xff", 0, `\xff`},
		{"\ufffd", 0, `\ufffd`},
		{"\U000e0041", 0, `\U000e0041`},
		{"e\u0301", 0, "e\u0301"},
		{"e\u0301\u0302\u0303", 0, "e\u0301" + `\u0302\u0303`},
		{"\u0301x", 0, `\u0301x`}, // it would combine with the text before
		{"a\u034fb", 0, `a\u034fb`},
		{"\u2764\ufe0f", 0, "\u2764" + `\ufe0f`},
		{"abcdef", 6, "abcdef"},
		{"abcdefg", 6, "abcde\u2026"},
		{"abcde\x1b", 6, "abcde\u2026"}, // an escape is never split
		{"ab\x1b", 6, `ab\x1b`},
		{"ab\x1bc", 6, "ab\u2026"},
		{"ab", 1, "\u2026"},
		{strings.Repeat("x", 1000), -1, strings.Repeat("x", znode.SafeMax-1) + "\u2026"},
	} {
		if got := znode.Safe(c.in, c.max); got != c.want {
			t.Errorf("Safe(%q, %d) = %q, want %q", c.in, c.max, got, c.want)
		}
	}
}

func FuzzSafe(f *testing.F) {
	for i, s := range seeds {
		f.Add(s, i%9*7)
	}
	f.Fuzz(func(t *testing.T, s string, limit int) {
		got := znode.Safe(s, limit)
		if limit <= 0 {
			limit = znode.SafeMax
		}
		if !utf8.ValidString(got) {
			t.Fatalf("Safe(%q) = %q: invalid UTF-8", s, got)
		}
		if n := utf8.RuneCountInString(got); n > limit {
			t.Fatalf("Safe(%q, %d) has %d runes, want at most the limit", s, limit, n)
		}
		marks := 1
		for _, r := range got {
			if znode.Unsafe(r) || unicode.IsControl(r) {
				t.Fatalf("Safe(%q) has the unsafe %U", s, r)
			}
			if !unicode.Is(unicode.M, r) {
				marks = 0
			} else if marks++; marks > 1 {
				t.Fatalf("Safe(%q) = %q: a combining mark at the start or after another", s, got)
			}
		}
		if again := znode.Safe(got, limit); again != got {
			t.Fatalf("Safe(%q) = %q, but Safe of the result = %q", s, got, again)
		}
	})
}

func TestSafeJSON(t *testing.T) {
	for in, want := range map[string]string{
		"a\x1b\u009b\u202e\x7f": `"a\u001b\u009b\u202e\u007f"`,
		"\U000e0041":            `"\udb40\udc41"`,
		"\xff":                  `"\ufffd"`,
		"<&>\u6f22":             "\"<&>\u6f22\"",
		"e\u0301\u0302":         "\"e\u0301" + `\u0302"`,
		"\u0301":                `"\u0301"`,
	} {
		got, err := znode.SafeJSON(in)
		if err != nil || string(got) != want {
			t.Errorf("SafeJSON(%q) = %s, %v; want %s", in, got, err, want)
		}
	}
	if _, err := znode.SafeJSON(func() {}); err == nil {
		t.Error("SafeJSON of a function: got no error, want one")
	}
}

func FuzzSafeJSON(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v := map[string]any{"k" + s: []any{s, 1, nil, map[string]any{"b": []byte(s)}}}
		got, err := znode.SafeJSON(v)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.ContainsAny(got, "\n\r") || !utf8.Valid(got) {
			t.Fatalf("SafeJSON(%q) = %q: not one line of UTF-8", s, got)
		}
		noMark := true
		for _, r := range string(got) {
			if znode.Unsafe(r) {
				t.Fatalf("SafeJSON(%q) has the unsafe %U", s, r)
			}
			mark := unicode.Is(unicode.M, r)
			if mark && noMark {
				t.Fatalf("SafeJSON(%q) = %q: a combining mark after a quote or another mark", s, got)
			}
			noMark = mark || r == '"'
		}
		var a, b any
		if err := json.Unmarshal(got, &a); err != nil {
			t.Fatalf("SafeJSON(%q) = %q: %v", s, got, err)
		}
		if err := json.Unmarshal(plain, &b); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("SafeJSON(%q) is decoded as %v, want %v", s, a, b)
		}
	})
}
