// Package handoffs is the panel of the time line: a lane for each candidate over a time
// axis, and below them each change of the leader, with its cause and its three durations
// (silent, takeover, vacant).
//
//	axis.go       time over cells: where it begins and what a cell stands for
//	lanes.go      which lanes are in view, and what is in each cell
//	lanesdraw.go  their drawing, with notifications, writes and the playhead
//	settle.go     how the panel is divided, and which time each column has
//
// Live the axis follows what happened last. In the past and in a recording it is stable:
// it shows what came after the moment too, and the playhead moves over it.
package handoffs
