package watch

import (
	"strings"

	"electop/ui/cli/exit"
	"electop/zkwatch/client"
)

// Max bounds the elections that one dashboard watches: each costs two watches
// and, per change, a request.
const Max = 50

// CheckPath returns the path of an election as the user means it: without a / at its
// end, as a shell completes it. It refuses what cannot be one.
func CheckPath(path string) (string, error) {
	if !strings.HasPrefix(path, "/") {
		return "", exit.Usagef("PATH must be a znode's path, as in /election, not %q (see electop --help)", path)
	}
	trimmed := strings.TrimSuffix(path, "/")
	if err := client.ValidatePath(trimmed); err != nil {
		return "", exit.Usagef("PATH %q is not the path of a znode below the root", path)
	}
	return trimmed, nil
}
