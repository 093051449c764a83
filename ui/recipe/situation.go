package recipe

import (
	"fmt"
	"strconv"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/rows"
	"electop/ui/term"
	"electop/ui/wording"
)

// handoffShown is how long the sentence is about the last handoff before it is about
// the present again: the time to read it.
const handoffShown = 5 * time.Second

// watchesChecked bounds how many watches are checked for the sentence: the doctor
// checks all.
const watchesChecked = 50

// oldPage is a reason why people get it wrong.
const oldPage = "An old recipe page said: watch the smallest j < i. That is the leader."

// before describes the znode whose deletion a contender waits for.
func before(s *doctor.State) string {
	if di := wording.Foreign(s); di != nil {
		return "that it watches"
	}
	return "before its own"
}

// situation describes the present in a sentence or two.
type situation struct {
	style term.Style
	lines []string
	aside string // added if there is room
}

func (v *Panel) sentence(f *term.Frame) situation {
	s := v.State
	own := ""
	if len(s.Members) == 0 && wording.Foreign(s) == nil {
		own = "Steps are shown for candidates of this program only; it has none here."
	}
	with := func(st term.Style, text string) situation {
		lines := []string{text}
		if own != "" {
			lines = append(lines, own)
		}
		return situation{style: st, lines: lines}
	}
	l := s.Leader()
	if s.Phase != model.Live {
		return with(term.Muted, "Nothing to see yet.")
	}
	if of, sure := s.GhostOf(s.First()); sure {
		return with(term.Alarm, "First is the ghost of "+znode.Safe(of, rows.NameMax)+": a znode whose create reply was lost. Its owner does not know it, so nobody leads until that session ends or somebody deletes the znode.")
	}
	if l == nil && wording.Single(s) {
		return with(term.Trouble, "Nobody leads: the znode does not exist. Whoever creates it next leads.")
	}
	if e := phrase.NoLeader(s); l == nil && (s.Queue.Len() > 0 || e.Severity == "") {
		return with(wording.Style(e.Severity), wording.Sentence(e.Sentence))
	}
	if l == nil {
		return with(term.Text, "There is no candidate: the next volunteer has the smallest znode and leads.")
	}
	n := s.Recipe.Notified(s.Queue, 0)
	if t, ok := wording.ExpiryOf(s, rows.Leader(s)); ok && !t.Faulty() {
		words := "The servers do not hear from " + l.Label() + ". Until its session expires nobody is notified"
		if t.Found.Next != nil && wording.Holders(s) == 1 {
			words += "; then " + t.Found.Next.Label() + " takes over"
		}
		return with(term.Trouble, words+".")
	} else if ok {
		return with(term.Trouble, "waiting: nobody is notified until the znode "+phrase.Brief(l)+" is deleted")
	}
	if h := wording.Newest(s); h != nil && h.To != nil && h.From != nil && !h.At.Before(v.Since) {
		if n := wording.OnTheWay(s, h.From); n > 0 {
			return with(term.Text, phrase.Brief(h.From)+" was deleted, and "+units.Count(n, "notification of it is", "notifications of it are")+" still on the way. "+h.To.Label()+" is the smallest now.")
		}
		if ago := f.Picture.Sub(h.At); ago >= 0 && ago < handoffShown {
			f.At(h.At.Add(handoffShown))
			return with(term.Text, phrase.Brief(h.From)+" was deleted"+notified(s, h.From)+". "+h.To.Label()+" is the smallest now.")
		}
	}
	switch lead := s.Lead(); lead {
	case doctor.Leads, doctor.AtRisk, doctor.Faulty:
	case doctor.Elected:
		return with(term.Trouble, l.Label()+" is the smallest and elected. It has not acknowledged yet.")
	default:
		return with(term.Trouble, phrase.RoleHolders(s, phrase.Label)+".")
	}
	if wording.Single(s) {
		return with(term.Muted, l.Label()+" leads while its session lives.")
	}
	if s.Queue.Len() == wording.Holders(s) {
		text := phrase.RoleHolders(s, phrase.Label) + " alone. Nobody would take over."
		if s.Queue.Len() > 1 {
			text = phrase.RoleHolders(s, phrase.Label) + " together. Nobody waits."
		}
		return with(term.Muted, text)
	}
	if w := s.LeaderWatchers(); w != nil && w.Candidates > 2 && wording.Foreign(s) != nil {
		return with(term.Trouble, fmt.Sprintf(
			"%d candidates watch %s: its deletion wakes them at once, and each lists all the children.", w.Candidates, phrase.Brief(l)))
	}
	if di := wording.Foreign(s); di != nil {
		for i := wording.Holders(s); i < s.Queue.Len() && i < watchesChecked; i++ {
			if e := s.Edge(i); wording.WrongEdge(e) {
				return with(term.Trouble, s.Queue.At(i).Label()+" does not watch its predecessor: it may never learn that its turn has come.")
			}
		}
		if di.ChildWatch {
			return with(term.Muted, "quiet: nobody polls. Each waits for a change of the list.")
		}
	}
	if wording.FansIn(s) {
		out := with(term.Trouble, fmt.Sprintf("Everybody watches %s: its deletion wakes %d at once, and each lists all the children.", phrase.Brief(l), n))
		if own == "" && wording.Foreign(s) == nil {
			out.aside = oldPage
		}
		return out
	}
	return with(term.Muted, "quiet: nobody polls. Each waits for one deletion, that of the znode "+before(s)+".")
}

// notified says how many others were notified that the leader's znode was deleted:
// as counted by the server, else as predicted by the recipe.
func notified(s *doctor.State, from *dialect.Candidate) string {
	n := s.Recipe.Notified(s.Queue, 0)
	if wording.FansIn(s) {
		n++ // the new leader was one of them
	}
	for i := len(s.Wakes) - 1; i >= 0; i-- {
		if w := s.Wakes[i]; w.Candidate != nil && w.Candidate.ID() == from.ID() {
			n = w.Others()
			break
		} else if i == 0 {
			return "" // it was before the server counted
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
