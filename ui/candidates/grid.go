package candidates

import (
	"cmp"
	"slices"
	"strconv"
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

// grid shows many candidates as cells, in queue order down the columns.
type grid struct {
	rows, columns int // in view
	cell          int // width of a cell
	left          int // first column in view
	name          int // width of the names in the cells, 0 for no names
	numbered      bool
}

const (
	fewCellMin, manyCellMin = 2, 5 // minimum width of a cell with few and with many candidates
	fewMax                  = 600  // more candidates than this are many: many cells make a frame expensive
	beforeLabel             = 3    // the mark, the sign and a blank
)

func (v *Panel) settleGrid(r term.Rect) {
	x := &v.grid
	below := 1
	if v.showsWaves() {
		below = 2
	}
	n := v.Rows.Len()
	x.rows = max(1, r.H-below)
	need := (n + x.rows - 1) / x.rows
	least, name, number := manyCellMin, 0, 0
	if n <= fewMax {
		least = fewCellMin
		for i := range n {
			r := v.Rows.At(i)
			name, number = max(name, term.Width(r.Name())), max(number, term.Width(numberOf(r.Candidate)))
		}
	}
	x.cell = max(least, r.W/max(1, need))
	x.columns = max(1, min(need, r.W/x.cell))
	x.left = term.Window(x.left, v.Index/x.rows, x.columns, need)
	room := x.cell - beforeLabel - 1
	if x.name = name + 1; name == 0 || x.name > room {
		x.name = 0
	}
	x.numbered = number > 0 && x.name+number <= room
}

func numberOf(c *dialect.Candidate) string {
	if c == nil || !c.HasSequence {
		return ""
	}
	return strconv.FormatInt(c.Sequence, 10)
}

func (v *Panel) drawGrid(f *term.Frame, a term.Area) {
	x := &v.grid
	n, first := v.Rows.Len(), x.left*x.rows
	var w wave
	if v.showsWaves() {
		w = v.shownWave(f)
	}
	last := min(n, first+x.columns*x.rows)
	for i := first; i < last; i++ {
		p := a.Pen((i - first) % x.rows).Gap((i - first) / x.rows * x.cell)
		p.Limit(x.cell)
		v.drawCell(f, p, i, &w)
	}
	if v.showsWaves() {
		v.drawWave(f, a.Pen(a.Height()-2).Gap(1), &w)
	}
	p := a.Pen(a.Height() - 1).Gap(1)
	if first > 0 || last < n {
		p.Text(term.You, strconv.Itoa(first+1)+"-"+strconv.Itoa(last)+" of "+strconv.Itoa(n)+"   ")
	}
	v.drawChosen(f, p, &w)
}

func (v *Panel) cellSign(f *term.Frame, r model.Row) (term.Style, string) {
	s, g := v.State, &f.Theme.Glyph
	leads := r.Position >= 0 && r.Position < s.Holders()
	_, troubled := wording.ExpiryOf(s, r)
	ghost := ""
	if r.Position == 0 {
		ghost, _ = wording.GhostOf(s, r)
	}
	switch {
	case leads || ghost != "":
		return wording.LeaderSign(g, s, r, troubled || ghost != "")
	case wording.FaultGlyph(g, r.Member) != "":
		return term.Alarm, wording.FaultGlyph(g, r.Member)
	case troubled:
		return term.Alarm, g.Wrong
	case r.Position > 0 && wording.WrongEdge(s.Edge(r.Position)):
		return term.Trouble, g.WatchWrong
	case r.Candidate == nil:
		return term.Muted, g.Nobody
	case r.Member == nil && len(s.Members) > 0 || !s.Dialect.Elects():
		return term.Muted, g.Elsewhere
	}
	return term.Watch, g.Watch
}

var heats = [...]term.Style{term.Text, term.Heat1, term.Heat2, term.Heat3}

func (v *Panel) drawCell(f *term.Frame, p *term.Pen, i int, w *wave) {
	r, g := v.Rows.At(i), &f.Theme.Glyph
	p.Spot(v.grid.cell, r.Ref())
	sign, glyph := v.cellSign(f, r)
	block := term.Muted
	if c := r.Candidate; c != nil && w.Wave != nil {
		if at := w.phaseIn(c.Session); at != calm {
			st, other := at.sign(g)
			if block = st; sign == term.Watch || sign == term.Muted {
				sign, glyph = st, other
			}
		} else if heat := heats[min(v.State.Notified(c.Session), len(heats)-1)]; heat != term.Text && sign == term.Watch {
			block = heat
		}
	}
	mark, st := " ", block
	if i == v.Index {
		p.Choose()
		mark, st = g.Selected, term.Strong
	} else if at, words := wording.Pointed(g, r, v.PointedAt, " "); words != " " {
		mark, st = words, at
	}
	if block == term.Muted || block == term.Good {
		block = sign
	}
	p.Text(st, mark)
	label := ""
	if v.grid.name > 0 {
		label = term.Fitted(r.Name(), v.grid.name)
	}
	if v.grid.numbered {
		label += numberOf(r.Candidate)
	}
	p.Text(block, glyph+" ")
	if block == term.Watch {
		block = term.Muted // only the sign has the colour
	}
	p.Text(block, label+term.Blanks(p.Room()-term.Width(label)))
}

func (at phase) sign(g *term.Glyphs) (term.Style, string) {
	switch at {
	case notified:
		return term.Hot, g.Notice
	case reading:
		return term.Warm, g.Step
	}
	return term.Good, g.Yes
}

func (v *Panel) drawChosen(f *term.Frame, p *term.Pen, w *wave) {
	s := v.State
	r := v.Rows.At(v.Index)
	if r.Ref() == (model.Ref{}) {
		return
	}
	p.Text(term.Strong, term.Cut(r.Name(), p.Room()-1))
	if r.Candidate == nil {
		fate := wording.FateOf(s, r.Member)
		p.Text(term.Muted, "  "+fate.Text()+fate.Truth)
		return
	}
	words := "  " + phrase.Brief(r.Candidate)
	if standing := phrase.Standing(s, r.Position).Row; r.Position > 0 && r.Position < s.Holders() {
		words += ", " + phrase.RoleOf(s).Has
	} else if r.Position < s.Holders() {
		words += ": " + phrase.RoleHolders(s, phrase.Label)
	} else if standing != "" {
		words += ", " + standing
	} else if s.Dialect.Elects() {
		words += ", waits at position " + strconv.Itoa(r.Position+1) + " of " + strconv.Itoa(s.Queue.Len())
	}
	switch w.phaseIn(r.Candidate.Session) {
	case notified:
		words += ", notified"
	case reading:
		words += ", reads the list again"
	case done:
		words += ", done"
	default:
		if n := s.Notified(r.Candidate.Session); n > 0 {
			words += ", notified " + units.Count(n, "time", "times")
		}
	}
	if to := wording.Target(s, r.Position); to != nil {
		words += ", behind " + to.Label()
	}
	if r.Member != nil && r.Member.Fault != model.NoFault {
		words += ", " + string(r.Member.Fault)
	}
	words += ", "
	old, exact := r.Candidate.Age(f.Calm())
	if !exact {
		words += f.Theme.Glyph.Inferred
	}
	p.Fit(p.Room()-1, term.Muted, words+units.Age(old))
}

// Hundreds of candidates react to a deletion within tenths of a second. So the grid shows it in slow motion.
const (
	// The first waveSlow of a wave is shown waveSlower times slower, the rest at its real speed.
	waveSlower = 10
	waveSlow   = 400 * time.Millisecond
	waveLeast  = TravelShown // minimum time in slow motion for a phase of a candidate
	waveStays  = time.Second // time for which marks stay after the end of the wave
	waveMost   = time.Minute // a wave in slow motion is over after this time if the server never reports the end
)

// phase is the progress of a candidate in a wave.
type phase int

const (
	calm     phase = iota // not notified, or the wave is over
	notified              // has not read the list again yet
	reading               // reads the list again and sets its next watch
	done
)

// wave is a deletion with the reactions to it, at the time of a frame.
type wave struct {
	*model.Wave
	since time.Duration // time since the deletion
	exact bool          // not in slow motion
	over  bool
	// Times since the deletion: events are shown up to upTo, and "done" needs a read up to readUpTo.
	upTo, readUpTo time.Duration
	n              [done + 1]int // candidates in each phase, none after the wave
	state          *doctor.State
	held           map[uint64]*model.Message // the next message held for each session
	next           int                       // the reaction that phaseIn tries first
}

func (v *Panel) waveAt(f *term.Frame, of *model.Wave) (w wave, ok bool) {
	w = wave{Wave: of, state: v.State, held: v.Rows.Held, since: f.Picture.Sub(of.Deleted), exact: v.Past || v.State.Pace.Slowed()}
	w.upTo, w.readUpTo = w.happened(w.since), w.happened(w.since)
	if !w.exact {
		w.readUpTo = w.happened(w.since - waveLeast)
	}
	if w.since < 0 {
		return w, w.since > -waveMost // the server's clock may be ahead
	}
	if w.Settled > 0 {
		w.over = w.since >= w.shown(w.Settled)+waveStays
	} else {
		w.over = w.since >= waveMost && !w.exact
	}
	return w, true
}

// shown converts the time of an event to the time at which it is shown, both since the deletion. It ignores waveLeast.
func (w *wave) shown(after time.Duration) time.Duration {
	switch {
	case w.exact:
		return after
	case after <= waveSlow:
		return waveSlower * after
	}
	return waveSlower*waveSlow + after - waveSlow
}

// happened returns the time up to which the grid shows events. From waveLeast on, it is the inverse of shown.
func (w *wave) happened(since time.Duration) time.Duration {
	switch {
	case w.exact:
		return since
	case since < waveLeast:
		return -1 // only the notifications are shown
	case since <= waveSlower*waveSlow:
		return since / waveSlower
	}
	return since - waveSlower*waveSlow + waveSlow
}

// phaseOf treats third-party clients as done at the end of the wave, because they do not report their steps.
func (w *wave) phaseOf(r *model.Reaction) phase {
	switch read := cmp.Or(r.Read, r.Done); {
	case read == 0 && w.Settled > 0 && w.since >= w.shown(w.Settled) && !w.state.Ours(r.Session):
		return done
	case read == 0:
		if m := w.held[r.Session]; m != nil && !wording.Notifies(m) && w.exact && m.Since.After(w.Deleted) {
			return reading // the reply with the list is held
		}
		return notified
	case read > w.upTo:
		return notified
	case r.Done > 0 && r.Done <= w.upTo && read <= w.readUpTo:
		return done
	}
	return reading
}

func (w *wave) phaseIn(session uint64) phase {
	if w.Wave == nil || w.over || session == 0 {
		return calm
	}
	// Reactions are sorted by session. The queue often has the same order.
	if w.next < len(w.Reactions) && w.Reactions[w.next].Session == session {
		w.next++
		return w.phaseOf(&w.Reactions[w.next-1])
	}
	i, ok := w.Find(session)
	if !ok {
		return calm
	}
	w.next = i + 1
	return w.phaseOf(&w.Reactions[i])
}

func (v *Panel) shownWave(f *term.Frame) (out wave) {
	ok := false
	for _, of := range slices.Backward(v.State.Waves) {
		w, began := v.waveAt(f, of)
		if began && (!ok || !w.over && (out.over || w.Notified() > out.Notified())) {
			out, ok = w, true
		}
	}
	if ok && !out.over {
		if !out.exact {
			f.Every(TickTravel)
		} else if out.Settled > 0 {
			f.At(out.Deleted.Add(out.Settled + waveStays))
		}
		out.n = [done + 1]int{notified: out.More} // candidates whose reactions are not kept
		for i := range out.Reactions {
			out.n[out.phaseOf(&out.Reactions[i])]++
		}
	}
	return out
}

func (v *Panel) showsWaves() bool {
	s := v.State
	return (s.Pace != nil || len(s.Deletions) > 0) && wording.Foreign(s) == nil
}

func (v *Panel) drawWave(f *term.Frame, p *term.Pen, w *wave) {
	if w.Wave == nil {
		p.Fit(p.Room()-1, term.Muted, "In a handoff, this line counts candidates notified, re-reading, done.")
		return
	}
	g := &f.Theme.Glyph
	name := wording.ShortZnode(znode.Safe(w.Znode, 48)) + " deleted"
	at := "  " + f.Clock(w.Deleted)
	if w.over {
		p.Text(term.Muted, name)
		n, read, last := 0, time.Duration(0), time.Duration(0)
		for _, r := range w.Reactions {
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
	slow, more := "  in slow motion", ""
	if w.exact {
		slow = ""
	}
	for _, c := range w.Counts {
		if w.since < w.shown(c.After) {
			break
		}
		more = "  " + units.Count(c.Requests, "request", "requests") + "  " + wording.BytesOf(c.Bytes)
	}
	p.Spans(term.FitSpans([]term.Span{
		{Style: term.Trouble, Text: name, Keep: 4},
		{Style: term.Alarm, Text: "  " + g.Notice + " " + strconv.Itoa(w.Notified()) + " notified", Keep: 9},
		{Style: term.Past, Text: "  " + g.Step + " " + strconv.Itoa(w.n[reading]) + " re-reading", Keep: 8},
		{Style: term.Good, Text: "  " + g.Yes + " " + strconv.Itoa(w.n[done]) + " done", Keep: 7},
		{Style: term.Text, Text: more, Keep: 2},
		{Style: term.Muted, Text: slow, Keep: 3},
	}, p.Room()-1))
}
