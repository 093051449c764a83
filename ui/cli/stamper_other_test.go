//go:build !linux && !darwin

package cli_test

// stamper is a command that a campaign runs, where it can.
func stamper() {}
