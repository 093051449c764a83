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
	// Do does action a outside the event loop, and obeys ctx. The user sees the error.
	Do(ctx context.Context, a action.Action) error
	// Why returns why action a cannot be done now, or "" if a can be done. Why must be fast, because
	// each frame calls it several times.
	Why(a action.Action) string
}

// Source provides the states of an election.
type Source interface {
	// State returns the present state. State can be called at any time.
	State() *doctor.State
	// Dirty returns a channel with capacity 1, which receives a value after the state has changed.
	// The channel is closed after the last change.
	Dirty() <-chan struct{}
}

// MultiSource is a [Source] of several elections.
type MultiSource interface {
	Source
	// States returns the states of the elections. The first is the state of [Source.State]. The
	// slice is immutable.
	States() []*doctor.State
	// Search returns the last search for elections, nil for none. The value is immutable, because each
	// step of a running search gives a new value.
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

	// Clusters are the other clusters that the user can choose. SwitchCluster is called with the
	// chosen one before the dashboard ends.
	Clusters      []string
	SwitchCluster func(cluster string)

	// Choose begins with the list of elections.
	Choose bool

	// Past, if set, lets the user go back in time. In a replay, Past is a [travel.Recording], and the
	// action Pause stops and continues the playback.
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

	// Mouse makes the terminal report clicks and the wheel. To select text, the user then holds another
	// key, usually shift.
	Mouse bool
	// Clipboard sends text to the clipboard of the user's terminal, outside the event loop. Nil:
	// there is no clipboard.
	Clipboard func(text string) error

	Output io.Writer // nil: the terminal
	// Width and Height are the size of the terminal, for an immediate first frame. 0: the first
	// frame waits for the size.
	Width, Height int
	// Input provides the keys; nil: the terminal. If Input has a method Interrupt, the method is called
	// before a suspension, and ends a read with io.EOF.
	Input    io.Reader
	Renderer *lipgloss.Renderer // has the colour profile; nil: made from Output
}

// Modes of a dashboard, shown as the badge in the header.
const (
	ModeDemo   = mainscreen.Demo
	ModeReplay = mainscreen.Replay
	ModeLive   = ""
)

// cannotJoin returns why there is no invitation to the election at path, "" if there is one.
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

	// refreshFirst is the pause after the first refresh. The pause is short, because the user waits for
	// the first states. Each later pause is twice as long as the previous one, up to refreshEvery.
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
