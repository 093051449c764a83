package recipe

import (
	"strconv"

	"electop/model"
	"electop/model/dialect"
	"electop/model/phrase"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/term"
	"electop/ui/wording"
)

// drawForeign draws how another system elects, from its dialect. Only electop's own
// candidates report the steps of the recipe.
func (v *Panel) drawForeign(f *term.Frame, r term.Rect, di *dialect.Dialect) {
	s := v.State
	var tail []term.Span
	if wording.FansIn(s) || di.ChildWatch {
		tail = append(tail, term.Span{Style: term.Trouble, Text: "herd"})
	}
	a := f.Box(r, "Recipe", v.Focused, tail...)
	const names = 9
	y := 0
	heading := func(text string) {
		if y > 0 && a.Height() > 16 {
			y++
		}
		for _, part := range term.Lines(text, a.Width()-2) {
			a.Pen(y).Gap(1).Text(term.Heading, part)
			y++
		}
	}
	line := func(name string, st term.Style, text string) {
		for i, part := range term.Lines(text, a.Width()-names-6) {
			if i > 0 {
				name = ""
			}
			a.Pen(y).Gap(3).Fit(names, term.Muted, name).Gap(1).Text(st, part)
			y++
		}
	}
	w := phrase.RoleOf(s)
	heading(wording.System(s))
	for _, x := range v.dialectLines(di, w) {
		line(x.Name, x.Style, x.Text)
	}
	if !s.Dialect.Elects() || s.NoLeader() == model.Unsupported {
		return
	}
	heading(map[bool]string{false: "When the " + w.Holder + " goes", true: "When the znode is deleted"}[di.Single])
	line("then", term.Text, then(di, w))
	if n := wording.Holders(s); !di.Single && n < s.Queue.Len() {
		text := f.Int(int64(s.Recipe.Notified(s.Queue, 0))) + " of the " + f.Int(int64(s.Queue.Len()-1)) + " others"
		if n > 1 && s.Recipe.Notified(s.Queue, 0) == 0 {
			text = "no leader yet: waiting for others"
		} else if x := s.LeaderWatchers(); x != nil {
			text = f.Int(int64(x.Candidates)) + " of the " + f.Int(int64(s.Queue.Len()-1)) + " others"
			if len(x.Others) > 0 {
				text += ", and " + units.Count(len(x.Others), "session that is no candidate", "sessions that are no candidates")
			}
			if x.Why != "" {
				text = "at least " + text
			}
		}
		line("wakes", term.Text, text)
	}
	if len(s.Members) > 0 { // our own candidates report their steps here too
		y = v.drawDoing(f, a, y, min(3, a.Height()-y-4))
	}
	now := v.sentence(f)
	if y < a.Height()-1 {
		y++
	}
	for _, text := range now.lines {
		for _, part := range term.Lines(text, a.Width()-2) {
			a.Pen(y).Gap(1).Text(now.style, part)
			y++
		}
	}
}

// dialectLines describe the dialect.
func (v *Panel) dialectLines(di *dialect.Dialect, w phrase.Role) []term.Fact {
	s := v.State
	out := make([]term.Fact, 0, 4)
	add := func(name, text string) { out = append(out, term.Fact{Name: name, Style: term.Text, Text: text}) }
	switch {
	case di.Registry:
		add("members", "each child says that a server or service is there; none of them leads")
		return out
	case !s.Dialect.Elects():
		add("leader", "unknown. The children have numbers, but nothing shows that they are candidates: no server was seen to have a watch on a predecessor, and the names are not alike. v asks the servers.")
		return out
	case di.Single:
		add(w.Has, "whoever creates "+znode.Safe(s.Path, 60)+": it is ephemeral, and is deleted with its session")
	case s.NoLeader() == model.Unsupported:
		add("leader", "unknown. electop does not know how this system elects.")
		return out
	case wording.Holders(s) > 1:
		add(w.Has, "the first "+strconv.Itoa(wording.Holders(s))+" of the queue, together")
	default:
		add(w.Has, "the first of the queue")
	}
	if di.Watches != "" {
		add("watches", znode.Safe(di.Watches, 0))
	}
	acks := di.AckPaths(s.Path)
	for _, ack := range acks {
		add("ack", znode.Safe(ack, 80))
	}
	switch {
	case acks != nil:
	case di.AckChild(s.Path) != "":
		add("ack", "a child "+znode.Safe(di.AckChild(s.Path), 40)+" of the leader's session")
	case di.Unknown():
		add("ack", "not known")
	case !wording.Locks(s):
		add("ack", "none: its leader creates no such znode")
	}
	return out
}

// then says what happens when nobody has the role any longer.
func then(di *dialect.Dialect, w phrase.Role) string {
	switch {
	case di.Single:
		return "the others race to create it again. There is no queue, so nobody is next."
	case di.ChildWatch:
		return "every waiting candidate is notified, lists the children again, and checks whether it is first."
	}
	return "its watcher lists the children again, and " + w.Has + " if it is first."
}
