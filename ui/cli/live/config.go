package live

import (
	"time"

	"electop/demo"
	"electop/ui"
	"electop/ui/cli/admission"
	"electop/ui/cli/embedded"
	"electop/ui/cli/watch"
	"electop/zkwatch/client"
)

// Config is what differs between the dashboards.
type Config struct {
	Watch   watch.Config  // all but First and Notice
	Timeout time.Duration // to reach a server
	Conn    client.Config // of our candidates
	Screen  ui.Options    // what does not come from the parts: see parts.options
	Hello   []string      // the first notices; "" is none

	// What our candidates may do.
	NoActing      string             // why keys that act are disabled; "": they are not
	Cast          int                // candidates to start with
	Campaign      bool               // take part ourselves from the start
	Create        bool               // the parent if it is missing
	CandidacyName string             // the data of our own candidacy's znode
	Admission     admission.Election // what is known of the election that they enter
	Consent       bool               // the user knows whose it is

	// The demo's own.
	Server *embedded.Server // nil: a cluster
	Play   Play
}

// Play is what a demo does by itself.
type Play struct {
	Lesson bool   // a lesson begins at once
	Name   string // which; "" for the first that was not done
	Chaos  *demo.Chaos
}
