package candidates

import (
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/ui/term"
	"electop/ui/wording"
)

// A wave is a deletion with those who were notified of it, as the grid shows it: each is
// notified, reads the list again, and is done. A server of our own and a few hundred
// candidates do that in some tenths of a second, and nobody could see it. So it is
// shown in slow motion, the first of it at least; nothing is shown before it happened.
// Where the server is slowed down, and in the past, it is shown as it was.
const (
	// waveSlower is by how much it is shown slower, waveSlow for how much of it: 300
	// candidates on a usual machine need about that. The rest of a longer one is shown as
	// fast as it was.
	waveSlower = 10
	waveSlow   = 400 * time.Millisecond
	// waveLeast is how long each of the notified is shown in a phase at least: one that is
	// notified alone is done in a millisecond.
	waveLeast = TravelShown
	// waveStays is how long those who are done stay marked after the server reported that
	// nothing follows. waveMost is for when it never does.
	waveStays = time.Second
	waveMost  = time.Minute
)

// phase is where one of the notified is.
type phase int

const (
	calm     phase = iota // not notified, or it is over
	notified              // and has not read the list again yet
	reading               // it reads the list again and sets its next watch
	done
)

// wave is what the grid shows of a deletion at a moment.
type wave struct {
	*model.Wave
	since time.Duration // the deletion
	exact bool          // not in slow motion
	over  bool
	// upTo is what is shown of it, readUpTo whose re-reading was shown for long enough.
	upTo, readUpTo time.Duration
	n              [done + 1]int // of the notified, by phase; none when it is over
	state          *doctor.State
	held           map[uint64]*model.Message // the next message held for each session
	next           int                       // reaction, after the last one that was looked for
}

// waveAt is a wave at the frame's moment; ok is false where it has not begun.
func (v *Panel) waveAt(f *term.Frame, of *model.Wave) (w wave, ok bool) {
	p := v.State.Pace
	w = wave{Wave: of, state: v.State, held: v.Rows.Held, since: f.Picture.Sub(of.Deleted), exact: v.Moment || p != nil && (p.Steps || p.Delay > 0)}
	w.upTo, w.readUpTo = w.happened(w.since), w.happened(w.since)
	if !w.exact {
		w.readUpTo = w.happened(w.since - waveLeast)
	}
	if w.since < 0 {
		return w, w.since > -waveMost // a server's clock that is ahead
	}
	if w.Settled > 0 {
		w.over = w.since >= w.shown(w.Settled)+waveStays
	} else {
		w.over = w.since >= waveMost && !w.exact
	}
	return w, true
}

// shown is when what happened so long after the deletion is shown, likewise.
func (w *wave) shown(after time.Duration) time.Duration {
	switch {
	case w.exact:
		return after
	case after <= waveSlow:
		return waveSlower * after
	}
	return waveSlower*waveSlow + after - waveSlow
}

// happened is what is shown so long after the deletion: all up to the result.
func (w *wave) happened(since time.Duration) time.Duration {
	switch {
	case w.exact:
		return since
	case since < waveLeast:
		return -1 // to be notified is shown
	case since <= waveSlower*waveSlow:
		return since / waveSlower
	}
	return since - waveSlower*waveSlow + waveSlow
}

// phaseOf is where one of the notified is.
func (w *wave) phaseOf(r *model.Reaction) phase {
	read := r.Read
	if read == 0 {
		if read = r.Done; read == 0 {
			return w.silentPhase(r)
		}
	}
	switch {
	case read > w.upTo:
		return notified
	case r.Done > 0 && r.Done <= w.upTo && read <= w.readUpTo:
		return done
	}
	return reading
}

// silentPhase is where one is that has not reported a step since. One that is none of
// ours never does: it is done when the server reports that nothing more follows.
func (w *wave) silentPhase(r *model.Reaction) phase {
	if w.Settled > 0 && w.since >= w.shown(w.Settled) && !w.state.Ours(r.Session) {
		return done
	}
	if m := w.held[r.Session]; m != nil && !wording.Notifies(m) && w.exact && m.Since.After(w.Deleted) {
		return reading // the reply with the list is held
	}
	return notified
}

// phaseIn is where the session of a row is.
func (w *wave) phaseIn(session uint64) phase {
	if w.Wave == nil || w.over || session == 0 {
		return calm
	}
	// Most candidates that are next to each other have sessions that are, too.
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

// count counts the notified by phase. Those whose reactions are not kept are notified.
func (w *wave) count() {
	w.n = [done + 1]int{notified: w.More}
	for i := range w.Reactions {
		w.n[w.phaseOf(&w.Reactions[i])]++
	}
}

// numbers are the server's numbers at the moment that is shown; ok is false where they
// are not known.
func (w *wave) numbers() (c model.WaveCount, ok bool) {
	for _, x := range w.Counts {
		if w.since < w.shown(x.After) {
			break
		}
		c, ok = x, true
	}
	return c, ok
}

// shownWave is the wave to show: the largest of those that are not over, else the last
// one, or an empty one.
func (v *Panel) shownWave(f *term.Frame) (out wave) {
	ok := false
	for i := len(v.State.Waves) - 1; i >= 0; i-- {
		w, began := v.waveAt(f, v.State.Waves[i])
		if began && (!ok || !w.over && (out.over || w.Notified() > out.Notified())) {
			out, ok = w, true
		}
	}
	if ok && !out.over && !out.exact {
		f.Every(TickTravel)
	}
	if ok && !out.over && out.exact && out.Settled > 0 {
		f.At(out.Deleted.Add(out.Settled + waveStays))
	}
	if ok && !out.over {
		out.count()
	}
	return out
}
