package stricttoml_test

import (
	"errors"
	"maps"
	"testing"

	"electop/model/stricttoml"
)

type target struct {
	Title string            `toml:"title"`
	N     int               `toml:"n"`
	Dark  bool              `toml:"dark"`
	Paths []string          `toml:"paths"`
	Part  []struct{ A int } `toml:"part"`
	Each  map[string]struct {
		A int `toml:"a"`
	} `toml:"each"`
}

// Each error names the line and the key, in words that do not show the program's types.
func TestErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"title = 't'\n[each.x]\nb = 1\nc = 2\n": "line 3: unknown key each.x.b",
		"\n[[part]]\nb = 1":                     "line 3: unknown key part.b",
		"\ntitle = 3":                           "line 2: title: want a string, not a TOML integer",
		"n = 'one'":                             "line 1: n: want a whole number, not a TOML string",
		"dark = 'yes'":                          "line 1: dark: want true or false, not a TOML string",
		"paths = '/a'":                          "line 1: paths: want a list of strings, not a TOML string",
		"paths = ['/a', 1]":                     "line 1: paths: want a string, not a TOML integer",
		"each = 3":                              "line 1: each: a TOML integer is not what belongs here",
		"[each.x]\na = 1\n[each.x]":             "line 3: each.x: table x already exists",
		"n = 1\n\nn = 2":                        "line 3: n: key n is already defined",
		"\n\nhello":                             "line 3: not TOML: expected '=' after key",
		"title = '''\n\n'''\nn = [":             "line 4: not TOML: array is incomplete",
	} {
		var into target
		err := stricttoml.Decode([]byte(text), &into)
		var e *stricttoml.Error
		if !errors.As(err, &e) || err.Error() != want {
			t.Errorf("%q\n  %v\nwant\n  %s", text, err, want)
		}
	}
	var into target
	if err := stricttoml.Decode([]byte("title = 't'\nn = 1"), &into); err != nil || into.Title != "t" || into.N != 1 {
		t.Errorf("%+v, %v", into, err)
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	got := stricttoml.Lines([]byte("title = '''\n\n'''\nn = 1\n\n[each.x]\na = 1\n[each]\ny = { a = 2 }\n[[part]]\na = 3\n"))
	want := map[string]int{"title": 1, "n": 4, "each.x": 6, "each.x.a": 7, "each": 8, "each.y": 9, "each.y.a": 9, "part": 10, "part.a": 11}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
