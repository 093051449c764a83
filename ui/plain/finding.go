package plain

import (
	"fmt"
	"strings"
	"time"

	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/units"
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

// findingsOf is never null in JSON.
func findingsOf(fs []*doctor.Finding) []finding {
	out := make([]finding, 0, len(fs))
	for _, f := range fs {
		out = append(out, findingOf(f))
	}
	return out
}

// list is never null in JSON.
func list(s []string) []string { return append([]string{}, s...) }

// diagnosis is the object that `electop doctor --json` prints.
type diagnosis struct {
	Format     int         `json:"format"`
	Path       string      `json:"path"`
	System     *string     `json:"system"`
	ObservedAt *string     `json:"observed_at"`
	Findings   []finding   `json:"findings"`
	Risks      []risk      `json:"risks"`
	Unchecked  []Unchecked `json:"unchecked"`
	Checked    []string    `json:"checked"`
	ObservedMS *float64    `json:"observed_ms"`
}

// Doctor returns the doctor's object for a state that was observed for that long.
func Doctor(s *doctor.State, observed time.Duration) any {
	out := diagnosis{
		Format: Format, Path: s.Path, System: text(System(s)), ObservedAt: known(s.At),
		Findings: findingsOf(s.Early()), Unchecked: append(NotChecked(s), tooEarly(s, observed)...),
		Checked: checked(s), ObservedMS: millis(&observed), Risks: []risk{},
	}
	for _, r := range s.Risks {
		out.Risks = append(out.Risks, riskOf(s.Path, r, s.At))
	}
	return out
}

// DoctorText is what the doctor found, for people.
func DoctorText(s *doctor.State, observed time.Duration) string {
	var b strings.Builder
	unchecked := append(NotChecked(s), tooEarly(s, observed)...)
	fmt.Fprintf(&b, "%s\n", headline(s))
	if len(unchecked) > 0 {
		paragraph(&b, "Not checked: "+Brief(unchecked), 0)
	}
	risksText(&b, s)
	for _, found := range s.Early() {
		f := findingOf(found)
		fmt.Fprintln(&b, "\n"+title(found))
		for _, e := range f.Evidence {
			field(&b, "seen", e)
		}
		field(&b, "znodes", safeList(f.Znodes))
		field(&b, "sessions", safeList(f.Sessions))
		field(&b, "harm", f.Harm)
		field(&b, "advice", f.Advice)
		field(&b, "see", strings.Join(f.References, ", "))
	}
	if len(s.Early()) == 0 {
		text, _ := phrase.NothingFound(s)
		fmt.Fprintf(&b, "\n%s\n", text)
	}
	fmt.Fprintf(&b, "\nChecked, for %s:\n", units.Exact(observed))
	for _, c := range checked(s) {
		fmt.Fprintf(&b, "  %s\n", znode.Safe(c, 0))
	}
	uncheckedText(&b, unchecked)
	return b.String()
}

// checked says what the doctor looked at. What it could not look at is in [NotChecked].
func checked(s *doctor.State) []string {
	n, waiting, verified, heard := s.Queue.Len(), 0, 0, 0
	for i, c := range s.Queue.All() {
		if _, waits := s.Recipe.Watches(s.Queue, i); waits {
			waiting++
			if s.Edge(i).State != doctor.Unverified {
				verified++
			}
		}
		if s.Tracked.Timeout(c.Session) > 0 || s.Risk(c) != nil {
			heard++
		}
	}
	unheard, _ := s.Tracked.Unheard()
	out := []string{"the znodes of " + units.Count(n, "candidate", "candidates")}
	if s.Answers != nil && n > 0 {
		out = append(out, fmt.Sprintf("whether clients are alive: %d of %s", max(0, heard-unheard), units.Count(n, "candidate", "candidates")))
		if waiting > 0 {
			out = append(out, fmt.Sprintf("who watches what: %d of %d that wait", verified, waiting))
		}
	}
	return out
}

// title is a finding in a line.
func title(f *doctor.Finding) string {
	return fmt.Sprintf("%-8s  %s  (%s)", strings.ToUpper(string(f.Severity)), znode.Safe(f.Title, 0), f.ID)
}

// field writes one field of a finding, wrapped.
func field(b *strings.Builder, name, value string) {
	for i, l := range Wrap(znode.Safe(value, 2000), 88) {
		if i > 0 {
			name = ""
		}
		fmt.Fprintf(b, "  %-8s  %s\n", name, l)
	}
}
