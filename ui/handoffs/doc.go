// Package handoffs is the panel of handoffs: a strip with the reigns over a
// time axis, and below it each change of the leader, with its cause and its
// three durations (silent, takeover, vacant).
package handoffs
