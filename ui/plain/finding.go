package plain

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/session"
	"electop/model/units"
	"electop/model/znode"
)

func findingOf(f *doctor.Finding) Object {
	return Object{
		"id", f.ID, "severity", f.Severity, "title", f.Title, "evidence", list(f.Evidence), "harm", f.Harm,
		"znodes", list(f.Znodes), "sessions", each(f.Sessions, znode.Hex), "advice", f.Advice, "references", list(f.References),
	}
}

// Doctor returns the object that `electop doctor --json` prints.
func Doctor(s *doctor.State, observed time.Duration) any {
	risks := each(s.Risks, func(r *doctor.Risk) Object { return riskOf(s.Path, r, s.At) })
	return Object{
		"format", Format, "path", s.Path, "system", text(s.System()), "observed_at", known(s.At),
		"findings", each(s.Early(), findingOf), "risks", risks, "unchecked", append(NotChecked(s), tooEarly(s, observed)...),
		"checked", checked(s), "observed_ms", millis(observed),
	}
}

// DoctorText returns the text that `electop doctor` prints.
func DoctorText(s *doctor.State, observed time.Duration) string {
	var b strings.Builder
	unchecked := append(NotChecked(s), tooEarly(s, observed)...)
	fmt.Fprintf(&b, "%s\n", headline(s))
	if len(unchecked) > 0 {
		paragraph(&b, "Not checked: "+Brief(unchecked), 0)
	}
	risksText(&b, s)
	for _, f := range s.Early() {
		fmt.Fprintln(&b, "\n"+title(f))
		for _, e := range f.Evidence {
			field(&b, "seen", e)
		}
		field(&b, "znodes", safeList(f.Znodes))
		field(&b, "sessions", safeList(each(f.Sessions, znode.Hex)))
		field(&b, "harm", f.Harm)
		field(&b, "advice", f.Advice)
		field(&b, "see", strings.Join(f.References, ", "))
	}
	if len(s.Early()) == 0 {
		text, _ := phrase.NothingFound(s)
		fmt.Fprintf(&b, "\n%s\n", text)
	}
	fmt.Fprintf(&b, "\nChecked during %s:\n", units.Exact(observed))
	for _, c := range checked(s) {
		fmt.Fprintf(&b, "  %s\n", znode.Safe(c, 0))
	}
	uncheckedText(&b, unchecked)
	return b.String()
}

func checked(s *doctor.State) []string {
	n, waiting, verified, tracked := s.Queue.Len(), 0, 0, 0
	for i, c := range s.Queue.All() {
		if _, waits := s.Recipe.Watches(s.Queue, i); waits {
			waiting++
			if s.Edge(i).State != doctor.Unverified {
				verified++
			}
		}
		if s.Tracked.Timeout(c.Session) > 0 || s.Risk(c) != nil {
			tracked++
		}
	}
	undecided, _ := s.Tracked.LivenessUnknown()
	out := []string{"the znodes of " + phrase.Count(s)}
	if s.Answers != nil && n > 0 && s.Kind() != dialect.KindQueue { // queue items have no clients
		out = append(out, fmt.Sprintf("whether clients are alive: %d of %s", max(0, tracked-undecided), phrase.Count(s)))
		if waiting > 0 {
			out = append(out, fmt.Sprintf("who watches what: %d of %d that wait", verified, waiting))
		}
	}
	return out
}

func title(f *doctor.Finding) string {
	return fmt.Sprintf("%-8s  %s  (%s)", strings.ToUpper(string(f.Severity)), znode.Safe(f.Title, 0), f.ID)
}

func field(b *strings.Builder, name, value string) {
	for i, l := range Wrap(znode.Safe(value, 2000), 88) {
		if i > 0 {
			name = ""
		}
		fmt.Fprintf(b, "  %-8s  %s\n", name, l)
	}
}

// Unchecked is something that the doctor could not check.
type Unchecked struct {
	What    string   `json:"what"`
	Servers []string `json:"servers"` // the servers that did not report What; empty if What concerns no particular server
	Why     string   `json:"why"`
	Setting *string  `json:"setting"` // the setting that would allow the check, nil for none
}

// NotChecked lists what the servers' answers leave unchecked, and why.
func NotChecked(s *doctor.State) []Unchecked {
	out := []Unchecked{}
	t := s.Answers
	if t == nil {
		return append(out, Unchecked{
			What: "watches, connections and sessions", Servers: []string{},
			Why: "not requested from the servers", Setting: text("--admin auto"),
		})
	}
	if !t.Whole {
		out = append(out, Unchecked{What: "whether a watch or a connection is missing", Servers: []string{}, Why: Unwhole(t)})
	}
	out = append(out, Unreported(t.Servers)...)
	requested := func(sv session.Server) bool { return sv.Watches.State != session.NotRequested }
	if !slices.ContainsFunc(t.Servers, requested) && len(t.Servers) > 0 && len(out) == 0 && inferred(s) {
		out = append(out, Unchecked{What: "watches", Servers: []string{}, Why: "not requested from the servers"})
	}
	return out
}

