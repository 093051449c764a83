package feed

import (
	"context"
	"fmt"
	"io"
	"sync"

	"electop/model"
	"electop/model/history"
	"electop/model/znode"
)

// lines is a piece of a recording, which is decoded by one goroutine.
type lines struct {
	raw   []history.Line
	notes []string // for the user, to be delivered before
	done  chan struct{}
	all   []model.Observation
	err   error
}

// The lines are decoded in pieces of about pieceBytes, each by a goroutine;
// aheadMax pieces or two more are under way.
const (
	pieceBytes = 256 << 10
	aheadMax   = 16
)

// load reads the whole recording into the tape.
func (p *Playback) load(ctx context.Context, notice func(string)) error {
	defer p.recording.Close()
	var wg sync.WaitGroup
	defer wg.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p.recording.interrupt(ctx)
	order := make(chan *lines, aheadMax)
	wg.Go(func() {
		defer close(order)
		p.split(ctx, func(l *lines) bool {
			wg.Go(l.decode)
			select {
			case order <- l:
				return true
			case <-ctx.Done():
				return false
			}
		})
	})
	for l := range order {
		select {
		case <-l.done:
		case <-ctx.Done():
			return nil
		}
		for _, s := range l.notes {
			notice(znode.Safe(s, 0))
		}
		p.take(l.all)
		if l.err != nil {
			return l.err
		}
	}
	if ctx.Err() == nil {
		p.finish()
	}
	return nil
}

// split hands on the recording in pieces, until hand returns false.
func (p *Playback) split(ctx context.Context, hand func(*lines) bool) {
	for ctx.Err() == nil {
		l := &lines{done: make(chan struct{})}
		for n := 0; n < pieceBytes && l.err == nil; {
			var raw history.Line
			if raw, l.err = p.recording.line(); l.err == nil {
				l.raw = append(l.raw, raw)
				n += raw.Len()
			}
		}
		l.notes, p.recording.notes = p.recording.notes, nil
		end := l.err != nil
		if l.err == io.EOF {
			l.err = nil
		}
		if !hand(l) || end {
			return
		}
	}
}

// decode decodes the lines up to the first that is wrong.
func (l *lines) decode() {
	defer close(l.done)
	defer func() {
		if r := recover(); r != nil {
			l.err = fmt.Errorf("decoding a recording: %v", r)
		}
	}()
	l.all = make([]model.Observation, 0, len(l.raw))
	for _, raw := range l.raw {
		o, err := raw.Decode()
		if err != nil {
			l.err = err
			return
		}
		l.all = append(l.all, o)
	}
	l.raw = nil
}

// take adds observations to the tape.
func (p *Playback) take(all []model.Observation) {
	for len(all) > 0 {
		n := min(batchMax, len(all))
		p.mu.Lock()
		for _, o := range all[:n] {
			p.tape.Apply(o)
			p.last = later(p.last, o.When())
		}
		p.mu.Unlock()
		all = all[n:]
		mark(p.changed)
	}
}

// finish marks the end, and releases events that are held back until time passes:
// after a crash the recording does not say that it passed.
func (p *Playback) finish() {
	p.mu.Lock()
	if due, ok := p.tape.Held(); ok {
		p.tape.Apply(&model.Advance{At: due})
	}
	p.read = true
	p.mu.Unlock()
	mark(p.changed)
}
