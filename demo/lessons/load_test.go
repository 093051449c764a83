package lessons

import (
	"strings"
	"testing"
)

const validLesson = `
title = "T"
about = "a"
[setup]
cast = 3
[[part]]
text = ["{leader}"]
after = "a"
[part.question]
ask = "q"
hints = ["h"]
right = "r"
wrong = "w"
options = [{ text = "a", if = { event = "joined" } }, { text = "b", else = true }]
[part.act]
do = "d"
hints = ["h"]
keys = ["s"]
until = [{ event = "joined" }]
`

func TestReadRefusesInvalidFiles(t *testing.T) {
	l, err := read("01-one-two.toml", validLesson)
	if err != nil || l.ID != "one-two" || len(l.Parts) != 1 || l.Parts[0].Act.Until[0].Event != "joined" {
		t.Fatalf("read of a correct file: got lesson %+v, error %v", l, err)
	}
	for _, x := range []struct{ name, old, new, want string }{
		{"one.toml", "", "", "no number"},
		{"01-one.toml", "title", "[", "toml: invalid character"},
		{"01-one.toml", `title = "T"`, `titel = "T"`, "2| titel"},
		{"01-one.toml", "cast = 3", "cast = 3\npace = 1", "6| pace"},
		{"01-one.toml", `hints =`, `hint =`, "11| hint"},
		{"01-one.toml", `{ event = "joined" }]`, `{ event = "joined", of = "leader" }]`, "of ="},
		{"01-one.toml", "cast = 3", `cast = "3"`, "string"},
	} {
		text := validLesson
		if x.old != "" {
			if text = strings.Replace(validLesson, x.old, x.new, 1); text == validLesson {
				t.Fatalf("the correct file does not contain %q", x.old)
			}
		}
		if _, err := read(x.name, text); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s with %q instead of %q: got error %v, want %q in it", x.name, x.new, x.old, err, x.want)
		}
	}
}

func TestLessonsAreInOrder(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, l := range all {
		ids = append(ids, l.ID)
	}
	const want = "volunteer chain handoff crash herd fence guid acknowledgement recipes"
	if got := strings.Join(ids, " "); got != want {
		t.Errorf("got lessons %s, want %s", got, want)
	}
}
