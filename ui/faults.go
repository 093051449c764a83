package ui

import (
	tea "github.com/charmbracelet/bubbletea"

	"electop/model"
	"electop/model/znode"
)

// faultMenu is the list of what can be done to the selected candidate.
type faultMenu struct {
	of    ref // whom it is about
	index int // of the selected one in the list
}

// faultKinds are those of the list, from the most natural end to what goes
// wrong least often.
func faultKinds() []Kind {
	return []Kind{Resign, Kill, Freeze, Partition, Expire, LoseReply, NoGuid, SlowLead}
}

// faultWords say what a fault is, and what it shows.
func faultWords(a Action) (is, shows string) {
	off := a.Arg == ArgOff || a.Arg == ArgThaw
	switch a.Kind {
	case Resign:
		return "it closes its session, and its znode goes with it", "The quickest handoff: nobody has to wait for a session to expire."
	case Kill:
		return "its connection is cut, with no goodbye", "Its znode lives as long as its session, so nobody leads until the session timeout has passed."
	case Freeze:
		if off {
			return "it goes on, and finds out what happened", "It must look at its lease and its session before it does anything as a leader."
		}
		return "a long pause, as of a garbage collector", "Its session expires and another leads, while it goes on believing that it does: two leaders, of whom one knows nothing."
	case Partition:
		if off {
			return "its network works again", "It connects, learns whether its session is still alive, and volunteers anew if it is not."
		}
		return "nothing passes to the servers or back", "It runs and has a clock, so it stops leading by itself before its session can expire: never two leaders awake."
	case Expire:
		return "the server ends its session now", "What comes after the session timeout, without the wait: its znode is deleted, and it hears of it when it asks."
	case LoseReply:
		return "the reply to its next create gets lost", "It volunteers anew. Its znode is there, and it does not know. The guid in the name lets it find its own; without one it creates another, and the first is a ghost."
	case NoGuid:
		if off {
			return "its next znodes have a guid again", "So it can find its own znode after a lost reply."
		}
		return "its next znodes have no guid", "To be followed by a lost reply: it cannot tell its own znode from the others', creates another, and leaves a ghost."
	case SlowLead:
		if off {
			return "it finishes its leader procedure", "It acknowledges, and only then leads."
		}
		return "its leader procedure does not end", "It is elected and has not acknowledged: whoever asks the queue who leads asks too early."
	}
	return "", ""
}

// fault opens the list, or does what is selected in it.
func (d *dashboard) fault(do command) tea.Cmd {
	if do == cmdDoFault {
		return d.act(faultKinds()[d.faults.index])
	}
	r := d.rows.at(d.index)
	if d.mode == modeInspect {
		r = d.inspected()
	}
	if r.ref() == (ref{}) {
		d.say(styleTrouble, "faults: no candidate is selected")
		return nil
	}
	if d.faults.of != r.ref() {
		d.faults = faultMenu{of: r.ref()}
	}
	d.enter(modeFaults)
	return nil
}

// move moves the selection.
func (m *faultMenu) move(do command) { m.index = moved(do, m.index, len(faultKinds())-1, 5) }

// drawFaults draws the list, and below it more about the selected one.
func (d *dashboard) drawFaults(f *frame) {
	const wide, name = 84, 12
	r := d.meant(Kill)
	kinds := faultKinds()
	inside := min(d.w-4, wide) - 2
	selected, refused := d.action(kinds[d.faults.index])
	_, shows := faultWords(selected)
	more := wrap(shows, inside-2)
	st := styleText
	if r.ref() == (ref{}) {
		more, st = wrap("This candidate is gone: its znode was deleted, and it is none of ours.", inside-2), styleTrouble
	} else if refused != "" {
		more = append(wrap("Not now: "+refused, inside-2), more...)
	}
	if to := d.meantElsewhere(); to != "" {
		more, st = wrap("The lesson is about "+to+": esc, and select it first.", inside-2), styleLead
	}
	title := "Faults of " + r.name()
	if r.ref() == (ref{}) {
		title = "Faults"
	}
	n := len(kinds) + 1 + len(more)
	place := overlay(d.w, d.h, wide, n)
	f.blank(place)
	a := f.box(place, title, true)
	for i := range n {
		p := a.pen(i)
		switch {
		case i < len(kinds):
			a, why := d.action(kinds[i])
			mark, key, pointing := " ", " ", styleStrong
			if i == d.faults.index {
				mark = f.th.glyph.Selected
				p.choose()
			}
			if d.wanted() == kinds[i] && i != d.faults.index {
				mark, pointing = f.th.glyph.Pointed, styleLead
			}
			for _, b := range d.table {
				if b.kind == a.Kind && b.modes&modeFaults != 0 {
					key = b.Help().Key
				}
			}
			text, _ := faultWords(a)
			keys, label, words := styleKey, styleStrong, styleText
			switch {
			case d.wanted() == kinds[i] && why == "":
				label = styleLead // it is to be done
			case why != "":
				keys, label, words = styleFaint, styleFaint, styleFaint
				if why != refused {
					text = why // else it stands below the list
				}
			case a.Arg == ArgOff || a.Arg == ArgThaw || a.Kind == LoseReply && r.member != nil && r.member.LosesReply:
				label = styleLead // it is so now
			}
			p.text(pointing, mark).gap(1).text(keys, key).gap(2).fit(name, label, verb(a)).gap(1).fit(p.room()-1, words, text)
		case i > len(kinds):
			p.gap(1).text(st, more[i-len(kinds)-1])
		}
	}
}

// wanted is the fault that the student of a lesson is to choose, "" for none.
func (d *dashboard) wanted() Kind {
	if !d.todo() || d.meantElsewhere() != "" {
		return ""
	}
	for _, k := range faultKinds() {
		if string(k) == d.course.view.Fault {
			return k
		}
	}
	return ""
}

// meantElsewhere names the candidate whose fault the student of a lesson is to
// choose, where the list is that of another; "" else.
func (d *dashboard) meantElsewhere() string {
	to := memberNamed(d.shown(), d.pointedAt())
	if to == nil || d.course.view.Fault == "" || d.meant(Kill).member == to {
		return ""
	}
	return znode.Safe(to.Name, nameMax)
}

// faultTags are the signs for what was done to m and what it was told to do
// wrong.
func (f *frame) faultTags(m *model.Member) []span {
	if m == nil {
		return nil
	}
	var tags []span
	for _, t := range []struct {
		on   bool
		st   style
		sign string
	}{
		{f.faultGlyph(m) != "", styleAlarm, f.faultGlyph(m)},
		{m.NoGuid, styleTrouble, f.th.glyph.NoGuid},
		{m.LosesReply, styleTrouble, f.th.glyph.LosesReply},
		{m.SlowLead, styleTrouble, f.th.glyph.SlowLead},
	} {
		if t.on {
			tags = append(tags, span{t.st, " " + t.sign, 0})
		}
	}
	return tags
}

// toldWrong says in words what m was told to do wrong, "" for nothing.
func toldWrong(m *model.Member) string {
	if m == nil {
		return ""
	}
	words := ""
	for _, t := range []struct {
		on   bool
		text string
	}{
		{m.LosesReply, "the reply to its create gets lost"},
		{m.NoGuid, "its znodes have no guid"},
		{m.SlowLead, "its leader procedure does not end"},
	} {
		switch {
		case !t.on:
		case words == "":
			words = t.text
		default:
			words += ", " + t.text
		}
	}
	return words
}
