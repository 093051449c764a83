// Package grid draws a crowd of candidates, each a cell: a heat map of who is notified and
// of how often each was. Cells go down the columns, so that the next in the queue is below,
// and one that waits for another stands under it.
//
// A handoff notifies, and each of the notified reads the list again: that is a wave. The
// Recipe panel shows what it costs.
package grid
