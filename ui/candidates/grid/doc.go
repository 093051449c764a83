// Package grid draws a crowd of candidates, each a cell: a heat map of who is notified and
// of how often each was. Cells go down the columns, so that the next in the queue is below,
// and one that waits for another stands under it.
//
// A handoff notifies, and each of the notified reads the list again: that is a wave, and
// the lines below the cells compare what it costs by each rule.
package grid
