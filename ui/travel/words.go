package travel

import (
	"slices"
	"strconv"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/action"
	"electop/ui/leadership"
	"electop/ui/plain"
	"electop/ui/term"
	"electop/ui/wording"
)

// Words describes a moment and what happened at it, in one line.
func Words(f *term.Frame, p Found) (term.Style, string) {
	st, words := term.Text, ""
	for _, e := range p.happened() {
		text, alarms := eventWords(e)
		if words != "" {
			words += "; "
		}
		words += text
		if alarms {
			st = term.Trouble
		}
	}
	if words == "" && p.Before != nil {
		words = changeWords(p.Before, p.At.State)
	}
	end := ""
	switch {
	case p.At.First && p.At.Last:
		end = "the only moment kept"
	case p.At.First && p.At.N > 1:
		end = "earlier history was dropped, " + strconv.Itoa(max(1, p.At.MaxBytes>>20)) + " MiB are kept"
	case p.At.First:
		end = "the earliest moment kept"
	case p.At.Last:
		end = "the last moment"
	}
	if end != "" && words != "" {
		end += ": "
	}
	return st, f.Stamp(p.At.At) + "  " + end + words
}

// happened returns the events of the moment. A handoff's event can come late, so happened adds the handoff when the
// state first shows it. A late event becomes the acknowledgement, or is left out if there is none.
func (p *Found) happened() []model.Event {
	if p.Before == nil || p.At.State == nil {
		return p.At.Events
	}
	has := func(all []*model.Handoff, h *model.Handoff) bool { // other fields may differ
		return slices.ContainsFunc(all, func(x *model.Handoff) bool { return x.At.Equal(h.At) && (x.To == nil) == (h.To == nil) })
	}
	var out []model.Event
	var added []*model.Handoff
	for _, e := range p.At.Events {
		if h, ok := e.Body.(model.Handoff); ok {
			switch {
			case !has(p.Before.Handoffs, &h):
				added = append(added, &h)
			case h.Takeover == nil:
				continue
			default:
				e.Body = model.Acknowledged{Handoff: &h}
			}
		}
		out = append(out, e)
	}
	for _, h := range p.At.State.Handoffs[max(0, len(p.At.State.Handoffs)-3):] {
		if !has(p.Before.Handoffs, h) && !has(added, h) {
			out = append(out, model.Event{At: h.At, Body: *h})
		}
	}
	return out
}

func eventWords(e model.Event) (words string, alarms bool) {
	switch b := e.Body.(type) {
	case model.Handoff:
		alarms = b.To == nil
	case model.Missed:
		alarms = true
	case model.LinkChanged:
		alarms = b.Link != model.Connected
	case model.EpochChanged:
		alarms = b.To != b.From+1
	case doctor.FindingChanged:
		alarms = b.Raised && b.Finding.Severity != doctor.Info
	case doctor.RiskChanged:
		alarms = b.Raised || b.Gone
	}
	kind, words := plain.Words(e)
	if _, ok := e.Body.(doctor.Snapshot); !ok {
		words = kind + " " + words
	}
	return words, alarms
}

// changeWords describes one of the changes from before to s, "" for none.
func changeWords(before, s *doctor.State) string {
	if n, old := len(s.Steps), len(before.Steps); n > 0 && (old == 0 || s.Steps[n-1].N != before.Steps[old-1].N) {
		return leadership.StepWords(s, s.Steps[n-1])
	}
	if words := sentWords(before, s); words != "" {
		return words
	}
	if n, old := len(s.Deletions), len(before.Deletions); n > 0 && (old == 0 || s.Deletions[n-1].Zxid != before.Deletions[old-1].Zxid) {
		w := s.Deletions[n-1]
		return znode.Safe(znode.Base(w.Znode), 40) + " was deleted: " + units.Count(len(w.Notified), "watcher", "watchers") + " notified"
	}
	if n, old := len(s.Work.Last), len(before.Work.Last); n > 0 && (old == 0 || s.Work.Last[n-1].Write != before.Work.Last[old-1].Write) {
		return writeWords(s, &s.Work.Last[n-1])
	}
	if r := s.Work.Rules; r != before.Work.Rules {
		return "the demo's rules: workers " + action.Toggle(!r.Workers) + ", guard " + action.Toggle(!r.Fenced)
	}
	if name := s.Recipe.Name(); name != before.Recipe.Name() {
		return "from now on the candidates follow the recipe " + znode.Safe(name, znode.NameMax)
	}
	for _, m := range s.Members {
		old := before.MemberByID(m.ID)
		if old == nil {
			return znode.Safe(m.Name, znode.NameMax) + " now runs in electop"
		}
		if words := memberWords(old, m); words != "" {
			return znode.Safe(m.Name, znode.NameMax) + " " + words
		}
	}
	for _, m := range before.Members {
		if s.MemberByID(m.ID) == nil {
			return znode.Safe(m.Name, znode.NameMax) + " no longer runs in electop"
		}
	}
	return ""
}

