// Package footer decides which keys the last line of the screen shows, and what
// it calls them: those of the present mode, first the ones that matter now. Keys
// that cannot act are dim.
package footer
