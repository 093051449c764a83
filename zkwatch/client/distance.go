package client

import "time"

// distanceSamples is how many of the last small round trips are remembered: enough
// that one of them did not wait in a queue, few enough to notice soon that the link
// became longer.
const distanceSamples = 8

// A distance is how far a server is, by the quickest of the last small round
// trips: pings, and reads whose replies take the server and the link no time.
type distance struct {
	trips [distanceSamples]time.Duration
	n     int
}

func (d *distance) note(trip time.Duration) {
	d.trips[d.n%distanceSamples] = trip
	d.n++
}

// least is 0 where nothing is known.
func (d *distance) least() (least time.Duration) {
	for i := range min(d.n, distanceSamples) {
		if i == 0 || d.trips[i] < least {
			least = d.trips[i]
		}
	}
	return least
}
