package input

import (
	"cmp"
	"slices"
)

// Stack holds the open modes. The zero Stack has no open mode.
type Stack struct {
	base   Mode   // mode of the main screen; 0: ModeNormal
	opened []Mode // modes in front of the main screen; the last one is in front
}

// Now returns the present mode.
func (s *Stack) Now() Mode { return s.at(len(s.opened)) }

// Below returns the mode behind the present one, or the main screen's own mode.
func (s *Stack) Below() Mode { return s.at(max(0, len(s.opened)-1)) }

func (s *Stack) at(n int) Mode {
	if n > 0 {
		return s.opened[n-1]
	}
	return cmp.Or(s.base, ModeNormal)
}

// Front returns the mode whose overlay is in front, or the main screen's own mode.
// ModeFilter and ModeDialog have no overlay: they use the status line.
func (s *Stack) Front() Mode {
	if m := s.Now(); m != ModeFilter && m != ModeDialog {
		return m
	}
	return s.Below()
}

// Open puts m in front.
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

// CloseAll returns to the main screen.
func (s *Stack) CloseAll() { s.opened = nil }

// SetBase makes m the mode of the main screen. Open modes stay open.
func (s *Stack) SetBase(m Mode) { s.base = m }

// Moved returns the position after a command, from 0 to last.
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
