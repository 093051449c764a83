package terminal

import (
	"strings"
	"time"
)

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
