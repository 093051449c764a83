package config

import (
	"maps"
	"testing"
)

func TestDecodeErrors(t *testing.T) {
	for text, want := range map[string]string{
		"[each.x]\na = 1\n[each.x]": "line 3: each.x: table x already exists",
		"n = 1\n\nn = 2":            "line 3: n: key n is already defined",
		"\n\nhello":                 "line 3: not TOML: expected '=' after key",
		"title = '''\n\n'''\nn = [": "line 4: not TOML: array is incomplete",
	} {
		if _, err := decode([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q: got error\n  %v\nwant\n  %s", text, err, want)
		}
	}
}

func TestLinesOf(t *testing.T) {
	got := linesOf([]byte("title = '''\n\n'''\nn = 1\n\n[each.x]\na = 1\n[each]\ny = { a = 2 }\n[[part]]\na = 3\n"))
	want := map[string]int{"title": 1, "n": 4, "each.x": 6, "each.x.a": 7, "each": 8, "each.y": 9, "each.y.a": 9, "part": 10, "part.a": 11}
	if !maps.Equal(got, want) {
		t.Errorf("got lines %v, want %v", got, want)
	}
}
