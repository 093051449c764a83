package ui

import (
	"context"
	"io"
	"time"

	"github.com/charmbracelet/lipgloss"

	"electop/model/doctor"
	"electop/model/history"
	"electop/model/lesson"
)

// Kind is what an [Action] does.
type Kind string

const (
	Spawn    Kind = "spawn"    // one more candidate
	Kill     Kind = "kill"     // cut its connection, no goodbye
	Freeze   Kind = "freeze"   // freeze or thaw: Arg says which
	Resign   Kind = "resign"   // close its session
	Campaign Kind = "campaign" // enter the election or leave it: Arg says which
	Herd     Kind = "herd"     // change the recipe to the one that Arg names
	Refresh  Kind = "refresh"  // read a candidate's data again: Arg is its znode's path
	Pause    Kind = "pause"    // replays only: stop or continue the playback
	Verify   Kind = "verify"   // ask the servers now who watches what; done once that has begun
	Discover Kind = "discover" // look for elections; done once that has begun: see [Walk]
	Open     Kind = "open"     // watch one more election: Target is its path

	// Faults, to see what happens. Where Arg is not said to be on or off, it is
	// done once.
	Partition Kind = "partition"  // cut a candidate's network, or heal it: ArgOn, ArgOff
	LoseReply Kind = "lose reply" // it volunteers anew, and the reply to its create is lost
	NoGuid    Kind = "no guid"    // its next znodes have no guid in their name: ArgOn, ArgOff
	Expire    Kind = "expire"     // its session expires now
	SlowLead  Kind = "slow lead"  // its leader procedure does not end: ArgOn, ArgOff

	// Of the demo as a whole.
	Slow    Kind = "slow"    // how slowly the server speaks: ArgSlower, ArgFaster
	Step    Kind = "step"    // let one protocol step go, and hold the next ones
	Workers Kind = "workers" // leaders have workers that write: ArgOn, ArgOff
	Fence   Kind = "fence"   // workers check the leader's znode with each write: ArgOn, ArgOff
)

// What [Action.Arg] says where a key has two meanings.
const (
	ArgFreeze   = "freeze"
	ArgThaw     = "thaw"
	ArgCampaign = "campaign"
	ArgWithdraw = "withdraw"
	ArgOn       = "on"
	ArgOff      = "off"
	ArgSlower   = "slower"
	ArgFaster   = "faster"
)

// Action is something the user wants done outside the dashboard.
type Action struct {
	Kind Kind
	// Election is the path of the election that was on the screen.
	Election string
	// Target is the ID of one of our own members, else the full path of a
	// znode, or "" where the kind needs none.
	Target string
	Arg    string
}

// Actions is how the dashboard acts. Live, demo and replay each bring one.
type Actions interface {
	// Do does it. It runs outside the event loop, obeys ctx, and its error is
	// shown to the user.
	Do(ctx context.Context, a Action) error
	// Why returns the reason for which a cannot be done now, "" if it can. It
	// is asked for each key of each frame, so it only looks, and quickly.
	Why(a Action) string
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
	// Walk is how the search for elections goes, nil before there was any. It
	// is immutable: a search that got further returns another.
	Walk() *Walk
}

// Walk is a search for elections, as far as it has got.
type Walk struct {
	Root            string
	Found           []FoundElection // in the order of their finding
	Visited, Denied int             // znodes read, and those that could not be
	Skipped         int             // znodes that were not looked into
	Running         bool
	Stopped         string // which bound ended it early, "" for none
	Err             string // why it failed, "" if it did not
}

// FoundElection is an election that a [Walk] came upon.
type FoundElection struct {
	Path, System, Leader string
	Waiting              int
	// Reign is for how long the leader's znode existed when it was read.
	Reign      time.Duration
	ReignKnown bool
	Findings   int
	Worst      doctor.Severity // "" without findings
}

// Did is the error of an [Actions.Do] that went well and has something to say
// about it.
type Did string

// Error implements error.
func (d Did) Error() string { return string(d) }

// Past is a [Source] that can show earlier moments. Of a [Wall], each election
// has one.
type Past interface {
	// Seek returns the moment to which a move leads from the moment n of the
	// election at path. It may take some ten milliseconds and is called outside
	// the event loop. ok is false where nothing is kept.
	Seek(path string, n uint64, m history.Move) (at history.Moment, ok bool)
}

// Reel is the [Past] of a recording that is being played. Seek stops the
// playback at the moment that it returns; the action [Pause] stops it and lets
// it go on, from the moment shown.
type Reel interface {
	Past
	// Playing tells how it is played. It is asked for each frame, so it only
	// looks.
	Playing() Playing
}

// Playing is how a recording is played.
type Playing struct {
	N           uint64    // number of the moment that is shown; 0: none was reached
	First, Last time.Time // of the recording, as far as it was read
	Speed       float64   // how much faster than life; 0: not known
	Stopped     bool
	Ended       bool // it is at its end
}

// Tutor gives lessons. Its methods may be called by any goroutine; [Source.Dirty]
// is marked when View has something else to say.
type Tutor interface {
	// Lessons is the menu, in the order of the course.
	Lessons() []lesson.Entry
	// View is what to show of the lesson that is on; ok is false for none.
	View() (v lesson.View, ok bool)
	// Start begins a lesson: it builds the scene, which may take a while, and is
	// called outside the event loop. "" is the first that was not done yet.
	Start(ctx context.Context, id string) error
	// Input passes on what the student does besides acting on the election, and
	// returns why it cannot be done, "" if it was.
	Input(in lesson.Input, choice int) (why string)
	// Leave ends the lesson; the scene stays.
	Leave()
}

// Invitation is one way in which programs from elsewhere join the election.
type Invitation struct {
	Program string // "electop", "kazoo (Python)"
	Line    string // to be typed or pasted
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

	// Past, if set, lets the user go back in time. In a replay it is a [Reel].
	Past Past
	// Tutor, if set, gives lessons.
	Tutor Tutor
	// Invitations, if any, are how others join, and Open says that they can do so
	// from other machines.
	Invitations []Invitation
	Open        bool

	// Notices are lines for the status line, such as trouble with a recording.
	Notices <-chan string

	Theme    string             // ThemeAuto ("" too), ThemeDark, ThemeLight or ThemeMono
	Output   io.Writer          // nil: the terminal
	Input    io.Reader          // nil: the terminal
	Renderer *lipgloss.Renderer // its colour profile is used; nil: that of Output
}

// The badges that change how the dashboard behaves: a replay is paused at its
// source, and a live cluster asks before our own candidacy is harmed.
const (
	ModeDemo   = "DEMO"
	ModeReplay = "REPLAY"
	ModeLive   = ""
)