func sentWords(before, s *doctor.State) string {
	i := 0
	if n := len(before.Exchanges); n > 0 {
		last := before.Exchanges[n-1].N
		i = slices.IndexFunc(s.Exchanges, func(x model.Exchange) bool { return x.N == last }) + 1
	}
	if i == len(s.Exchanges) {
		return ""
	}
	x := &s.Exchanges[i]
	words := wording.Addressed(s, &x.Message)
	switch {
	case x.Dropped:
		words += ": dropped with its connection"
	case x.Lost:
		words += ": lost"
	case x.Fault != model.NoFault:
		words += ": sent, but the client is " + znode.Safe(string(x.Fault), znode.NameMax)
	default:
		words += ": sent"
	}
	if n := len(s.Exchanges) - i - 1; n > 0 {
		words += ", and " + strconv.Itoa(n) + " more"
	}
	return words
}

func memberWords(old, m *model.Member) string {
	safe := func(text string) string { return znode.Safe(text, znode.NameMax) }
	switch {
	case m.Fault != old.Fault && m.Fault == model.NoFault:
		return "is not " + safe(string(old.Fault)) + " any more"
	case m.Fault != old.Fault:
		return "is " + safe(string(m.Fault))
	case m.Ending != old.Ending && m.Ending != model.NoEnding:
		return "is " + safe(string(m.Ending))
	case m.Belief != old.Belief:
		return "believes: " + safe(string(m.Belief)) + ", before: " + safe(string(old.Belief))
	case m.Znode != old.Znode && m.Znode == "":
		return "knows that its znode is gone"
	case m.Znode != old.Znode:
		return "knows its znode, " + safe(znode.Base(m.Znode))
	case m.NoGuid != old.NoGuid:
		return "creates its next znodes " + map[bool]string{false: "with", true: "without"}[m.NoGuid] + " a guid"
	case m.LosesReply != old.LosesReply:
		return map[bool]string{false: "no longer loses", true: "loses"}[m.LosesReply] + " the reply to its next create"
	case m.SlowLead != old.SlowLead:
		return map[bool]string{false: "can now end", true: "does not end"}[m.SlowLead] + " its leader procedure"
	}
	return ""
}

func writeWords(s *doctor.State, w *model.Tried) string {
	if w.Write == nil {
		return ""
	}
	who := znode.Safe(w.Member, znode.NameMax)
	if m := s.MemberByID(w.Member); m != nil {
		who = znode.Safe(m.Name, znode.NameMax)
	}
	words := "the worker of " + who + " wrote to the " + znode.Safe(string(w.Resource), znode.NameMax)
	switch {
	case w.Refused:
		words += ": refused"
		if w.Reason != "" {
			words += ", " + znode.Safe(w.Reason, 0)
		}
	case w.Stale:
		words += ": accepted, and stale"
	}
	return words
}

// Playback returns the position in a recording: REPLAY 12:04:31 / 12:34:00 x4.
// held is set during time travel.
func Playback(f *term.Frame, mode string, p Playing, at time.Time, held bool) []term.Span {
	st, text := term.Lead, " "+znode.Safe(mode, 16)+" "+f.Clock(at)
	if held {
		st = term.BadgeHeld
	}
	out := []term.Span{{Style: term.Text, Text: " ", Keep: 7}, {Style: st, Text: text, Keep: 9}}
	if !p.Last.IsZero() {
		out = append(out, term.Span{Style: st, Text: " / " + f.Clock(p.Last), Keep: 8})
	}
	if p.Speed > 0 && p.Speed != 1 {
		out = append(out, term.Span{Style: st, Text: " x" + strconv.FormatFloat(p.Speed, 'g', 4, 64), Keep: 6})
	}
	out = append(out, term.Span{Style: st, Text: " ", Keep: 9})
	switch {
	case p.Ended && !held:
		out = append(out, term.Span{Style: term.You, Text: " ended", Keep: 7})
	case p.Stopped && !held:
		out = append(out, term.Span{Style: term.You, Text: " stopped", Keep: 7})
	}
	return out
}
