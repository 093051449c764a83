package recipe

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/term"
	"electop/ui/wording"
)

// handoffShown is how long the sentence is about the last handoff before it is about
// the present again: the time to read it.
const handoffShown = 5 * time.Second

// watchesChecked bounds how many watches are checked for the sentence: the doctor
// checks all.
const watchesChecked = 50

// situation describes the present in a sentence or two.
type situation struct {
	style term.Style
	lines []string
	aside string // added if there is room
}

func (v *Panel) sentence(f *term.Frame) situation {
	s := v.State
	st, text := v.noLeader()
	if text == "" {
		st, text = v.handoff(f)
	}
	if text == "" {
		st, text = v.quiet()
	}
	out := situation{style: st, lines: []string{text}}
	switch {
	case wording.Foreign(s) != nil:
	case len(s.Members) == 0:
		out.lines = append(out.lines, "Steps are shown for candidates of this program only; it has none here.")
	case strings.HasPrefix(text, "Everybody watches"):
		out.aside = "An old recipe page said: watch the smallest j < i. That is the leader."
	}
	return out
}

// noLeader says why nobody leads, "" if somebody is the leader.
func (v *Panel) noLeader() (term.Style, string) {
	s := v.State
	if s.Phase != model.Live {
		return term.Muted, "Nothing to see yet."
	}
	if of, sure := s.GhostOf(s.First()); sure {
		return term.Alarm, "First is the ghost of " + znode.Safe(of, znode.NameMax) + ": a znode whose create reply was lost. Its owner does not know it, so nobody leads until that session ends or somebody deletes the znode."
	}
	switch e := phrase.NoLeader(s); {
	case s.Leader() != nil:
		return 0, ""
	case wording.Single(s):
		return term.Trouble, "Nobody leads: the znode does not exist. Whoever creates it next leads."
	case s.Queue.Len() > 0 || e.Severity == "":
		return wording.Style(e.Severity), wording.Sentence(e.Sentence)
	}
	return term.Text, "There is no candidate: the next volunteer has the smallest znode and leads."
}

// handoff says what stands before the next handoff, or what the last one did; "" if it is
// over.
func (v *Panel) handoff(f *term.Frame) (term.Style, string) {
	s, l := v.State, v.State.Leader()
	if t, ok := wording.ExpiryOf(s, s.LeaderRow()); ok && t.Faulty() {
		return term.Trouble, "waiting: nobody is notified until the znode " + phrase.Brief(l) + " is deleted"
	} else if ok {
		words := "The servers do not hear from " + l.Label() + ". Until its session expires nobody is notified"
		if t.Found.Next != nil && s.Holders() == 1 {
			words += "; then " + t.Found.Next.Label() + " takes over"
		}
		return term.Trouble, words + "."
	}
	if h := wording.Newest(s); h != nil && h.To != nil && h.From != nil && !h.At.Before(v.Since) {
		deleted, smallest := phrase.Brief(h.From)+" was deleted", h.To.Label()+" is the smallest now."
		if n := wording.OnTheWay(s, h.From); n > 0 {
			return term.Text, deleted + ", and " + units.Count(n, "notification of it is", "notifications of it are") + " still on the way. " + smallest
		}
		if ago := f.Picture.Sub(h.At); ago >= 0 && ago < handoffShown {
			f.At(h.At.Add(handoffShown))
			return term.Text, deleted + notified(s, h.From) + ". " + smallest
		}
	}
	switch lead := s.Lead(); lead {
	case doctor.Leads, doctor.AtRisk, doctor.Faulty:
		return 0, ""
	case doctor.Elected:
		return term.Trouble, l.Label() + " is the smallest and elected. It has not acknowledged yet."
	}
	return term.Trouble, phrase.RoleHolders(s, phrase.Label) + "."
}

// quiet says who waits for what while somebody leads.
func (v *Panel) quiet() (term.Style, string) {
	s, l, di := v.State, v.State.Leader(), wording.Foreign(v.State)
	before := "before its own"
	switch w := s.LeaderWatchers(); {
	case wording.Single(s):
		return term.Muted, l.Label() + " leads while its session lives."
	case s.Queue.Len() == 1:
		return term.Muted, phrase.RoleHolders(s, phrase.Label) + " alone. Nobody would take over."
	case s.Queue.Len() == s.Holders():
		return term.Muted, phrase.RoleHolders(s, phrase.Label) + " together. Nobody waits."
	case w != nil && w.Candidates > 2 && di != nil:
		return term.Trouble, fmt.Sprintf("%d candidates watch %s: its deletion wakes them at once, and each lists all the children.", w.Candidates, phrase.Brief(l))
	case di != nil:
		for i := s.Holders(); i < s.Queue.Len() && i < watchesChecked; i++ {
			if wording.WrongEdge(s.Edge(i)) {
				return term.Trouble, s.Queue.At(i).Label() + " does not watch its predecessor: it may never learn that its turn has come."
			}
		}
		if di.ChildWatch {
			return term.Muted, "quiet: nobody polls. Each waits for a change of the list."
		}
		before = "that it watches"
	}
	if wording.FansIn(s) {
		return term.Trouble, fmt.Sprintf("Everybody watches %s: its deletion wakes %d at once, and each lists all the children.", phrase.Brief(l), s.Recipe.Notified(s.Queue, 0))
	}
	return term.Muted, "quiet: nobody polls. Each waits for one deletion, that of the znode " + before + "."
}

// notified says how many others were notified that the leader's znode was deleted:
// as counted by the server, otherwise as predicted by the recipe.
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
