package connect

import (
	"fmt"
	"time"

	"electop/ui/cli/exit"
)

// Unreachable is the error of a cluster that cannot be connected to.
func Unreachable(servers fmt.Stringer, limit time.Duration, why string) error {
	if why == "" {
		why = "no answer"
	}
	return exit.Error{Code: exit.NoServer, Err: fmt.Errorf("no server of %s reached within %v (%s): check --servers, or wait longer with --connect-timeout", servers, limit, why)}
}

// Missing is the error of a path that does not exist.
func Missing(path string, servers fmt.Stringer) error {
	return fmt.Errorf("%s does not exist on %s: check the path and the chroot", path, servers)
}

// Forbidden is the error of a path that this client may not read.
func Forbidden(path string, servers fmt.Stringer) error {
	return fmt.Errorf("%s on %s can't be listed: its ACL does not allow this client to read it (credentials: --auth-file)", path, servers)
}
