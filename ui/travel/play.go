package travel

import (
	"time"
)

// play is how the past of a running election is played: time passes from one moment on.
// A recording is played by its source.
type play struct {
	on    bool
	from  time.Time // moment at which it began
	began time.Time // by the real clock
	speed float64   // 0: 1
}

// Speeds at which the past is played.
const (
	slowest = 1. / 16
	fastest = 256.
)

// at is the time that the playback has reached.
func (p *play) at(now time.Time) time.Time {
	return p.from.Add(time.Duration(float64(now.Sub(p.began)) * p.rate()))
}

func (p *play) rate() float64 {
	if p.speed == 0 {
		return 1
	}
	return p.speed
}

// scale plays faster or slower from now on.
func (p *play) scale(by float64, now time.Time) {
	if p.on {
		p.from, p.began = p.at(now), now
	}
	p.speed = max(slowest, min(fastest, p.rate()*by))
}
