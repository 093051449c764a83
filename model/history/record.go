// Package history records an election and rewinds it.
//
// An [Encoder] writes a recording: a [Header], then the observations, one JSON object a line.
// A [Decoder] reads a recording. The events are not recorded: a journal computes them from the observations.
//
// A [Timeline] keeps segments of observations in memory. Each segment has a clone of the journal before
// its first observation. A moment is computed from the clone and the observations of one segment.
//
// A recording may be hostile, so the decoder bounds the length and the memory of a line.
package history

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/session"
	"electop/model/znode"
)

// RecordingFormat is the only [Header.Format] that this package writes and reads.
const RecordingFormat = 1

// Header is the first line of a recording.
type Header struct {
	Kind        string    `json:"kind"` // [RecordingKind]
	Format      int       `json:"format"`
	Path        string    `json:"path"`
	Recipe      string    `json:"recipe"` // the recipe's name, or [recognised]
	Found       bool      `json:"found,omitempty"`
	Cluster     string    `json:"cluster,omitempty"`
	AckPath     string    `json:"ack_path,omitempty"`
	AckExpected bool      `json:"ack_expected,omitempty"`
	AckFollows  bool      `json:"ack_follows,omitempty"`
	Started     time.Time `json:"started"`
	// Opens is the time at which a replay begins, paused. If Opens is zero, the replay plays from the start.
	Opens time.Time `json:"opens,omitzero"`
	// Part is 0 in the first file of a recording, and 2, 3, … in the later files. Initial counts the first
	// observations of a later file, which repeat the state: see [model.State.Observations].
	Part    int `json:"part,omitempty"`
	Initial int `json:"baseline,omitempty"`
}

// RecordingKind marks a recording's header.
const RecordingKind = "electop-recording"

const recognised = "recognised"

// NewHeader returns the header for a recording of the election of cfg.
func NewHeader(cfg model.Config, started time.Time) Header {
	recipe := recognised
	if cfg.Recipe != nil {
		recipe = cfg.Recipe.Name()
	}
	return Header{
		Kind: RecordingKind, Format: RecordingFormat, Cluster: cfg.Cluster, Path: cfg.Path, Recipe: recipe, Found: cfg.Found,
		AckPath: cfg.AckPath, AckExpected: cfg.AckExpected, AckFollows: cfg.AckFollows, Started: started,
	}
}

// Config returns the configuration of the recorded journal.
func (h Header) Config() (model.Config, error) {
	if h.Kind != RecordingKind {
		return model.Config{}, errors.New("not an electop recording: its first line is not a header")
	}
	if h.Format != RecordingFormat {
		return model.Config{}, fmt.Errorf("recording format %d: this version of electop reads only format %d", h.Format, RecordingFormat)
	}
	r, ok := dialect.RecipeNamed(h.Recipe)
	if !ok && h.Recipe != recognised {
		return model.Config{}, fmt.Errorf("recording of an unknown recipe %q", znode.Safe(h.Recipe, 40))
	}
	return model.Config{Cluster: h.Cluster, Path: h.Path, Recipe: r, Found: h.Found, AckPath: h.AckPath, AckExpected: h.AckExpected, AckFollows: h.AckFollows}, nil
}

type entry struct {
	Read       *model.Read           `json:"read,omitempty"`
	Delta      *model.Delta          `json:"delta,omitempty"`
	Follow     *model.Follow         `json:"follow,omitempty"`
	Refresh    *model.Refresh        `json:"refresh,omitempty"`
	Ack        *model.Ack            `json:"ack,omitempty"`
	Directory  *model.Directory      `json:"directory,omitempty"`
	Connection *model.Connection     `json:"connection,omitempty"`
	Cast       *model.Cast           `json:"cast,omitempty"`
	Switch     *model.Switch         `json:"switch,omitempty"`
	Deletion   *model.DeletionReport `json:"wake,omitempty"`
	Pace       *model.Pace           `json:"pace,omitempty"`
	Rules      *model.Rules          `json:"rules,omitempty"`
	Write      *model.Write          `json:"write,omitempty"`
	Advance    *model.Advance        `json:"advance,omitempty"`
	Table      *session.Table        `json:"table,omitempty"`
	// Deadlines is Advance in older recordings. It follows Advance, because newEntry sets the first field that fits.
	Deadlines *model.Advance `json:"deadlines,omitempty"`
}

func newEntry(o model.Observation) *entry {
	l := &entry{}
	fields, v := reflect.ValueOf(l).Elem(), reflect.ValueOf(o)
	for i := range fields.NumField() {
		if f := fields.Field(i); f.Type() == v.Type() {
			f.Set(v)
			break
		}
	}
	return l
}

func (l *entry) observation() model.Observation {
	fields := reflect.ValueOf(l).Elem()
	for i := range fields.NumField() {
		if f := fields.Field(i); !f.IsNil() {
			return f.Interface().(model.Observation)
		}
	}
	return nil
}

// Encoder writes a recording, with one Write for each line.
type Encoder struct{ w io.Writer }

// NewEncoder writes the header to w and returns an encoder for the observations.
func NewEncoder(w io.Writer, h Header) (*Encoder, error) {
	e := &Encoder{w}
	return e, e.write(h)
}

