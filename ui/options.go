package ui

import (
	"context"
	"io"
	"time"

	"github.com/charmbracelet/lipgloss"

	"electop/model/doctor"
	"electop/model/znode"
	"electop/ui/action"
	"electop/ui/elections"
	"electop/ui/lessons"
	"electop/ui/mainscreen"
	"electop/ui/overlay"
	"electop/ui/travel"
)

// Actions executes the user's actions. Calls of Do and Why can overlap.
type Actions interface {
	// Do executes a. The dashboard calls Do outside the event loop, and shows the error in the status line.
	Do(ctx context.Context, a action.Action) error
	// Why returns why a cannot be done now, or "". Each frame calls Why several times, so Why must be fast.
	Why(a action.Action) string
}

// Source provides the states of an election.
type Source interface {
	// State returns the present state. It is safe for concurrent use.
	State() *doctor.State
	// Dirty returns a channel of capacity 1. A value means a change. The channel is closed after the last change.
	Dirty() <-chan struct{}
}

// MultiSource is a [Source] of several elections.
type MultiSource interface {
	Source
	// States returns an immutable slice; its first state is the result of [Source.State].
	States() []*doctor.State
	// Search returns the last search for elections, nil before the first. The result is immutable.
	Search() *elections.Search
}

// Options configure a dashboard.
type Options struct {
	Source  Source           // nil: shows an unknown election
	Actions Actions          // nil: nothing can be done
	Now     func() time.Time // clock of the states: in a replay, the recorded time; nil: time.Now

	ObserveOnly bool   // removes the keys that change anything
	Mode        string // ModeDemo, ModeReplay or ModeLive
	Role        string // "observer", "candidate", "cast of 3"
	Cluster     string // "embedded 127.0.0.1:41873", or the connect string

	Clusters      []string             // clusters that the user can watch instead of Cluster
	SwitchCluster func(cluster string) // receives the chosen cluster; then the dashboard ends
	Choose        bool                 // the list of elections is open at the start

	Past        travel.Past          // in a replay a [travel.Recording]; nil: no time travel
	Lessons     lessons.Runner       // nil: no lessons; [Source.Dirty] also reports a change of its View
	Invitations []overlay.Invitation // ways for other programs to join
	Open        bool                 // other machines can join

	Begin   func()        // starts work that would delay the first frame; must not block; nil: none
	Notices <-chan string // lines for the status line, such as trouble with a recording

	Theme     string                  // term.Auto (also ""), term.Dark, term.Light or term.Mono
	Mouse     bool                    // the terminal reports clicks, drags and the wheel
	Clipboard func(text string) error // sends text to the terminal's clipboard, outside the event loop; nil: no clipboard

	Output        io.Writer          // nil: os.Stdout, and no immediate first frame
	Width, Height int                // size for an immediate first frame; 0: unknown
	Input         io.Reader          // nil: the terminal; Run calls the method Interrupt, if Input has it, before a suspension
	Renderer      *lipgloss.Renderer // has the colour profile; nil: made from Output
}

// Modes of a dashboard. The badge in the header is ModeDemo or ModeReplay; ModeLive has none.
const (
	ModeDemo   = mainscreen.Demo
	ModeReplay = mainscreen.Replay
	ModeLive   = ""
)

func (o *Options) cannotJoin(path string) string {
	switch {
	case len(o.Invitations) > 0:
		return ""
	case o.Mode == ModeReplay:
		return "Can't join: this is a recording. Start electop demo to join an election."
	case o.Mode == ModeDemo:
		return "Can't join: this demo is not an election. Start electop demo to join one."
	}
	return "This is your own cluster. A program joins with the cluster's address, for example: electop campaign " + znode.Safe(path, 0) + " -s " + znode.Safe(o.Cluster, 120)
}

const (
	refreshEvery  = 33 * time.Millisecond  // least time between two messages of pump, except the first ones
	refreshFirst  = 2 * time.Millisecond   // pause after the first; each later one is twice as long, up to refreshEvery
	playEvery     = 100 * time.Millisecond // time between two moves of the playhead
	actionTimeout = 10 * time.Second       // deadline of an action's context
	lessonTimeout = 30 * time.Second       // deadline of the context of [lessons.Runner.Start]
	verifyTimeout = 30 * time.Second       // bounds the wait for the watches that action.Verify requested
	quitTimeout   = time.Second            // bounds the wait of Run for running tasks, after the screen has ended
)
