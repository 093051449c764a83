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

// Actions is how the dashboard acts. Live, demo and replay each bring one.
type Actions interface {
	// Do does it. It runs outside the event loop, obeys ctx, and its error is
	// shown to the user.
	Do(ctx context.Context, a action.Action) error
	// Why returns the reason for which a cannot be done now, "" if it can. It
	// is asked for each key of each frame, so it only looks, and quickly.
	Why(a action.Action) string
}

// Source is where the dashboard sees the election.
type Source interface {
	// State returns the present state; it may be asked at any time.
	State() *doctor.State
	// Dirty has capacity 1 and is marked after the state changed. It is closed
	// when no more will come.
	Dirty() <-chan struct{}
}

// Wall is a [Source] of several elections. A source that is none has one.
type Wall interface {
	Source
	// States are those of the elections watched, in their order; the first is
	// the one of [Source.State]. The slice is not written to afterwards.
	States() []*doctor.State
	// Search returns the progress of the search for elections, nil before there was any.
	Search() *elections.Search
}

// Options say what a dashboard shows and where.
type Options struct {
	Source  Source  // nil: an election of which nothing is known
	Actions Actions // nil: nothing can be done

	// Now is the clock of the states shown; a replay brings the recorded one.
	// Nil: time.Now.
	Now func() time.Time

	// ObserveOnly removes the keys that change anything.
	ObserveOnly bool

	Mode    string // badge: ModeDemo, ModeReplay, "" for live
	Role    string // "observer", "candidate", "cast of 3"
	Cluster string // "embedded 127.0.0.1:41873", or the connect string

	// Clusters are the names of those that the user can turn to: Turn is called with one,
	// and the dashboard ends.
	Clusters []string
	Turn     func(cluster string)

	// Choose says that the user named no election: the dashboard begins with the
	// list of elections.
	Choose bool

	// Past, if set, lets the user go back in time; of a [Wall], each election has one. In a
	// replay it is a [travel.Recording], whose playback the action Pause stops and continues.
	Past travel.Past
	// Tutor, if set, gives lessons. [Source.Dirty] is marked when its View has changed.
	Tutor lessons.Tutor
	// Invitations, if any, are how others join, and Open says that they can do so
	// from other machines.
	Invitations []overlay.Invitation
	Open        bool

	// Begin, if set, is called after the first frame, for work that would delay it. It
	// must not block.
	Begin func()

	// Notices are lines for the status line, such as trouble with a recording.
	Notices <-chan string

	Theme string // term.Auto ("" too), term.Dark, term.Light or term.Mono

	// Mouse says that the terminal reports clicks and the wheel. Selecting text with it
	// takes another key then, shift on most terminals.
	Mouse bool
	// Clipboard sends text to the clipboard of the user's terminal, between two frames.
	// Nil: there is none. It runs outside the event loop.
	Clipboard func(text string) error

	Output io.Writer // nil: the terminal
	// Width and Height are the size of the terminal at Output, which then shows the first
	// frame at once. 0: the frame comes when the size is known.
	Width, Height int
	// Input is where keys come from, nil: the terminal. If it has a method Interrupt,
	// that is called before the program is suspended, and ends a read with io.EOF.
	Input    io.Reader
	Renderer *lipgloss.Renderer // its colour profile is used; nil: that of Output
}

// The badges that change how the dashboard behaves: a replay is paused at its
// source, and a live cluster asks before our own candidacy is harmed.
const (
	ModeDemo   = mainscreen.Demo
	ModeReplay = mainscreen.Replay
	ModeLive   = ""
)

// cannotJoin says why there is no way to join the election at path, "" if there is one.
func (o *Options) cannotJoin(path string) string {
	switch {
	case len(o.Invitations) > 0:
		return ""
	case o.Mode == ModeReplay:
		return "This is a recording: nobody can join."
	case o.Mode == ModeDemo:
		return "This demo has no address for other programs."
	}
	return "This is a cluster of your own: a program joins with the cluster's address, as with electop campaign " + znode.Safe(path, 0) + " -s " + znode.Safe(o.Cluster, 120) + "."
}

// The timing constants of the dashboard, with their reasons. Those of a panel
// stand with it.
const (
	// refreshEvery is the least time between two refreshes: 30 a second look
	// continuous, and a burst of events costs one frame.
	refreshEvery = 33 * time.Millisecond

	// refreshFirst is the rest after the first refresh. Each rest is twice as long as the
	// one before, up to refreshEvery: at the start the user waits for the election, which
	// becomes known in a few steps (connected, read, verified).
	refreshFirst = 2 * time.Millisecond

	// playEvery is how often the playhead moves while the past is played: ten times a
	// second looks as if it moved by itself.
	playEvery = 100 * time.Millisecond

	// actionTimeout ends an action that hangs. It is longer than a connection
	// attempt and shorter than anybody's patience.
	actionTimeout = 10 * time.Second

	// lessonTimeout bounds the building of a lesson's setup: a few candidates
	// that stand for election, and the sessions of those before to end.
	lessonTimeout = 30 * time.Second

	// verifyWait is how long the answers of the servers are waited for: each is
	// asked with timeouts of its own, and several questions come in a row.
	verifyWait = 30 * time.Second

	// leaveWait is how long the program waits at its end for actions that were
	// cancelled. One that ignores this is left behind.
	leaveWait = time.Second
)
