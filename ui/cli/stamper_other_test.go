//go:build !linux && !darwin

package cli_test

// stamper is empty: no campaign can run a command here.
func stamper() {}
