package election

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/model"
	"electop/model/history"
	"electop/ui/cli/help"
	"electop/ui/cli/process"
	"electop/zkwatch/feed"
)

// Recording configures the recording of an election.
type Recording struct {
	File string   // "": no recording
	Max  ByteSize // of File and its older part
}

// Flags declares the flags of a recording.
func (r *Recording) Flags(cmd *cobra.Command) {
	help.Output.Add(cmd, func(f *pflag.FlagSet) {
		f.StringVar(&r.File, "record", "", "record the observations of the election to a new `FILE`")
		f.Var(&r.Max, "record-max", "keep at most `SIZE` of the recording: the newer half in FILE, the older in FILE.1. 0: no limit")
	})
}

// Check returns an error if --record-max is given without --record.
func (r Recording) Check() error {
	if r.File == "" && r.Max.set {
		return process.Usagef("--record-max needs --record")
	}
	return nil
}

func (r Recording) open(election model.Config) (*feed.Recorder, error) {
	if r.File == "" {
		return nil, nil
	}
	to, err := feed.Create(r.File, int64(r.Max.bytes()), history.NewHeader(election, feed.Now()))
	switch {
	case errors.Is(err, os.ErrExist):
		return nil, fmt.Errorf("--record %s: this file or its older part %[1]s.1 exists already; give another name", r.File)
	case err != nil:
		return nil, fmt.Errorf("--record: %w", err)
	}
	return to, nil
}

const recordMaxDefault = 100e6 // bytes

// ByteSize is the value of --record-max: a number of bytes, as in 100MB, 64MiB or 0.
type ByteSize struct {
	n   uint64
	set bool
}

// Set implements pflag.Value.
func (b *ByteSize) Set(s string) error {
	n, err := humanize.ParseBytes(s)
	if err != nil || n > math.MaxInt64 || n == 0 && strings.ContainsAny(s, "123456789") {
		return errors.New("give a size, as in 100MB or 64MiB")
	}
	b.n, b.set = n, true
	return nil
}

// Type implements pflag.Value.
func (b *ByteSize) Type() string { return "size" }

// String implements pflag.Value.
func (b *ByteSize) String() string { return humanize.Bytes(b.bytes()) }

func (b *ByteSize) bytes() uint64 {
	if !b.set {
		return recordMaxDefault
	}
	return b.n
}
