package feed

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/history"
	"electop/model/znode"
)

// Recording is one that is read: a file, and before it the older part of the
// same recording, if there is one beside it.
type Recording struct {
	parts    []*part // oldest first; the first is being read
	election model.Config
	bytes    int64    // of all
	notes    []string // for the user, not delivered yet
}

// part is one file of a recording.
type part struct {
	of     string // the prefix of errors about it: "" for the newest
	file   *os.File
	dec    *history.Decoder
	header history.Header
	skip   int // how many of its first lines repeat the state after the part before
	n      int // lines so far
}

// OpenRecording opens the recording at path with its older part.
func OpenRecording(path string) (*Recording, error) {
	r := &Recording{}
	newest, err := openPart(path, "")
	if err != nil {
		// While the recorder begins a part there is no newest one for a moment.
		var early error
		if newest, early = openPart(older(path), older(path)+": "); early != nil || !unfinished(path, err) {
			if newest != nil {
				newest.file.Close()
			}
			return nil, err
		}
		r.note("the recording ended while it began a new part")
	} else if newest.header.Part > 1 {
		before, err := openPart(older(path), older(path)+": ")
		switch {
		case err == nil && before.precedes(newest):
			newest.skip = newest.header.Baseline
			r.add(before)
		case err == nil:
			before.file.Close()
			r.note(older(path) + " belongs to another recording or another part: not read")
		case !errors.Is(err, os.ErrNotExist):
			r.note(older(path) + " is not read: " + err.Error())
		}
	}
	r.add(newest)
	if r.election, err = r.parts[0].header.Config(); err != nil {
		r.Close()
		return nil, err
	}
	if h := r.parts[0].header; h.Part > 1 {
		r.note(fmt.Sprintf("the recording begins with part %d, after %d events: earlier events are not kept, so some findings may come late or not at all", h.Part, h.Events))
	}
	return r, nil
}

func openPart(path, of string) (*part, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	dec, h, err := history.NewDecoder(f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &part{of: of, file: f, dec: dec, header: h}, nil
}

// precedes reports whether p is the part before next.
func (p *part) precedes(next *part) bool {
	a, b := p.header, next.header
	return max(a.Part, 1)+1 == b.Part && a.Started.Equal(b.Started) && a.Path == b.Path && a.Recipe == b.Recipe
}

// unfinished reports whether the newest part, which cannot be read, does not exist
// or has no complete header.
func unfinished(path string, err error) bool {
	if errors.Is(err, os.ErrNotExist) {
		return true
	}
	const headerMax = 64 << 10
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, headerMax))
	return err == nil && len(b) < headerMax && bytes.IndexByte(b, '\n') < 0
}

func (r *Recording) add(p *part) {
	if info, err := p.file.Stat(); err == nil {
		r.bytes += info.Size()
	}
	r.parts = append(r.parts, p)
}

func (r *Recording) note(s string) {
	if s != "" {
		r.notes = append(r.notes, s)
	}
}

// deliverNotes passes the notes to the user.
func (r *Recording) deliverNotes(notice func(string)) {
	for _, s := range r.notes {
		if notice != nil {
			notice(znode.Safe(s, 0))
		}
	}
	r.notes = nil
}

// Election is what the recording is of, and where in it the reading begins.
func (r *Recording) Election() model.Config { return r.election }

// Each applies the observations one by one and hands on their events, until an
// error of events or the end, with the numbers that they had. notice gets one line
// for each thing that the user should know, such as a torn last line.
func (r *Recording) Each(ctx context.Context, events func([]model.Event) error, notice func(string)) error {
	j := doctor.NewJournal(r.election)
	apply := func(o model.Observation) error {
		if es := j.Apply(o); len(es) > 0 {
			return events(es)
		}
		return nil
	}
	defer r.interrupt(ctx)()
	for ctx.Err() == nil {
		l, err := r.line()
		r.deliverNotes(notice)
		if err == io.EOF {
			if due, ok := j.Held(); ok { // after a crash the recording does not say that time passed
				return apply(&model.Advance{At: due})
			}
			return nil
		}
		if err != nil {
			return cmp.Or(ctx.Err(), err)
		}
		o, err := l.decode()
		if err != nil {
			return err
		}
		if l.first != nil {
			r.note(missingBefore(j.State(), l.first))
			r.deliverNotes(notice)
		}
		if err := apply(o); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// interrupt has a read that waits fail when ctx ends: the newest part can be a FIFO.
func (r *Recording) interrupt(ctx context.Context) (stop func() bool) {
	newest := r.parts[len(r.parts)-1].file
	return context.AfterFunc(ctx, func() { _ = newest.SetReadDeadline(time.Now()) }) // a regular file has none
}

// partLine is a line of a part.
type partLine struct {
	history.Line
	of string
	// first is the header of the part, if this is its first line and another part
	// was read before.
	first *history.Header
}

// missingBefore says what is missing between the part before, of which s is the
// last state, and the part with the header first; "" for nothing. Observations can
// be missing after the whole machine crashed.
func missingBefore(s *doctor.State, first *history.Header) string {
	if s.At.Equal(first.Last) {
		return ""
	}
	return fmt.Sprintf("observations before part %d of the recording are missing, from %s to %s: later events may differ and have other numbers",
		first.Part, s.At.Format(time.TimeOnly), first.Last.Format(time.TimeOnly))
}

func (l partLine) decode() (model.Observation, error) {
	o, err := l.Decode()
	if err != nil {
		return nil, fmt.Errorf("%s%w", l.of, err)
	}
	return o, nil
}

// line returns the next one, io.EOF after the last. A torn one is noted.
func (r *Recording) line() (partLine, error) {
	for len(r.parts) > 0 {
		p := r.parts[0]
		l, err := p.dec.Line()
		switch {
		case err == nil && p.n < p.skip:
			p.n++
		case err == nil:
			at := partLine{Line: l, of: p.of}
			if p.n == p.skip && p.skip > 0 {
				at.first = &p.header
			}
			p.n++
			return at, nil
		case errors.Is(err, io.EOF), errors.Is(err, history.ErrTorn):
			if err != io.EOF {
				r.note(p.of + "the recording's last line is torn (a crash, or it is still being written): skipped")
			}
			if p.n < p.header.Baseline && p.skip == 0 {
				r.note(p.of + "the recording ends before its initial state is complete: the screen is not complete")
			}
			p.file.Close()
			r.parts = r.parts[1:]
		default:
			return partLine{}, fmt.Errorf("%s%w", p.of, err)
		}
	}
	return partLine{}, io.EOF
}

// Close ends the reading.
func (r *Recording) Close() error {
	var errs []error
	for _, p := range r.parts {
		errs = append(errs, p.file.Close())
	}
	r.parts = nil
	return errors.Join(errs...)
}
