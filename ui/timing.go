package ui

import "time"

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

	// lessonTimeout bounds the building of a lesson's scene: a few candidates
	// that stand for election, and the sessions of those before to end.
	lessonTimeout = 30 * time.Second

	// verifyWait is how long the answers of the servers are waited for: each is
	// asked with timeouts of its own, and several questions come in a row.
	verifyWait = 30 * time.Second

	// leaveWait is how long the program waits at its end for actions that were
	// cancelled. One that ignores this is left behind.
	leaveWait = time.Second
)
