package lessons_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"electop/demo/lessons"
)

const (
	paragraphMax = 256
	partMax      = 640 // about ten lines of 78 columns
)

var keys = []string{"s", "x", "f", "d", "h", "c", "X", "w", "[", "]", ".", "v", "S", "L", "j", "k", "enter", "!", "<", ">"}

var pressed = regexp.MustCompile(`\b(?:[Pp]ress (\S)|with ([^\sa]))[,.:;]?(?:\s|$)`)

var forbidden = map[string]string{
	`\bfence`:                         "say guard, or multi with a check; fencing token only for the outside resource",
	`\bup to \{timeout\}`:             "ZooKeeper counts from the last ping, and in ticks",
	`never lead together`:             "this depends on the clocks",
	`newcomer's arrow: ~`:             "electop knows what its own candidates watch",
	`S shows the counts`:              "the servers' panel does not show that",
	`needs \{waiting\} watches`:       "the leader watches its own znode",
	`until its session ends\.`:        "the znode can be deleted, too",
	`some milliseconds|slow motion`:   "the user can change the server's pace",
	`leader whose session is alive\.`: "the znode can be deleted, too",
}

func TestNoForbiddenPhrases(t *testing.T) {
	entries, err := os.ReadDir(".")
	must(t, err)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".toml") {
			continue
		}
		text, err := os.ReadFile(e.Name())
		must(t, err)
		for pattern, why := range forbidden {
			if found := regexp.MustCompile(pattern).Find(text); found != nil {
				t.Errorf("%s: %q: %s", e.Name(), found, why)
			}
		}
	}
}

func TestTexts(t *testing.T) {
	all, err := lessons.All()
	must(t, err)
	for _, l := range all {
		if n := len(l.Parts); n < 3 || n > 6 {
			t.Errorf("lesson %s: got %d parts, want 3 to 6", l.ID, n)
		}
		questions := 0
		for i, p := range l.Parts {
			texts := slices.Concat(p.Text, []string{p.After})
			if p.Act != nil {
				texts = append(append(texts, p.Act.Do), p.Act.Hints...)
			}
			if q := p.Question; q != nil {
				questions++
				texts = append(append(texts, q.Ask, q.Right, q.Wrong), q.Hints...)
				for _, o := range q.Options {
					texts = append(texts, o.Text, o.Wrong)
					if o.Wrong != "" && !strings.HasPrefix(o.Wrong, "No") {
						t.Errorf("%s, part %d: the reply to option %q does not begin with No", l.ID, i+1, o.Text)
					}
				}
				if !strings.HasPrefix(q.Right, "Right") || !strings.HasPrefix(q.Wrong, "No") {
					t.Errorf("%s, part %d: the replies do not begin with Right and No", l.ID, i+1)
				}
			}
			whole := 0
			for _, text := range p.Text {
				whole += utf8.RuneCountInString(text)
			}
			if p.Question != nil {
				whole += utf8.RuneCountInString(p.Question.Ask)
			}
			if whole > partMax {
				t.Errorf("%s, part %d: the text has %d characters, want at most %d", l.ID, i+1, whole, partMax)
			}
			for _, text := range texts {
				if utf8.RuneCountInString(text) > paragraphMax {
					t.Errorf("%s, part %d: a paragraph of more than %d characters: %q", l.ID, i+1, paragraphMax, text)
				}
				if strings.Contains(text, "!") && !strings.Contains(text, "(!)") || strings.Contains(text, "  ") || strings.TrimSpace(text) != text {
					t.Errorf("%s, part %d: exclamation mark or extra space in %q", l.ID, i+1, text)
				}
				for _, m := range pressed.FindAllStringSubmatch(text, -1) {
					if k := m[1] + m[2]; !slices.Contains(keys, k) {
						t.Errorf("%s, part %d: there is no key %q, named in %q", l.ID, i+1, k, text)
					}
				}
			}
		}
		if questions == 0 {
			t.Errorf("lesson %s has no question", l.ID)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