// Encode writes one observation.
func (e *Encoder) Encode(o model.Observation) error { return e.write(newEntry(o)) }

func (e *Encoder) write(v any) error {
	b, err := znode.SafeJSON(v)
	if err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	if n := items(b); n > itemsMax {
		return fmt.Errorf("recording: can't write an observation with %d items: electop reads at most %d", n, itemsMax)
	}
	_, err = e.w.Write(append(b, '\n'))
	return err
}

// ErrIncomplete is returned by [Decoder.Decode] if the last line has no newline, as after a crash.
var ErrIncomplete = errors.New("the recording's last line is incomplete")

const (
	lineMax = 256 << 20 // bytes
	// itemsMax bounds the items of a line, because a few hostile bytes can become a large struct.
	itemsMax   = 1 << 17
	serversMax = 1 << 8 // in a table; ZooKeeper's documentation permits server ids up to 255
)

// items counts the list elements in a JSON text, and the objects that are no list elements. An empty
// list counts as one.
func items(text []byte) (n int) {
	var lists []bool // the open lists (true) and objects (false)
	inList := func() bool { return len(lists) > 0 && lists[len(lists)-1] }
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case c == '[', c == '{':
			if c == '[' || !inList() {
				n++
			}
			lists = append(lists, c == '[')
		case c == ']', c == '}':
			lists = lists[:max(0, len(lists)-1)]
		case c == ',' && inList():
			n++
		}
	}
	return n
}

// Decoder reads a recording.
type Decoder struct {
	r   *bufio.Reader
	n   int   // number of lines read
	max int   // largest length of a line with its newline, in bytes
	err error // not nil after a line that is too long
}

// NewDecoder reads the header from r and returns a decoder for the observations.
func NewDecoder(r io.Reader) (*Decoder, Header, error) {
	return newDecoder(r, lineMax)
}

func newDecoder(r io.Reader, max int) (*Decoder, Header, error) {
	d := &Decoder{r: bufio.NewReaderSize(r, 64<<10), max: max}
	var h Header
	b, err := d.next()
	if err != nil && err != io.EOF && err != ErrIncomplete {
		return nil, h, fmt.Errorf("reading a recording: %w", err)
	}
	if err != nil || json.Unmarshal(b, &h) != nil {
		return nil, Header{}, errors.New("not an electop recording: its first line is not a header")
	}
	if _, err := h.Config(); err != nil {
		return nil, h, err
	}
	return d, h, nil
}

// Decode returns the next observation. Its error is io.EOF after the last line and
// [ErrIncomplete] for an incomplete last line.
func (d *Decoder) Decode() (model.Observation, error) {
	b, err := d.next()
	if err != nil {
		return nil, err
	}
	if n := items(b); n > itemsMax {
		return nil, fmt.Errorf("recording line %d has %d items: this version of electop reads at most %d", d.n, n, itemsMax)
	}
	var l entry
	if err := json.Unmarshal(b, &l); err != nil {
		return nil, fmt.Errorf("recording line %d: %w", d.n, err)
	}
	var x older
	if l.Cast != nil && json.Unmarshal(b, &x) == nil {
		readDetail(&l.Cast.Member, x.Cast.Member.Detail)
	}
	if l.Table != nil && len(l.Table.Servers) > serversMax {
		return nil, fmt.Errorf("recording line %d has %d servers: this version of electop reads at most %d", d.n, len(l.Table.Servers), serversMax)
	}
	if o := l.observation(); o != nil {
		return o, nil
	}
	return nil, fmt.Errorf("recording line %d: this version of electop cannot read this kind of observation", d.n)
}

func (d *Decoder) next() (line []byte, err error) {
	for d.err == nil {
		part, err := d.r.ReadSlice('\n')
		switch line = append(line, part...); {
		case len(line) > d.max:
			d.err = fmt.Errorf("recording line %d is over %d bytes", d.n+1, d.max)
		case err == nil:
			d.n++
			return line[:len(line)-1], nil
		case err == io.EOF && len(line) > 0:
			return nil, ErrIncomplete
		case err != bufio.ErrBufferFull:
			return nil, err
		}
	}
	return nil, d.err
}

// older decodes the text that older recordings have instead of StepOn or Reason of a [model.Member].
type older struct {
	Cast struct {
		Member struct {
			Detail string `json:"detail"`
		} `json:"member"`
	} `json:"cast"`
}

func readDetail(m *model.Member, text string) {
	switch {
	case text == "" || !m.StepOn.IsZero() || m.Reason != "":
	case m.Step == model.StepNone:
		m.Reason = text
	default:
		m.StepOn = stepOnOf(m.Step, text)
	}
}

func stepOnOf(step model.Step, text string) model.StepOn {
	if step == model.StepCreate && text == "found by its name" {
		return model.StepOn{Found: true}
	}
	list, ok := strings.CutPrefix(text, "C := {")
	if !ok {
		return model.StepOn{Name: text}
	}
	var on model.StepOn
	for name := range strings.SplitSeq(strings.TrimSuffix(list, "}"), ", ") {
		if n, err := fmt.Sscanf(name, "… %d more", &on.More); n == 1 && err == nil {
			continue
		}
		if len(on.Children) < model.ListedMax {
			on.Children = append(on.Children, name)
		}
	}
	return on
}
