//go:build !linux && !darwin

package supervise

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// Supported tells whether commands can be supervised on this system: it needs process
// groups, and a clock that processes share.
const Supported = false

var errUnsupported = errors.New("this system has no process groups")

type group int

func (group) stop() {}
func (group) kill() {}
func (group) end()  {}

func clock() time.Duration           { return 0 }
func ownGroup() *syscall.SysProcAttr { return nil }
func tied() *syscall.SysProcAttr     { return nil }
func headsGroup() bool               { return false }
func ownPid() group                  { return 0 }
func adopt()                         {}
func self() (string, error)          { return "", errUnsupported }
func closeOnExec(*os.File)           {}
