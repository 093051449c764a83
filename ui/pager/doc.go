// Package pager is a text that may be longer than its place, and where the user
// is in it.
//
// A text is settled before it is drawn: [Panel.Settle] and [Pager.Settle] take
// the lines and their place, keys move by what is in view then, and drawing
// changes nothing. A [Panel] is a text with its box; a [Pager] is a part of a panel.
package pager
