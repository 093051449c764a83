package feed

import (
	"context"
	"io"

	"electop/model"
)

// load reads the whole recording into the tape.
func (p *Playback) load(ctx context.Context, notice func(string)) error {
	defer p.recording.Close()
	p.recording.interrupt(ctx)
	for ctx.Err() == nil {
		o, err := p.recording.next()
		p.recording.deliverNotes(notice)
		switch {
		case err == io.EOF:
			p.finish()
			return nil
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		p.mu.Lock()
		p.tape.Apply(o)
		p.last = later(p.last, o.When())
		p.mu.Unlock()
		mark(p.changed)
	}
	return nil
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
