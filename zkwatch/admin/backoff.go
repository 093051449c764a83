package admin

import "time"

// A server that does not answer is asked again after twice as long each time,
// up to this.
const longestPause = time.Minute

// backoff has a server asked less often while it does not answer.
type backoff struct {
	failed int       // polls in a row
	until  time.Time // no earlier, unless somebody asks
	why    string    // of the last failure
}

// fail notes a poll without an answer. The first time the server may be
// restarting: the next poll asks it as usual.
func (b *backoff) fail(why string, interval time.Duration) {
	b.why = why
	pause := longestPause
	if b.failed < 8 {
		pause = min(pause, interval<<b.failed)
	}
	if b.failed++; b.failed > 1 {
		b.until = time.Now().Add(pause)
	}
}

// reset notes an answer.
func (b *backoff) reset() { *b = backoff{} }
