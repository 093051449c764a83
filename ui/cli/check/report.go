package check

import (
	"encoding/xml"
	"fmt"

	"electop/model/znode"
)

// A Result is a check with its status.
type Result struct {
	*Check
	Status    Status  `json:"verdict"`
	Seen      string  `json:"seen"`                // what happened; for NotShown the reason
	Recording string  `json:"recording,omitempty"` // file, "" for none
	Seconds   float64 `json:"seconds"`
}

// String returns the result as lines of text.
func (r Result) String() string {
	s := fmt.Sprintf("  %s %-16s %s\n", map[Status]string{Passed: "✓", Failed: "✗", NotShown: "–"}[r.Status], r.Name, r.Title)
	if r.Seen != "" {
		s += fmt.Sprintf("      %-7s %s\n", map[Status]string{Passed: "seen", Failed: "seen", NotShown: "why"}[r.Status], r.Seen)
	}
	if r.Status == Failed {
		s += "      rule    " + r.Source + "\n"
		if r.Recording != "" {
			s += "      replay  electop replay " + r.Recording + "\n"
		}
	}
	return s
}

// A Report collects the results of a run.
type Report struct {
	Format   int      `json:"format"`
	Program  string   `json:"program"` // safe for a terminal
	Checks   []Result `json:"checks"`
	Passed   int      `json:"passed"`
	Failed   int      `json:"failed"`
	NotShown int      `json:"not_shown"`
	Seconds  float64  `json:"seconds"`
}

// Add adds a result, and returns it with Seen made safe for a terminal.
func (r *Report) Add(x Result) Result {
	x.Seen = znode.Safe(x.Seen, 1000)
	r.Checks = append(r.Checks, x)
	*map[Status]*int{Passed: &r.Passed, Failed: &r.Failed, NotShown: &r.NotShown}[x.Status]++
	return x
}

// String returns a line with the count of each status.
func (r *Report) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d not shown, in %.0f s\n", r.Passed, r.Failed, r.NotShown, r.Seconds)
}

// JUnit returns the report in JUnit's XML format. A check that is [NotShown] is skipped there.
func (r *Report) JUnit() ([]byte, error) {
	type note struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	type testcase struct {
		Name    string `xml:"name,attr"`
		Class   string `xml:"classname,attr"`
		Time    string `xml:"time,attr"`
		Skipped *note  `xml:"skipped"`
		Failure *note  `xml:"failure"`
	}
	type suite struct {
		XMLName  xml.Name   `xml:"testsuite"`
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Skipped  int        `xml:"skipped,attr"`
		Time     string     `xml:"time,attr"`
		Cases    []testcase `xml:"testcase"`
	}
	seconds := func(s float64) string { return fmt.Sprintf("%.3f", s) }
	out := suite{Name: "electop check", Tests: len(r.Checks), Failures: r.Failed, Skipped: r.NotShown, Time: seconds(r.Seconds)}
	for _, x := range r.Checks {
		c := testcase{Name: x.Name, Class: "electop.check", Time: seconds(x.Seconds)}
		switch x.Status {
		case Failed:
			c.Failure = &note{x.Seen, "expected: " + x.Title + "\nrule: " + x.Source + "\nrecording: " + x.Recording}
		case NotShown:
			c.Skipped = &note{Message: x.Seen}
		}
		out.Cases = append(out.Cases, c)
	}
	b, err := xml.MarshalIndent(out, "", "  ")
	return append([]byte(xml.Header), b...), err
}
