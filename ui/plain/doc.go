// Package plain shows an election without a screen: as JSON, one object a
// line, for scripts ([Event], [Status]; format 1, described in electop help json),
// or as lines of text for people ([Line], [StatusText]). It shows what is in the
// journal and decides nothing.
//
// zxids and session ids are hex strings, times are RFC 3339 with nanoseconds,
// a znode is its full path as the client sees it, durations are milliseconds
// with fractions, and null is unknown.
//
//	event.go, statusobject.go              objects of one line, made of those of value.go
//	text.go, status.go, risk.go            text, in which who.go names candidates
//	noleader.go                            both, where nobody is said to lead
//	finding.go, unchecked.go, tooearly.go  the doctor's answer, both
//	discovery.go                           a list of elections, both
package plain
