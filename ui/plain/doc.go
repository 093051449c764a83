// Package plain shows an election without a screen: as JSON, one object a
// line, for scripts ([Event], [Status]; format 1, described in electop help json),
// or as lines of text for people ([Line], [StatusText]). It shows what is in the
// journal and decides nothing.
//
// zxids and session ids are hex strings, times are RFC 3339 with nanoseconds,
// a znode is its full path as the client sees it, durations are milliseconds
// with fractions, and null is unknown.
package plain
