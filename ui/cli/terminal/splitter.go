package terminal

import (
	"bytes"
	"strings"
	"time"
	"unicode/utf8"
)

// The splitter's times.
const (
	// escHeld is how long an escape character is held back before it is the key Esc: the
	// rest of a sequence follows at once, even over a slow line.
	escHeld = 50 * time.Millisecond
	// escHeldAsked is the same while an answer is expected, which may come in pieces.
	escHeldAsked = 600 * time.Millisecond
	// sequenceHeld is how long the beginning of a key or a mouse event is held back.
	sequenceHeld = time.Second
	// answerHeld is the same for the beginning of an answer, which no key looks like.
	answerHeld = 5 * time.Second
	// expected is how long an answer is expected. Some terminals never answer.
	expected = 3 * time.Second
)

const (
	esc, bel = '\x1b', '\a'
	// chunkMax is the most that is handed on at once: Bubbletea takes 256 bytes for the
	// part of something longer.
	chunkMax = 255
	// sequenceMax and answerMax bound what is kept of a sequence.
	sequenceMax = 64
	answerMax   = 256
)

// splitter divides what comes from a terminal into whole keys, which it hands on, and
// answers to questions, which it keeps. Whoever reads the keys may so take the end of a
// piece for the end of a key. It has no clock: time comes with its calls.
type splitter struct {
	held  []byte    // the beginning of a sequence or of a character
	at    time.Time // when the last byte of it came
	spent bool      // the escape character in held was handed on as a key before

	asked   time.Time // when an answer was asked for, zero: none is expected
	lateEsc bool      // an escape character became a key while one was expected

	chunks []chunk
	// answer is called with each answer, without the characters around it.
	answer func(string)
}

// chunk is what is handed on at once. Nothing is added to one that is closed.
type chunk struct {
	bytes  []byte
	closed bool
}

// ask says that an answer is expected from now on.
func (s *splitter) ask(now time.Time) { s.asked = now }

// expects reports whether an answer is expected.
func (s *splitter) expects(now time.Time) bool {
	return !s.asked.IsZero() && now.Sub(s.asked) < expected
}

// feed takes what came.
func (s *splitter) feed(b []byte, now time.Time) {
	for _, c := range b {
		s.step(c, now)
	}
}

// next returns what can be handed on now, nil for nothing, and when that may change by
// the passing of time, zero: it does not.
func (s *splitter) next(now time.Time) ([]byte, time.Time) {
	if until := s.until(); !until.IsZero() && !until.After(now) {
		s.expire(now)
	}
	if len(s.chunks) == 0 {
		return nil, s.until()
	}
	b := s.chunks[0].bytes
	s.chunks = s.chunks[1:]
	return b, time.Time{}
}

// until is when what is held back is given up.
func (s *splitter) until() time.Time {
	n := len(s.held)
	switch {
	case n == 0:
		return time.Time{}
	case n == 1 && s.held[0] == esc, n == 2 && (s.held[1] == esc || s.spent):
		if s.expects(s.at) {
			return s.at.Add(escHeldAsked)
		}
		return s.at.Add(escHeld)
	case n > 1 && s.held[1] == ']':
		return s.at.Add(answerHeld)
	}
	return s.at.Add(sequenceHeld)
}

// expire gives up waiting for the rest of what is held back.
func (s *splitter) expire(now time.Time) {
	held, spent := s.take()
	switch {
	case len(held) == 1 && held[0] == esc:
		s.lateEsc = s.expects(now)
		s.pass(held, true)
	case len(held) == 2 && held[1] == esc: // pressed twice
		s.pass(held[:1], true)
		s.pass(held[1:], true)
	case len(held) == 2 && spent:
		s.pass(held[1:], true)
	case len(held) == 2 && held[0] == esc && held[1] != ']':
		s.pass(held, true) // a letter with alt
	}
	// A longer one is a sequence of which the rest was lost: no part of it is a key.
}

// take empties what is held back.
func (s *splitter) take() (held []byte, spent bool) {
	held, spent = s.held, s.spent
	s.held, s.spent = nil, false
	return held, spent
}

// pass hands b on, alone or with what comes next to it.
func (s *splitter) pass(b []byte, alone bool) {
	if n := len(s.chunks); !alone && n > 0 && !s.chunks[n-1].closed && len(s.chunks[n-1].bytes)+len(b) <= chunkMax {
		s.chunks[n-1].bytes = append(s.chunks[n-1].bytes, b...)
		return
	}
	s.chunks = append(s.chunks, chunk{bytes.Clone(b), alone})
}

