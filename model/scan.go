package model

import (
	"strings"
	"time"
	"unicode/utf8"
)

// Most lines of a recording are what members do, and most of its bytes are
// tables of servers. These two are read by a scanner that knows nothing but the
// lines that [Encoder] writes: their fields, in that order, with no spaces. At
// anything else it gives up, and the line is left to encoding/json, so it need
// not be right about what JSON may be, only about what it takes for its own.

// scan is a scanner over a line.
type scan struct {
	text string // what is scanned as well: strings are cut from it
	i    int
	sep  bool // a comma comes before the next field
	bad  bool
	room int // memory that elements of lists may still take
}

// scanLine returns the observation of a line, nil for one to be left to
// encoding/json.
func scanLine(line []byte) Observation {
	s := &scan{text: string(line), room: allowed(len(line))}
	var o Observation
	s.open()
	switch {
	case s.has("cast"):
		o = s.cast()
	case s.has("table"):
		o = s.table()
	default:
		return nil
	}
	s.close()
	if s.bad || s.i != len(s.text) {
		return nil
	}
	return o
}

func (s *scan) byte(c byte) bool {
	if s.bad || s.i >= len(s.text) || s.text[s.i] != c {
		return false
	}
	s.i++
	return true
}

func (s *scan) need(c byte) {
	if !s.byte(c) {
		s.bad = true
	}
}

func (s *scan) open() { s.need('{'); s.sep = false }

func (s *scan) close() { s.need('}'); s.sep = true }

// has reports whether the next field is that one, and goes on to its value.
func (s *scan) has(name string) bool {
	i := s.i
	if s.sep {
		if i >= len(s.text) || s.text[i] != ',' {
			return false
		}
		i++
	}
	end := i + len(name) + 3
	if s.bad || end > len(s.text) || s.text[i] != '"' || s.text[end-2] != '"' || s.text[end-1] != ':' || s.text[i+1:end-2] != name {
		return false
	}
	s.i, s.sep = end, true
	return true
}

// scanList scans an array, element by element.
func scanList[T any](s *scan, list *[]T, element func(*T)) {
	s.need('[')
	if s.byte(']') {
		s.bad = true // neither nil nor written by us
		return
	}
	for !s.bad {
		if s.room -= size[T](); s.room < 0 {
			s.bad = true // see [Unmarshal]
			return
		}
		*list = append(*list, *new(T))
		element(&(*list)[len(*list)-1])
		if !s.byte(',') {
			break
		}
	}
	s.need(']')
	s.sep = true
}

func (s *scan) string() string {
	s.need('"')
	if s.bad {
		return ""
	}
	n := strings.IndexByte(s.text[s.i:], '"')
	if n < 0 {
		s.bad = true
		return ""
	}
	v := s.text[s.i : s.i+n]
	s.i += n + 1
	ascii := true
	for i := range len(v) {
		if v[i] == '\\' || v[i] < 0x20 {
			s.bad = true
			return ""
		}
		ascii = ascii && v[i] < utf8.RuneSelf
	}
	s.bad = !ascii && !utf8.ValidString(v)
	return v
}

func (s *scan) uint64() (v uint64) {
	from := s.i
	for ; s.i < len(s.text) && '0' <= s.text[s.i] && s.text[s.i] <= '9'; s.i++ {
		d := uint64(s.text[s.i] - '0')
		if v > (1<<64-1-d)/10 {
			s.bad = true
		}
		v = v*10 + d
	}
	if n := s.i - from; n == 0 || n > 1 && s.text[from] == '0' {
		s.bad = true
	}
	return v
}

func (s *scan) int64() int64 {
	if s.byte('-') {
		v := s.uint64()
		if v == 0 || v > 1<<63 {
			s.bad = true
		}
		return -int64(v)
	}
	v := s.uint64()
	if v > 1<<63-1 {
		s.bad = true
	}
	return int64(v)
}

func (s *scan) duration() time.Duration { return time.Duration(s.int64()) }

func (s *scan) bool() bool {
	rest := s.text[s.i:]
	switch {
	case strings.HasPrefix(rest, "true"):
		s.i += len("true")
		return true
	case strings.HasPrefix(rest, "false"):
		s.i += len("false")
		return false
	}
	s.bad = true
	return false
}

// time scans a time in UTC.
func (s *scan) time() time.Time {
	v := s.string()
	const layout = "2006-01-02T15:04:05"
	n := len(layout)
	if s.bad || len(v) < n+1 || v[len(v)-1] != 'Z' || v[4] != '-' || v[7] != '-' || v[10] != 'T' || v[13] != ':' || v[16] != ':' {
		s.bad = true
		return time.Time{}
	}
	year, month, day := s.digits(v[:4]), s.digits(v[5:7]), s.digits(v[8:10])
	hour, minute, second := s.digits(v[11:13]), s.digits(v[14:16]), s.digits(v[17:19])
	nanos := 0
	if fraction := v[n : len(v)-1]; fraction != "" {
		if len(fraction) < 2 || len(fraction) > 10 || fraction[0] != '.' {
			s.bad = true
			return time.Time{}
		}
		nanos = s.digits(fraction[1:])
		for range 10 - len(fraction) {
			nanos *= 10
		}
	}
	t := time.Date(year, time.Month(month), day, hour, minute, second, nanos, time.UTC)
	if t.Day() != day || t.Month() != time.Month(month) || hour > 23 || minute > 59 || second > 59 {
		s.bad = true // there is no such day or time
	}
	return t
}

func (s *scan) digits(v string) (n int) {
	for i := range len(v) {
		if v[i] < '0' || v[i] > '9' {
			s.bad = true
		}
		n = n*10 + int(v[i]-'0')
	}
	return n
}
