package plain

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/units"
	"electop/model/znode"
)

// Discovery is the result of a search for elections below a root.
type Discovery struct {
	Root            string
	Kind            string // the kind to show, or "all"; "": the text lists only kinds with a leader or lock holders
	Problems        bool   // hide elections without trouble, except those of kinds without leader or lock holders
	Colour          bool   // the text has colours
	Elections       []Found
	Visited, Denied int // numbers of visited znodes, and of those whose children an ACL hides
	Skipped         int // number of znodes that were not searched, including those that Skips does not list
	Skips           []Skip
	Stopped         string // why the search ended early, "" if it did not
}

// WhyStopped describes Stopped.
func (d *Discovery) WhyStopped() string {
	switch d.Stopped {
	case "nodes":
		return "limit of znodes reached"
	case "depth":
		return "limit of levels reached"
	}
	return znode.Safe(d.Stopped, 0)
}

// Skip is a part of the tree that was not searched.
type Skip struct {
	Path   string `json:"path"`
	Znodes int    `json:"znodes"`
	Why    string `json:"why"`
}

// Found is an election that a search found, with its last state.
type Found struct {
	State   *doctor.State
	Waiting int // number of candidates that neither lead nor hold a lock, including those that State lacks
}

func (d Discovery) split() (elections, others []Found) {
	for _, f := range d.Elections {
		switch kind := f.State.Kind(); {
		case d.Kind != "" && d.Kind != "all" && d.Kind != string(kind):
		case f.State.Roleless():
			others = append(others, f)
		case !d.Problems || phrase.Trouble(f.State) != "":
			elections = append(elections, f)
		}
	}
	return elections, others
}

// ElectionCount counts the shown elections of kinds with a leader or lock holders.
func (d Discovery) ElectionCount() int {
	elections, _ := d.split()
	return len(elections)
}

// JSON returns the object that `electop discover --json` prints.
func (d Discovery) JSON() any {
	elections, others := d.split()
	lists := each(others, func(f Found) Object {
		s := f.State
		return Object{"path", s.Path, "system", text(s.System()), "kind", s.Kind(), "members", max(s.Queue.Len(), f.Waiting), "content", phrase.Content(s)}
	})
	found := make([]Object, 0, len(elections))
	for _, f := range elections {
		s := f.State
		risks := each(s.Risks, func(r *doctor.Risk) string { return znode.Join(s.Path, r.Candidate.Name) })
		var reign *model.Span
		var most *time.Duration
		if r, ok := s.Reign(); ok && !r.Earliest.IsZero() {
			reign = &model.Span{Least: max(0, s.At.Sub(r.Latest)), Most: s.At.Sub(r.Earliest)}
			most = &reign.Most
		}
		found = append(found, Object{
			"path", s.Path, "system", text(s.System()), "leader", znodePath(s.Path, s.Leader()), "waiting", f.Waiting, "reign_ms", millisOrNil(most),
			"findings", len(s.Findings), "kind", s.Kind(), "first", firstOf(s),
			"leaderless", leaderlessOf(s), "standbys", standbysOf(s),
			"reign_range_ms", rangeOf(reign), "problem", text(string(phrase.Trouble(s))), "at_risk", risks,
		})
	}
	return Object{
		"format", Format, "elections", found, "others?", lists, "visited", d.Visited, "denied", d.Denied,
		"skipped?", d.Skips, "skipped_znodes?", d.Skipped, "stopped?", text(d.Stopped),
	}
}

// line returns the beginning and end of a table line. tabwriter needs beginnings of the same length.
func (d Discovery) line(severity doctor.Severity) (begin, end string) {
	x := map[doctor.Severity][2]string{doctor.Critical: {"!! ", "31"}, doctor.Warning: {"!  ", "33"}, doctor.Info: {"-  ", "39"}, "": {"   ", "39"}}[severity]
	if begin = x[0]; d.Colour {
		begin, end = "\x1b["+x[1]+"m"+begin, "\x1b[0m"
	}
	return begin, end
}

const belowMax = 5

