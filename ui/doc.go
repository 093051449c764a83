// Package ui is the dashboard. It draws an election, and passes the user's actions on to [Actions]. The
// package does not import a ZooKeeper client. It gets immutable states from a [Source]. A live cluster,
// the demo and a replay each have a Source and Actions.
//
// # From a state to a frame
//
//	Source --Dirty--> pump --refresh--> Update --> draw --> frame --> View
//	                                      ^ keys, ticks
//
// One goroutine, the pump, sends the newest state to the event loop if the source is dirty, and then
// rests for up to 33 ms. So a burst of changes costs few frames. The newest state includes the effects
// of all changes.
//
// If the screen may have changed, Update settles the screen and draws a frame. View returns the last
// frame. Settling decides the place and the contents of each part, and which lines are in view. The
// effect of a key depends on the settled parts, not on the frame. While drawing, each part reports when
// it changes next (see [term.Frame]). The earliest of these times is the next tick.
//
// # From a znode to the screen
//
// These functions handle one deletion, from the notification that the client reads to the text that
// Bubbletea gets.
//
//	zkwatch/client       serverconn.go  serverConn.Read, nextFrame: the notification arrives
//	                     follow.go      noteEvent, Following.add; Following.Take returns it
//	zkwatch/observer     reader.go      reader.take, apply, child: a model.Delta, or a read
//	zkwatch/feed         feed.go        Feed.Put, drain, apply: the observation, in order
//	model/history        timeline.go    Timeline.Apply records it
//	model/doctor         doctor.go      Journal.Apply, and then Doctor.Apply: the rules
//	model                journal.go     Journal.Apply, Journal.State
//	                     read.go        delta, change, removeChildren, left
//	                     handoff.go     checkHead: another leader
//	ui                   run.go         pump: a message with the newest states
//	ui/cli/dashboard     elections.go   elections.States: the states that pump sends
//	ui                   dashboard.go   Model.Update, refresh
//	                     watched.go     setViews, watched.store: a new state for each view
//	                     screen.go      redraw: settle, then draw
//	ui/mainscreen        screen.go      Screen.Settle: rectangles from Arrange; Screen.Draw
//	ui/candidates        panel.go       Panel.Settle, Panel.Draw
//	ui/leadership        handoffs.go    Handoffs.Settle, Handoffs.Draw
//	ui/mainscreen        header.go      Bar.Draw
//	                     status.go      DrawStatus
//	                     footer.go      Footer.Draw
//	ui/term              canvas.go      Canvas.Render: cells to text, which View returns
//
// # From a key to the server
//
// These functions handle the key x on a candidate of the demo, from the terminal to the socket. The
// effect becomes visible with the next state.
//
//	ui                   dashboard.go   update, key: keys that arrive together, one by one
//	                     keyboard.go    oneKey, bound: what the key means in this mode
//	                     actions.go     act, try, begin: the action, its target, or why not
//	ui/action            action.go      Situation.Refuses, Acts.Why, Acts.Do
//	ui                   doer.go        doer.cmd: runs it outside the event loop
//	ui/cli/dashboard     actions.go     actions.whyNoFault, actions.fault
//	demo                 fault.go       Cast.Fault, member.apply, member.kill
//	zkwatch/candidate    faults.go      Candidate.Kill
//	zkwatch/client       conn.go        Conn.Cut, terminate, teardown
//	                     serverconn.go  serverConn.shut
//	zkwatch/fault        line.go        lineConn.Close: the socket closes
//
// A click begins in dashboard.mouse (mouse.go). If it hits a key of the footer, dashboard.bound follows,
// except for a lesson's answer. Each part marks its clickable rows, keys and times (see [term.Canvas.Spot]).
//
// # Packages below
//
// The dashboard is the root. It decides which message goes where (dashboard.go), what a key or a
// click does (keyboard.go, mouse.go) and what is shown (screen.go). It holds four types with their
// own rules: the watched elections (watched.go), time travel (timetravel.go), the text or list in
// front of the panels (overlays.go), and the tasks outside the event loop (doer.go).
//
// The dashboard imports these packages, and they do not import it:
//
//	term                       cells, pens, colours and signs
//	wording                    the words for one candidate, watch, fault or cause
//	action, input              what the user can do; what a key means, in each mode
//	mainscreen                 header, panels, status line and footer: places and focus
//	candidates, messages,      panels of the main screen; leadership has the recipe, the
//	lessons, leadership        handoffs and the beliefs
//	overlay                    texts that may be longer than their place; lists of actions
//	detail                     the panels of one candidate, the findings and the servers
//	elections                  the list of elections, in front of the panels
//	travel                     time travel: finds, plays and names other times
//
// A new panel needs a package with a Panel, a constant and a place in mainscreen/layout.go, and a line
// each in Settle and Draw of mainscreen.Screen. A new text or list in front of the panels needs a mode in
// package input, and a case each in overlays.window (overlays.go) and settle or content (screen.go).
//
// All text from outside passes through [znode.Safe], and the canvas accepts no control characters.
//
// # What is shown
//
// A source may be a [MultiSource] of several elections. Each election has a view with its selection,
// filter and scroll position. The selection is a candidate's znode or one of electop's own candidates,
// not a row number. For example, a frozen leader whose session expired has no znode, but the user can
// still select and thaw it.
//
// [Options] may have a past ([travel.Past]). Time travel shows the state of another time. Searches for
// that state run outside the event loop, one at a time. Only the time line also shows what came after
// that time.
//
// A [lessons.Runner] reports what the user can read, answer and do in a lesson. The dashboard shows the
// report, and passes on the user's input.
//
// Inferred and verified facts have different signs. A countdown is an upper bound. Without a connection,
// all panels except the lesson are faded, and the screen shows when the state was current.
//
// A candidate can finish a step in a millisecond. So a step stays marked for a while, and
// notifications move to their watchers in slow motion.
package ui
