//go:build !linux && !darwin

package command

import (
	"errors"
	"io"
	"os"
	"time"
)

// Supported is true if a [Supervisor] can run commands on this system.
const Supported = false

var errUnsupported = errors.New("this works only on Linux and macOS")

// Guard returns an error.
func Guard(io.Reader, time.Duration, []string) error { return errUnsupported }

func clock() time.Duration { return 0 }

// Adopt returns an error.
func Adopt() error { return errUnsupported }

// Descendants returns none.
func Descendants(int, []int) []int { return nil }

// EndOrphans does nothing.
func EndOrphans(int, []int) {}

func descendants() []int    { return nil }
func self() (string, error) { return "", errUnsupported }
func terminate(*os.Process) {}
