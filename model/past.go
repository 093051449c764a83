package model

import (
	"slices"
	"time"

	"electop/model/dialect"
	"electop/model/session"
)

// past is the handoffs and reigns so far, at most [HistoryMax] of each, oldest
// first. States share both slices, so what is in them is replaced, never written.
type past struct {
	handoffs []*Handoff
	reigns   []Reign
}

func (p *past) handoff(h *Handoff) { p.handoffs = remember(p.handoffs, h) }

// takeover sets the takeover of the last handoff.
func (p *past) takeover(took *time.Duration, within *Span) {
	n := len(p.handoffs) - 1
	h := *p.handoffs[n]
	h.Takeover, h.TakeoverIn = took, within
	p.handoffs = replaced(p.handoffs, n, &h)
}

func (p *past) begin(r Reign) { p.reigns = remember(p.reigns, r) }

// current returns the reign that has not ended, nil if there is none.
func (p *past) current() *Reign {
	if n := len(p.reigns); n > 0 && p.reigns[n-1].To.IsZero() {
		return &p.reigns[n-1]
	}
	return nil
}

// end ends the current reign, if there is one.
func (p *past) end(at time.Time) {
	if r := p.current(); r != nil {
		ended := *r
		ended.To = session.Later(r.From, at)
		p.reigns = replaced(p.reigns, len(p.reigns)-1, ended)
	}
}

// deny takes back the current reign from at on: the system's acknowledgement shows that
// its contender is first and does not lead. One that began just now, or at a time that is
// not known, was none.
func (p *past) deny(at time.Time) {
	r := p.current()
	switch {
	case r == nil:
	case !r.FromKnown || !r.From.Before(at):
		p.reigns = slices.Clone(p.reigns[:len(p.reigns)-1])
	default:
		p.end(at)
	}
}

// renew puts c in the place of old, which is the same znode, where old leads.
func (p *past) renew(old, c *dialect.Candidate) {
	if r := p.current(); r != nil && r.Leader == old {
		renewed := *r
		renewed.Leader = c
		p.reigns = replaced(p.reigns, len(p.reigns)-1, renewed)
	}
}

// correct corrects the cause of a handoff, and returns it, nil if it is not remembered.
func (p *past) correct(x correction) *Handoff {
	for i, h := range slices.Backward(p.handoffs) {
		if h.From == nil || h.From.ID() != x.from || !h.At.Equal(x.at) {
			continue
		}
		of := *h
		of.Cause, of.Evidence = x.cause, x.evidence
		of.Silent, of.SilentIn = nil, nil // its session did not expire
		p.handoffs = replaced(p.handoffs, i, &of)
		return &of
	}
	return nil
}

// Reign returns the reign of the first contender, false where nobody is said to lead.
func (s *State) Reign() (r Reign, ok bool) {
	if p := (&past{reigns: s.Reigns}).current(); p != nil && s.role.why == "" {
		return *p, true
	}
	return r, false
}

// clip takes the spare room, so that a copy does not append to the same array.
func (p past) clip() past { return past{slices.Clip(p.handoffs), slices.Clip(p.reigns)} }

// Reign is one contender's time at the head of the queue.
type Reign struct {
	Leader *dialect.Candidate
	From   time.Time // when electop saw it first
	// FromKnown is false for a reign that had begun before we looked, or
	// while we could not.
	FromKnown bool
	// Earliest and Latest bound when it began: see [Journal.reign].
	Earliest, Latest time.Time
	To               time.Time // zero: it has not ended
}
