package live

import (
	"context"

	"electop/demo"
	"electop/demo/zkserver"
	"electop/ui"
	"electop/ui/cli/admission"
	"electop/ui/cli/cluster"
	"electop/ui/cli/watch"
	"electop/ui/plain"
	"electop/zkwatch/client"
)

// Config is what differs between the dashboards.
type Config struct {
	Watch   watch.Config  // all but First and Notice
	Reach   cluster.Reach // how long to try to reach a server
	Conn    client.Config // of our candidates
	Screen  ui.Options    // without what parts.options fills in
	Notices []string      // the first ones

	// Found is a search that has ended; nil: none. If it found several elections, the
	// dashboard begins with their list.
	Found *plain.Discovery

	// What our candidates may do.
	NoActing      string             // why the keys that act are disabled; "": they are enabled
	Cast          int                // candidates to start with
	Campaign      bool               // take part ourselves from the start
	Create        bool               // the parent if it is missing
	CandidacyName string             // the data of our own candidacy's znode
	Admission     admission.Election // the election that they join, as far as known
	Consent       bool               // the user knows which system's it is

	// The demo's own.
	Server *zkserver.Server                                     // nil: a cluster
	Serve  func(ctx context.Context, notice func(string)) error // runs with the server, and ends with ctx
	Play   Play
}

// choose reports whether the dashboard begins with the list of elections.
func (cfg *Config) choose() bool {
	return cfg.Found != nil && (cfg.Found.ElectionCount() > 1 || cfg.Found.Stopped != "")
}

// Play is what a demo does by itself.
type Play struct {
	Lesson bool   // a lesson begins at once
	Name   string // which one; "": the first that is not complete
	Chaos  *demo.Chaos
}
