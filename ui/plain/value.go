// Package plain shows an election without a screen: as JSON, one object a
// line, for scripts ([Event], [Status]; format 1, described in electop help json),
// or as lines of text for people ([Line], [StatusText]). It shows what is in the
// journal and decides nothing.
//
// zxids and session ids are hex strings, times are RFC 3339 with nanoseconds,
// a znode is its full path as the client sees it, durations are milliseconds
// with fractions, and null is unknown.
//
// Each file has both, the object and the text: event.go, status.go, finding.go (the doctor's
// answer), discovery.go (a list of elections). value.go has the values of objects.
package plain

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/znode"
)

// Format is the version of the JSON interface.
const Format = 1

type seq struct {
	Sequence *int64 `json:"sequence"`
}

// data is the content of a znode: text, or base64 if it is not text.
type data struct {
	Data       *string `json:"data"`
	DataBase64 []byte  `json:"data_base64,omitempty"`
	DataLength int     `json:"data_length,omitempty"` // set where data is cut
}

// epoch is the ensemble's epoch in which a risk's bound is valid, nil without one.
func epoch(r *doctor.Risk) *int64 {
	if r.By.IsZero() {
		return nil
	}
	return &r.Epoch
}

func sequence(c *dialect.Candidate) seq {
	if !c.HasSequence {
		return seq{}
	}
	return seq{&c.Sequence}
}

func sessionID(c *dialect.Candidate) *string {
	if c.Session == 0 {
		return nil
	}
	return text(znode.Hex(c.Session))
}

func znodePath(path string, c *dialect.Candidate) *string {
	if c == nil {
		return nil
	}
	return text(znode.Join(path, c.Name))
}

func content(d znode.Data, unread bool) data {
	var out data
	if unread || d.Denied {
		return out
	}
	if d.Truncated() {
		out.DataLength = d.Length
	}
	if utf8.Valid(d.Bytes) {
		s := string(d.Bytes)
		out.Data = &s
	} else {
		out.DataBase64 = d.Bytes
	}
	return out
}

// text is nil for "", which means unknown.
func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// name is who a candidate is, nil for nobody, or if only its znode's name is known.
func name(c *dialect.Candidate) *string {
	if c == nil || c.Label() == znode.Safe(c.Name, nameMax) {
		return nil
	}
	return text(c.Label())
}

// nameMax is the length to which a label that is the znode's name is cut.
const nameMax = 64

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// known is nil for the zero time, which means unknown.
func known(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	return text(stamp(t))
}

// within is the time left until a bound, nil without one.
func within(by, now time.Time) *float64 {
	if by.IsZero() {
		return nil
	}
	d := max(0, by.Sub(now))
	return millis(&d)
}

// millis keeps microseconds: the clocks are not more precise.
func millis(d *time.Duration) *float64 {
	if d == nil {
		return nil
	}
	ms := float64(d.Microseconds()) / 1000
	return &ms
}

// whoOrWhat is Who for a child that may not be a candidate: then its data does not
// say who it is.
func whoOrWhat(c *dialect.Candidate, ignored bool) string {
	if ignored {
		return znode.Safe(c.Name, 0) + "  (not a candidate)"
	}
	return phrase.Who(c)
}

// listMax is how many znodes or sessions are written out for people.
const listMax = 8

func safeList(items []string) string { return phrase.Names(items, listMax) }

// Wrap breaks safe text at spaces only, into lines of at most width cells. A
// longer word stays whole: it may be a path to copy.
func Wrap(s string, width int) (lines []string) {
	for _, word := range strings.Fields(s) {
		if n := len(lines) - 1; n >= 0 && ansi.StringWidth(lines[n])+1+ansi.StringWidth(word) <= width {
			lines[n] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}
