package terminal

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// piece is what comes at once, and how long after the piece before.
type piece struct {
	text  string
	after time.Duration
}

// split gives a splitter pieces, and the time that passes between them, and returns what
// it hands on, each chunk for itself, and the answers. An answer is expected if asked.
func split(asked bool, pieces ...piece) (chunks, answers []string) {
	var s splitter
	s.answer = func(text string) { answers = append(answers, text) }
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	if asked {
		s.ask(now)
	}
	hand := func(to time.Time) {
		for {
			b, until := s.next(now)
			switch {
			case b != nil:
				chunks = append(chunks, string(b))
			case until.IsZero() || until.After(to):
				now = to
				return
			default:
				now = until
			}
		}
	}
	for _, p := range pieces {
		hand(now.Add(p.after))
		s.feed([]byte(p.text), now)
	}
	hand(now.Add(time.Minute))
	return chunks, answers
}

// The terminals' answers for a background: xterm, rxvt, with an alpha channel, and cut
// off by BEL or by ESC \.
var backgrounds = []string{
	"\x1b]11;rgb:ffff/fafa/f0f0\x1b\\", "\x1b]11;rgb:ffff/fafa/f0f0\a", "\x1b]11;rgba:ff/ff/ff/80\a", "\x1b]11;#ffffff\x1b\\",
}

// An answer is never taken for keys, in whatever pieces it comes, and however late.
func TestAnAnswerIsNoKey(t *testing.T) {
	for _, answer := range backgrounds {
		want := strings.TrimRight(strings.TrimPrefix(answer, "\x1b]"), "\x1b\\\a")
		for _, late := range []time.Duration{0, 50 * time.Millisecond, 500 * time.Millisecond, 2 * time.Second} {
			for _, gap := range []time.Duration{0, 50 * time.Millisecond, 500 * time.Millisecond} {
				for i := range len(answer) {
					chunks, answers := split(true, piece{answer[:i], late}, piece{answer[i:], gap})
					if len(chunks) > 0 || !slices.Equal(answers, []string{want}) {
						t.Errorf("%q after %v, and after %v more %q: keys %q, answers %q", answer[:i], late, gap, answer[i:], chunks, answers)
					}
				}
			}
		}
		var letters []piece
		for _, c := range answer {
			letters = append(letters, piece{string(c), 100 * time.Millisecond})
		}
		if chunks, answers := split(true, letters...); len(chunks) > 0 || len(answers) != 1 {
			t.Errorf("%q letter by letter: keys %q, answers %q", answer, chunks, answers)
		}
		// Nobody has asked any more, or yet.
		if chunks, answers := split(false, piece{"j" + answer + "k", 0}); strings.Join(chunks, "") != "jk" || len(answers) != 1 {
			t.Errorf("among keys: %q, answers %q", chunks, answers)
		}
		if chunks, answers := split(false, piece{answer[:7], 0}, piece{answer[7:], 500 * time.Millisecond}); len(chunks) > 0 || len(answers) != 1 {
			t.Errorf("in two pieces: keys %q, answers %q", chunks, answers)
		}
	}
}

// The escape character came so early that it was the key Esc: the rest is no key.
func TestTheRestOfAnAnswerAfterEsc(t *testing.T) {
	chunks, answers := split(true, piece{"\x1b", 0}, piece{"]11;rgb:0000/0000/0000\a", 700 * time.Millisecond})
	if !slices.Equal(chunks, []string{"\x1b"}) || len(answers) != 1 {
		t.Errorf("keys %q, answers %q", chunks, answers)
	}
	chunks, answers = split(true, piece{"\x1b", 0}, piece{"]", 700 * time.Millisecond}, piece{"]j", time.Second})
	if strings.Join(chunks, "") != "\x1b]]j" || len(answers) != 0 {
		t.Errorf("Esc and ]: keys %q, answers %q", chunks, answers)
	}
}

