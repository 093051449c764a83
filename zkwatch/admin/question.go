package admin

import (
	"electop/model"
)

// A question has several ways to be put, and the answers to all of them mean
// the same.
type question[T any] struct {
	what     string // for messages
	commands []way[T]
	words    []way[T]
	dear     bool // the answer can be large
	always   bool // put even where it was refused a moment ago
}

// A way is a command or a word, and what takes its answer apart.
type way[T any] struct {
	name  string
	parse func([]byte) (T, error)
}

var (
	askBasics = question[basics]{
		what:     "state",
		commands: []way[basics]{{"server_stats", parseServerStats}},
		words:    []way[basics]{{"srvr", parseSrvr}},
		always:   true,
	}
	askIdentity = question[identity]{
		what:     "configuration",
		commands: []way[identity]{{"configuration", parseConfiguration}},
		words:    []way[identity]{{"conf", parseConf}},
	}
	askWatchCount = question[int]{
		what:     "number of watches",
		commands: []way[int]{{"monitor", parseMonitor}},
		words:    []way[int]{{"mntr", parseMntr}},
	}
	askDataWatches = question[int]{
		what:     "number of watches on data",
		commands: []way[int]{{"watch_summary", parseWatchSummary}},
		words:    []way[int]{{"wchs", parseWchs}},
	}
	askConnections = question[clients]{
		what:     "connections",
		commands: []way[clients]{{"connections", parseConnections}},
		words:    []way[clients]{{"cons", parseCons}},
		dear:     true,
	}
	askSessions = question[dump]{
		what:     "sessions",
		commands: []way[dump]{{"dump", parseJSONDump}},
		words:    []way[dump]{{"dump", parseDump}},
		dear:     true,
	}
	askWatches = question[[]model.Watch]{
		what:     "watches",
		commands: []way[[]model.Watch]{{"watches_by_path", parseWatchesByPath}, {"watches", parseWatches}},
		words:    []way[[]model.Watch]{{"wchp", parseWchp}, {"wchc", parseWchc}},
		dear:     true,
	}
)
