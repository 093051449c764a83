// Package pager is a text that may be longer than its place, and where the user
// is in it.
//
// A text is settled before it is drawn: [Front.Settle] and [Pager.Settle] take
// the lines and their place, keys move by what is in view then, and drawing
// changes nothing. A [Front] comes in front of the panels; its place depends on
// how long the text is. A [Pager] has its place in a panel.
package pager
