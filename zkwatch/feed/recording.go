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

// Recording reads one file of a recording.
type Recording struct {
	file     *os.File
	dec      *history.Decoder
	header   history.Header
	election model.Config
	bytes    int64
	notes    []string // messages for the user, not delivered yet
}

// OpenRecording opens the file at path: a recording, or one part of it.
func OpenRecording(path string) (*Recording, error) {
	r := &Recording{}
	err := r.open(path)
	_, olderErr := os.Lstat(older(path))
	if err != nil {
		r.Close()
		if olderErr == nil { // a crash in rotate can leave no file at path, or an incomplete header
			err = fmt.Errorf("%w; the part before it is %s", err, older(path))
		}
		return nil, err
	}
	if r.header.Part > 1 {
		s := fmt.Sprintf("this is part %d of a recording: events and totals cover only this part", r.header.Part)
		if olderErr == nil {
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

// SetOpens changes the recording at path, so that its replay begins at the given time, paused.
func SetOpens(path string, at time.Time) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	opens := fmt.Appendf(nil, `{"opens":%q,`, at.Format(time.RFC3339Nano))
	return os.WriteFile(path, bytes.Replace(b, []byte("{"), opens, 1), 0o600)
}

func (r *Recording) note(s string) { r.notes = append(r.notes, s) }

func (r *Recording) deliverNotes(notice func(string)) {
	for _, s := range r.notes {
		if notice != nil {
			notice(znode.Safe(s, 0))
		}
	}
	r.notes = nil
}

// Election returns the recorded election.
func (r *Recording) Election() model.Config { return r.election }

// Each applies the observations and passes their events to events. notice, if set, gets messages for the user.
func (r *Recording) Each(ctx context.Context, events func([]model.Event) error, notice func(string)) error {
	j := doctor.NewJournal(r.election)
	apply := func(o model.Observation) error {
		if es := j.Apply(o); len(es) > 0 {
			return events(es)
		}
		return nil
	}
	if err := r.read(ctx, apply, notice); err != nil {
		return err
	}
	if due, ok := j.Held(); ok { // no recorded observation releases these events
		return apply(&model.Advance{At: due})
	}
	return nil
}

func (r *Recording) read(ctx context.Context, apply func(model.Observation) error, notice func(string)) error {
	defer r.interrupt(ctx)()
	for ctx.Err() == nil {
		o, err := r.dec.Decode()
		if errors.Is(err, history.ErrIncomplete) {
			r.note("the recording's last line is incomplete (a crash, or it is still being written): skipped")
			err = io.EOF
		}
		r.deliverNotes(notice)
		if err == io.EOF {
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

// interrupt ends a blocked read when ctx ends: the file may be a FIFO.
func (r *Recording) interrupt(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() { _ = r.file.SetReadDeadline(time.Now()) }) // fails for a regular file
}

// Close closes the file.
func (r *Recording) Close() error { return r.file.Close() }

// Recorder writes a recording. With a bound, it writes the newest part to path and keeps the previous part as
// path.1. A later part begins with the election's state, so each part can be read alone.
//
// Each write to the file ends with a complete line, so a crash leaves at most the last line incomplete.
type Recorder struct {
	path   string
	w      io.Writer
	file   *os.File // nil: no file is open
	max    int64    // largest size of a part, in bytes; 0: no bound
	header history.Header

	size int64
	line bytes.Buffer
	enc  *history.Encoder
}

const recordMin = 1 << 20

// Create begins a recording of at most max bytes; 0 means no bound. path must not exist and, with a
// bound, neither path.1. A bound below 1 MiB is an error.
func Create(path string, max int64, h history.Header) (*Recorder, error) {
	if max != 0 && max < recordMin {
		return nil, fmt.Errorf("recording to %s: a limit of %d bytes is too small, the minimum is %d", path, max, recordMin)
	}
	if max != 0 {
		if _, err := os.Lstat(older(path)); err == nil {
			return nil, fmt.Errorf("recording to %s: %s: %w", path, older(path), os.ErrExist)
		}
	}
	f, err := create(path)
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	r, err := begin(f, h)
	if err != nil {
		f.Close()
		os.Remove(path) // the file has no complete header
		return nil, err
	}
	r.path, r.file, r.max = path, f, max/2
	return r, nil
}

func begin(w io.Writer, h history.Header) (*Recorder, error) {
	r := &Recorder{w: w, header: h}
	var err error
	if r.enc, err = history.NewEncoder(&r.line, h); err != nil {
		return nil, err
	}
	return r, r.flush()
}

func create(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_APPEND|os.O_WRONLY, 0o600)
}

func older(path string) string { return path + ".1" }

// Encode writes one observation; state returns the state before the observation.
func (r *Recorder) Encode(o model.Observation, state func() *doctor.State) error {
	r.line.Reset()
	if err := r.enc.Encode(o); err != nil {
		return err
	}
	if r.max > 0 && r.size+int64(r.line.Len()) > r.max {
		if err := r.rotate(o, state()); err != nil {
			return err
		}
	}
	return r.flush()
}

func (r *Recorder) flush() error {
	n, err := r.w.Write(r.line.Bytes())
	r.size += int64(n)
	if err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	return nil
}

func (r *Recorder) rotate(o model.Observation, s *doctor.State) error {
	initial := s.Observations()
	r.header.Part, r.header.Initial = max(r.header.Part, 1)+1, len(initial)
	r.line.Reset()
	enc, err := history.NewEncoder(&r.line, r.header)
	if err != nil {
		return err
	}
	for _, o := range append(initial, o) {
		if err := enc.Encode(o); err != nil {
			return err
		}
	}
	if int64(r.line.Len()) > r.max {
		return fmt.Errorf("the election needs %d bytes, but a part of the recording may have only %d: use a higher limit", r.line.Len(), r.max)
	}
	err = r.file.Close()
	r.file = nil
	if err == nil {
		err = os.Rename(r.path, older(r.path))
	}
	if err == nil {
		r.file, err = create(r.path)
	}
	if err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	r.w, r.size = r.file, 0
	return nil
}

// Close closes the file.
func (r *Recorder) Close() error {
	if r.file == nil {
		return nil
	}
	if err := r.file.Close(); err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	return nil
}
