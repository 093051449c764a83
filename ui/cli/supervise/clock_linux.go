package supervise

import (
	"time"

	"golang.org/x/sys/unix"
)

// clock is a time that all processes of this machine share. It counts while the machine
// sleeps, and nobody can set it.
func clock() time.Duration { return read(unix.CLOCK_BOOTTIME) }
