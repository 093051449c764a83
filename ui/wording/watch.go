package wording

import (
	"cmp"
	"strconv"
	"strings"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/znode"
	"electop/ui/term"
)

// WatchedNumbers lists the numbers of two watched znodes and counts the others: "3, 4, +2"; "another" if none is known.
func WatchedNumbers(e doctor.Edge) string {
	const most = 2
	var out []string
	for i, name := range e.Watched {
		if i == most {
			out = append(out, "+"+strconv.Itoa(len(e.Watched)-most))
			break
		}
		out = append(out, Number(name, 12))
	}
	if len(out) == 0 {
		return "another"
	}
	return strings.Join(out, ", ")
}

// Target returns the candidate that the candidate at position i should watch, nil for none.
func Target(s *doctor.State, i int) *dialect.Candidate {
	to, ok := s.Recipe.Watches(s.Queue, i)
	if !ok || to < 0 || to >= s.Queue.Len() {
		return nil
	}
	return s.Queue.At(to)
}

// WrongEdge reports whether the servers' answers show that a watch is missing or on another znode.
func WrongEdge(e doctor.Edge) bool {
	return e.State == doctor.WrongWatch || e.State == doctor.OtherWatch || e.State == doctor.MissingWatch
}

// EdgeFact describes what r watches. recorded means that s is from a recording.
func EdgeFact(s *doctor.State, f *term.Frame, r model.Row, recorded bool) (term.Style, string) {
	to := Target(s, r.Position)
	if r.Position < s.Holders() || r.Position == 0 && to == nil {
		return ownWatch(s, f, r)
	}
	if s.Dialect != nil && s.Dialect.ChildWatch {
		return term.Trouble, "the list of children: each change notifies every waiting candidate. No server shows such watches."
	}
	if to == nil {
		return term.Text, "nobody"
	}
	e := s.Edge(r.Position)
	queried := queriedAt(f, e)
	name := to.Label()
	if b := phrase.Brief(to); b != name {
		name += "  " + b
	}
	switch e.State {
	case doctor.Verified:
		return term.Watch, name + verified(e) + queried
	case doctor.WrongWatch, doctor.OtherWatch:
		on := ""
		if e.Server != "" {
			on = ", according to " + znode.Safe(e.Server, 64)
		}
		words := "it watches " + watchedNames(s, e) + ", not " + name + on + queried
		if e.State == doctor.WrongWatch {
			return term.Trouble, "wrong: " + words
		}
		return term.Trouble, words + "; " + znode.Safe(e.Why, 0)
	case doctor.MissingWatch:
		return term.Trouble, "missing: no server has this candidate's watch on " + name + queried
	}
	words := name + "   inferred from the recipe"
	if r.Member != nil && r.Member.Watches == to.Name {
		words = name + "   reported by the candidate"
	}
	if why := znode.Safe(e.Why, 0); why != "" && (s.Answers != nil || !recorded) {
		words += "; not verified: " + why
	}
	return term.Watch, words + queried
}

func verified(e doctor.Edge) string {
	return "   verified: in the watch table of " + cmp.Or(znode.Safe(e.Server, 64), "a server")
}

func queriedAt(f *term.Frame, e doctor.Edge) string {
	if e.At.IsZero() {
		return ""
	}
	return ", queried at " + f.Clock(e.At)
}

func ownWatch(s *doctor.State, f *term.Frame, r model.Row) (term.Style, string) {
	e := s.Edge(r.Position)
	name := "its own znode " + phrase.Brief(r.Candidate)
	queried := queriedAt(f, e)
	switch {
	case e.OwnZnode:
		return term.Watch, name + ", to learn of its deletion" + verified(e) + queried
	case r.Member != nil && r.Member.Znode == r.Candidate.Name:
		return term.Watch, name + ", to learn of its deletion   inferred: electop's candidates do so"
	}
	return term.Text, "no predecessor" + queried
}

func watchedNames(s *doctor.State, e doctor.Edge) string {
	var out []string
	for _, name := range e.Watched {
		if i := s.Queue.Index(func(c *dialect.Candidate) bool { return c.Name == name }); i >= 0 {
			name = s.Queue.At(i).Label() + "  " + phrase.Brief(s.Queue.At(i))
		}
		out = append(out, name)
	}
	return cmp.Or(phrase.Names(out, 4), "another znode")
}
