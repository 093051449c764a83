package ui

import (
	"fmt"

	"electop/model"
)

// watchesLooked bounds how far the sentence looks for a wrong watch: the doctor
// looks at all.
const watchesLooked = 50

// before is whose deletion a contender waits for.
func before(s *model.State) string {
	if di := foreign(s); di != nil {
		return "that it watches"
	}
	return "before its own"
}

// story is what is happening now, in a sentence or two.
type story struct {
	style style
	lines []string
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
		return story{st, lines}
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
		if ago := f.picture.Sub(h.At); ago >= 0 && ago < handoffTold {
			f.at(h.At.Add(handoffTold))
			was := "1 candidate was notified"
			if fansIn(s) {
				was = fmt.Sprintf("%d were notified, to find one new leader", n+1)
			}
			return with(styleText, brief(h.From)+" was deleted and "+was+". "+h.To.Label()+" is the smallest now.")
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
		return with(styleTrouble, fmt.Sprintf("Everybody watches %s: its deletion wakes %d at once, and each lists all the children.", brief(l), n))
	}
	return with(styleMuted, "quiet: nobody polls. Each waits for one deletion, that of the znode "+before(s)+".")
}
