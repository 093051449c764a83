package connect

import (
	"os"
	"slices"
	"strings"
)

// Environ returns the environment for a program that electop starts: its own without the
// credentials.
func Environ() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, AuthVariable+"=") })
}
