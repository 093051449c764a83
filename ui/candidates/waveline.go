package candidates

import (
	"strconv"
	"time"

	"electop/model/units"
	"electop/model/znode"
	"electop/ui/term"
	"electop/ui/wording"
)

// counts reports whether a server of our own counts whom each deletion notifies.
func (v *Panel) counts() bool {
	s := v.State
	return (s.Pace != nil || len(s.Wakes) > 0) && wording.Foreign(s) == nil
}

// drawWave says in a line how far the wave is, or how long it took.
func (v *Panel) drawWave(f *term.Frame, p *term.Pen, w *wave) {
	if w.Wave == nil {
		p.Fit(p.Room()-1, term.Muted, "A handoff shows here who is notified, re-reads, is done.")
		return
	}
	g := &f.Theme.Glyph
	name := wording.ShortZnode(znode.Safe(w.Znode, 48)) + " deleted"
	at := "  " + f.Clock(w.Deleted)
	if w.over {
		p.Text(term.Muted, name)
		n, read, last := 0, time.Duration(0), time.Duration(0)
		for i := range w.Reactions {
			r := &w.Reactions[i]
			if r.Done > 0 {
				n++
			}
			read, last = max(read, r.Read), max(last, r.Done)
		}
		words := []term.Span{{Style: term.Muted, Text: at, Keep: 1}, {Style: term.Muted, Text: "  " + strconv.Itoa(w.Notified()) + " notified", Keep: 5}}
		if n > 0 {
			words = append(words,
				term.Span{Style: term.Muted, Text: ", list read again within " + units.Took(read), Keep: 2},
				term.Span{Style: term.Muted, Text: ", " + strconv.Itoa(n) + " done within " + units.Took(last), Keep: 3})
		}
		p.Spans(term.FitSpans(words, p.Room()-1))
		return
	}
	n := &w.n
	slow := ""
	if !w.exact {
		slow = "  in slow motion"
	}
	more := ""
	if c, ok := w.numbers(); ok {
		more = "  " + units.Count(c.Requests, "request", "requests") + "  " + wording.BytesOf(c.Bytes)
	}
	p.Spans(term.FitSpans([]term.Span{
		{Style: term.Trouble, Text: name, Keep: 4},
		{Style: term.Alarm, Text: "  " + g.Notice + " " + strconv.Itoa(w.Notified()) + " notified", Keep: 9},
		{Style: term.Past, Text: "  " + g.Step + " " + strconv.Itoa(n[reading]) + " re-reading", Keep: 8},
		{Style: term.Good, Text: "  " + g.Yes + " " + strconv.Itoa(n[done]) + " done", Keep: 7},
		{Style: term.Text, Text: more, Keep: 2},
		{Style: term.Muted, Text: slow, Keep: 3},
	}, p.Room()-1))
}