// Below lists at most belowMax elections in one line, "" for none. It omits kinds with neither leader nor lock.
func Below(found []Found) string {
	elections, _ := Discovery{Elections: found}.split()
	var names []string
	for _, f := range elections[:min(len(elections), belowMax)] {
		words := units.Count(f.Waiting+f.State.Holders(), "candidate", "candidates")
		if l := f.State.Leader(); f.State.Single && l != nil {
			words = phrase.Who(l) + " leads"
		} else if f.State.NoLeader() == model.UnknownKind {
			words = "unknown system"
		} else if f.State.Single {
			words = "nobody leads"
		}
		names = append(names, fmt.Sprintf("%s (%s)", znode.Safe(f.State.Path, 0), words))
	}
	text := strings.Join(names, ", ")
	if more := len(elections) - belowMax; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Visible counts the waiting candidates or, in a dialect with a single znode, the standbys; -1: unknown.
func (f Found) Visible() int {
	if d := f.State.Dialect; d == nil || !d.Single {
		return f.Waiting
	}
	standbys := f.State.Standbys()
	if !standbys.Listed {
		return -1
	}
	return len(standbys.Names) + standbys.Unread
}

func (d Discovery) table(b *strings.Builder, elections []Found) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	begin, end := d.line("")
	fmt.Fprintf(t, "%sPATH\tKIND\tSYSTEM\tLEADER\tWAITING\tREIGN\tFINDINGS%s\n", begin, end)
	for _, f := range elections {
		s := f.State
		waiting, reign, findings := "?", "-", "-"
		if n := f.Visible(); n >= 0 {
			waiting = strconv.Itoa(n)
		}
		if r, ok := s.Reign(); ok {
			reign = phrase.LedCell(r, s.At, "<= ")
		}
		if n := len(s.Findings); n > 0 {
			findings = fmt.Sprintf("%d %s", n, doctor.Worst(s.Findings))
		}
		begin, end = d.line(phrase.Trouble(s))
		fmt.Fprintf(t, "%s%s\t%s\t%s\t%s\t%s\t%s\t%s%s\n", begin, znode.Safe(s.Path, 0), s.Kind(), cmp.Or(s.System(), "-"), leaderCell(s), waiting, reign, findings, end)
	}
	t.Flush()
	fmt.Fprintln(b)
	for _, f := range elections {
		for _, r := range f.State.Risks {
			fmt.Fprintf(b, "%s: %s\n\n", znode.Safe(f.State.Path, 0), phrase.Risk(phrase.Who(r.Candidate), r, f.State.At, phrase.Who))
		}
	}
}

// Text returns the text that `electop discover` prints.
func (d Discovery) Text() string {
	var b strings.Builder
	elections, others := d.split()
	slices.SortStableFunc(elections, func(a, b Found) int { return doctor.Graver(phrase.Trouble(a.State), phrase.Trouble(b.State)) })
	if len(elections) > 0 {
		d.table(&b, elections)
	}
	if d.Kind != "" && len(others) > 0 {
		t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "PATH\tKIND\tSYSTEM\tCONTENT")
		for _, f := range others {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", znode.Safe(f.State.Path, 0), f.State.Kind(), cmp.Or(f.State.System(), "-"), phrase.Content(f.State))
		}
		t.Flush()
		fmt.Fprintln(&b)
	}
	qualifier := ""
	if d.Problems && (d.Kind == "" || len(others) == 0) {
		qualifier = " in trouble"
	}
	found := units.Count(len(elections), "election", "elections")
	if d.Kind != "" {
		found = fmt.Sprint(len(elections)+len(others), " of kind ", d.Kind)
	}
	fmt.Fprintf(&b, "%s%s below %s, in %s", found, qualifier, znode.Safe(d.Root, 0), units.Count(d.Visited, "znode", "znodes"))
	if d.Kind == "" && len(others) > 0 {
		n := map[dialect.Kind]int{}
		for _, f := range others {
			n[f.State.Kind()]++
		}
		for _, k := range dialect.Kinds {
			if n[k] > 0 {
				fmt.Fprintf(&b, "; %s", units.Count(n[k], k.String(), k.String()+"s"))
			}
		}
		fmt.Fprint(&b, " (--kind all shows them)")
	}
	if d.Denied > 0 {
		fmt.Fprintf(&b, "; %d can't be listed (ACL)", d.Denied)
	}
	if d.Skipped > 0 {
		fmt.Fprintf(&b, "; %d skipped", d.Skipped)
	}
	if d.Stopped != "" {
		fmt.Fprintf(&b, "; stopped early: %s", d.WhyStopped())
	}
	fmt.Fprintln(&b, ".")
	if len(d.Skips) > 0 {
		fmt.Fprint(&b, "\nSkipped:\n")
	}
	listed := 0
	for _, s := range d.Skips {
		listed += s.Znodes
		fmt.Fprintf(&b, "  %s, %s: %s\n", znode.Safe(s.Path, 0), units.Count(s.Znodes, "znode", "znodes"), znode.Safe(s.Why, 0))
	}
	if more := d.Skipped - listed; more > 0 {
		fmt.Fprintf(&b, "  and %d more\n", more)
	}
	return b.String()
}