// Esc is a key of its own, at once where no answer is expected, and soon where the
// terminal never answers.
func TestEscIsAKey(t *testing.T) {
	for _, c := range []struct {
		asked bool
		held  time.Duration
	}{{false, escHeld}, {true, escHeldAsked}} {
		var s splitter
		now := time.Now()
		if c.asked {
			s.ask(now)
		}
		s.feed([]byte("\x1b"), now)
		if b, until := s.next(now); b != nil || !until.Equal(now.Add(c.held)) {
			t.Fatalf("asked %v: %q, and more after %v", c.asked, b, until.Sub(now))
		}
		if b, _ := s.next(now.Add(c.held)); string(b) != "\x1b" {
			t.Errorf("asked %v: %q after %v", c.asked, b, c.held)
		}
		now = now.Add(expected)
		s.feed([]byte("\x1b"), now)
		if _, until := s.next(now); !until.Equal(now.Add(escHeld)) {
			t.Errorf("asked %v, with no answer: more after %v", c.asked, until.Sub(now))
		}
	}
	if escHeld > 100*time.Millisecond || escHeldAsked >= time.Second {
		t.Error("Esc is slow")
	}
}

// While an answer is expected, a letter long after Esc is a letter, and none with alt.
func TestLetterAfterEsc(t *testing.T) {
	for _, c := range []struct {
		asked bool
		after time.Duration
		want  []string
	}{
		{true, 0, []string{"\x1bj"}},
		{true, escHeld, []string{"\x1bj"}},
		{true, 100 * time.Millisecond, []string{"\x1b", "j"}},
		{true, 500 * time.Millisecond, []string{"\x1b", "j"}},
		{false, 100 * time.Millisecond, []string{"\x1b", "j"}},
	} {
		if chunks, _ := split(c.asked, piece{"\x1b", 0}, piece{"j", c.after}); !slices.Equal(chunks, c.want) {
			t.Errorf("asked %v, %v after Esc: %q, want %q", c.asked, c.after, chunks, c.want)
		}
	}
	if chunks, _ := split(true, piece{"\x1b", 0}, piece{"ä", 100 * time.Millisecond}); !slices.Equal(chunks, []string{"\x1b", "ä"}) {
		t.Errorf("ä after Esc: %q", chunks)
	}
}

// Keys are handed on whole, whatever pieces they come in: what is a key alone is not
// joined to what comes after it.
func TestKeysAreWhole(t *testing.T) {
	const soon = 20 * time.Millisecond
	for _, c := range []struct {
		name   string
		pieces []piece
		want   []string
	}{
		{"letters", []piece{{"abc\r", 0}}, []string{"abc\r"}},
		{"an arrow", []piece{{"\x1b[A", 0}}, []string{"\x1b[A"}},
		{"an arrow in pieces", []piece{{"\x1b", 0}, {"[", soon}, {"A", soon}}, []string{"\x1b[A"}},
		{"late pieces", []piece{{"\x1b[", 0}, {"A", 500 * time.Millisecond}}, []string{"\x1b[A"}},
		{"of an application's keypad", []piece{{"\x1bO", 0}, {"A", soon}}, []string{"\x1bOA"}},
		{"with ctrl", []piece{{"\x1b[1;5", 0}, {"C", soon}}, []string{"\x1b[1;5C"}},
		{"on the console", []piece{{"\x1b[[", 0}, {"A", soon}}, []string{"\x1b[[A"}},
		{"of rxvt", []piece{{"\x1b[7$j", 0}}, []string{"\x1b[7$j"}},
		{"the mouse", []piece{{"\x1b[<0;1", 0}, {"0;5M\x1b[<0;10;5m", soon}}, []string{"\x1b[<0;10;5M\x1b[<0;10;5m"}},
		{"an old mouse", []piece{{"\x1b[M", 0}, {" !!j", soon}}, []string{"\x1b[M !!j"}},
		{"Esc and a key", []piece{{"\x1b", 0}, {"j", time.Second}}, []string{"\x1b", "j"}},
		{"Esc twice", []piece{{"\x1b\x1b", 0}}, []string{"\x1b", "\x1b"}},
		{"Esc before an answer", []piece{{"\x1b\x1b]11;rgb:0/0/0\aj", 0}}, []string{"\x1b", "j"}},
		{"with alt", []piece{{"\x1bx", 0}, {"j", 0}}, []string{"\x1bx", "j"}},
		{"an arrow with alt", []piece{{"\x1b\x1b", 0}, {"[A", soon}}, []string{"\x1b\x1b[A"}},
		{"alt and a bracket", []piece{{"\x1b[", 0}}, []string{"\x1b["}},
		{"alt and the other one", []piece{{"\x1b]", 0}, {"q", 0}}, []string{"\x1b]", "q"}},
		{"a character in pieces", []piece{{"a\xe5", 0}, {"\xae", soon}, {"\xb6b", soon}}, []string{"a", "家b"}},
		{"with alt in pieces", []piece{{"\x1b\xc3", 0}, {"\xa9", soon}, {"j", 0}}, []string{"\x1bé", "j"}},
		{"half a character", []piece{{"\xe5a", 0}}, []string{"a"}},
		{"a paste", []piece{{"\x1b[200~a\x1b[201~", 0}}, []string{"\x1b[200~a\x1b[201~"}},
		{"ctrl-c in a sequence", []piece{{"\x1b[1;\x03", 0}}, []string{"\x03"}},
		{"ctrl-c in an answer", []piece{{"\x1b]11;rgb\x03", 0}}, []string{"\x03"}},
		{"a key in an answer", []piece{{"\x1b]11;rgb:ffq", 0}}, []string{"q"}},
		{"an answer in another", []piece{{"\x1b]11;rgb\x1b]11;rgb:0/0/0\x1b\\", 0}}, nil},
		{"a key after a lost end", []piece{{"\x1b[1;", 0}, {"q", 3 * time.Second}}, []string{"q"}},
		{"an answer to somebody else", []piece{{"\x1b]52;c;c2VjcmV0\a", 0}}, nil},
		{"without an end", []piece{{"\x1b]52;c;" + strings.Repeat("j", 5000), 0}, {"q", 10 * time.Second}}, []string{"q"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			chunks, _ := split(false, c.pieces...)
			if !slices.Equal(chunks, c.want) {
				t.Errorf("%q, want %q", chunks, c.want)
			}
		})
	}
}

