package feed

import (
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

// Recording is a file of a recording that is read.
type Recording struct {
	file     *os.File
	dec      *history.Decoder
	header   history.Header
	election model.Config
	bytes    int64
	notes    []string // for the user, not delivered yet
}

// OpenRecording opens the recording at path, or one part of it: its older part is a
// file of its own.
func OpenRecording(path string) (*Recording, error) {
	r := &Recording{}
	err := r.open(path)
	_, none := os.Lstat(older(path))
	if err != nil {
		r.Close()
		if none == nil { // a crash may have ended the recording while a part was begun
			err = fmt.Errorf("%w; the part before it is %s", err, older(path))
		}
		return nil, err
	}
	if r.header.Part > 1 {
		s := fmt.Sprintf("this is part %d of a recording: its events and totals begin here", r.header.Part)
		if none == nil {
			s += "; the part before it is " + older(path)
		}
		r.note(s)
	}
	return r, nil
}

func (r *Recording) open(path string) (err error) {
	if r.file, err = os.Open(path); err != nil {
		return err
	}
	if info, err := r.file.Stat(); err == nil {
		r.bytes = info.Size()
	}
	if r.dec, r.header, err = history.NewDecoder(r.file); err != nil {
		return err
	}
	r.election, err = r.header.Config()
	return err
}

func (r *Recording) note(s string) { r.notes = append(r.notes, s) }

// deliverNotes passes the notes to the user.
func (r *Recording) deliverNotes(notice func(string)) {
	for _, s := range r.notes {
		if notice != nil {
			notice(znode.Safe(s, 0))
		}
	}
	r.notes = nil
}

// Election is what the recording is of.
func (r *Recording) Election() model.Config { return r.election }

// Each applies the observations one by one and hands on their events, until an
// error of events or the end. notice gets one line for each thing that the user
// should know, such as a torn last line.
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
		o, err := r.next()
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
		if err := apply(o); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// interrupt has a read that waits fail when ctx ends: the file can be a FIFO.
func (r *Recording) interrupt(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() { _ = r.file.SetReadDeadline(time.Now()) }) // a regular file has none
}

// next returns the next observation, io.EOF after the last. A torn one is noted.
func (r *Recording) next() (model.Observation, error) {
	o, err := r.dec.Decode()
	if errors.Is(err, history.ErrTorn) {
		r.note("the recording's last line is torn (a crash, or it is still being written): skipped")
		err = io.EOF
	}
	return o, err
}

// Close ends the reading.
func (r *Recording) Close() error { return r.file.Close() }
