package ui

import "time"

// Every timing constant of the dashboard, with its reason.
const (
	// refreshEvery is the least time between two refreshes: 30 a second look
	// continuous, and a burst of events costs one frame.
	refreshEvery = 33 * time.Millisecond

	// tickCalm is how often the picture moves when only ages and the clock do:
	// their last digit is the second.
	tickCalm = time.Second

	// tickBusy is how often it moves while something counts down: often enough
	// to be seen moving, rarely enough to cost nothing.
	tickBusy = 250 * time.Millisecond

	// stepShown is how long a step of the recipe stays marked. Steps take a
	// millisecond; nobody could read them otherwise.
	stepShown = 1500 * time.Millisecond

	// travelShown is how long a notification is shown on its way from the
	// deleted znode to its watcher. It takes less than a millisecond; this is
	// long enough for the eye to find it and follow, and over before the next
	// event. tickTravel is how often it moves meanwhile: a cell or two at a
	// time, which looks like one movement.
	travelShown = 600 * time.Millisecond
	tickTravel  = 50 * time.Millisecond

	// writesShown is how long a worker's last writes are shown whose leader
	// believes nothing any more: workers write a few times a second, so one that
	// goes on stays in view, and one that stopped is seen to have stopped.
	writesShown = 5 * time.Second

	// handoffShown is how long a new handoff is highlighted: the eye needs
	// about a second to find what moved.
	handoffShown = 1500 * time.Millisecond

	// handoffTold is how long the recipe panel tells of the last handoff
	// before it returns to what is so now: one sentence's reading time.
	handoffTold = 5 * time.Second

	// statusShown and errorShown are how long the status line keeps a result:
	// good news are expected and short, bad news have to be read.
	statusShown = 5 * time.Second
	errorShown  = 15 * time.Second

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
