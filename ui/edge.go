package ui

import (
	"slices"
	"strconv"
	"strings"

	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/znode"
)

// numbered is a candidate as the watches column calls it: by its number.
func numbered(c *dialect.Candidate) string {
	if c.HasSequence {
		return strconv.FormatInt(c.Sequence, 10)
	}
	return znode.Safe(c.Name, 20)
}

// watchedNumbers are the znodes that e is about, in the words of the watches
// column.
func watchedNumbers(e doctor.Edge) string {
	const most = 2
	var out []string
	for i, name := range e.Watched {
		if i == most {
			out = append(out, "+"+strconv.Itoa(len(e.Watched)-most))
			break
		}
		if n, ok := znode.Sequence(name); ok {
			out = append(out, strconv.FormatInt(n, 10))
		} else {
			out = append(out, znode.Safe(name, 12))
		}
	}
	if len(out) == 0 {
		return "another"
	}
	return strings.Join(out, ", ")
}

// target is whom the contender at i should watch, nil for nobody of the queue.
func target(s *doctor.State, i int) *dialect.Candidate {
	to, ok := s.Recipe.Watches(s.Queue, i)
	if !ok || to < 0 || to >= len(s.Queue) {
		return nil
	}
	return s.Queue[to]
}

// wrongEdge reports a watch that is known not to be as it should.
func wrongEdge(e doctor.Edge) bool {
	return e.State == doctor.WrongWatch || e.State == doctor.MissingWatch
}

// drawTarget draws whom r watches, and how that is known.
func (d *dashboard) drawTarget(f *frame, p *pen, r row) {
	s, g := d.shown(), &f.th.glyph
	to := target(s, r.position)
	if s.Dialect != nil && s.Dialect.ChildWatch {
		p.text(styleTrouble, g.Up+" the list").text(styleMuted, " "+g.Inferred)
		return
	}
	if to == nil {
		p.text(styleMuted, "-")
		return
	}
	st := styleWatch
	if fansIn(s) {
		st = styleTrouble
	}
	switch e := s.Edge(r.position); e.State {
	case doctor.WrongWatch:
		words := "watches " + watchedNumbers(e) + ", not " + numbered(to)
		if width(words)+2 > p.room() {
			words = watchedNumbers(e) + ", not " + numbered(to)
		}
		p.text(styleAlarm, g.Wrong+" ").text(styleTrouble, words)
		return
	case doctor.MissingWatch:
		p.text(styleAlarm, g.Wrong+" ").text(styleTrouble, "no watch")
		if words := " on " + numbered(to); width(words) < p.room() {
			p.text(styleTrouble, words)
		}
		return
	case doctor.Verified:
		p.text(st, g.Up+" "+numbered(to)).text(styleGood, " "+g.Yes)
	default:
		p.text(st, g.Up+" "+numbered(to))
		if r.member != nil && r.member.Watches == to.Name {
			p.gap(2) // it says so itself
		} else {
			p.text(styleMuted, " "+g.Inferred)
		}
	}
	if p.room() >= 36 {
		p.gap(1).fit(min(16, p.room()-28), styleMuted, to.Label())
	}
}

// edgeFact is whom r watches, in a sentence, with how and when that was found
// out.
func (d *dashboard) edgeFact(f *frame, r row) (style, string) {
	s := d.shown()
	if r.position < holders(s) {
		return styleText, "nobody: there is nobody before it"
	}
	to := target(s, r.position)
	if s.Dialect != nil && s.Dialect.ChildWatch {
		return styleTrouble, "the list of children: each change of it wakes all who wait. No server tells of such watches."
	}
	if to == nil {
		return styleText, "nobody"
	}
	e := s.Edge(r.position)
	asked := ""
	if !e.At.IsZero() {
		asked = ", asked at " + f.clock(e.At)
	}
	name := to.Label()
	if b := brief(to); b != name {
		name += "  " + b
	}
	switch e.State {
	case doctor.Verified:
		by := "a server"
		if e.Server != "" {
			by = znode.Safe(e.Server, 64)
		}
		return styleWatch, name + "   verified: it is in the table of " + by + asked
	case doctor.WrongWatch:
		on := ""
		if e.Server != "" {
			on = "; so says " + znode.Safe(e.Server, 64)
		}
		return styleTrouble, "wrong: it watches " + watchedNames(s, e) + ", not " + name + on + asked
	case doctor.MissingWatch:
		return styleTrouble, "missing: no member of the ensemble has a watch of it on " + name + asked
	}
	words := name + "   inferred from the recipe"
	if r.member != nil && r.member.Watches == to.Name {
		words = name + "   by its own account"
	}
	if why := znode.Safe(e.Why, 0); why != "" {
		words += "; not verified: " + why
	}
	return styleWatch, words + asked
}

// watchedNames are the znodes that e is about, as people know them.
func watchedNames(s *doctor.State, e doctor.Edge) string {
	var out []string
	for _, name := range e.Watched {
		if i := slices.IndexFunc(s.Queue, func(c *dialect.Candidate) bool { return c.Name == name }); i >= 0 {
			name = s.Queue[i].Label() + "  " + brief(s.Queue[i])
		}
		out = append(out, name)
	}
	return names(out)
}

// names lists znodes, a few of them.
func names(list []string) string {
	const most = 4
	var out []string
	for i, n := range list {
		if i == most {
			out = append(out, strconv.Itoa(len(list)-most)+" more")
			break
		}
		out = append(out, znode.Safe(n, nameMax))
	}
	if out == nil {
		return "another znode"
	}
	return strings.Join(out, ", ")
}
