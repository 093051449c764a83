package discover

import (
	"slices"

	"electop/model"
	"electop/model/dialect"
)

// Progress is how far a walk has come.
type Progress struct {
	Path      string // visited last
	Visited   int
	Denied    int // that may not be listed
	Skipped   int // znodes that were not read, see Skips
	Skips     []Skip
	Elections int
	Stopped   string // the bound that left something out, "nodes" or "depth"; "" for none
}

// A Skip is a znode that a walk did not visit.
type Skip struct {
	Path string
	// Znodes is how many children, or the znode itself: 1.
	Znodes int
	Why    Reason
	Limit  int // of TooLarge: the bound of a reply, in bytes
}

// A Reason is why a walk skipped a znode.
type Reason int

const (
	TooLarge Reason = iota // its list of children does not fit in a reply
	Alike                  // many children without children, of which only the first were visited
	BadName                // no client may ask for its name
)

// maxSkips bounds [Progress.Skips].
const maxSkips = 100

func (w *walk) skip(s Skip) {
	w.progress.Skipped += s.Znodes
	if len(w.progress.Skips) < maxSkips {
		// Earlier calls of Config.Progress have the old slice.
		w.progress.Skips = append(slices.Clip(w.progress.Skips), s)
	}
}

// Found is an election that a walk found.
type Found struct {
	Path    string
	Dialect *dialect.Dialect
	Read    *model.Read
	// Beside are reads of the znodes beside it that say more: who acknowledged, and
	// who could lead.
	Beside []model.Observation
	// Contenders is how many children look like contenders. Partial says that
	// they were too many to be read: Read has the first in the queue and few more.
	Contenders int
	Partial    bool
}
