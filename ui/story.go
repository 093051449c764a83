package ui

import (
	"fmt"
	"strconv"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/units"
)

// watchesLooked bounds how far the sentence looks for a wrong watch: the doctor
// looks at all.
const watchesLooked = 50

// oldPage is why people get it wrong.
const oldPage = "An old recipe page said so: watch the smallest j < i. That is the leader."

// before is whose deletion a contender waits for.
func before(s *doctor.State) string {
	if di := foreign(s); di != nil {
		return "that it watches"
	}
	return "before its own"
}

// story is what is happening now, in a sentence or two.
type story struct {
	style style
	lines []string
	aside string // to be said where there is room
}

func (d *dashboard) sentence(f *frame) story {
	s := d.shown()
	own := ""
	if len(s.Members) == 0 && foreign(s) == nil {
		own = "Steps are shown for candidates of this program only; it has none here."
	}
	with := func(st style, text string) story {
		lines := []string{text}
		if own != "" {
			lines = append(lines, own)
		}
		return story{style: st, lines: lines}
	}
	l := s.Leader()
	if s.Phase != model.Live {
		return with(styleMuted, "Nothing to see yet.")
	}
	if l == nil && single(s) {
		return with(styleTrouble, "Nobody leads: the znode is not there. Whoever creates it next does.")
	}
	if l == nil {
		return with(styleText, "Nobody stands: the next volunteer finds its own znode the smallest and leads.")
	}
	if of, sure := d.ghostOf(row{l, s.Member(l), 0}); sure {
		return with(styleAlarm, "First is the ghost of "+of+": a znode of whose create the reply was lost. Its owner does not know of it, so nobody leads until that session ends.")
	}
	n := s.Recipe.Notified(s.Queue, 0)
	if t, ok := troubleOf(s, row{l, s.Member(l), 0}); ok && !t.faulty() {
		words := "The servers do not hear from " + l.Label() + ". Until its session expires nobody is notified"
		if t.said.Next != nil && holders(s) == 1 {
			words += "; then " + t.said.Next.Label() + " takes over"
		}
		return with(styleTrouble, words+".")
	} else if ok {
		return with(styleTrouble, "waiting: nobody is notified until the znode "+brief(l)+" is deleted")
	}
	if h := newest(s); h != nil && h.To != nil && h.From != nil {
		if n := onTheWay(s, h.From); n > 0 {
			return with(styleText, brief(h.From)+" was deleted, and "+units.Count(n, "notification of it is", "notifications of it are")+" still on the way. "+h.To.Label()+" is the smallest now.")
		}
		if ago := f.picture.Sub(h.At); ago >= 0 && ago < handoffTold {
			f.at(h.At.Add(handoffTold))
			return with(styleText, brief(h.From)+" was deleted"+notified(s, h.From)+". "+h.To.Label()+" is the smallest now.")
		}
	}
	if s.Ack.Path != "" && !s.Acknowledged() && s.Ack.Presence != model.Denied {
		return with(styleTrouble, l.Label()+" is the smallest and elected. It has not acknowledged yet.")
	}
	if single(s) {
		return with(styleMuted, l.Label()+" leads while its session lives.")
	}
	if len(s.Queue) == holders(s) {
		text := roleHolders(s) + " alone. Nobody would take over."
		if len(s.Queue) > 1 {
			text = roleHolders(s) + " together. Nobody waits."
		}
		return with(styleMuted, text)
	}
	if di := foreign(s); di != nil {
		for i := holders(s); i < len(s.Queue) && i < watchesLooked; i++ {
			if e := s.Edge(i); wrongEdge(e) {
				return with(styleTrouble, s.Queue[i].Label()+" does not watch whom it should: it may never hear that its turn has come.")
			}
		}
		if di.ChildWatch {
			return with(styleMuted, "quiet: nobody polls. Each waits for a change of the list.")
		}
	}
	if fansIn(s) {
		out := with(styleTrouble, fmt.Sprintf("Everybody watches %s: its deletion wakes %d at once, and each lists all the children.", brief(l), n))
		if own == "" && foreign(s) == nil {
			out.aside = oldPage
		}
		return out
	}
	return with(styleMuted, "quiet: nobody polls. Each waits for one deletion, that of the znode "+before(s)+".")
}

// notified says how many others heard that the leader's znode was deleted: as
// the server counted it, else as the recipe has it.
func notified(s *doctor.State, from *dialect.Candidate) string {
	n := s.Recipe.Notified(s.Queue, 0)
	if fansIn(s) {
		n++ // who leads now was one of them
	}
	for i := len(s.Wakes) - 1; i >= 0; i-- {
		if w := s.Wakes[i]; w.Candidate != nil && w.Candidate.ID() == from.ID() {
			n = others(w)
			break
		} else if i == 0 {
			return "" // it came before the server counted
		}
	}
	switch {
	case n == 0:
		return ", and nobody waited for that"
	case n == 1:
		return " and 1 candidate was notified"
	}
	return " and " + strconv.Itoa(n) + " were notified, to find one new leader"
}
