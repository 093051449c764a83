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
	// States returns an immutable slice; the first one is the result of [Source.State].
	States() []*doctor.State
	// Search returns the last search for elections, which is immutable, or nil.
	Search() *elections.Search
}

// Options configure a dashboard.
type Options struct {
	Source  Source  // nil: an unknown election
	Actions Actions // nil: nothing can be done

	// Now is the clock of the states: in a replay, the recorded time. Nil: time.Now.
	Now func() time.Time

	// ObserveOnly removes the keys that change anything.
	ObserveOnly bool

	Mode    string // badge: ModeDemo, ModeReplay, "" for live
	Role    string // "observer", "candidate", "cast of 3"
	Cluster string // "embedded 127.0.0.1:41873", or the connect string

	// Clusters are the other clusters. SwitchCluster gets the chosen one before the dashboard ends.
	Clusters      []string
	SwitchCluster func(cluster string)

	// Choose makes the dashboard begin with the list of elections.
	Choose bool

	// Past, if set, allows time travel. In a replay it must be a [travel.Recording].
	Past travel.Past
	// Lessons, if set, runs lessons. [Source.Dirty] also reports a change of the runner's View.
	Lessons lessons.Runner
	// Invitations are ways for other programs to join. Open means that other machines can join.
	Invitations []overlay.Invitation
	Open        bool

	// Begin, if set, does work that would delay the first frame. Begin must not block.
	Begin func()

	// Notices are lines for the status line, such as trouble with a recording.
	Notices <-chan string

	Theme string // term.Auto (also ""), term.Dark, term.Light or term.Mono

	// Mouse makes the terminal report clicks and the wheel.
	Mouse bool
	// Clipboard, if set, sends text to the terminal's clipboard, outside the event loop.
	Clipboard func(text string) error

	Output io.Writer // nil: the terminal
	// Width and Height are the size for an immediate first frame; 0: unknown.
	Width, Height int
	// Input provides the keys. If it has a method Interrupt, Run calls that before a suspension.
	Input    io.Reader
	Renderer *lipgloss.Renderer // has the colour profile; nil: made from Output
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
	// refreshEvery is the least time between two refreshes, except the first few.
	refreshEvery = 33 * time.Millisecond

	// refreshFirst is the pause after the first refresh; each later pause doubles, up to refreshEvery.
	refreshFirst = 2 * time.Millisecond

	// playEvery is the time between two moves of the playhead.
	playEvery = 100 * time.Millisecond

	// actionTimeout ends an action that hangs. The timeout is longer than a connection attempt.
	actionTimeout = 10 * time.Second

	// lessonTimeout bounds the preparation of a lesson.
	lessonTimeout = 30 * time.Second

	// verifyTimeout bounds the wait for the servers' answers.
	verifyTimeout = 30 * time.Second

	// quitTimeout bounds the wait for cancelled actions at the end of the program.
	quitTimeout = time.Second
)
