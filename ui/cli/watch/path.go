package watch

import (
	"strings"

	"electop/ui/cli/exit"
	"electop/zkwatch/client"
)

// Max bounds the elections that one dashboard watches: each costs two watches
// and, per change, a request.
const Max = 50

// CheckPath refuses what cannot be the path of an election.
func CheckPath(path string) error {
	if !strings.HasPrefix(path, "/") {
		return exit.Usagef("PATH must be a znode's path, as in /election, not %q (see electop --help)", path)
	}
	if err := client.ValidatePath(path); err != nil || path == "/" {
		return exit.Usagef("PATH %q is not the path of a znode below the root", path)
	}
	return nil
}