// step takes one byte.
func (s *splitter) step(c byte, now time.Time) {
	late := s.lateEsc && s.expects(now)
	apart := now.Sub(s.at) > escHeld // from the byte before
	s.lateEsc, s.at = false, now
	switch {
	case len(s.held) == 0 && late && c == ']':
		// The answer began with the escape character that became a key.
		s.held, s.spent = []byte{esc, c}, true
	case len(s.held) == 0 && (c == esc || c >= utf8.RuneSelf):
		s.held = []byte{c}
		s.character()
	case len(s.held) == 0:
		s.pass([]byte{c}, false)
	case s.held[0] != esc:
		if utf8.RuneStart(c) { // what is held is no character
			s.take()
			s.step(c, now)
			return
		}
		s.held = append(s.held, c)
		s.character()
	case len(s.held) == 1 && apart && !introduces(c):
		// It was held for an answer, and none begins so: it was the key Esc.
		s.take()
		s.pass([]byte{esc}, true)
		s.step(c, now)
	case len(s.held) == 1:
		s.second(c)
	case s.held[1] == ']':
		s.string(c, now)
	case s.held[1] == esc:
		s.afterTwo(c, now)
	default:
		s.sequence(c, now)
	}
}

// character hands on the character that is held back, after an escape character or
// alone, if it is complete.
func (s *splitter) character() {
	text := s.held
	if text[0] == esc {
		text = text[1:]
	}
	if len(text) > 0 && utf8.FullRune(text) {
		held, _ := s.take()
		s.pass(held, held[0] == esc)
	}
}

// second takes what follows an escape character.
func (s *splitter) second(c byte) {
	s.held = append(s.held, c)
	if !introduces(c) {
		s.character() // with alt
	}
}

// introduces reports whether c may follow an escape character in something longer than a
// key with alt.
func introduces(c byte) bool { return c == '[' || c == ']' || c == 'O' || c == esc }

// afterTwo takes what follows two escape characters: the key Esc before an answer, or a
// key with alt.
func (s *splitter) afterTwo(c byte, now time.Time) {
	switch {
	case len(s.held) > 2: // of a key with alt
		s.sequence(c, now)
	case c == '[' || c == 'O':
		s.held = append(s.held, c)
	default:
		s.take()
		s.pass([]byte{esc}, true)
		s.step(esc, now)
		s.step(c, now)
	}
}

// sequence takes a byte of a key or a mouse event, or of an answer that looks like one.
func (s *splitter) sequence(c byte, now time.Time) {
	seq := bytes.TrimLeft(s.held, string(rune(esc))) // begins with [ or O
	n := len(s.held)
	if s.held[1] >= utf8.RuneSelf { // a character with alt
		s.held = append(s.held, c)
		s.character()
		return
	}
	old := string(seq) == "[M" || len(seq) > 2 && seq[0] == '[' && seq[1] == 'M' // a mouse event: three more bytes
	switch {
	case c < 0x20 && !old: // none is in a sequence: it is a key, and the rest was lost
		s.take()
		s.step(c, now)
		return
	case n >= sequenceMax:
		s.take()
		return
	}
	s.held = append(s.held, c)
	ends := false
	switch {
	case old:
		ends = len(seq) == 4
	case seq[0] == 'O', string(seq) == "[[": // the console's function keys
		ends = true
	case len(seq) == 1 && (c == '[' || c == 'M'):
	case c == '$' && len(seq) > 1 && seq[1] != '?': // rxvt's keys with shift
		ends = true
	default:
		ends = c >= 0x40 && c <= 0x7e
	}
	if ends {
		held, _ := s.take()
		s.pass(held, false)
	}
}

// string takes a byte of an answer: a number, a semicolon, and text up to BEL, or up to an
// escape character and a backslash.
func (s *splitter) string(c byte, now time.Time) {
	n := len(s.held)
	last := s.held[n-1]
	switch {
	case n == 2 && (c < '0' || c > '9'): // no answer
		held, spent := s.take()
		if spent {
			held = held[1:]
		}
		s.pass(held, true)
		s.step(c, now)
	case last == esc && c == '\\', c == bel:
		held, _ := s.take()
		body := strings.TrimSuffix(string(held[2:]), string(rune(esc)))
		if strings.HasPrefix(body, "11;") {
			s.asked = time.Time{}
		}
		if s.answer != nil {
			s.answer(body)
		}
	case last == esc: // it was cut off, and something else begins
		s.take()
		s.step(esc, now)
		s.step(c, now)
	case c != esc && !fits(s.held[2:], c):
		s.take()
		if c != 0x18 && c != 0x1a { // which cancel it
			s.step(c, now)
		}
	case n < answerMax || c == esc:
		s.held = append(s.held, c)
	}
}

// fits reports whether c can be in an answer that begins like that: of a colour, the
// letters and signs of one, so that a key is not lost where the rest of the answer is.
func fits(body []byte, c byte) bool {
	number, _, text := strings.Cut(string(body), ";")
	if !text {
		return c == ';' || c >= '0' && c <= '9'
	}
	if len(number) == 2 && number[0] == '1' {
		return strings.IndexByte("0123456789abcdefABCDEFrg:/#", c) >= 0
	}
	return c >= 0x20
}
