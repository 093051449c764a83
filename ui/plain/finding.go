package plain

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	"electop/model/doctor"
	"electop/model/znode"
)

// finding is what the doctor noticed.
type finding struct {
	ID         string   `json:"id"`
	Severity   string   `json:"severity"`
	Title      string   `json:"title"`
	Evidence   []string `json:"evidence"`
	Harm       string   `json:"harm"`
	Znodes     []string `json:"znodes"`
	Sessions   []string `json:"sessions"`
	Advice     string   `json:"advice"`
	References []string `json:"references"`
}

// findingEvent is a finding that was raised or cleared; Key is the same for
// both.
type findingEvent struct {
	eventHead
	State string `json:"state"`
	Key   string `json:"key"`
	finding
}

func findingOf(f *doctor.Finding) finding {
	out := finding{
		ID: f.ID, Severity: string(f.Severity), Title: f.Title, Evidence: list(f.Evidence), Harm: f.Harm,
		Znodes: list(f.Znodes), Sessions: make([]string, 0, len(f.Sessions)), Advice: f.Advice, References: list(f.References),
	}
	for _, id := range f.Sessions {
		out.Sessions = append(out.Sessions, znode.Hex(id))
	}
	return out
}

// list is never null in JSON.
func list(s []string) []string { return append([]string{}, s...) }

// doctor is the object that `electop doctor --json` prints.
type diagnosis struct {
	Format     int         `json:"format"`
	Path       string      `json:"path"`
	System     *string     `json:"system"`
	ObservedAt *string     `json:"observed_at"`
	Findings   []finding   `json:"findings"`
	Unchecked  []Unchecked `json:"unchecked"`
}

// Doctor returns the doctor's object of a state that was looked at for so long.
func Doctor(s *doctor.State, looked time.Duration) any {
	out := diagnosis{
		Format: Format, Path: s.Path, System: System(s), ObservedAt: known(s.At),
		Findings: make([]finding, 0, len(s.Findings)), Unchecked: append(NotChecked(s), tooEarly(s, looked)...),
	}
	for _, f := range s.Findings {
		out.Findings = append(out.Findings, findingOf(f))
	}
	return out
}

// DoctorText writes what the doctor found for people, with one Write.
func DoctorText(w io.Writer, s *doctor.State, looked time.Duration) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n", headline(s))
	for _, f := range s.Findings {
		fmt.Fprintf(&b, "\n%-8s  %s  (%s)\n", strings.ToUpper(string(f.Severity)), znode.Safe(f.Title, 0), f.ID)
		for _, e := range f.Evidence {
			field(&b, "seen", e)
		}
		field(&b, "znodes", safeList(f.Znodes))
		sessions := make([]string, 0, len(f.Sessions))
		for _, id := range f.Sessions {
			sessions = append(sessions, znode.Hex(id))
		}
		field(&b, "sessions", safeList(sessions))
		field(&b, "harm", f.Harm)
		field(&b, "advice", f.Advice)
		field(&b, "see", strings.Join(f.References, ", "))
	}
	if len(s.Findings) == 0 {
		fmt.Fprint(&b, "\nNothing found.\n")
	}
	uncheckedText(&b, append(NotChecked(s), tooEarly(s, looked)...))
	_, err := w.Write(b.Bytes())
	return err
}

// field writes one field of a finding, wrapped.
func field(b *bytes.Buffer, name, value string) {
	for i, l := range wrap(znode.Safe(value, 2000), 88) {
		if i > 0 {
			name = ""
		}
		fmt.Fprintf(b, "  %-8s  %s\n", name, l)
	}
}

// listMax is how many znodes or sessions are written out for people.
const listMax = 8

func safeList(items []string) string {
	shown := make([]string, 0, listMax+1)
	for i, s := range items {
		if i == listMax {
			shown = append(shown, fmt.Sprintf("and %d more", len(items)-listMax))
			break
		}
		shown = append(shown, znode.Safe(s, 0))
	}
	return strings.Join(shown, ", ")
}

// wrap breaks safe text at spaces into lines of at most width runes, where
// there are spaces; none for no text.
func wrap(s string, width int) []string {
	var lines []string
	line, n := "", 0
	for _, word := range strings.Fields(s) {
		length := len([]rune(word))
		switch {
		case line == "":
			line, n = word, length
		case n+1+length > width:
			lines = append(lines, line)
			line, n = word, length
		default:
			line += " " + word
			n += 1 + length
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