// Unwhole returns why t may not cover the whole ensemble.
func Unwhole(t *session.Table) string {
	return cmp.Or(t.Unwhole, "not all members of the ensemble are known")
}

// Unreported lists what electop requested and the servers did not report.
func Unreported(servers []session.Server) (out []Unchecked) {
	add := func(what, server string, a session.Answer) {
		if a.State == session.Answered || a.State == session.NotRequested {
			return
		}
		if i := slices.IndexFunc(out, func(u Unchecked) bool { return u.What == what && u.Why == a.Why }); i >= 0 {
			out[i].Servers = append(out[i].Servers, server)
			return
		}
		out = append(out, Unchecked{What: what, Servers: []string{server}, Why: a.Why, Setting: text(a.Hint)})
	}
	for _, sv := range servers {
		if sv.Basic.State == session.Failed && sv.Connections.State != session.Answered && sv.Watches.State != session.Answered {
			add("anything", sv.Addr, sv.Basic)
			continue
		}
		add("mode and counts", sv.Addr, sv.Basic)
		add("connections", sv.Addr, sv.Connections)
		add("session deadlines", sv.Addr, sv.Sessions)
		add("watches", sv.Addr, sv.Watches)
		if sv.Leftover {
			add("a part of the report", sv.Addr, session.Answer{State: session.TooLarge, Why: "the report is longer than electop keeps"})
		}
	}
	return out
}

func inferred(s *doctor.State) bool {
	for i := range s.Queue.Len() {
		if _, waits := s.Recipe.Watches(s.Queue, i); waits && s.Edge(i).State == doctor.Unverified {
			return true
		}
	}
	return false
}

// Brief returns one line with what was not checked, and the settings that would allow the checks.
func Brief(us []Unchecked) string {
	var whats, settings []string
	add := func(to *[]string, s string) {
		if !slices.Contains(*to, s) {
			*to = append(*to, s)
		}
	}
	servers := make(map[string]int) // by What; several reasons can exist for one What
	for _, u := range us {
		servers[u.What] += len(u.Servers)
	}
	for _, u := range us {
		if n := servers[u.What]; n > 0 {
			u.What += " on " + units.Count(n, "server", "servers")
		}
		if u.Setting != nil && strings.HasPrefix(*u.Setting, "--for ") {
			u.What, u.Setting = "checks that take longer", text("a longer --for")
		}
		add(&whats, u.What)
		if u.Setting != nil {
			add(&settings, *u.Setting)
		}
	}
	line := strings.Join(whats, "; ")
	if len(settings) > 0 {
		line += " (" + strings.Join(settings, ", ") + " would allow it)"
	}
	return znode.Safe(line, 1000)
}

// String returns what was not checked, where, and why.
func (u Unchecked) String() string {
	line := u.What
	if len(u.Servers) > 0 {
		line += " on " + safeList(u.Servers)
	}
	if u.Why != "" {
		line += ": " + u.Why
	}
	if u.Setting != nil {
		line += " (" + *u.Setting + " would allow it)"
	}
	return znode.Safe(line, 1000)
}

func paragraph(b *strings.Builder, text string, indent int) {
	for i, l := range Wrap(text, 96) {
		fmt.Fprintf(b, "%s%s\n", strings.Repeat(" ", indent+2*min(i, 1)), l)
	}
}

func uncheckedText(b *strings.Builder, us []Unchecked) {
	for i, u := range us {
		if i == 0 {
			fmt.Fprint(b, "\nNot checked, in detail:\n")
		}
		paragraph(b, u.String(), 2)
	}
}

// leastFor is the least --for that electop recommends.
const leastFor = 6 * time.Second

func tooEarly(s *doctor.State, observed time.Duration) []Unchecked {
	var out []Unchecked
	add := func(what, why string, left time.Duration) {
		seconds := math.Ceil(max(leastFor, observed+max(left, time.Second)).Seconds())
		out = append(out, Unchecked{What: what, Servers: []string{}, Why: why, Setting: text(fmt.Sprintf("--for %.0fs", seconds))})
	}
	short := "observed for only " + observed.String()
	early, why := 0, ""
	for i := range s.Queue.Len() {
		if e := s.Edge(i); e.Early {
			if early++; why == "" {
				why = e.Why
			}
		}
	}
	if early > 0 {
		add("whether "+units.Count(early, "candidate watches", "candidates watch")+" the predecessor", short+": "+why, 0)
	}
	if n, left := s.Tracked.LivenessUnknown(); n > 0 {
		add("whether the "+units.Count(n, "client of a candidate is", "clients of candidates are")+" alive", short+", and a healthy client may be silent for as long", left)
	}
	for i, p := range s.Pending {
		if p.Early != nil && p.Severity == p.Early.Severity {
			continue // [doctor.State.Early] shows it while no leader is known
		}
		if i >= listMax {
			add("other suspicions", short, leastFor)
			break
		}
		what := p.Rule + ": " + p.Title
		if len(p.Znodes) > 0 {
			what += " (" + strings.Join(p.Znodes[:min(len(p.Znodes), listMax)], ", ") + ")"
		}
		add(what, short+", and a healthy handoff may look like this for a moment", p.Left)
	}
	return out
}
