// Package ui is the dashboard: it draws an election and passes on what the
// user wants done. It knows neither ZooKeeper nor where the election comes
// from: it sees immutable states through a [Source] and acts through
// [Actions], and a live cluster, the demo and a replay are implementations of
// the two.
//
// # How a frame comes to be
//
//	Source --Dirty--> pump --refresh--> Update --> draw --> frame --> View
//	                   (30 Hz at most)    ^ keys, ticks
//
// One goroutine, the pump, waits for the source to be dirty, sends one message
// with the newest state, and rests for 33 ms (less after the first few). So a
// burst of changes costs one frame; nothing is lost by it, because a state holds
// the history too.
//
// Update settles the screen and draws the frame when something that shows has
// changed, and View returns the last one. Bubbletea writes it on its next tick;
// the first frame is written at once (run.go). To settle is to give each part its
// place, what it shows and what of it is in view; keys move by that. Drawing
// changes nothing but the canvas: what a key does never depends on a frame.
// While drawing, each part says when its digits change next (see [term.Frame]);
// the earliest of these moments is the next tick. A picture with nothing but
// ages in it is drawn once a second, and one that cannot change is not drawn at
// all.
//
// # From a znode to the glass, and a key back
//
//	a notification     names a change: watching.apply (zkwatch/observer/changes.go); by
//	                   reads: Observer.watchChildren (zkwatch/observer/children.go)
//	an observation     model.Delta or model.Read (model/observation.go)
//	it is applied      Feed.apply (zkwatch/feed/feed.go): Journal.Apply, then the doctor
//	what it means      Journal.read (model/read.go); a new leader: model/handoff.go
//	a state comes      pump (run.go) sends it; dashboard.refresh, watched.take (watched.go)
//	the screen         mainscreen.Screen.Settle: rectangles from mainscreen.Arrange
//	a panel            a value for each: candidates.Panel, ...; its Settle, its Draw
//	its words          package wording; what can be selected is a model.Row
//	the glass          package term: Canvas.Render with the Theme; View returns the text
//
//	a key comes        dashboard.oneKey (keyboard.go); package input says what it means
//	a click comes      dashboard.mouse (mouse.go); what is there was noted by who drew it
//	                   ([term.Canvas.Spot])
//	an action          action.Situation: what it would do, or why not
//	it is done         doer.cmd runs [Actions].Do outside the event loop
//	by whom            ui/cli/dashboard/actions.go; x on our own candidate: demo.Cast.Fault
//	what came of it    done (actions.go); the election itself, with the next state
//
// # Rooms
//
// The dashboard is the root: it says which message goes where (dashboard.go), what a key or
// a click means (keyboard.go, mouse.go) and what is shown (screen.go). It holds four types
// with rules of their own, which do not know it: the elections watched (watched.go), which
// time is shown (timetravel.go), what is in front and typed (overlays.go), and what runs
// outside the event loop (doer.go).
//
// What it shows are packages that do not know it either. Each takes a state and a few
// values, and can be read alone:
//
//	term                       cells, pens, colours and signs; knows no election
//	wording                    what is said of one thing
//	action, input              what can be done; what a key means; modes and help
//	mainscreen                 header, panels, status line and footer: their places, the focus
//	candidates, messages,      its panels; leadership has the recipe, the handoffs and
//	lessons, leadership        the beliefs
//	overlay                    texts that may be longer than their place; lists of actions
//	detail                     the panels of one candidate, the findings and the servers
//	elections                  the list of elections, in front of the panels
//	travel                     other moments: how they are found, played and said
//
// A new panel is a package with a Panel, a place for it in mainscreen.Arrangement,
// and a line each in Settle and Draw of mainscreen.Screen. A new text or list in front
// is a mode in package input, and a case in overlays.window (overlays.go) and settle (screen.go).
//
// Everything that came from outside passes through [znode.Safe] first, and the canvas takes
// no control characters at all.
//
// # What is shown
//
// A source may be a [MultiSource] of several elections. Each has a view of its own
// with its selection, filter and scrolling; only the one on the screen is drawn. The
// selection is a candidate's znode, or a member of our own cast, and never a row's number:
// a frozen leader whose session expired has no znode any more, yet it can be thawed.
//
// A source may have a past ([travel.Past]). Going back holds the picture, as a pause
// does, at the state of another moment; everything that is drawn is drawn from the state.
// Searches run outside the event loop, one at a time: what is pressed meanwhile makes the
// next one. The time line alone also shows what came after, so it does not change while a
// playhead moves over it.
//
// A [lessons.Runner] reports what the user can read, answer and do in a lesson; the dashboard
// shows that and passes on the user's input.
//
// Nothing inferred is drawn as if it were known. A watch has a sign and, if it is wrong, words
// (doctor.State.Edge); a countdown is an upper bound, and is rounded up; a picture without a
// connection is faded and says how old it is.
//
// What our own candidates and the embedded server do takes a millisecond. So a step stays
// marked until it could be read, and a notification travels along its edge in slow motion:
// both depend on the state and the time alone, and so look the same in the past.
package ui
