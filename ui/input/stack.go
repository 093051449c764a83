package input

import (
	"cmp"
	"slices"
)

// Stack is the mode that the keyboard is in, and those that it returns to. The
// zero Stack is on the main screen.
type Stack struct {
	base   Mode   // of the main screen, ModeNormal where it is 0
	opened []Mode // in front of it, the nearest to the user last
}

// Now is the mode that the keyboard is in.
func (s *Stack) Now() Mode { return s.at(len(s.opened)) }

// Below is the mode behind the present one.
func (s *Stack) Below() Mode { return s.at(max(0, len(s.opened)-1)) }

// at is the mode with n modes opened.
func (s *Stack) at(n int) Mode {
	if n > 0 {
		return s.opened[n-1]
	}
	return cmp.Or(s.base, ModeNormal)
}

// Front is the mode whose view is in front: a filter or an answer is typed in
// the lines below it.
func (s *Stack) Front() Mode {
	if m := s.Now(); m != ModeFilter && m != ModeDialog {
		return m
	}
	return s.Below()
}

// Open opens a mode in front of the present one. One that is open already is
// gone back to.
func (s *Stack) Open(m Mode) {
	if i := slices.Index(s.opened, m); i >= 0 {
		s.opened = s.opened[:i]
	}
	s.opened = append(s.opened, m)
}

// Close returns to the mode behind the present one.
func (s *Stack) Close() { s.opened = s.opened[:max(0, len(s.opened)-1)] }

// Has reports whether m is open.
func (s *Stack) Has(m Mode) bool { return slices.Contains(s.opened, m) }

// Home closes everything in front of the main screen.
func (s *Stack) Home() { s.opened = nil }

// Ground makes m the mode of the main screen, whatever is in front of it.
func (s *Stack) Ground(m Mode) { s.base = m }

// Moved returns where at goes within 0 to last.
func Moved(do Command, at, last, page int) int {
	switch do {
	case CmdDown:
		at++
	case CmdUp:
		at--
	case CmdPageDown:
		at += max(1, page-1)
	case CmdPageUp:
		at -= max(1, page-1)
	case CmdTop:
		at = 0
	case cmdBottom:
		at = last
	}
	return max(0, min(at, last))
}
