// Package header is the first line of the screen: the election, the connection,
// and the moment that is shown. What does not fit gives way, the least telling
// first.
package header
