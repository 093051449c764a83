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

// Actions does the user's actions. Live, demo and replay each implement it.
type Actions interface {
	// Do does action a until ctx ends, outside the event loop. The user sees the error.
	Do(ctx context.Context, a action.Action) error
	// Why returns why a cannot be done now, or "". Each frame calls Why, so it must be fast.
	Why(a action.Action) string
}

// Source provides the states of an election.
type Source interface {
	// State returns the present state. State can be called at any time.
	State() *doctor.State
	// Dirty returns a channel of capacity 1, which is closed after the last change.
	Dirty() <-chan struct{}
}

// MultiSource is a [Source] of several elections.
type MultiSource interface {
	Source
	// States returns an immutable slice; its first state is the result of [Source.State].
	States() []*doctor.State
	// Search returns the last search for elections, which is immutable, or nil.
	Search() *elections.Search
}

// Options configure a dashboard.
type Options struct {
	Source  Source           // nil: an unknown election
	Actions Actions          // nil: nothing can be done
	Now     func() time.Time // clock of the states: in a replay, the recorded time; nil: time.Now

	ObserveOnly bool   // removes the keys that change anything
	Mode        string // badge: ModeDemo, ModeReplay, "" for live
	Role        string // "observer", "candidate", "cast of 3"
	Cluster     string // "embedded 127.0.0.1:41873", or the connect string

	Clusters      []string             // the other clusters
	SwitchCluster func(cluster string) // gets the chosen cluster before the dashboard ends
	Choose        bool                 // begins with the list of elections

	Past        travel.Past          // for time travel, in a replay a [travel.Recording]; nil: none
	Lessons     lessons.Runner       // nil: no lessons; [Source.Dirty] also reports a change of its View
	Invitations []overlay.Invitation // ways for other programs to join
	Open        bool                 // other machines can join

	Begin   func()        // starts work that would delay the first frame; must not block; nil: none
	Notices <-chan string // for the status line, such as trouble with a recording

	Theme     string                  // term.Auto (also ""), term.Dark, term.Light or term.Mono
	Mouse     bool                    // the terminal reports clicks and the wheel
	Clipboard func(text string) error // sends text to the terminal's clipboard, outside the event loop; nil: cannot

	Output        io.Writer          // nil: the terminal
	Width, Height int                // size for an immediate first frame; 0: unknown
	Input         io.Reader          // provides the keys; Run calls its method Interrupt, if any, before a suspension
	Renderer      *lipgloss.Renderer // has the colour profile; nil: made from Output
}

// Modes of a dashboard, shown as the badge in the header.
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
		return "This is a recording: nobody can join."
	case o.Mode == ModeDemo:
		return "This demo has no address for other programs."
	}
	return "This is your own cluster. A program joins with the cluster's address, for example: electop campaign " + znode.Safe(path, 0) + " -s " + znode.Safe(o.Cluster, 120)
}

// The timing of the dashboard.
const (
	refreshEvery  = 33 * time.Millisecond  // least time between two refreshes, except the first few
	refreshFirst  = 2 * time.Millisecond   // pause after the first refresh; each later pause doubles, up to refreshEvery
	playEvery     = 100 * time.Millisecond // between two moves of the playhead
	actionTimeout = 10 * time.Second       // ends an action that hangs; longer than a connection attempt
	lessonTimeout = 30 * time.Second       // bounds the preparation of a lesson
	verifyTimeout = 30 * time.Second       // bounds the wait for the servers' answers
	quitTimeout   = time.Second            // bounds the wait for cancelled actions at the end
)
