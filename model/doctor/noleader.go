package doctor

import (
	"fmt"
	"strings"
	"time"

	"electop/model"
	"electop/model/units"
)

func noLeader(r *ruleRun) {
	if r.s.NoLeader() == model.NotAcknowledged {
		notAcknowledged(r)
	}
	vacant(r)
}

func notAcknowledged(r *ruleRun) {
	s := r.s
	head, a := s.First(), &s.Ack
	ack := s.Dialect.Ack(s.Path)
	takeover, stem, t := ack.Takeover, ack.Child, noAcknowledgement
	if a.ByData && stem == "" {
		t = notFenced
	}
	f := r.find(t, "acknowledgement", "{first}", safe(head.Label())).about(head)
	f.wait, f.shown = takeover, true
	f.because("first in the queue: %s", described(head))
	switch {
	case stem != "":
		f.because("no child of the election begins with %s", stem)
	case a.ByData && a.Presence != model.Absent:
		f.because("%s still names another leader", safe(a.Path))
	case a.ByData:
		f.because("%s does not exist", safe(a.Path))
	default:
		for _, path := range s.AckPaths {
			f.because("%s does not exist", safe(path))
		}
	}
	f.Znodes = append(f.Znodes, s.AckPaths...)
	f.lastLeader()
	f.because("leaders of %s acknowledge within %s", s.Dialect.System, units.Exact(takeover.Round(time.Second)))
}

func vacant(r *ruleRun) {
	s := r.s
	v, ok := s.Vacancy()
	if !ok || s.ElectionUnseen() {
		return
	}
	if s.Dialect == nil || s.Dialect.Vacancy() == 0 {
		f := r.find(noCandidates, "")
		f.Znodes, f.shown = []string{s.Path}, true
		f.empty(v)
		return
	}
	standbys, t := s.Standbys(), nobodyLeads
	switch {
	case standbys.ShutDown:
		t = shutDown
	case standbys.Gone:
		t = noProgramRuns
	case standbys.Off != "":
		t = electionOff
	case standbys.Listed && len(standbys.Names)+standbys.Unread == 0:
		t = nobodyCanLead
	}
	f := r.find(t, "", "{system}", s.Dialect.System)
	f.wait, f.shown = s.Dialect.Vacancy(), true
	f.empty(v)
	f.because("%s", Could("lead", standbys))
	f.lastLeader()
	if b := s.Backlog(); b != nil {
		f.because("%s", BacklogWords(b))
	}
	if standbys.Off != "" && !standbys.Gone {
		f.because("%s, so nobody takes over automatically", standbys.Off)
	}
	f.Znodes = []string{s.Path}
	for _, p := range s.Dialect.Programs(s.Path) {
		f.Znodes = append(f.Znodes, p.Dir)
	}
}

func (f *draft) lastLeader() {
	if last := f.r.s.LedLast(); last != nil {
		f.because("%s, according to %s", LastWords(last), safe(last.Path))
		f.Znodes = append(f.Znodes, last.Path)
	}
}

// LastWords describes the last leader.
func LastWords(last *model.LedLast) string {
	return last.Who + " led last" + map[bool]string{true: " and has to be fenced"}[last.Fenced]
}

// BacklogWords counts the requests that wait for the leader.
func BacklogWords(b *model.Backlog) string {
	return units.Count(int(b.Requests), "request waits", "requests wait") + " in " + safe(b.Path)
}

func (f *draft) empty(v model.Vacancy) {
	s := f.r.s
	f.because("%s %s", safe(s.Path), map[bool]string{true: "does not exist", false: "has no candidate"}[s.Single])
	f.because("nobody has led since %s", Since(v))
}

// Since formats the beginning of the vacancy.
func Since(v model.Vacancy) string {
	switch v.Known {
	case model.VacancyWatched:
		return units.Stamp(v.Since)
	case model.VacancyByZnodes:
		return units.Stamp(v.Since) + " at least"
	}
	return "before " + units.Stamp(v.Since)
}

const standbysMax = 8

// Could describes which programs can lead and which cannot, except the leader. verb is "lead" or "take over".
func Could(verb string, all model.Standbys) string {
	if !all.Listed {
		return "who could " + verb + " is not visible"
	}
	var could, not []string
	for _, p := range all.Programs {
		switch {
		case p == all.LeaderProgram:
		case p.Cannot != "":
			not = append(not, p.Who+" ("+p.Cannot+")")
		case p.State != "":
			could = append(could, p.Who+" ("+p.State+")")
		default:
			could = append(could, p.Who)
		}
	}
	text := "nobody who could " + verb + " is listed"
	if len(could)+all.Unread > 0 {
		text = strings.TrimRight("could "+verb+" "+all.If, " ") + ": " + firstOf(could, all.Unread)
	}
	if len(not) > 0 {
		text += "; could not: " + firstOf(not, 0)
	}
	return text
}

func firstOf(names []string, unread int) string {
	text := strings.Join(names[:min(len(names), standbysMax)], ", ")
	if text == "" {
		return units.Count(unread, "program", "programs") + " that were not read"
	}
	if more := len(names) + unread - min(len(names), standbysMax); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
