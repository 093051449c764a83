// Package plain formats the states and events of elections without a screen. For scripts, the format is
// JSON with one object per line, such as [Event] and [Status]; see electop help json. For people, the
// format is text, such as [Line] and [StatusText].
//
// In JSON, zxids and session ids are hex strings. Times are RFC 3339 with nanoseconds, and durations
// are milliseconds with fractions. A znode appears as its full path. null means unknown or none.
package plain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"electop/model/dialect"
	"electop/model/phrase"
	"electop/model/znode"
)

// Format is the version of the JSON interface.
const Format = 1

// Object is a JSON object of alternating names and values. A field whose name ends in "?" is left out if it is empty.
type Object []any

// MarshalJSON returns o in JSON, null if o is nil.
func (o Object) MarshalJSON() ([]byte, error) {
	if o == nil {
		return []byte("null"), nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	b.WriteByte('{')
	for i := 0; i < len(o); i += 2 {
		name, optional := strings.CutSuffix(o[i].(string), "?")
		if v := reflect.ValueOf(o[i+1]); optional && (v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0) {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:", name)
		if err := enc.Encode(o[i+1]); err != nil {
			return nil, err
		}
	}
	return append(b.Bytes(), '}'), nil
}

// list returns a copy that is not nil, so that an empty list is [] in JSON and not null.
func list(s []string) []string { return append([]string{}, s...) }

// each returns a list that is not nil, so that an empty list is [] in JSON and not null.
func each[A, B any](in []A, convert func(A) B) []B {
	out := make([]B, 0, len(in))
	for _, v := range in {
		out = append(out, convert(v))
	}
	return out
}

// When returns &v if the value is known, otherwise nil, which is null in JSON.
func When[T any](known bool, v T) *T {
	if !known {
		return nil
	}
	return &v
}

func sequence(c *dialect.Candidate) *int64   { return When(c.HasSequence, c.Sequence) }
func sessionID(c *dialect.Candidate) *string { return When(c.Session != 0, znode.Hex(c.Session)) }

func znodePath(path string, c *dialect.Candidate) *string {
	if c == nil {
		return nil
	}
	return text(znode.Join(path, c.Name))
}

func content(key string, c *dialect.Candidate) Object {
	d, length := c.Data, 0
	known := !c.Unread && !d.Denied
	if known && d.Truncated() {
		length = d.Length
	}
	isText := known && utf8.Valid(d.Bytes)
	if isText || !known {
		return Object{key, When(isText, string(d.Bytes)), key + "_length?", length}
	}
	return Object{key, nil, key + "_base64?", d.Bytes, key + "_length?", length}
}

func text(s string) *string { return When(s != "", s) }

func name(c *dialect.Candidate) *string {
	if c == nil || c.Label() == znode.Safe(c.Name, nameMax) {
		return nil
	}
	return text(c.Label())
}

const nameMax = 64

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

func known(t time.Time) *string { return When(!t.IsZero(), stamp(t)) }

func within(by, now time.Time) float64 { return millis(max(0, by.Sub(now))) }

func millisOrNil(d *time.Duration) *float64 {
	if d == nil {
		return nil
	}
	return When(true, millis(*d))
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func whoOrWhat(c *dialect.Candidate, ignored bool) string {
	if ignored {
		return znode.Safe(c.Name, 0) + "  (not a candidate)"
	}
	return phrase.Who(c)
}

// listMax bounds how many znodes, servers, sessions or suspicions one text lists.
const listMax = 8

func safeList(items []string) string { return phrase.Names(items, listMax) }

// Wrap breaks s only at spaces: a word longer than width may be a path that a user copies.
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
