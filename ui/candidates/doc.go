// Package candidates is the panel of candidates: who leads, who waits behind
// whom, and which znode each really watches.
//
// A [Panel] keeps where the user is: selection, filter, scrolling. [Panel.Settle]
// takes a state and a size, divides the panel and brings the selection into view;
// keys move by that. [Panel.Draw] draws the queue as a table, the members without
// a znode below it; a
// zoomed crowd is drawn as a grid (grid.go). Drawing changes nothing.
//
// At the left of the table a line leads from who watches to what is watched (chain.go).
//
// A deleted znode stays in its place while the notifications of it travel along the edges
// in slow motion (deletion.go).
package candidates
