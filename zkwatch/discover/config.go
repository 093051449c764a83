package discover

import (
	"time"

	"electop/model/dialect"
)

// Config says where a [Walk] starts and how far it goes.
type Config struct {
	Root      string  // "" is "/"
	Depth     int     // levels below Root; 0 means 10
	Nodes     int     // znodes visited at most; 0 means 10,000
	PerSecond float64 // requests, evenly spaced; 0 means 100

	// Known are the elections that an earlier walk found, by path.
	Known map[string]*dialect.Dialect

	// Progress is called after each znode, and Found for each election, both from
	// the goroutine of Walk. nil means no call.
	Progress func(Progress)
	Found    func(Found)
	// Now is the clock of what is read; nil is time.Now.
	Now func() time.Time
}

const (
	defaultDepth     = 10
	defaultNodes     = 10_000
	defaultPerSecond = 100

	// burst is how many requests may follow each other at once after a pause.
	burst = 3
	// sample is how many of the numbered children of a directory are read to
	// find an ephemeral one among them.
	sample = 4
	// maxContenders is up to how many children of an election are all read.
	maxContenders = 200
	// maxAlike is after how many children without children the rest of a directory
	// is assumed to be the same.
	maxAlike = 64
	// nameSize is how many bytes of a reply a child's name is assumed to need.
	nameSize = 64
	// maxQueuedBytes bounds the names that wait to be visited.
	maxQueuedBytes = 32 << 20
	// maxNames bounds the names that are looked at to recognise a dialect.
	maxNames = 4096
)

func (cfg *Config) setDefaults() {
	if cfg.Root == "" {
		cfg.Root = "/"
	}
	if cfg.Depth <= 0 {
		cfg.Depth = defaultDepth
	}
	if cfg.Nodes <= 0 {
		cfg.Nodes = defaultNodes
	}
	if cfg.PerSecond <= 0 {
		cfg.PerSecond = defaultPerSecond
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
}
