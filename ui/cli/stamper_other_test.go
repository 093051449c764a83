//go:build !linux && !darwin

package cli_test

// stamper is never called, because no campaign runs a command on these systems.
func stamper() {}