// Whatever comes, in whatever pieces: chunks are never too long, and nothing is kept for
// ever.
func TestSplitterIsBounded(t *testing.T) {
	part := rapid.OneOf(rapid.SampledFrom([]string{"\x1b", "[", "]", "O", "11;", "rgb:", "\a", "\\", "M", "<", "0", ";", "é", "\xe5", "q", "\x03", "\x1b]11;", strings.Repeat("a", 300)}), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		var s splitter
		s.answer = func(text string) {
			if len(text) > answerMax {
				t.Fatalf("an answer of %d bytes", len(text))
			}
		}
		now := time.Now()
		if rapid.Bool().Draw(t, "asked") {
			s.ask(now)
		}
		for range rapid.IntRange(1, 30).Draw(t, "pieces") {
			s.feed([]byte(part.Draw(t, "piece")), now)
			for {
				b, _ := s.next(now)
				if b == nil {
					break
				}
				if len(b) > chunkMax {
					t.Fatalf("a chunk of %d bytes", len(b))
				}
			}
			if len(s.held) > answerMax+1 {
				t.Fatalf("%d bytes are held", len(s.held))
			}
			now = now.Add(time.Duration(rapid.IntRange(0, 1000).Draw(t, "ms")) * time.Millisecond)
		}
		now = now.Add(time.Minute)
		for range 100 {
			if b, until := s.next(now); b == nil && until.IsZero() {
				break
			}
		}
		if len(s.held) > 0 || len(s.chunks) > 0 {
			t.Fatalf("after a minute %q and %d chunks are left", s.held, len(s.chunks))
		}
	})
}

func TestLight(t *testing.T) {
	for answer, want := range map[string][2]bool{
		"11;rgb:ffff/ffff/ffff": {true, true}, "11;rgb:0000/0000/0000": {false, true}, "11;rgb:fd/f6/e3": {true, true}, "11;rgb:00/2b/36": {false, true},
		"11;rgba:ffff/ffff/ffff/ffff": {true, true}, "11;#ffffff": {true, true}, "11;#1e1e2e": {false, true}, "11;rgb:8080/8080/0000": {false, true},
		"11;?": {}, "11;": {}, "11;rgb:ff/ff": {}, "11;rgb:gg/ff/ff": {}, "10;rgb:ffff/ffff/ffff": {}, "": {},
	} {
		if light, ok := lightAnswer(answer); [2]bool{light, ok} != want {
			t.Errorf("%q: light %v, known %v", answer, light, ok)
		}
	}
}
